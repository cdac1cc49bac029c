// Package fields reads memory in fields by methods.
package fields

import "sync"

var bufs = sync.Pool{New: func() any { b := make([]byte, 0, 512); return &b }}

type writer struct {
	buf *[]byte
	out []byte
}

func (w *writer) close() {
	*w.buf = (*w.buf)[:0]
	bufs.Put(w.buf)
}

func (w *writer) flush() { w.out = append(w.out, *w.buf...) }

func late(p []byte) []byte {
	w := &writer{buf: bufs.Get().(*[]byte)}
	*w.buf = append(*w.buf, p...)
	w.close()
	w.flush() // want `use after Put: bufs.Put\(w.buf\) in close already put w`
	return w.out
}

func legal(p []byte) []byte {
	w := &writer{buf: bufs.Get().(*[]byte)}
	*w.buf = append(*w.buf, p...)
	w.flush()
	w.close()
	return w.out
}
