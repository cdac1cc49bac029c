package basin

import (
	"bytes"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/uninit"
)

// A checked handle is a Buffer of its own, in no ring. What it has when it is put it keeps,
// full of poison and without room, so that reading shows poison and writing has to grow.

// setChecked has Get and Put take the slow path while handles are checked.
func (p *BufferPool) setChecked(level CheckLevel) { p.engine.Hide(level != CheckOff) }

func (p *BufferPool) owner() *check.Owner { return ownerOf(&p.checkOwner, p.Name) }

// checkedGet is Get of what t is to track.
func (p *BufferPool) checkedGet(t *check.Tracker) *Buffer {
	class := p.class.Load()
	size := bufferClasses.Size(int(class))
	t.Sweep()
	b := &Buffer{buf: uninit.Bytes(size, size), state: out, class: uint8(class)}
	p.engine.CountGet(uint(class), 0)
	check.Object(t, p.owner(), b, size, false)
	return b
}

// checkedPut is Put for what t knows of. If it does not, it reports false.
func (p *BufferPool) checkedPut(t *check.Tracker, b *Buffer) bool {
	array := b.buf // if it is owned, it is put below, and has a record of its own
	if b.state&owned != 0 {
		array = nil
	}
	what, f := check.Release(t, p.owner(), b, check.Care[Buffer]{
		Poison: func(*Buffer) { check.Fill(array) },
		Damage: func(*Buffer) int { return check.Damage(array) },
	})
	switch what {
	case check.Unknown:
		return false
	case check.Accepted:
		p.engine.CountPut(uint(b.class))
		if p.InitialSize == 0 {
			p.sample(b)
		}
		if b.state&owned != 0 {
			Put(b.pooled()) // which fills it with poison
		}
		b.buf = b.buf[:b.end]
		b.state = stale
		b.lastRead = opInvalid
	case check.Rejected:
		found(f)
	}
	return true
}

// usedAfterPut reports that b, which has been put, is written to. It is an empty Buffer of
// its own from then on.
func (b *Buffer) usedAfterPut() {
	b.state &^= stale
	b.buf, b.off, b.end = nil, 0, 0
	if t := tracker.Load(); t != nil {
		if f, ok := check.Used(t, b); ok {
			found(f)
		}
	}
}

// The same for bytes.Buffer, which does not say that it is used; but what is written to it
// shows.

func (p *StdBufferPool) owner() *check.Owner { return ownerOf(&p.checkOwner, p.Name) }

// stdArray returns all of the storage of b, which is empty.
func stdArray(b *bytes.Buffer) []byte {
	free := b.AvailableBuffer()
	return free[:cap(free)]
}

// checkedGet is Get of what t is to track.
func (p *StdBufferPool) checkedGet(t *check.Tracker) *bytes.Buffer {
	size := bufferClasses.Size(int(p.class.Load()))
	t.Sweep()
	b := bytes.NewBuffer(make([]byte, 0, size))
	p.misses.Add(1)
	check.Object(t, p.owner(), b, size, false)
	return b
}

// checkedPut is Put for what t knows of. If it does not, it reports false.
func (p *StdBufferPool) checkedPut(t *check.Tracker, b *bytes.Buffer) bool {
	what, f := check.Release(t, p.owner(), b, check.Care[bytes.Buffer]{
		Poison: func(b *bytes.Buffer) {
			b.Reset()
			check.Fill(stdArray(b))
		},
		Damage: func(b *bytes.Buffer) int {
			if b.Len() > 0 {
				return 0
			}
			return check.Damage(stdArray(b))
		},
	})
	switch what {
	case check.Unknown:
		return false
	case check.Accepted:
		p.idle.engine.CountPut(uint(p.class.Load()))
	case check.Rejected:
		found(f)
	}
	return true
}
