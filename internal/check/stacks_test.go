//go:build go1.25

package check

import (
	"runtime"
	"slices"
	"sync"
	"testing"
)

func newStacks(limit int64) (*stacks, *budget) {
	s, l := new(stacks), &budget{limit: limit}
	s.init(l)
	return s, l
}

// TestStacksShared: equal stacks are one, which is paid for once and as long as there are references to it.
func TestStacksShared(t *testing.T) {
	s, l := newStacks(unlimited)
	c := synthetic(1, 2, 3)
	first, again := s.retain(c), s.retain(synthetic(1, 2, 3))
	c.pcs[1] = 77 // a stack does not change with the array that it was found in
	if first != again || !slices.Equal(first.calls(), []uintptr{1, 2, 3}) {
		t.Errorf("%v and %v are not one", first.calls(), again.calls())
	}
	if used := l.used.Load(); used != costOf(3) {
		t.Errorf("%d bytes are paid", used)
	}
	all := []*stack{first}
	for _, other := range []*callers{synthetic(), synthetic(1), synthetic(1, 2), synthetic(1, 2, 4), synthetic(3, 2, 1), synthetic(1, 2, 3, 0)} {
		x := s.retain(other)
		if slices.Contains(all, x) {
			t.Errorf("%v is taken for another stack", other.pcs[:other.n])
		}
		all = append(all, x)
	}
	if want := costOf(3)*3 + costOf(0) + costOf(1) + costOf(2) + costOf(4); l.used.Load() != want {
		t.Errorf("%d bytes are paid for all, want %d", l.used.Load(), want)
	}
	s.release(first)
	if s.retain(synthetic(1, 2, 3)) != first {
		t.Error("a stack with a reference was removed")
	}
	s.release(nil)
	for _, x := range append(all, first) {
		s.release(x)
	}
	if len(s.all) != 0 || l.used.Load() != 0 {
		t.Errorf("%d stacks and %d bytes without references", len(s.all), l.used.Load())
	}
}

// TestStacksBounded: without memory for another stack there is none, but those that exist can be had.
func TestStacksBounded(t *testing.T) {
	s, l := newStacks(2*costOf(2) + 1)
	a, b := s.retain(synthetic(1, 2)), s.retain(synthetic(3, 4))
	if a == nil || b == nil || s.retain(synthetic()) != nil || s.retain(synthetic(5, 6)) != nil {
		t.Errorf("%d bytes of %d are used", l.used.Load(), l.limit)
	}
	if x := s.retain(synthetic(3, 4)); x != b {
		t.Error("a stack that exists is not found")
	}
	s.release(a)
	if s.retain(synthetic(5, 6)) == nil || s.retain(synthetic(1, 2)) != nil {
		t.Error("the memory of a stack is not given back for another")
	}
	if (*stack)(nil).calls() != nil {
		t.Error("no stack has calls")
	}
}

// TestStacksOfOneHash: stacks with the same hash are told apart, and any of them can be removed.
func TestStacksOfOneHash(t *testing.T) {
	for gone := range uintptr(3) {
		s, l := newStacks(unlimited)
		var all [3]*stack
		for i := range all {
			all[i] = &stack{pcs: []uintptr{uintptr(i)}, key: 9, next: s.all[9]}
			all[i].refs.Store(1)
			s.all[9] = all[i]
			l.take(costOf(1), 0)
		}
		s.release(all[gone])
		s.release(&stack{pcs: []uintptr{7}, key: 9}) // it has been removed before
		for i := range uintptr(3) {
			if x := s.find(9, []uintptr{i}); x != all[i] && i != gone || x != nil && i == gone {
				t.Errorf("without stack %d, stack %d is %v", gone, i, x)
			}
		}
		if used := l.used.Load(); used != 2*costOf(1) {
			t.Errorf("%d bytes are paid for two stacks", used)
		}
	}
}

// TestStacksCollide: a new stack with the hash of another one does not hide it.
func TestStacksCollide(t *testing.T) {
	s, _ := newStacks(unlimited)
	key := s.retain(synthetic(1, 2)).key
	before := &stack{pcs: []uintptr{7}, key: key}
	s.all[key] = before
	x := s.retain(synthetic(1, 2))
	if x == before || x.key != key || s.find(key, []uintptr{7}) != before || s.find(key, []uintptr{1, 2}) != x {
		t.Errorf("of two stacks with one hash, one is lost: %v, %v", x.calls(), s.all[key].calls())
	}
}

// TestStacksUsedAtOnce: stacks that lose their last reference while others look for them are either found
// or made anew.
func TestStacksUsedAtOnce(t *testing.T) {
	s, l := newStacks(unlimited)
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for i := range uintptr(2000) {
				x := s.retain(synthetic(i%3, 1))
				same := s.retain(synthetic(i%3, 1))
				if !slices.Equal(x.calls(), []uintptr{i % 3, 1}) || x != same {
					t.Errorf("%v and %v are not one", x.calls(), same.calls())
				}
				s.release(x)
				s.release(same)
			}
		})
	}
	users.Wait()
	if len(s.all) != 0 || l.used.Load() != 0 {
		t.Errorf("%d stacks and %d bytes are left", len(s.all), l.used.Load())
	}
}

// TestStacksFoundMeanwhile: a stack that is found between its last release and its removal stays.
func TestStacksFoundMeanwhile(t *testing.T) {
	s, l := newStacks(unlimited)
	x := s.retain(synthetic(1, 2))
	released := make(chan bool)
	s.mu.RLock() // so that release waits to remove it
	go func() {
		s.release(x)
		close(released)
	}()
	for x.refs.Load() != 0 {
		runtime.Gosched()
	}
	found := s.find(x.key, x.pcs)
	s.mu.RUnlock()
	<-released
	if found != x || s.retain(synthetic(1, 2)) != x || l.used.Load() != costOf(2) {
		t.Errorf("a stack with a reference was removed; %d bytes are paid", l.used.Load())
	}
}

//go:noinline
func hereAtDepth(n int) []uintptr {
	if n > 0 {
		return hereAtDepth(n - 1)
	}
	return Here()
}

// TestHere: a stack begins with the function that calls the checked one, and has a limit.
func TestHere(t *testing.T) {
	for depth, want := range map[int]int{0: -1, 3: -1, 100: maxDepth} {
		pcs := hereAtDepth(depth)
		if want < 0 {
			want = len(hereAtDepth(0)) + depth
		}
		if len(pcs) != want || innermost(pcs) != "hereAtDepth" {
			t.Errorf("at depth %d: %d calls, the first is %s", depth, len(pcs), innermost(pcs))
		}
	}
}

// TestGoroutine: goroutines have different numbers, which records note if they are asked to.
func TestGoroutine(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	defer Goroutines.Store(Goroutines.Load())
	numbers := make(chan uint64)
	seen := []uint64{0}
	for range 3 {
		go func() { numbers <- Goroutine() }()
		seen = append(seen, <-numbers)
	}
	mine := Goroutine()
	if mine != Goroutine() {
		t.Error("the number of a goroutine changes")
	}
	if seen = append(seen, mine); len(slices.Compact(slices.Sorted(slices.Values(seen)))) != 5 {
		t.Errorf("numbers that are zero or equal: %v", seen)
	}
	for note, want := range map[bool]uint64{false: 0, true: mine} {
		Goroutines.Store(note)
		x := array(tr, o, 64)
		if _, f := tr.Put(o, x, 1); f.Goroutine != want {
			t.Errorf("with Goroutines %t the acquisition was by goroutine %d, want %d", note, f.Goroutine, want)
		}
		tr.Put(o, x, 64)
	}
}
