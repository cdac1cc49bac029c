package basin

import (
	"unsafe"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/race"
)

// Adopt is [BytePool.Put] of a slice of any origin, and reports whether it was kept.
// The pool cuts the largest size class from the array that fits in, beginning where
// a cache line does, and hands out that. So b may be from make, from another pool or a part of
// an array. In a pool with [BytePool.Adopts] Put does the same.
//
// Everything from the first byte of b to its capacity must be memory that can be
// written to for ever, and that nobody else uses: no constant, no mapped file. What
// is not cut is out of use as long as the pool has the rest: less than a
// fifth from 512 bytes on, and 64 bytes. It does not count towards MaxIdle, nor does
// the rest of an array of which b is a part.
//
// A slice is dropped, and counted in [Drops], if its capacity is below MinSize (Small), if
// it is above MaxSize (Large), if it has no room for MinSize behind the begin of a cache
// line (Misaligned), or beyond MaxIdle (Full). A slice that was
// cut counts as [Stats].Adopted; it changes nothing of what is in use, nor of what
// [BytePool.MaxInUse] has room for. A slice that has exactly the capacity and the alignment of the
// pool's own is taken for one, and counts as a Put. Checks report it only if it is, and is put
// twice: what is of other origin they know nothing of.
func (p *BytePool) Adopt(b []byte) bool { return p.put(unsafe.SliceData(b), cap(b), true) }

// cut is Adopt for what does not have the shape of a class. The capacity of b is its length.
func (p *BytePool) cut(b []byte) engine.Verdict {
	addr := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	c, begin := p.sizes.Cut(len(b), addr)
	if c.None() {
		reason := dropSmall
		if len(b) >= p.sizes.Smallest() {
			reason = dropMisaligned
		}
		p.drops[reason].Add(1)
		return dropped
	}
	if !c.Fits(c.Size(), addr+uint32(begin)) {
		p.loose.Store(true) // before anybody can put it
	}
	x := &b[begin]
	race.Write(x, c.Size())
	return p.engine.Adopt(c.Index(), x)
}
