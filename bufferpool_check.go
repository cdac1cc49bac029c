package basin

import "github.com/basin-go/basin/internal/check"

// A checked handle is a Buffer of its own, in no ring. When it is put, it keeps its
// storage, full of poison and without room, so that reading shows poison and writing
// has to grow.

// trackHandle returns a handle with the given storage of the given class, which t
// tracks.
func trackHandle(t *check.Tracker, o *check.Owner, base []byte, class uint32) *Buffer {
	b := &Buffer{buf: base, state: out, class: uint8(class)}
	check.Object(t, o, b, len(base), false)
	return b
}

// releaseHandle says that b is put, and reports it if that is misuse. If it is
// Accepted, b is stale from then on.
func releaseHandle(t *check.Tracker, o *check.Owner, b *Buffer) check.Verdict {
	array := b.buf // if it is owned, it is put below, and has a record of its own
	if b.state&owned != 0 {
		array = nil
	}
	verdict, f := check.Release(t, o, b, check.Care[Buffer]{
		Held:   cap(b.buf),
		Poison: func(*Buffer) { check.Fill(array) },
		Damage: func(*Buffer) int { return check.Damage(array) },
	})
	switch verdict {
	case check.Accepted:
		if b.state&owned != 0 {
			defaultPool.Load().Put(b.pooled()) // which fills it with poison
		}
		b.buf = b.buf[:b.end]
		b.state = stale
		b.lastRead = opInvalid
	case check.Rejected:
		check.Report(f)
	}
	return verdict
}
