// Package closes has readers whose Close puts memory.
package closes

import (
	"compress/gzip"
	"io"
	"sync"
)

var pool sync.Pool

type body struct {
	*gzip.Reader
	src io.Closer
}

func (b *body) Read(p []byte) (n int, err error) {
	n, err = b.Reader.Read(p)
	if err == io.EOF {
		pool.Put(b) // want `double Put: pool.Put\(b\) in Read puts b, and Close puts it once more`
	}
	return n, err
}

func (b *body) Close() error {
	err := b.src.Close()
	pool.Put(b)
	return err
}

type legalBody struct {
	z   *gzip.Reader
	src io.Closer
}

// Read takes the reader away, so that Close finds none.
func (b *legalBody) Read(p []byte) (n int, err error) {
	if b.z == nil {
		return 0, io.EOF
	}
	n, err = b.z.Read(p)
	if err == io.EOF {
		pool.Put(b.z)
		b.z = nil
	}
	return n, err
}

func (b *legalBody) Close() error {
	if b.z != nil {
		pool.Put(b.z)
		b.z = nil
	}
	return b.src.Close()
}

type legalMarked struct {
	z    *gzip.Reader
	done bool
}

func (b *legalMarked) Read(p []byte) (n int, err error) {
	n, err = b.z.Read(p)
	if err == io.EOF && !b.done {
		b.done = true
		pool.Put(b.z)
	}
	return n, err
}

func (b *legalMarked) Close() error {
	if !b.done {
		b.done = true
		pool.Put(b.z)
	}
	return nil
}

// Only Close puts.
type legalPlain struct{ z *gzip.Reader }

func (b *legalPlain) Read(p []byte) (int, error) { return b.z.Read(p) }

func (b *legalPlain) Close() error {
	pool.Put(b.z)
	return nil
}
