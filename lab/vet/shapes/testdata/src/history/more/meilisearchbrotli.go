package more

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"
)

// The same: the deferred Put of the writer runs before its deferred Close.
type brEncoder struct{ writers, buffers *sync.Pool }

func (e *brEncoder) BugBrotli(r io.Reader) (io.Reader, error) {
	w := e.writers.Get().(*gzip.Writer)
	defer w.Close() // BUG
	defer e.writers.Put(w)
	buf := e.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	w.Reset(buf)
	if _, err := io.Copy(w, r); err != nil {
		return nil, err
	}
	return buf, nil
}

func (e *brEncoder) fixedBrotli(r io.Reader) (io.Reader, error) {
	w := e.writers.Get().(*gzip.Writer)
	defer e.writers.Put(w)
	defer w.Close()
	buf := e.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	w.Reset(buf)
	if _, err := io.Copy(w, r); err != nil {
		return nil, err
	}
	return buf, nil
}

func (e *brEncoder) sent(b *bytes.Buffer) { e.buffers.Put(b) }
