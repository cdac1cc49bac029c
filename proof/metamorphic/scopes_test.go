//go:build go1.25

package metamorphic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinscope"
)

// A scope has the methods that programs use, so that a test can replace it.
type scope interface {
	Get(n int) []byte
	Append(dst []byte, src ...byte) []byte
	String(b []byte) string
	Room(n int) error
	Defer(f func())
	End()
	child() scope
	node() *node
	nodes(n int) []*node
}

type realScope struct{ *basinscope.Scope }

func (s realScope) child() scope        { return realScope{s.Child()} }
func (s realScope) node() *node         { return basinscope.New[node](s.Scope) }
func (s realScope) nodes(n int) []*node { return basinscope.Slice[*node](s.Scope, n) }

// A node is a value in a scope.
type node struct {
	seed int
	text string
	next *node
	cell *cell // of the heap
}

func (n *node) marked() bool {
	return n.text == string(pattern(n.seed, 5)) && n.cell.marked(n.seed) && (n.next == nil || n.next.seed < n.seed)
}

// An opened is a member of a family, with all memory that it was handed.
type opened struct {
	s     scope
	fresh bool
	*family
	parts []part
	texts []string // of pattern(len, len)
	all   []*node
	lists [][]*node // list[i] is all[i%len(list)%all's length at the time]
	known []int     // that length, for each list
}

// A part is a slice whose array has pattern(seed, cap(b)).
type part struct {
	b    []byte
	seed int
}

// A family has no results that depend on the order of its members' calls.
type family struct {
	max      int64
	limited  bool // its pool has a ceiling
	mu       sync.Mutex
	asked    int64 // bytes, at least
	members  int
	ended    []*opened
	deferred int
	called   int
}

// poolsOfScopes are used by nothing else, because the slices that a scope takes depend on checks. The first
// is the default pool.
func (w *world) makeScopePools() {
	w.scopeLimit = &basin.Limit{Name: w.name + ".scopelimit", Max: 60_000}
	named := func(name string, p *basin.BytePool) *basin.BytePool {
		p.Name, p.MaxIdle, p.IdleTime, p.Zero = w.name+name, w.c.maxIdle, w.c.idleTime, w.c.zero
		return p
	}
	w.scopePools = []*basin.BytePool{
		nil,
		named(".scopes", &basin.BytePool{}),
		named(".smallscopes", &basin.BytePool{MaxSize: 1000}),
		named(".fewscopes", &basin.BytePool{MaxInUse: 20_000}),
		named(".limitedscopes", &basin.BytePool{Limit: w.scopeLimit}),
	}
	w.wrap = func(s scope) scope { return s }
}

// compareScopes compares the pools of scopes, all of which have ended, and the calls of functions.
func (r *run) compareScopes(same func(pool, what string, got, want any)) {
	for i, p := range r.scopePools[1:] {
		s, name := p.Stats(), fmt.Sprintf("scopePools[%d]", i+1)
		same(name, "Bytes.InUse", s.Bytes.InUse, 0)
		same(name, "Puts", s.Puts, s.Gets-s.Outside)
		same(name, "Drops.Double", s.Drops.Double, 0)
		same(name, "Drops.Foreign", s.Drops.Foreign, 0)
	}
	s := r.scopeLimit.Stats()
	same("scopeLimit", "Bytes.InUse and Reserved", s.Bytes.InUse+s.Reserved, 0)
	for i, f := range r.families {
		same(fmt.Sprintf("family %d", i), "functions called", f.called, f.deferred)
	}
}

func openScope(w *worker, o op) string {
	k, pool := o.a%slots, o.b%len(w.scopePools)
	w.freeScope(k)
	s := &basinscope.Scope{Pool: w.scopePools[pool], Fresh: o.c%3 == 0, Max: []int64{0, 0, 20_000, 5}[o.c/3%4]}
	w.say("sc[%d][%d] = &basinscope.Scope{Pool: scopePools[%d], Fresh: %v, Max: %d}", w.g, k, pool, s.Fresh, s.Max)
	f := &family{max: s.Max, limited: pool > 2 && !s.Fresh, members: 1}
	release := func() {}
	if pool == 4 && o.b/8%2 == 0 {
		if res, err := w.scopeLimit.Acquire(w.none.Context(context.Background()), 0); err == nil {
			s.Pool, release = res.Pool(s.Pool), res.Release
		}
	}
	x := &opened{s: w.wrap(realScope{s}), fresh: s.Fresh, family: f}
	w.scopes[k] = x
	w.saying.Lock()
	w.families = append(w.families, f)
	w.saying.Unlock()
	index := o.index
	w.deferCall(x, func() { // the last one
		release()
		if f.members != len(f.ended) {
			w.failAt(index, "functions of Defer are called while a child lives")
		}
		for _, x := range f.ended {
			if why := x.whole(); why != "" {
				w.failAt(index, "at the end of a family, %s", why)
			}
		}
	})
	return "opened"
}

