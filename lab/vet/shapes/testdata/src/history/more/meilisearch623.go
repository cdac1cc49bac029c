package more

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"sync"
)

// meilisearch/meilisearch-go, encoding.go over several commits of one day.
type gzWriter struct {
	w   *gzip.Writer
	err error
}

type flWriter struct {
	w   *flate.Writer
	err error
}

type gzEncoder struct{ writers, buffers *sync.Pool }

func (g *gzEncoder) BugEncode(r io.Reader) (*bytes.Buffer, error) {
	w := g.writers.Get().(*gzWriter)
	defer g.writers.Put(w)
	if w.err != nil {
		return nil, w.err
	}
	defer func() { _ = w.w.Close() }() // ALSO
	buf := g.buffers.Get().(*bytes.Buffer)
	defer g.buffers.Put(buf)
	buf.Reset()
	w.w.Reset(buf)
	if _, err := io.Copy(w.w, r); err != nil {
		return nil, err
	}
	return buf, nil // BUG
}
