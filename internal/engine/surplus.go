//go:build go1.25

package engine

import (
	"time"

	"github.com/basin-go/basin/internal/sched"
	"github.com/basin-go/basin/internal/smallsort"
)

// Where larger items may serve smaller requests, a pool's need is a number of bytes across all
// classes: the most that was outstanding at one time. Idle bytes beyond that are surplus, even if
// every class was used. As in age, a low-water mark measures them: the fewest bytes that all depots
// together have held. FreeBSD's UMA estimates the working set of a zone likewise.

// A surplus measures the bytes that an engine's depots hold and do not need.
type surplus struct {
	low sched.Int64 // low-water mark, in bytes, since reclaim's current window started
	due int64       // bytes still due for release in this window; only reclaim uses it
}

// setMaxIdle sets the limit on the total size of idle items.
func (e *Engine[T]) setMaxIdle(n int64) {
	e.idle.limit.Store(n)
	e.local.limit.Store(n / 2)
}

// followLimit updates the limit, and reports whether magazines have more slots than it allows.
func (e *Engine[T]) followLimit() (recalls bool) {
	if limit := e.config.MaxIdle; limit != nil {
		e.setMaxIdle(limit())
	}
	return e.local.taken.Load() > e.local.limit.Load()
}

// applyLimit releases items of d while all items cost more than the limit. If recalls is set, the
// magazines in limbo come back without items and slots. The caller must hold the lock of d.
func (e *Engine[T]) applyLimit(d *depot[T], recalls bool) {
	if recalls {
		for i := range d.limbo {
			d.limbo[i].recalled = true
		}
	}
	if over := e.idle.taken.Load() - e.idle.limit.Load(); over > 0 {
		e.release(d, int((over+d.Size-1)/d.Size))
	}
}

// deposited returns the cost of all items in depots.
func (e *Engine[T]) deposited() int64 { return e.idle.taken.Load() - e.local.taken.Load() }

// lowerMark lowers the low-water mark of all depots to the bytes that they hold now.
func (e *Engine[T]) lowerMark() {
	e.noteUse()
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

// shedSurplus releases surplus as age releases items of a class: a window measures it, and it goes
// in the course of the next window, a share at each call. reclaim calls it, and says whether the
// window closes. It returns the released items, if there is a Drop.
func (e *Engine[T]) shedSurplus(now time.Duration, closes bool, window time.Duration) (gone []T) {
	s := &e.surplus
	low := max(0, min(s.low.Load(), e.deposited()))
	s.due = min(s.due, low)
	end := e.window + window
	switch {
	case !closes:
		from := max(e.last, e.window)
		s.due -= e.shed(s.due, int64(float64(s.due)*float64(now-from)/float64(end-from)), &gone)
		return gone
	case now-e.window >= 2*window: // two windows in one
		e.shed(low, low, &gone)
		s.due = 0
	default:
		s.due = low - e.shed(s.due, s.due, &gone)
	}
	s.low.Store(e.deposited())
	return gone
}

// surplusDue returns the time of the next necessary call of shedSurplus: at the end of the window,
// or earlier, when the share of the due bytes may amount to an item.
func (e *Engine[T]) surplusDue(now, window time.Duration) time.Duration {
	end := e.window + window
	for _, d := range e.made() { // the first is the smallest
		if n := e.surplus.due / d.Size; n > 0 && now < end {
			return now + (end-now)/time.Duration(n)
		}
		break
	}
	return end
}

// shed releases at most n bytes of items, of due bytes in all, and returns the number of bytes
// released. It starts with the least used classes, so that large items in rare use do not displace
// small ones in frequent use. Among equally used classes, it starts with the smallest, because
// larger items can stand in for smaller ones. If the next item exceeds n but not the remaining due
// bytes, shed stops, so that larger items are not skipped forever. shed adds the released items to
// gone, if there is a Drop.
func (e *Engine[T]) shed(due, n int64, gone *[]T) (shed int64) {
	if n <= 0 {
		return 0
	}
	var victims []victim
	for c, d := range e.made() {
		d.mu.Lock()
		if len(d.items) > 0 && d.Size <= due {
			victims = append(victims, victim{c, d.uses})
		}
		d.mu.Unlock()
	}
	sortVictims(victims)
	for _, v := range victims {
		d := e.at(v.class)
		d.mu.Lock()
		if k := min(int64(len(d.items)), (n-shed)/d.Size); k > 0 {
			e.release(d, int(k))
			shed += k * d.Size
		}
		waits := len(d.items) > 0 && d.Size <= due-shed
		*gone = append(*gone, d.unlock()...)
		if waits {
			break
		}
	}
	return shed
}

// A victim is a size class that may have to release items.
type victim struct {
	class uint
	uses  uint32
}

// sortVictims knows no type of items: it would be compiled again for each type.
func sortVictims(v []victim) {
	smallsort.Sort(v, func(a, b *victim) bool { return a.uses < b.uses })
}
