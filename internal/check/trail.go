//go:build go1.25

package check

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

// A trail notes the calls that take and give up references to an object. One Release too many takes
// the reference of someone else, whose own Release then fails. Only the history tells the two apart.
type trail struct {
	steps   []step
	last    [maxLast]uint8 // the latest calls by index in steps, a ring
	noted   uint64         // number of calls in steps
	omitted uint64         // number of calls that are in no step
}

// A step stands for all equal calls.
type step struct {
	call  misuse.Call
	at    *stack
	count uint64
}

// Limits of a trail, which keep its memory and that of a Finding bounded.
const (
	maxSteps   = 16
	maxLast    = 32
	trailDepth = 10   // callers of a step
	trailCost  = 640  // trail with maxSteps steps
	maxNoted   = 1000 // calls of one object that sampled checks note: each takes a microsecond
)

// Counted is [Object] for an object with a count of references, and need not be put. It reports
// whether the object has a trail, so that the caller must call Step.
func Counted[T any](t *Tracker, o *Owner, x *T, size int) bool {
	var here callers
	here.here()
	r := t.record(o, size, &here)
	t.exempt(r)
	if t.budget.take(trailCost, reservedForPuts) {
		r.trail = &trail{steps: make([]step, 0, maxSteps)}
		here.n = min(here.n, trailDepth)
		r.trail.add(t, misuse.New, &here)
	}
	t.table.watch((*byte)(unsafe.Pointer(x)), r)
	return r.trail != nil
}

// Step notes a call that takes or gives up a reference to x. Calls of several goroutines are noted in
// any order. If Step returns false, the caller need not call it again for x.
func Step[T any](t *Tracker, x *T, c misuse.Call) bool {
	var here callers
	here.n = runtime.Callers(2, here.pcs[:trailDepth])
	s := t.table.shard(uintptr(unsafe.Pointer(x)))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.table.find(s, (*byte)(unsafe.Pointer(x)))
	if r == nil || r.trail == nil {
		return false
	}
	r.trail.add(t, c, &here)
	return t.full || r.trail.noted+r.trail.omitted < maxNoted
}

func (l *trail) add(t *Tracker, c misuse.Call, here *callers) {
	i := slices.IndexFunc(l.steps, func(s step) bool {
		return s.call == c && slices.Equal(s.at.calls(), here.pcs[:here.n])
	})
	if i < 0 && len(l.steps) < maxSteps {
		if at := t.stacks.retain(here); at != nil {
			i = len(l.steps)
			l.steps = append(l.steps, step{call: c, at: at})
		}
	}
	if i < 0 {
		l.omitted++
		return
	}
	l.steps[i].count++
	l.last[l.noted%maxLast] = uint8(i)
	l.noted++
}

// release gives back the cost of l, which may be nil.
func (l *trail) release(b *book) {
	if l == nil {
		return
	}
	for _, s := range l.steps {
		b.stacks.release(s.at)
	}
	b.budget.give(trailCost)
}

// found returns a copy of l for a Finding, or nil for nil.
func (l *trail) found() *misuse.Trail {
	if l == nil {
		return nil
	}
	f := &misuse.Trail{Omitted: l.omitted}
	for _, s := range l.steps {
		f.Steps = append(f.Steps, misuse.Step{Call: s.call, Count: s.count, Stack: s.at.calls()})
	}
	for i := l.noted - min(l.noted, maxLast); i < l.noted; i++ {
		f.Last = append(f.Last, l.last[i%maxLast])
	}
	return f
}
