//go:build go1.25

package check

import (
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

//go:noinline
func retains(tr *Tracker, x *thing) bool { return Step(tr, x, misuse.Retain) }

//go:noinline
func givesUp(tr *Tracker, x *thing) bool { return Step(tr, x, misuse.Release) }

// counted returns an object with a trail.
//
//go:noinline
func counted(t *testing.T, tr *Tracker, o *Owner) *thing {
	t.Helper()
	x := &thing{written: -1}
	if !tr.Pay() || !Counted(tr, o, x, 77) {
		t.Fatal("no trail")
	}
	return x
}

// trailOf returns the trail of x after its Put.
func trailOf(t *testing.T, tr *Tracker, o *Owner, x *thing) *misuse.Trail {
	t.Helper()
	Release(tr, o, x, careful)
	f, ok := Used(tr, x)
	if !ok || f.Trail == nil {
		t.Fatalf("no trail: %+v", f)
	}
	return f.Trail
}

// TestTrail: equal calls are one step, in the order of their first calls, and Last has all calls in order.
func TestTrail(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	x := counted(t, tr, o)
	if n := outItems(tr); n != 0 {
		t.Errorf("%d objects with a trail must be put", n)
	}
	for range 3 {
		retains(tr, x)
	}
	givesUp(tr, x)
	retains(tr, x) // at another line
	givesUp(tr, x)
	Step(tr, x, misuse.Use)
	l := trailOf(t, tr, o, x)
	var calls []misuse.Call
	var counts []uint64
	for _, s := range l.Steps {
		calls, counts = append(calls, s.Call), append(counts, s.Count)
	}
	if !slices.Equal(calls, []misuse.Call{misuse.New, misuse.Retain, misuse.Release, misuse.Retain, misuse.Release, misuse.Use}) ||
		!slices.Equal(counts, []uint64{1, 3, 1, 1, 1, 1}) || l.Omitted != 0 {
		t.Errorf("%v, %v times, and %d omitted", calls, counts, l.Omitted)
	}
	if !slices.Equal(l.Last, []uint8{0, 1, 1, 1, 2, 3, 4, 5}) {
		t.Errorf("in this order: %v", l.Last)
	}
	for i, want := range []string{"counted", "retains", "givesUp", "retains", "givesUp", "TestTrail"} {
		if got := innermost(l.Steps[i].Stack); got != want {
			t.Errorf("step %d is at %s, want %s", i, got, want)
		}
	}
	before := len(l.Last)
	if retains(tr, x); len(l.Last) != before || l.Steps[1].Count != 3 {
		t.Error("the trail of a finding changes")
	}
}

// TestTrailBounded: a trail has few steps, few of the latest calls and few callers, however many there were.
func TestTrailBounded(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	var x *thing
	deep(0, 2*trailDepth, func() { x = counted(t, tr, o) })
	calls := 0
	for i := range 100 {
		for c := range misuse.Call(4) {
			deep(i, 7, func() { Step(tr, x, c) })
			calls++
		}
	}
	const again = 1000
	for range again {
		deep(0, 7, func() { Step(tr, x, 0) }) // unlike the one above
	}
	l := trailOf(t, tr, o, x)
	noted := uint64(0)
	for _, s := range l.Steps {
		noted += s.Count
		if len(s.Stack) > trailDepth || len(s.Stack) == 0 {
			t.Errorf("a step has %d callers", len(s.Stack))
		}
	}
	if len(l.Steps) != maxSteps || len(l.Last) != maxSteps || noted+l.Omitted != uint64(1+calls+again) {
		t.Errorf("%d steps, %d calls in order, %d calls noted and %d omitted of %d", len(l.Steps), len(l.Last), noted, l.Omitted, 1+calls+again)
	}
	used := tr.budget.used.Load()
	x = counted(t, tr, o)
	for range 3 * maxLast {
		retains(tr, x)
	}
	for range 3 {
		givesUp(tr, x)
	}
	l = trailOf(t, tr, o, x)
	if want := append(slices.Repeat([]uint8{1}, maxLast-3), 2, 2, 2); !slices.Equal(l.Last, want) || l.Steps[1].Count != 3*maxLast {
		t.Errorf("the latest calls are %v", l.Last)
	}
	if tr.budget.used.Load() < used+trailCost+recordCost {
		t.Error("the trail is not paid for")
	}
}

// TestTrailEnds: a sample notes a number of calls of one object, full checks note all. Objects without a trail
// need no calls.
func TestTrailEnds(t *testing.T) {
	for _, full := range []bool{false, true} {
		tr, o, _ := begin(t, 1, full)
		x := counted(t, tr, o)
		n := 1 // with New
		for n < 2*maxNoted {
			n++
			if !retains(tr, x) {
				break
			}
		}
		if want := map[bool]int{false: maxNoted, true: 2 * maxNoted}[full]; n != want {
			t.Errorf("full %t: %d calls are noted, want %d", full, n, want)
		}
		if y := makes(tr, o); retains(tr, y) || retains(tr, new(thing)) {
			t.Error("an object without a trail needs calls")
		} else if releases(tr, o, y); (*trail)(nil).found() != nil {
			t.Error("no trail is found")
		}
		if tr.Pay(); !full {
			tr.budget.limit = tr.budget.used.Load() + reservedForPuts
			z := new(thing)
			if Counted(tr, o, z, 77) || retains(tr, z) || !tr.Known((*byte)(unsafe.Pointer(z))) {
				t.Error("a trail without memory for it, or no record")
			}
		}
	}
}

// TestTrailAtOnce: calls of several goroutines are all counted.
func TestTrailAtOnce(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	x := counted(t, tr, o)
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for range 100 {
				retains(tr, x)
				givesUp(tr, x)
			}
		})
	}
	users.Wait()
	counts := make(map[misuse.Call]uint64)
	l := trailOf(t, tr, o, x)
	for _, s := range l.Steps {
		counts[s.Call] += s.Count
	}
	if counts[misuse.Retain] != 400 || counts[misuse.Release] != 400 || counts[misuse.New] != 1 || len(l.Steps) != 3 {
		t.Errorf("%v in %d steps", counts, len(l.Steps))
	}
}
