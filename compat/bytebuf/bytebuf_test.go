//go:build go1.25

package bytebuf

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// The API of the original: that of package bytes, and New.
type methods interface {
	io.ReadWriter
	io.ByteScanner
	io.ByteWriter
	io.RuneScanner
	io.StringWriter
	io.ReaderFrom
	io.WriterTo
	Available() int
	AvailableBuffer() []byte
	Bytes() []byte
	Cap() int
	Grow(int)
	Len() int
	Next(int) []byte
	ReadBytes(byte) ([]byte, error)
	ReadString(byte) (string, error)
	Reset()
	String() string
	Truncate(int)
	WriteRune(rune) (int, error)
}

var (
	_ methods = (*bytes.Buffer)(nil)
	_ methods = (*Buffer)(nil)

	_ func() *Buffer       = New
	_ func([]byte) *Buffer = NewBuffer
	_ func(string) *Buffer = NewBufferString
)

var sink string

// TestAllocations counts the allocations of a Write and a String.
func TestAllocations(t *testing.T) {
	if raceEnabled || basincheck.Now().Level != basincheck.Off {
		t.Skip("checks and the race detector allocate")
	}
	for _, c := range []struct {
		name   string
		length int
		want   float64
	}{
		{"empty", 0, 0},
		{"5 bytes", 5, 1},
		{"64 bytes", 64, 1},
	} {
		data := []byte(strings.Repeat("x", c.length))
		if got := pooltest.Allocs(100, func() {
			b := New()
			b.Write(data)
			sink = b.String()
		}); got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
}

// TestGrowth writes more and more to Buffers made in all ways.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		name string
		b    *Buffer
		has  string
	}{
		{"New", New(), ""},
		{"zero", new(Buffer), ""},
		{"NewBuffer", NewBuffer([]byte("abc")), "abc"},
		{"NewBuffer of nil", NewBuffer(nil), ""},
		{"NewBufferString", NewBufferString("abc"), "abc"},
	} {
		want := bytes.NewBufferString(c.has)
		for i := range 300 {
			want.WriteByte(byte(i))
			c.b.WriteByte(byte(i))
			piece := bytes.Repeat([]byte{byte(i)}, i)
			want.Write(piece)
			c.b.Write(piece)
			if !bytes.Equal(want.Next(i), c.b.Next(i)) || want.String() != c.b.String() {
				t.Fatalf("%s: write %d: contents differ from those of a bytes.Buffer", c.name, i)
			}
		}
		c.b.Free()
	}
	if MinRead != bytes.MinRead || ErrTooLarge != bytes.ErrTooLarge {
		t.Error("MinRead and ErrTooLarge are not those of package bytes")
	}
}
