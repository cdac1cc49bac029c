//go:build go1.25

package engine

// Checked mode hands out and takes back items that never enter the engine. The engine still counts
// them: as a miss when an item is handed out, and as checked when it is put.

// OnMiss has f called with the capacity of each array that a pool, a *basin.BytePool that was not used yet,
// makes for a request of one of its classes. Package basin sets it. Package capacitypools counts with it,
// because reading all statistics takes longer than its users expect.
var OnMiss func(pool any, f func(size int))

// CountGet counts a Get of class c for asked bytes that was served with a new item, without a
// search.
func (e *Engine[T]) CountGet(c uint, asked int) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.asked += uint64(asked)
	d.misses++
	e.exist(d, 1)
}

// CountMiss is CountGet for a Get that searched and found no idle item.
func (e *Engine[T]) CountMiss(c uint, asked int) {
	d := e.lock(c)
	e.miss(d, c, asked)
	e.meet(d)
	d.mu.Unlock()
	e.keepLimit(d)
}

// Unmiss undoes the count of a miss of class c, for a Get that handed out nothing.
func (e *Engine[T]) Unmiss(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.misses--
	e.exist(d, -1)
}

// CountPut counts a Put of an item of class c that was released at once.
func (e *Engine[T]) CountPut(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.released++ // Puts are computed from released
	e.exist(d, -1)
}

// CountChecked counts a Put of an item of class c that checks tracked. The item was never idle, so
// it does not count as released.
func (e *Engine[T]) CountChecked(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.checked++ // Puts are computed from checked
	e.exist(d, -1)
}

// CountDouble counts a double Put of an item of class c.
func (e *Engine[T]) CountDouble(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.double++
}
