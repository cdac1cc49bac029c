//go:build go1.25

package footprint

import (
	"bytes"
	"io"
	"sync"

	"github.com/basin-go/basin"
)

// A Way is a way to get memory and to give it back.
type Way struct {
	Name  string
	Plain bool // without a pool
	Sized bool // the length is known before the first byte is written
	Open  func() Memory
}

// MostIdle returns the most idle bytes that w may leave after a need of so many bytes at a time: twice
// as many as were outstanding, and a mebibyte. A size class may exceed the need by a quarter. Memory
// that grows is outstanding in arrays of up to four times the need, which a Buffer takes from another
// pool than its own.
func (w *Way) MostIdle(need int64) int64 {
	const mib = 1 << 20
	switch {
	case w.Sized:
		return 2*(need+need/4) + mib
	case w.Name == "StdBufferPool" || w.Name == "Pool":
		return 2*need + mib
	}
	return 10*need + mib
}

// A Memory is a pool, or none. Its functions may be called by many goroutines at once, and allocate
// nothing themselves.
type Memory struct {
	Write func(n int) Held // writes n bytes into memory, and returns the memory
	Give  func(Held)       // gives the memory back
}

// Held is memory with bytes in it.
type Held struct {
	bytes  []byte
	buffer any // that has the bytes, or nil
}

// Ways are the ways of basin and of the standard library. The first is the plain way for a known
// length, the second for an unknown one.
var Ways = []Way{
	{Name: "make", Plain: true, Sized: true, Open: func() Memory {
		return slices(func(n int) []byte { return make([]byte, n) }, func([]byte) {})
	}},
	{Name: "bytes.Buffer", Plain: true, Open: func() Memory {
		return Buffers(func() *bytes.Buffer { return new(bytes.Buffer) }, func(*bytes.Buffer) {})
	}},
	{Name: "sync.Pool", Open: func() Memory {
		pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
		return Buffers(func() *bytes.Buffer { return pool.Get().(*bytes.Buffer) }, func(b *bytes.Buffer) { b.Reset(); pool.Put(b) })
	}},
	{Name: "Get", Sized: true, Open: func() Memory { return slices(basin.Get, basin.Put) }},
	{Name: "Append", Open: func() Memory {
		pool := new(basin.BytePool)
		return slicesBy(pool, func(n int) (b []byte) {
			pieces(n, func(p []byte) { b = pool.Append(b, p...) })
			return b
		})
	}},
	{Name: "ReadAll", Open: func() Memory {
		pool := new(basin.BytePool)
		return slicesBy(pool, func(n int) []byte {
			r := readers.Get().(*reader)
			defer readers.Put(r)
			r.n = n
			b, _ := pool.ReadAll(r)
			return b
		})
	}},
	{Name: "GetBuffer", Open: func() Memory { return Buffers(basin.GetBuffer, basin.PutBuffer) }},
	{Name: "BufferPool", Open: func() Memory { pool := new(basin.BufferPool); return Buffers(pool.Get, pool.Put) }},
	{Name: "StdBufferPool", Open: func() Memory { pool := new(basin.StdBufferPool); return Buffers(pool.Get, pool.Put) }},
	{Name: "Pool", Open: func() Memory {
		pool := &basin.Pool[*bytes.Buffer]{
			Make:  func(size int) *bytes.Buffer { return bytes.NewBuffer(make([]byte, 0, size)) },
			Used:  (*bytes.Buffer).Len,
			Size:  (*bytes.Buffer).Cap,
			Reset: func(b *bytes.Buffer) *bytes.Buffer { b.Reset(); return b },
		}
		return Buffers(pool.Get, pool.Put)
	}},
}

// A buffer is a writer that shows its bytes.
type buffer interface {
	io.Writer
	Bytes() []byte
}

// Buffers returns a Memory of buffers.
func Buffers[B buffer](get func() B, put func(B)) Memory {
	return Memory{
		Write: func(n int) Held {
			b := get()
			pieces(n, func(p []byte) { b.Write(p) })
			return Held{b.Bytes(), b}
		},
		Give: func(h Held) { put(h.buffer.(B)) },
	}
}

// slices returns a Memory of slices of a known length.
func slices(get func(n int) []byte, put func([]byte)) Memory {
	m := slicesBy(nil, func(n int) []byte {
		b := get(n)
		at := 0
		pieces(n, func(p []byte) { at += copy(b[at:], p) })
		return b
	})
	m.Give = func(h Held) { put(h.bytes) }
	return m
}

// slicesBy returns a Memory of slices that read makes, from pool.
func slicesBy(pool *basin.BytePool, read func(n int) []byte) Memory {
	return Memory{
		Write: func(n int) Held { return Held{bytes: read(n)} },
		Give:  func(h Held) { pool.Put(h.bytes) },
	}
}

// text is the piece that is written again and again.
var text [4 << 10]byte

// pieces calls write with n bytes in all, in pieces of at most 4 KiB.
func pieces(n int, write func(p []byte)) {
	for n > 0 {
		p := text[:min(n, len(text))]
		write(p)
		n -= len(p)
	}
}

// A reader has n bytes, and does not tell how many.
type reader struct{ n int }

var readers = sync.Pool{New: func() any { return new(reader) }}

func (r *reader) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), r.n, len(text))
	copy(p, text[:n])
	r.n -= n
	return n, nil
}