// deferCall has f called at the end of the family, and checks the order of such calls.
func (w *worker) deferCall(x *opened, f func()) {
	fam, index := x.family, w.op.index
	fam.mu.Lock()
	defer fam.mu.Unlock()
	n := fam.deferred
	fam.deferred++
	x.s.Defer(func() {
		fam.mu.Lock()
		fam.called++
		if fam.called != fam.deferred-n {
			w.failAt(index, "function %d of %d is called as the %dth", n, fam.deferred, fam.called)
		}
		fam.mu.Unlock()
		f()
	})
}

// whole checks that nobody else has written to the memory of x.
func (x *opened) whole() string {
	for i, p := range x.parts {
		if b := p.b[:cap(p.b)]; !bytes.Equal(b, pattern(p.seed, len(b))) {
			return fmt.Sprintf("part %d of a scope, of capacity %d, has been written to by others", i, len(b))
		}
	}
	for _, s := range x.texts {
		if s != string(pattern(len(s), len(s))) {
			return fmt.Sprintf("a string of a scope, of %d bytes, has been written to by others", len(s))
		}
	}
	for i, n := range x.all {
		if !n.marked() {
			return fmt.Sprintf("value %d of a scope has been changed by others", i)
		}
	}
	for i, l := range x.lists {
		for j, n := range l {
			if x.known[i] > 0 && n != x.all[j%x.known[i]] {
				return fmt.Sprintf("element %d of a slice of a scope has been changed by others", j)
			}
		}
	}
	return ""
}

func (x *opened) count(n int) {
	x.mu.Lock()
	x.asked += int64(n)
	x.mu.Unlock()
}

// keep fills the array of b, which is new.
func (x *opened) keep(b []byte, seed int) {
	if cap(b) > 0 {
		copy(b[:cap(b)], pattern(seed, cap(b)))
		x.parts = append(x.parts, part{b, seed})
	}
}

// freeScope ends the scope in slot k, and reports whether there was one.
func (w *worker) freeScope(k int) bool {
	x := w.scopes[k]
	if x == nil {
		return false
	}
	if why := x.whole(); why != "" {
		w.fail("before its end, %s", why)
	}
	w.scopes[k], w.ended[k] = nil, x.s
	x.mu.Lock()
	x.ended = append(x.ended, x)
	x.mu.Unlock()
	w.say("try(sc[%d][%d].End)\nsc[%d][%d] = nil", w.g, k, w.g, k)
	if with := panics(x.s.End); with != "" && with != panicOfDefer {
		w.fail("End: %s", with)
	}
	return true
}

const panicOfDefer = "panic: a function of Defer"

func endScope(w *worker, o op) string {
	w.freeScope(o.a % slots)
	return "ended"
}

// scopeBytes calls Get, Append or String.
func scopeBytes(w *worker, o op) string {
	k, n := o.a%slots, length(o.c)
	x := w.scopes[k]
	if x == nil {
		return "none"
	}
	switch o.a / slots % 4 {
	case 0, 1:
		w.say("try(func() { fill(sc[%d][%d].Get(%d), %d) })", w.g, k, n, o.index)
		var b []byte
		if with := panics(func() { b = x.s.Get(n) }); n < 0 || with != "" {
			return with
		}
		if len(b) != n || n > 0 && uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
			w.fail("Get(%d) has %d bytes at %p", n, len(b), b)
		}
		if x.fresh && len(bytes.Trim(b, "\x00")) > 0 {
			w.fail("fresh memory is not zero")
		}
		x.keep(b, o.index)
		x.count(n)
		return "got"
	case 2:
		n = max(n, 0)
		src := bytes.Clone(pattern(n, n))
		w.say("if sc[%d][%d].String(pattern(%d, %d)) != string(pattern(%d, %d)) { panic(%d) }", w.g, k, n, n, n, n, o.index)
		s := x.s.String(src)
		clear(src)
		x.texts = append(x.texts, s)
		x.count(n)
		return sum([]byte(s))
	}
	return w.scopeAppend(x, k, o, max(n, 0)%10_000)
}

