package engine

// Checked mode hands out and takes back items that the engine never has. They are in its
// statistics: each is a miss when it is handed out, and is let go when it is put.

// CountGet counts a request of class c for asked bytes that was served with something new.
func (e *Engine[T]) CountGet(c uint, asked int) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.misses++
	d.asked += uint64(asked)
}

// CountPut counts an item of class c that was put and let go.
func (e *Engine[T]) CountPut(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.released++ // what Puts are derived from
}

// CountDouble counts an item of class c that was put although it had been.
func (e *Engine[T]) CountDouble(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	d.double++
}
