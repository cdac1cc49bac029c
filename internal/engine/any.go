//go:build go1.25

package engine

import "github.com/basin-go/basin/internal/pin"

// getAny is Get for callers that accept an item of any size. It first tries all magazines of the
// current P. If no depot up to [Class.Fit] has an item either, it takes the largest smaller one.
func (e *Engine[T]) getAny(c uint, asked int) (x T, class uint, ok bool) {
	if x, class, ok = e.popAny(c, asked); ok {
		e.noteUse()
		return x, class, true
	}
	class = c
	d := e.lock(c)
	e.count(d, c)
	if x, ok = e.getLocked(d, c, asked); !ok {
		x, class, ok = e.larger(c, uint(d.fit), asked)
	}
	d.mu.Unlock() // because depots must be locked in the order of their classes
	for smaller := c; smaller > 0 && !ok; {
		smaller--
		d := e.at(smaller)
		if d == nil || !d.stocked.Load() {
			continue
		}
		d.mu.Lock()
		if x, ok = e.getLocked(d, smaller, asked); ok {
			class = smaller
		}
		d.mu.Unlock()
	}
	if !ok {
		e.missAny(c, asked)
	}
	return x, class, ok
}

// missAny is CountMiss for a new item of unknown size. Its Put tells the demand how large it is.
func (e *Engine[T]) missAny(c uint, asked int) {
	d := e.lock(c)
	defer d.mu.Unlock()
	e.miss(d, c, asked)
}

// popAny pops from the current P's magazines: of class c, then of larger classes, then of smaller
// ones.
func (e *Engine[T]) popAny(c uint, asked int) (x T, class uint, ok bool) {
	row := uint(pin.Pin()) << e.config.Bits
	defer pin.Unpin()
	if !e.has(row) {
		return x, c, false
	}
	last := uint(e.classes) - 1
	for i := range last + 1 {
		class = c + i
		if class > last { // continue with c-1, down to 0
			class = last - i
		}
		m := e.table.Entry(row | class).Load()
		if n := m.Len(); n > 0 {
			return m.Pop(n-1, asked), class, true
		}
	}
	return x, c, false
}
