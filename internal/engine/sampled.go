//go:build go1.25

package engine

import (
	"unsafe"

	"github.com/basin-go/basin/internal/pin"
)

// While pools check a random sample of requests, the table is hidden from their usual fast paths. These
// methods are for the fast paths that they have in place of those.

// Has reports whether the table has an entry i, hidden or not. The caller must be pinned.
func (e *Engine[T]) Has(i uint) bool { return e.has(i) }

// Picks reports whether the next pop belongs to a random sample, of threshold in 2^32 pops. Its
// random numbers are a hash of the number of pops, so a magazine needs no more state. Whoever serves a
// picked request without a pop must call Skip.
func (m *Magazine[T]) Picks(threshold uint32) bool {
	h := (uint32(popsOf(m.state.get())) + uint32(uintptr(unsafe.Pointer(m))>>4)) * 0x9E3779B1
	h ^= h >> 15
	return h*0x85EBCA77 <= threshold
}

// Skip makes the current P's magazine of class c go on in the sample as if there had been a pop.
func (e *Engine[T]) Skip(c uint) {
	d := e.lock(c)
	defer d.mu.Unlock()
	i := uint(pin.Pin())<<e.config.Bits | c
	if e.has(i) {
		if m := e.table.Entry(i).Load(); m != e.empty {
			m.state.add(1 << lenBits)
			d.hits-- // so that statistics do not count this pop
		}
	}
	pin.Unpin()
}
