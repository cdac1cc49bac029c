package noname

import (
	"bytes"
	"sync"

	"golang.org/x/tools"
)

var _ = tools.X

var free sync.Pool // want `free becomes a basin.Pool\[\*bytes.Buffer\]`

func get() *bytes.Buffer {
	if v := free.Get(); v != nil {
		b := v.(*bytes.Buffer)
		b.Reset()
		return b
	}
	return new(bytes.Buffer)
}

func put(b *bytes.Buffer) { free.Put(b) }

var bufs, other = sync.Pool{}, 1 // want `bufs becomes`

func getBytes() []byte {
	b, ok := bufs.Get().([]byte)
	if !ok {
		b = make([]byte, 0, 100)
	}
	defer bufs.Put(b)
	if c, ok := bufs.Get().([]byte); ok {
		return c
	}
	return b[:0]
}

var raw sync.Pool // want `raw becomes`

func getRaw(n int) []byte {
	v := raw.Get()
	if v == nil {
		return make([]byte, n)
	}
	return v.([]byte)
}

func putRaw(b []byte) { raw.Put(b) }

var hex sync.Pool // want `hex becomes`

func write(n int) int {
	v := hex.Get()
	if v == nil {
		v = make([]byte, 17)
	}
	b := v.([]byte)
	defer hex.Put(v)
	return len(b)
}

var vague sync.Pool // want `vague stays a sync.Pool: what Get returns is used through an interface`

func vaguely(other any) {
	v := vague.Get()
	if v == nil {
		v = other
	}
	vague.Put(v.([]byte))
}
