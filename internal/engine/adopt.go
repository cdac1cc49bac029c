//go:build go1.25

package engine

import "github.com/basin-go/basin/internal/gccycle"

// Adopt is [Engine.Put] for an item that no Get has handed out. It counts as Adopted, not among
// Puts.
func (e *Engine[T]) Adopt(c uint, x T) Verdict {
	d := e.lock(c)
	e.want(d)
	v, now := e.putLocked(d, c, x)
	if v != Double {
		d.adopted++
	}
	if v != Kept {
		e.exist(d, -1)
	}
	gone := d.unlock()
	if now != never {
		gccycle.Poll(now)
	}
	if e.config.Drop != nil {
		e.dropPut(v, x, gone)
	}
	return v
}

// Stocked reports whether the depot of class c may have an item. It takes no lock.
func (e *Engine[T]) Stocked(c uint) bool {
	if !e.used.Load() {
		return true
	}
	d := e.at(c)
	return d == nil || d.stocked.Load()
}
