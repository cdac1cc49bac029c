package basin

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/waitlist"
)

// ErrTooLarge is what [BytePool.GetContext] fails with, wrapped in the numbers, if the
// request is larger than all that the pool may hand out.
var ErrTooLarge = errors.New("request is larger than MaxInUse")

// GetContext is [BytePool.Get] for those who would rather not wait without end.
// Without a [Config.MaxInUse] it never waits. With one it waits until there is room for
// n bytes, after those who came before, even if there were room for less. If ctx is
// done before that, or already, it returns nil and the error of ctx. If n can never
// fit it fails at once, with an error that is [ErrTooLarge] and names both
// numbers. It panics if ctx is nil.
func (p *BytePool) GetContext(ctx context.Context, n int) ([]byte, error) {
	if ctx == nil {
		panic("basin: BytePool.GetContext with a nil context")
	}
	c := p.ceiling
	if err := ctx.Err(); err != nil {
		if c != nil {
			c.waiters.Refuse()
		}
		return nil, err
	}
	if c == nil {
		return p.Get(n), nil
	}
	return c.get(ctx, n)
}

// TryGet is [BytePool.Get], but if there is no room for n bytes under
// [Config.MaxInUse], or others wait for room, it returns nil and false.
func (p *BytePool) TryGet(n int) ([]byte, bool) {
	c := p.ceiling
	if c == nil {
		return p.Get(n), true
	}
	b := c.tryGet(n)
	return b, b != nil
}

// A ceiling limits what a pool hands out. The BytePool that has one never uses its
// own magazines, so that every call ends up here; behind the ceiling is
// another BytePool, which has none.
//
// What is handed out is counted by capacity. That of a slice says whether it
// has been counted, so that Put needs no record of it: capacities that are multiples of
// unit have, others have not.
type ceiling struct {
	pool *BytePool // behind the ceiling
	max  int64

	// state is the number of bytes handed out, times two, plus one if
	// somebody waits. Then nobody takes room but in the name of who waits, so
	// what comes back adds up until it is enough even for a large request.
	state   atomic.Int64
	waiters waitlist.List // guards the change of state from and to someone waiting
}

const (
	someWait int64 = 1
	inUse    int64 = 2 // one byte handed out
)

// unit is what the capacities of counted slices are multiples of: those of all
// size classes are anyway.
const unit = 64

// newCeiling returns a ceiling over a new pool. c is complete.
func newCeiling(c Config) *ceiling {
	limit := c.MaxInUse
	c.MaxInUse = 0
	return &ceiling{pool: NewBytePool(c), max: limit}
}

// charge returns what a request for n bytes counts as, which is the capacity it gets,
// and whether the pool has a class for it.
func (c *ceiling) charge(n int) (size int64, pooled bool) {
	if class := c.pool.classes.Find(n); !class.None() {
		return int64(class.Size()), true
	}
	if int64(n) > c.max { // and may be too large to round up
		return int64(n), false
	}
	return (int64(n) + unit - 1) &^ (unit - 1), false
}

// get waits for room for n bytes.
func (c *ceiling) get(ctx context.Context, n int) ([]byte, error) {
	if n <= 0 {
		return []byte{}, nil
	}
	size, pooled := c.charge(n)
	if !c.take(size) {
		if err := c.wait(ctx, n, size); err != nil {
			return nil, err
		}
	}
	if pooled {
		return c.pool.Get(n), nil
	}
	return c.outside(n, size), nil
}

// tryGet returns n bytes, or nil if there is no room.
func (c *ceiling) tryGet(n int) []byte {
	if n <= 0 {
		return []byte{}
	}
	size, pooled := c.charge(n)
	switch {
	case !c.take(size):
		c.waiters.Refuse()
		return nil
	case pooled:
		return c.pool.Get(n)
	}
	return c.outside(n, size)
}

// grow is get for those who hold a slice already. Others may be waiting for that,
// so they must not wait for others: without room they get a plain slice.
func (c *ceiling) grow(n int) []byte {
	if b := c.tryGet(n); b != nil {
		return b
	}
	return c.plain(n)
}

// plain returns n bytes that have not been counted, with a capacity that says so.
func (c *ceiling) plain(n int) []byte { return c.pool.outside(n, n|1) }

// outside returns n bytes that have been counted as size and that the pool has
// no class for.
func (c *ceiling) outside(n int, size int64) (b []byte) {
	defer func() {
		if b == nil { // there cannot be a slice of that size
			c.release(size)
		}
	}()
	return c.pool.outside(n, int(size))
}

// put takes b back, and reports whether its array was kept.
func (c *ceiling) put(b []byte) bool {
	verdict, own := c.pool.recycle(b)
	if own && verdict != engine.Double || cap(b) > c.pool.classes.Largest() && cap(b)%unit == 0 {
		c.release(int64(cap(b)))
	}
	return own && verdict == engine.Kept
}

// take takes size bytes of room, if there is that much and nobody waits for it.
func (c *ceiling) take(size int64) bool {
	if size > c.max {
		return false
	}
	// To add first and to look afterwards is what makes this fast: it needs not
	// wait for the cache line twice. For a moment state may say too much, which
	// can turn others away at the ceiling. Who is to wait then is served by the
	// release here, as by any other.
	if state := c.state.Add(size * inUse); state&someWait == 0 && state <= c.max*inUse {
		return true
	}
	c.release(size)
	return false
}

// fits reports whether there is room for size bytes.
func (c *ceiling) fits(state, size int64) bool { return size <= c.max-state/inUse }

// wait takes size bytes of room for a request of n bytes as soon as there is that
// much.
func (c *ceiling) wait(ctx context.Context, n int, size int64) error {
	if size > c.max {
		c.waiters.Refuse()
		return fmt.Errorf("basin: %d bytes, with a capacity of %d, of a pool with a MaxInUse of %d: %w", n, size, c.max, ErrTooLarge)
	}
	c.waiters.Lock()
	for c.waiters.First() == nil {
		state := c.state.Load()
		if c.fits(state, size) {
			if c.state.CompareAndSwap(state, state+size*inUse) {
				c.waiters.Unlock()
				return nil
			}
		} else if c.state.CompareAndSwap(state, state|someWait) {
			break // whatever comes back from now on comes to serve
		}
	}
	w := c.waiters.Add(size)
	c.waiters.Unlock()
	return c.waiters.Wait(ctx, w, c.serve) // if a large request leaves, those after it may fit
}

// release gives size bytes of room back.
func (c *ceiling) release(size int64) {
	if size > c.max { // cannot have been taken
		return
	}
	state := c.state.Add(-size * inUse)
	if state < 0 { // slices were put that had never been handed out
		c.state.Add((-state + 1) / inUse * inUse)
	}
	if state&someWait != 0 {
		c.waiters.Lock()
		c.serve()
		c.waiters.Unlock()
	}
}

// serve gives room to those who wait, in their order, as far as it goes. The caller
// holds the lock of waiters.
func (c *ceiling) serve() {
	for w := c.waiters.First(); w != nil; w = c.waiters.First() {
		state := c.state.Load()
		if !c.fits(state, w.Need) {
			return
		}
		if c.state.CompareAndSwap(state, state+w.Need*inUse) {
			c.waiters.Serve(w, 0)
		}
	}
	c.state.And(^someWait)
}

// stats returns the statistics of the pool.
func (c *ceiling) stats() Stats {
	s := c.pool.Stats()
	s.MaxInUse = c.max
	s.InUseBytes = min(c.state.Load()/inUse, c.max) // see take
	s.Waits = waitsOf(&c.waiters)
	return s
}
