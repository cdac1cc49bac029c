// Package page has the bug that docs/vet-internals.md follows.
package page

import (
	"fmt"
	"io"
	"sync"
)

var pages = sync.Pool{New: func() any { return new([4096]byte) }}

type reader struct {
	src  io.Reader
	page *[4096]byte
}

func (r *reader) fill() error {
	if _, err := io.ReadFull(r.src, r.page[:]); err != nil {
		pages.Put(r.page)
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

func first(src io.Reader) (byte, error) {
	r := &reader{src: src, page: pages.Get().(*[4096]byte)}
	defer pages.Put(r.page)
	if err := r.fill(); err != nil { // want `double Put: pages.Put\(r.page\) in fill puts r.page, and the deferred pages.Put\(r.page\) puts it once more`
		return 0, err
	}
	return r.page[0], nil
}
