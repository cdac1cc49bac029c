package more

import (
	"bytes"
	"io"
	"sync"
)

// The same: a copy that fails loses the buffer.
type flEncoder struct{ writers, buffers *sync.Pool }

func (e *flEncoder) BugFlate(r io.Reader) (*bytes.Buffer, error) {
	w := e.writers.Get().(*flWriter)
	defer e.writers.Put(w)
	if w.err != nil {
		return nil, w.err
	}
	buf := e.buffers.Get().(*bytes.Buffer) // BUG
	buf.Reset()
	w.w.Reset(buf)
	if _, err := io.Copy(w.w, r); err != nil {
		return nil, err
	}
	if err := w.w.Close(); err != nil {
		e.buffers.Put(buf)
		return nil, err
	}
	return buf, nil
}

func (e *flEncoder) fixedFlate(r io.Reader) (*bytes.Buffer, error) {
	w := e.writers.Get().(*flWriter)
	defer e.writers.Put(w)
	if w.err != nil {
		return nil, w.err
	}
	buf := e.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	w.w.Reset(buf)
	if _, err := io.Copy(w.w, r); err != nil {
		e.buffers.Put(buf)
		return nil, err
	}
	return buf, nil
}
