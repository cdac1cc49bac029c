//go:build go1.25

package basinscope

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/check"
)

// A core is the part of a Scope that few scopes need or that is worth keeping: a Scope with one chunk
// has none. It is reused by later scopes, with the slabs of the types that it has seen, which are
// empty then. The Scope itself is not, so nobody meets the core of another through an old Scope.
type core struct {
	turn    atomic.Uint64 // number of scopes that had the core and have ended, to tell a copied Scope
	fresh   bool
	pool    *basin.BytePool // of full
	full    [][]byte        // arrays other than the current chunk
	slabs   []slabs         // one for each type
	recent  [recents]slabs  // some of them, by place
	checked []func()        // give back the values that checks track

	bill     *bill // or nil
	deferred []func()
	family   *family // or nil, if there never was a child
}

// A family is a scope with children.
type family struct {
	held atomic.Int64 // bytes of all members
	over atomic.Bool  // a limit had no room for one of them

	mu       sync.Mutex // guards the following
	open     int        // members that have not ended
	cores    []*core    // of those that have
	deferred []func()
}

// cores has those that are not in use.
var cores = basin.Pool[*core]{Name: poolName}

const poolName = "scope"

// Limits on the parts of a core that is kept.
const (
	keptArrays   = 1 << 8
	keptSlabs    = 1 << 8
	keptDeferred = 1 << 8
)

// ensure returns the core of s. It panics if the scope is used meanwhile.
func (s *Scope) ensure() *core {
	if s.core == nil {
		c := cores.Get()
		if c == nil {
			c = new(core)
		}
		if s.core != nil || s.ended {
			panic(errBusy)
		}
		c.fresh, c.pool = s.Fresh, s.pool
		s.core, s.turn = c, c.turn.Load()
	}
	return s.core
}

// keep makes the core own b.
func (c *core) keep(b []byte) {
	if !c.fresh {
		c.full = append(c.full, b)
	}
}

// hold counts n bytes.
func (s *Scope) hold(n int) {
	s.held += int64(n)
	if s.core != nil && s.core.family != nil {
		s.core.family.held.Add(int64(n))
	}
}

// total returns the bytes of s and its family.
func (s *Scope) total() int64 {
	if s.core != nil && s.core.family != nil {
		return s.core.family.held.Load()
	}
	return s.held
}

// exceed notes that a limit had no room.
func (s *Scope) exceed() {
	s.over = true
	if s.core != nil && s.core.family != nil {
		s.core.family.over.Store(true)
	}
}

// exceeded reports whether a limit had no room for s or its family.
func (s *Scope) exceeded() bool {
	return s.over || s.core != nil && s.core.family != nil && s.core.family.over.Load()
}

// Child returns a scope for another goroutine, with the fields of s. Call it before the goroutine
// starts, and End in the goroutine:
//
//	c := s.Child()
//	go func() {
//		defer c.End()
//		…
//	}()
//
// Values of a child may be used until all scopes of the family have ended: see the package comment.
// A child without End keeps the memory of its family from reuse.
func (s *Scope) Child() *Scope {
	defer s.leave(s.enter())
	c := s.ensure()
	f := c.family
	if f == nil {
		f = &family{open: 1, deferred: c.deferred}
		f.held.Store(s.held)
		f.over.Store(s.over)
		c.family, c.deferred = f, nil
	}
	f.mu.Lock()
	f.open++
	f.mu.Unlock()
	child := &Scope{Pool: s.Pool, Max: s.Max, Fresh: s.Fresh, pool: s.pool, ceils: s.ceils}
	child.ensure().family = f
	return child
}

// Defer has f called at the end, before the memory is given back. The functions of a family are
// called when its last member ends, last in first out, also after a panic or [runtime.Goexit], and also
// if one of them panics: then the others are called, and the panic goes on. They may read the memory of the scope, but must not call
// its methods. It panics if f is nil.
func (s *Scope) Defer(f func()) {
	if f == nil {
		panic("basinscope: Defer of a nil function")
	}
	defer s.leave(s.enter())
	c := s.ensure()
	if c.family == nil {
		c.deferred = append(c.deferred, f)
		return
	}
	c.family.mu.Lock()
	defer c.family.mu.Unlock()
	c.family.deferred = append(c.family.deferred, f)
}

// End gives everything back: it calls the functions of Defer, clears all values, and puts the memory
// into its pools. If children run, the last of them does that. No value, slice or string of the scope
// may be used any more. A second End does nothing. Call it by defer, so that a panic ends the scope,
// too.
func (s *Scope) End() {
	if s.ended {
		return
	}
	c, chunk, pool := s.core, s.chunk, s.pool
	switch {
	case s.busy != 0 && atomic.LoadInt32(&s.busy) != 0:
		panic(errBusy)
	case c != nil && !c.turn.CompareAndSwap(s.turn, s.turn+1):
		panic(errCopy)
	}
	s.ended = true
	s.chunk, s.used, s.pool = nil, 0, nil
	if c != nil {
		s.core, s.last = nil, nil
		if chunk != nil {
			c.keep(chunk)
		}
		c.end()
	} else if chunk != nil && !s.Fresh {
		pool.Put(chunk)
	}
}

// end ends a member of a family, or a scope without one.
func (c *core) end() {
	f := c.family
	if f == nil {
		defer c.release()
		run(&c.deferred)
		return
	}
	f.mu.Lock()
	f.cores = append(f.cores, c)
	f.open--
	last := f.open == 0
	f.mu.Unlock()
	if !last {
		return
	}
	defer func() {
		for _, c := range f.cores {
			c.release()
		}
	}()
	run(&f.deferred)
}

// run calls all functions, the last one first. If one panics, the others are called, too.
func run(all *[]func()) {
	if len(*all) == 0 {
		return
	}
	defer func() {
		if len(*all) > 0 {
			run(all)
		}
	}()
	for n := len(*all); n > 0; n = len(*all) {
		f := (*all)[n-1]
		(*all)[n-1] = nil
		*all = (*all)[:n-1]
		f()
	}
}

// release gives the memory of c back, and c itself.
func (c *core) release() {
	for _, give := range c.checked {
		give()
	}
	for i, b := range c.full {
		c.full[i] = nil
		c.pool.Put(b)
	}
	for _, sl := range c.slabs {
		sl.end()
	}
	c.settle()
	if cap(c.full) > keptArrays {
		c.full = nil
	}
	if len(c.slabs) > keptSlabs {
		c.slabs, c.recent = nil, [recents]slabs{}
	}
	if cap(c.deferred) > keptDeferred {
		c.deferred = nil
	}
	c.full, c.checked, c.family, c.pool = c.full[:0], nil, nil, nil
	if t := check.Current.Load(); t == nil || !t.Full() {
		cores.Put(c)
	}
}
