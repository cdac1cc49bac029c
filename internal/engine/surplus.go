package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/basin-go/basin/internal/sched"
)

// Where larger items serve requests for smaller ones, what a pool needs is a question of
// bytes and not of classes: the most that was outstanding at one time, of all classes
// together. The rest is surplus although every class may have been used. It shows as a
// low-water mark, as in look but of what all depots hold together: at no time in the
// window was less there. FreeBSD's UMA estimates the working set of a zone likewise.

// A surplus is what an engine's depots need not hold.
type surplus struct {
	low sched.Int64 // low-water mark, in bytes, since the present window of reclaim began
	due int64       // bytes still to be let go in this window; belongs to reclaim
}

// deposited returns what the items of all depots cost.
func (e *Engine[T]) deposited() int64 { return e.idle.taken.Load() - e.local.taken.Load() }

// ebb lowers the low-water mark of all depots together to what they hold now.
func (e *Engine[T]) ebb() {
	if !e.fungible {
		return
	}
	for n := max(0, e.deposited()); ; {
		low := e.surplus.low.Load()
		if n >= low || e.surplus.low.CompareAndSwap(low, n) {
			return
		}
	}
}

// shedSurplus lets surplus go as look does within a class: what a window shows goes in the course of
// the next, a share at each call. Reclaim calls it, and says when it is now and whether
// the window closes.
func (e *Engine[T]) shedSurplus(now time.Duration, closes bool, idleTime time.Duration) {
	s := &e.surplus
	low := max(0, min(s.low.Load(), e.deposited()))
	s.due = min(s.due, low)
	end := e.window + idleTime/2
	switch {
	case !closes:
		from := max(e.last, e.window)
		s.due -= e.shed(s.due, int64(float64(s.due)*float64(now-from)/float64(end-from)))
		return
	case now-e.window >= idleTime: // two windows in one
		e.count()
		e.shed(low, low)
		s.due = 0
	default:
		e.count()
		s.due = low - e.shed(s.due, s.due)
	}
	s.low.Store(e.deposited())
}

// count notes how often items of each class were got since the last call.
func (e *Engine[T]) count() {
	for c, d := range e.made() {
		d.mu.Lock()
		gets := uint32(d.hits)
		for m := range e.magazines(d, c) {
			gets += uint32(popsOf(m.state.peek()))
		}
		d.uses, d.gets = gets-d.gets, gets
		d.mu.Unlock()
	}
}

// shed lets go items of at most n bytes, of due in all, and returns how much that was. Items of
// the classes that were used least go first, so that small classes in frequent use do not
// make room for large ones in rare use; of classes used alike the smaller ones,
// for which the larger ones can stand in. An item that is larger than n, but not than what is
// due, has those after it wait.
func (e *Engine[T]) shed(due, n int64) (shed int64) {
	if n <= 0 {
		return 0
	}
	type victim struct {
		*depot[T]
		uses uint32
	}
	var victims []victim
	for _, d := range e.made() {
		d.mu.Lock()
		if len(d.items) > 0 && d.Size <= due {
			victims = append(victims, victim{d, d.uses})
		}
		d.mu.Unlock()
	}
	slices.SortStableFunc(victims, func(a, b victim) int { return cmp.Compare(a.uses, b.uses) })
	for _, v := range victims {
		v.mu.Lock()
		if k := min(int64(len(v.items)), (n-shed)/v.Size); k > 0 {
			e.release(v.depot, int(k))
			shed += k * v.Size
		}
		waits := len(v.items) > 0 && v.Size <= due-shed
		v.mu.Unlock()
		if waits {
			break
		}
	}
	return shed
}