// scopeAppend appends n bytes to a part of a slice of the scope, or to one of foreign origin.
func (w *worker) scopeAppend(x *opened, k int, o op, n int) string {
	i, old := -1, part{b: bytes.Clone(pattern(o.index, o.b%100))}
	if len(x.parts) > 0 && o.b%4 > 0 {
		i = max(0, len(x.parts)-1-o.b/4%3)
		old = x.parts[i]
	}
	if len(old.b) > 100_000 {
		return "too large"
	}
	from := o.b / 16 % (len(old.b) + 1)
	to := from + o.c/8%(len(old.b)-from+1)
	if o.b%3 == 0 {
		to = len(old.b)
	}
	src := pattern(o.index+1, n)
	want := append(bytes.Clone(old.b[from:to]), src...)
	w.say("sc[%d][%d].Append(sc[%d][%d].Get(%d)[%d:%d], pattern(%d, %d)...)", w.g, k, w.g, k, len(old.b), from, to, o.index+1, n)
	b := x.s.Append(old.b[from:to], src...)
	if !bytes.Equal(b, want) {
		w.fail("Append has %s, want %s", sum(b), sum(want))
	}
	if i >= 0 && cap(b) > 0 {
		if from < cap(old.b) && unsafe.SliceData(b) == unsafe.SliceData(old.b[from:]) { // all bytes from there on are b's
			x.parts[i].b = old.b[:from:from]
		} else {
			x.parts[i].b = old.b[:to:to]
		}
	}
	if i >= 0 || to+n-from > cap(old.b)-from {
		x.keep(b, o.index)
	}
	return sum(want)
}

// scopeValues makes values, or a slice of them.
func scopeValues(w *worker, o op) string {
	k, n := o.a%slots, length(o.c)
	x := w.scopes[k]
	if x == nil {
		return "none"
	}
	if o.b%3 == 0 {
		if n > 2000 {
			n %= 2000
		}
		w.say("try(func() { basinscope.Slice[*int](sc[%d][%d], %d) })", w.g, k, n)
		var l []*node
		if with := panics(func() { l = x.s.nodes(n) }); n < 0 || with != "" {
			return with
		}
		if len(l) != n || slices.ContainsFunc(l, func(n *node) bool { return n != nil }) {
			w.fail("a slice of %d values has %d, or is not zero", n, len(l))
		}
		for i := range l {
			if len(x.all) > 0 {
				l[i] = x.all[i%len(x.all)]
			}
		}
		x.lists, x.known = append(x.lists, l), append(x.known, len(x.all))
		x.count(n * int(unsafe.Sizeof(l)) / 3)
		return "a slice"
	}
	n = 1 + o.b%40
	w.say("for range %d { basinscope.New[[5]int](sc[%d][%d]) }", n, w.g, k)
	for range n {
		v := x.s.node()
		if *v != (node{}) {
			w.fail("a value is %+v", *v)
		}
		v.seed = len(x.all) + 1
		v.text, v.cell = string(pattern(v.seed, 5)), &cell{v.seed, v.seed}
		if len(x.all) > 0 {
			v.next = x.all[(o.b+v.seed)%len(x.all)]
		}
		x.all = append(x.all, v)
	}
	x.count(n * int(unsafe.Sizeof(node{})))
	return "values"
}

func scopeChild(w *worker, o op) string {
	k, to := o.a%slots, o.b%slots
	x := w.scopes[k]
	if x == nil || k == to {
		return "none"
	}
	w.freeScope(to)
	w.say("sc[%d][%d] = sc[%d][%d].Child()", w.g, to, w.g, k)
	x.mu.Lock()
	x.members++
	x.mu.Unlock()
	w.scopes[to] = &opened{s: w.wrap(x.s.child()), fresh: x.fresh, family: x.family}
	return "child"
}

// scopeDefer defers a function that returns, panics, or uses its scope.
func scopeDefer(w *worker, o op) string {
	k, index := o.a%slots, o.index
	x := w.scopes[k]
	if x == nil {
		return "none"
	}
	w.say("sc[%d][%d].Defer(func() {})", w.g, k)
	switch o.b % 4 {
	case 0:
		w.deferCall(x, func() { panic(strings.TrimPrefix(panicOfDefer, "panic: ")) })
	case 1:
		w.deferCall(x, func() {
			if with := panics(func() { x.s.Get(1) }); with != panicAfterEnd {
				w.failAt(index, "Get in a function of Defer: %q", with)
			}
		})
	default:
		w.deferCall(x, func() {})
	}
	return panics(func() { x.s.Defer(nil) })
}

