//go:build go1.25

package check

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

// A told has the findings of one Owner. Other findings may come from items of an earlier test.
type told struct {
	mu    sync.Mutex
	found []misuse.Finding
}

// take returns the findings since the last call.
func (l *told) take() []misuse.Finding {
	misuse.Told()
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.found
	l.found = nil
	return found
}

// begin returns a tracker without guarded memory that ends with the test, and an Owner with its findings.
func begin(t *testing.T, every int, full bool) (*Tracker, *Owner, *told) {
	t.Helper()
	tr, o, l := New(every, full, false), NewOwner(t.Name()), new(told)
	misuse.Handle(tr.id, func(f *misuse.Finding) {
		if f.Pool == &o.Pool {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.found = append(l.found, *f)
		}
	})
	t.Cleanup(func() {
		stop(tr)
		misuse.Handle(0, nil)
	})
	return tr, o, l
}

// array returns a tracked array of the heap.
//
//go:noinline
func array(tr *Tracker, o *Owner, size int) *byte {
	if !tr.Pay() {
		panic("the budget has too little left")
	}
	return unsafe.SliceData(tr.Array(o, size, func(n int) []byte { return make([]byte, n) }))
}

// puts is [Tracker.Put] with a name in stacks of its own.
//
//go:noinline
func puts(tr *Tracker, o *Owner, x *byte, capacity int) (Verdict, misuse.Finding) {
	return tr.Put(o, x, capacity)
}

// byteAt returns byte i of the array at x.
func byteAt(x *byte, i int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(x), i)) }

// innermost returns the name of the first function in a stack, without its package.
func innermost(pcs []uintptr) string {
	if len(pcs) == 0 {
		return ""
	}
	frame, _ := runtime.CallersFrames(pcs).Next()
	return frame.Function[strings.LastIndex(frame.Function, "/check.")+len("/check."):]
}

// outItems returns the number of outstanding items that Outstanding lists.
func outItems(tr *Tracker) (n int64) {
	for _, s := range tr.Outstanding() {
		n += s.Items
	}
	return n
}

// balanced fails the test unless the budget of tr, which has no records, has paid for its sites and the stacks
// that these refer to, and for nothing else.
func balanced(t *testing.T, tr *Tracker) {
	t.Helper()
	tr.sites.mu.Lock()
	defer tr.sites.mu.Unlock()
	tr.stacks.mu.Lock()
	defer tr.stacks.mu.Unlock()
	refs := make(map[*stack]int64)
	for _, s := range tr.sites.all {
		refs[s.key.acquired]++
		if s.last != nil {
			refs[s.last]++
		}
	}
	want := int64(len(tr.sites.all)) * siteCost
	for _, s := range tr.stacks.all {
		for ; s != nil; s = s.next {
			want += costOf(len(s.pcs))
			if n := s.refs.Load(); n != refs[s] || n == 0 {
				t.Errorf("a stack has %d references, %d of them by sites", n, refs[s])
			}
			delete(refs, s)
		}
	}
	if len(refs) > 0 {
		t.Errorf("%d stacks of sites have been removed", len(refs))
	}
	if used := tr.budget.used.Load(); used != want {
		t.Errorf("the budget has %d bytes, want %d for %d sites", used, want, len(tr.sites.all))
	}
	for i := range tr.filter {
		if n := tr.filter[i].Load(); n != 0 {
			t.Errorf("the filter counts %d records of hash %d", n, i)
		}
	}
}

// synthetic returns a stack that no call has.
func synthetic(calls ...uintptr) *callers {
	c := new(callers)
	c.n = copy(c.pcs[:], calls)
	return c
}
