//go:build go1.25

package basin

import (
	"bytes"
	"testing"
)

// The contents that a Buffer has room for are no reason to refuse a rune.
func TestReviewRuneInRoom(t *testing.T) {
	l := &Limit{Max: 64}
	p := &BytePool{Limit: l}
	b := p.NewBuffer()
	b.Write(make([]byte, 62))
	if _, err := b.WriteRune('é'); err != nil {
		t.Errorf("two bytes of room, and a rune of two bytes: %v", err)
	}
	b.Free()
}

// Handles under a limit have no storage, those from before SetDefault included.
func TestReviewHandlesFromBefore(t *testing.T) {
	defer SetDefault(nil)
	q := BufferPool{InitialSize: 64}
	a := q.Get()
	l := &Limit{}
	SetDefault(&BytePool{Limit: l})
	q.Put(a)
	b := q.Get()
	if b.Cap() > 0 {
		t.Errorf("a handle with %d bytes that the limit does not count", b.Cap())
	}
	b.Write(bytes.Repeat([]byte("x"), 64))
	if l.Stats().Bytes.InUse == 0 {
		t.Error("not counted")
	}
	q.Put(b)
}

// The maximum cannot be changed in silence.
func TestReviewMaxChanged(t *testing.T) {
	l := &Limit{Max: 1 << 20}
	p := &BytePool{Limit: l}
	p.Put(p.Get(100))
	l.Max = 1 << 10
	if recovered(func() { p.Get(1 << 15) }) == nil {
		t.Error("a Limit whose Max was changed works on with the old one, and says nothing")
	}
}
