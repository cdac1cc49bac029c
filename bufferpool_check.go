//go:build go1.25

package basin

import (
	"math"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A checked handle is a separate Buffer, in no ring. When it is put, it becomes empty and without
// room, as any handle does, so that reads find nothing and writes must grow. Where a check costs
// nothing, reads and growth check for stale. Other reads leave a trace: they reset lastRead and
// readEnd, which Put has set to values that no other Buffer has. The storage is filled with poison,
// for users who have kept a slice of the contents.

// atPut is the readEnd of a checked handle that was put. Its lastRead is opRead.
const atPut = math.MaxUint32

// trackHandle returns a handle with storage of the given class that t tracks.
func (p *BufferPool) trackHandle(t *check.Tracker, class uint32) *Buffer {
	base := p.newBase(sizeclass.All.Size(int(class)))
	b := &Buffer{buf: base, pool: p.Bytes, state: out, class: uint8(class)}
	check.Object(t, p.owner(), b, len(base), false)
	return b
}

// releaseHandle tells the tracker that b is put, and reports misuse. If the verdict is Accepted, b
// becomes stale.
func releaseHandle(t *check.Tracker, o *check.Owner, b *Buffer) check.Verdict {
	array := b.buf // an owned array is put below and has its own record
	if b.state&owned != 0 {
		array = nil
	}
	verdict, f := check.Release(t, o, b, check.Care[Buffer]{
		Held:   cap(b.buf),
		Poison: func(*Buffer) { check.Fill(array) },
		Damage: func(*Buffer) int { return check.Damage(array) },
		Used: func(b *Buffer) bool {
			return b.state&stale != 0 && (b.lastRead != opRead || b.readEnd != atPut)
		},
	})
	switch verdict {
	case check.Accepted:
		if b.state&owned != 0 {
			b.bytesPool().Put(b.pooled()) // which poisons it
		}
		b.peak = max(b.peak, uint32(b.end))
		b.buf, b.off, b.end = nil, 0, 0
		b.state = stale
		b.lastRead, b.readEnd = opRead, atPut
	case check.Rejected:
		misuse.Report(f)
	}
	return verdict
}
