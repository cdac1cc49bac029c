//go:build go1.25

package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/mem"
)

// Adopt is [BytePool.Put] for a slice of any origin. It reports whether the pool kept the slice.
// The pool cuts a piece from the array, starting at a cache line, with the largest size class that
// fits, and hands out that piece later. So b may come from make, from another pool, or be a part of
// an array. In a pool with [BytePool.Adopts], Put does the same.
//
// All memory from the first byte of b to its capacity must stay writable for ever, and nobody else
// may use it: no constants, no mapped files. A pool with [BytePool.MaxInUse] adopts only memory of
// Go's heap. The rest of the array stays unused as long as the pool has the piece: 64 bytes, plus
// less than a fifth for arrays of 512 bytes and more. It does not count towards MaxIdle, nor does
// the rest of an array of which b is a part.
//
// Adopt drops some slices and counts them in [Drops]. A capacity below MinSize counts as Small, and
// one above MaxSize as Large. A slice without room for MinSize after the start of a cache line counts
// as Misaligned, one beyond MaxIdle as Full. Under a MaxInUse, a slice that is not on Go's heap counts
// as Foreign.
//
// A piece counts as [Stats].Adopted. It does not affect InUse, nor the room under
// [BytePool.MaxInUse]. Without a MaxInUse, a slice with exactly the capacity and alignment of the
// pool's own counts as a Put. Checks do not track foreign slices; they report a slice of the pool
// that is put twice.
func (p *BytePool) Adopt(b []byte) bool { return p.put(unsafe.SliceData(b), cap(b), true) }

// cut adopts b, whose shape is not that of the pool's slices. b must be as long as its capacity.
func (p *BytePool) cut(b []byte) engine.Verdict {
	addr := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	c, begin := p.sizes.Cut(len(b), addr)
	if c.None() {
		reason := dropSmall
		if len(b) >= p.sizes.Smallest() {
			reason = dropMisaligned
		}
		p.drop(reason)
		return dropped
	}
	if !c.Fits(c.Size(), addr+uint32(begin)) {
		p.loose.Store(true) // before anyone can put it
	}
	x := &b[begin]
	undo := func() {}
	if p.ledger != nil {
		var ok bool
		if undo, ok = p.ledger.adopt(x, c.Index()); !ok {
			p.drop(dropForeign)
			return dropped
		}
	}
	mem.RaceWrite(x, c.Size())
	verdict := p.engine.Adopt(c.Index(), x)
	if verdict == engine.Double { // it was born before
		undo()
	}
	return verdict
}
