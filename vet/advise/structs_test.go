package advise

import "testing"

// TestReasonsOfLocalStructs has structs that functions make for themselves, which the compiler cannot see: they are passed to methods of
// an interface.
func TestReasonsOfLocalStructs(t *testing.T) {
	const (
		clear = "Clear it before the Put: item has no method Reset of its own, and a pool hands out fields such as next as they were."
		none  = " There is no patch: "
	)
	judged(t, `package p

import (
	"io"
	"net/http"
	"runtime"
	"sort"
	"sync"
	"weak"
)

type visitor interface{ visit(i *item) int }

type counter struct{ n int }

func (c *counter) visit(i *item) int {
	i.next = i
	i.part = i.values[:2]
	return i.values[c.n] + i.part[0]
}

type item struct {
	next   *item
	part   []int
	values [80]int
}

func made(v visitor) int {
	i := new(item) // : pool it; The memory does not leave made. `+clear+`$
	i.values[0] = 1
	return v.visit(i)
}

func literal(v visitor, n int) int {
	i := &item{values: [80]int{n}} // : pool it; The memory does not leave literal. `+clear+`$
	return v.visit(i)
}

func argument(v visitor, n int) int {
	return v.visit(&item{values: [80]int{n}}) + 1 // : pool it; The memory does not leave argument. `+clear+none+`it is a part of a larger expression
}

func variable(v visitor) int {
	var i item // : pool it; The memory does not leave variable. `+clear+none+`it is the variable of a struct: make it by new, and set it by its address.$
	return v.visit(&i)
}

func behind(v visitor, f func() int) int {
	n, i := f(), &item{part: []int{f()}} // : pool it; The memory does not leave behind. `+clear+none+`its value must not be computed behind the other values of the statement.$
	return v.visit(i) + n
}

func again(v visitor, i *item) int {
	i = &item{part: i.part} // : pool it; The memory does not leave again. `+clear+none+`its variable is in the literal, too.$
	return v.visit(i)
}

func unset(v visitor, n int) int {
	var i *item
	set := func() int {
		if i != nil {
			return 0
		}
		return n
	}
	i = &item{values: [80]int{set()}} // : pool it; The memory does not leave unset. `+clear+none+`its values may be computed by code that reads its variable.$
	return v.visit(i)
}

func pointed(v visitor, n int) int {
	var i *item
	at := &i
	set := func() int {
		if *at != nil {
			return 0
		}
		return n
	}
	i = &item{values: [80]int{set()}} // : needs an owner
	return v.visit(i)
}

func later(v visitor, n int) int {
	var i *item
	i = &item{values: [80]int{n}} // : pool it; The memory does not leave later. `+clear+`$
	return v.visit(i)
}

func parenthesized(v visitor, n int) int {
	i := (&item{values: [80]int{n}}) // : pool it; The memory does not leave parenthesized. `+clear+none+`there are parentheses around it: take them away.$
	return v.visit(i)
}

func group(v visitor, n int) int {
	var (
		i = &item{values: [80]int{n}} // : pool it; The memory does not leave group. `+clear+none+`there are parentheses around it: take them away.$
	)
	return v.visit(i)
}

func empty(v visitor) int {
	i := (&item{}) // : pool it; The memory does not leave empty. `+clear+`$
	return v.visit(i)
}

var newest *item

func (i *item) keep() int { newest = i; return 0 }

func (i *item) Len() int           { return 0 }
func (i *item) Swap(int, int)      {}
func (i *item) Less(int, int) bool { newest = i; return false }

func keeps(v visitor, n int) int {
	i := &item{values: [80]int{n}} // : needs an owner; The memory leaves keeps: it is passed to (*p.item).keep, where it is stored in the variable newest of the package.
	return v.visit(i) + i.keep()
}

func sorts(v visitor, n int) int {
	i := &item{values: [80]int{n}} // : needs an owner; The memory leaves sorts: it is passed to (*p.item).Less, where it is stored in the variable newest of the package.
	sort.Sort(i)
	return v.visit(i)
}

func sorted(s sort.Interface) { sort.Sort(s) }

func sortsBehind(v visitor, n int) int {
	i := &item{values: [80]int{n}} // : needs an owner; The memory leaves sortsBehind: it is passed to (*p.item).Less, where it is stored in the variable newest of the package.
	sorted(i)
	return v.visit(i)
}

func sortsOneOf(v visitor, n int, other sort.Interface) int {
	i := &item{values: [80]int{n}} // : needs an owner; The memory leaves sortsOneOf: it is passed to (*p.item).Less, where it is stored in the variable newest of the package.
	var s sort.Interface = i
	if n > 1 {
		s = other
	}
	sort.Sort(s)
	return v.visit(i)
}

func sortsCaptured(v visitor, n int) int {
	i := &item{values: [80]int{n}} // : needs an owner; The memory leaves sortsCaptured
	var s sort.Interface = i
	func() { sort.Sort(s) }()
	return v.visit(i)
}

type sorting struct{ by sort.Interface }

func (s *sorting) run() { sort.Sort(s.by) }

func sortsField(v visitor, n int) int {
	i := &item{values: [80]int{n}} // : needs an owner; The memory may leave sortsField
	s := sorting{i}
	s.run()
	return v.visit(i)
}

func reversed(v visitor, n int) int {
	i := &item{values: [80]int{n}} // : needs an owner; The memory leaves reversed
	sort.Sort(sort.Reverse(i))
	return v.visit(i)
}

type list struct{ values [80]int }

func (l *list) Len() int           { return len(l.values) }
func (l *list) Swap(i, j int)      { l.values[i], l.values[j] = l.values[j], l.values[i] }
func (l *list) Less(i, j int) bool { return l.values[i] < l.values[j] }

func sortsAlone(n int) int {
	l := &list{values: [80]int{n}} // : pool it; The memory does not leave sortsAlone. Clear it before the Put: list has no method Reset of its own, and a pool hands out fields such as values as they were.$
	sorted(l)
	return l.values[0]
}

type writer struct {
	http.ResponseWriter
	values [80]int
}

func (w *writer) Inner() io.Writer { return w }

func handles(h http.Handler, w http.ResponseWriter, r *http.Request) {
	h.ServeHTTP(&writer{ResponseWriter: w}, r) // : needs an owner; The memory may leave handles: it is a value whose methods may keep it.
}

type boxer interface{ box(any) int }

type ring struct{ n int }

func (r *ring) box(x any) int { return r.n }

func boxed(b boxer) int {
	var x any = &item{} // : pool it; The memory does not leave boxed. `+clear+none+`its variable is of another type.$
	return b.box(x)
}

type locked struct {
	mu     sync.Mutex
	values [80]int
}

type locker interface{ lock(l *locked) int }

type single struct{ n int }

func (s *single) lock(l *locked) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.values[s.n]
}

func locks(s locker) int {
	l := new(locked) // : pool it; The memory does not leave locks. Clear it before the Put: locked has no method Reset of its own, and a pool hands out fields such as mu as they were. There is no patch: it has a lock, which must not be set to another value.$
	return s.lock(l)
}

func finalized(v visitor) int {
	i := new(item) // : needs an owner; The memory may leave finalized
	runtime.SetFinalizer(i, func(i *item) {})
	return v.visit(i)
}

func cleaned(v visitor) int {
	i := new(item) // : needs an owner; The memory may leave cleaned
	runtime.AddCleanup(i, func(n int) {}, 1)
	return v.visit(i)
}

var last weak.Pointer[item]

func weakly(v visitor) int {
	i := new(item) // : needs an owner; The memory may leave weakly
	last = weak.Make(i)
	return v.visit(i)
}

var seen = map[*item]bool{}

func known(v visitor) int {
	i := new(item) // : needs an owner; The memory leaves known
	seen[i] = true
	return v.visit(i)
}

func inside(v visitor) []int {
	i := new(item) // : needs an owner; The memory may leave inside
	v.visit(i)
	return i.part
}

func linked(v visitor) *item {
	i := new(item) // : needs an owner; The memory may leave linked
	v.visit(i)
	return i.next
}

func panics(v visitor) int {
	i := new(item) // : needs an owner; The memory may leave panics
	if v.visit(i) > 0 {
		panic(i)
	}
	return 0
}

func started(v visitor) {
	i := new(item) // : needs an owner; The memory leaves started
	go v.visit(i)
}
`, func(i int, s *synthetic) { s.objects, s.bytes = s.bytes/704, s.bytes/704*704 })
}
