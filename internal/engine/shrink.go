//go:build go1.25

package engine

// Rows for 64 Ps take 64 KiB, so a table goes once its pool is no longer busy:
//
//  1. At the end of a window in which no class was busy and no magazine is left, reclaim hides all
//     entries. It holds the locks of all depots, and each entry holds the empty magazine. A pinned
//     section that has found an entry before goes on with the array, and takes the slow path.
//  2. The world stops, as before any round. All such sections have ended then.
//  3. The next round drops the array.
//
// If a class becomes busy between 1 and 3, grow shows the hidden entries again. It must not make
// another array, because that could be shorter than such a section relies on.

// shrink takes the next of these steps. reclaim calls it at its end, and says whether its window
// closes, and whether it has found no magazine.
func (e *Engine[T]) shrink(closes, quiet bool) {
	if e.table.first.Load() == nil {
		return
	}
	e.growth.Lock()
	dropped := e.spare > 0
	if dropped {
		e.table.first.Store(nil)
		e.spare = 0
		e.bequeath()
	}
	e.growth.Unlock()
	if dropped || !closes || !quiet {
		return
	}
	e.lockAll()
	defer e.unlockAll()
	if !e.unused() {
		return
	}
	for _, d := range e.made() {
		d.limbo = nil
	}
	if e.spare = uint16(e.entries.Load() >> e.config.Bits); e.spare > 0 {
		e.entries.Store(0)
		e.table.show(0)
	}
}

// unused reports whether no class has or may have magazines. The caller must hold the locks of all
// depots.
func (e *Engine[T]) unused() bool {
	for _, d := range e.made() {
		if d.extra > 0 || d.slots > 0 || len(d.limbo) > 0 {
			return false
		}
	}
	n := uint(e.entries.Load())
	for i := range n {
		if e.table.Entry(i).Load() != e.empty { // it may be one without slots
			return false
		}
	}
	return n>>e.config.Bits <= 1<<16-1
}

// restore shows the entries again that shrink has hidden. The caller must hold the locks of all
// depots.
func (e *Engine[T]) restore() {
	if e.spare > 0 {
		n := uint(e.spare) << e.config.Bits
		e.spare = 0
		e.entries.Store(uintptr(n))
		if !e.hidden.Load() {
			e.table.show(n)
		}
	}
}
