package engine

import "github.com/basin-go/basin/internal/gccycle"

// Adopt is [Engine.Put] of an item that no Get has handed out. It counts as Adopted and not
// among Puts.
func (e *Engine[T]) Adopt(c uint, x T) Verdict {
	d := e.lock(c)
	v, now := e.putLocked(d, c, x)
	if v != Double {
		d.adopted++
	}
	d.mu.Unlock()
	if now != never {
		gccycle.Poll(now)
	}
	return v
}

// Stocked reports whether Get of class c may find an item in the depot. It takes no lock.
func (e *Engine[T]) Stocked(c uint) bool {
	if !e.used.Load() {
		return true
	}
	d := e.depots[c].Load()
	return d == nil || d.stocked.Load()
}
