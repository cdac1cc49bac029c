//go:build go1.25

package engine

import (
	"reflect"
	"unsafe"

	"github.com/basin-go/basin/internal/pin"
)

// While pools check a random sample of requests, the table is hidden from their usual fast paths. These
// methods are for the fast paths that they have in place of those.

// Watch hides the table while items are checked: all of them, or a sample. A sample has no items without
// identity, as structs are, so their table stays visible.
func (e *Engine[T]) Watch(checked, all bool) {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Interface:
	default:
		checked = checked && all
	}
	e.Hide(checked)
}

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

// PopSampled takes an idle item of class c from the current P's magazine, hidden or not, unless the request
// belongs to the sample: see Picks. If so, it calls Skip.
func (e *Engine[T]) PopSampled(c uint, threshold uint32) (x T, ok, picked bool) {
	i := uint(pin.Pin())<<e.config.Bits | c
	if e.has(i) {
		m := e.table.Entry(i).Load()
		if n := m.Len(); n > 0 {
			if picked = m.Picks(threshold); !picked {
				x, ok = m.Pop(n-1, 0), true
			}
		}
	}
	pin.Unpin()
	if picked {
		e.Skip(c)
	}
	return x, ok, picked
}