// scopeRoom asks for room. The exact number of bytes that a scope holds depends on checks.
func scopeRoom(w *worker, o op) string {
	k, n := o.a%slots, length(o.c)
	x := w.scopes[k]
	if x == nil {
		return "none"
	}
	w.say("try(func() { sc[%d][%d].Room(%d) })", w.g, k, n)
	x.mu.Lock()
	beyond := x.max > 0 && x.asked+int64(n) > x.max
	x.asked = max(x.asked-8, 0) // the room is rounded up
	x.mu.Unlock()
	var err error
	with := panics(func() { err = x.s.Room(n) })
	switch {
	case with != "" || n < 0:
		return with
	case err == nil && beyond:
		w.fail("there is room for %d bytes beyond a Max of %d", n, x.max)
	case err != nil && !errors.Is(err, basin.ErrLimit), err != nil && x.max == 0 && !x.limited:
		w.fail("Room(%d): %v", n, err)
	}
	return "asked"
}

// scopeLook looks at the memory of a scope and of members of its family that have ended.
func scopeLook(w *worker, o op) string {
	x := w.scopes[o.a%slots]
	if x == nil {
		return "none"
	}
	x.mu.Lock()
	ended := slices.Clone(x.ended)
	x.mu.Unlock()
	for _, x := range append(ended, x) {
		if why := x.whole(); why != "" {
			w.fail("while a member of the family lives, %s", why)
		}
	}
	return "looked"
}

const panicAfterEnd = "panic: basinscope: Scope used after its End"

// scopeLate uses a scope that has ended.
func scopeLate(w *worker, o op) string {
	s := w.ended[o.a%slots]
	if s == nil {
		return "none"
	}
	w.say("// A Scope that is used after its End.")
	s.End()
	return strings.Join([]string{
		panics(func() { s.Get(length(o.c)) }),
		panics(func() { s.Append(make([]byte, 1, 100), 'a') }),
		panics(func() { s.String(nil) }),
		panics(func() { s.Room(max(length(o.c), 0)) }),
		panics(func() { s.Defer(func() {}) }),
		panics(func() { s.child() }),
		panics(func() { s.node() }),
		panics(func() { s.nodes(max(length(o.c), 0)) }),
	}, ", ")
}

// Scopes with mistakes.
type (
	twiceScope struct {
		scope
		last []byte
	}
	dirtyScope  struct{ scope }
	deafScope   struct{ scope }
	sharedText  struct{ scope }
	shortAppend struct{ scope }
	roomyScope  struct{ scope }
	brieflyKept struct {
		scope
		all [][]byte
	}
	endlessScope struct{ scope }
)

func (s *twiceScope) Get(n int) []byte {
	if last := s.last; n > 0 && n <= len(last) {
		s.last = nil
		return last[:n:n]
	}
	s.last = s.scope.Get(n)
	return s.last
}
func (s dirtyScope) node() *node {
	n := s.scope.node()
	n.seed = 1
	return n
}
func (s deafScope) Defer(f func()) {
	if f == nil {
		s.scope.Defer(f)
	}
}
func (s sharedText) String(b []byte) string {
	s.scope.String(b)
	return unsafe.String(unsafe.SliceData(b), len(b))
}
func (s shortAppend) Append(dst []byte, src ...byte) []byte {
	b := s.scope.Append(dst, src...)
	if cap(dst) > len(dst) && len(b) > len(dst)+1 {
		b[len(b)-1] ^= 1
	}
	return b
}
func (s roomyScope) Room(n int) error {
	if n < 0 {
		return s.scope.Room(n)
	}
	return nil
}
func (s *brieflyKept) Get(n int) []byte {
	b := s.scope.Get(n)
	s.all = append(s.all, b)
	return b
}
func (s *brieflyKept) End() { // takes the memory from members that live
	for _, b := range s.all {
		clear(b)
	}
	s.scope.End()
}
func (s endlessScope) End() {
	if realScope, ok := s.scope.(realScope); ok && realScope.Fresh {
		return
	}
	s.scope.End()
}

// scoped replaces each scope.
func scoped(replace func(scope) scope) func(*world) { return func(w *world) { w.wrap = replace } }
