package engine

import "github.com/basin-go/basin/internal/pin"

// GetAny is GetFit for those who take what there is: magazines of the present P come first, and if
// no larger item will do, the largest of the smaller ones does.
func (e *Engine[T]) GetAny(c uint, asked int) (x T, ok bool) {
	if x, ok = e.popAny(c, asked); ok {
		return x, true
	}
	d := e.lock(c)
	if x, ok = e.getLocked(d, c, asked); !ok {
		x, _, ok = e.larger(c, uint(d.fit), asked)
	}
	d.mu.Unlock() // depots are locked in the order of their classes
	for smaller := c; smaller > 0 && !ok; {
		smaller--
		d := e.depots[smaller].Load()
		if d == nil || !d.stocked.Load() {
			continue
		}
		d.mu.Lock()
		x, ok = e.getLocked(d, smaller, asked)
		d.mu.Unlock()
	}
	if !ok {
		e.CountGet(c, asked)
	}
	return x, ok
}

// popAny is Pop from the magazines of all classes: c, then those after it, then those before it.
func (e *Engine[T]) popAny(c uint, asked int) (x T, ok bool) {
	row := uint(pin.Pin()) << e.config.Bits
	defer pin.Unpin()
	if !e.has(row) {
		return x, false
	}
	last := uint(len(e.depots)) - 1
	for i := range last + 1 {
		class := c + i
		if class > last { // c-1, and on to 0
			class = last - i
		}
		m := e.table.Entry(row | class).Load()
		if n := m.Len(); n > 0 {
			return m.Pop(n-1, asked), true
		}
	}
	return x, false
}
