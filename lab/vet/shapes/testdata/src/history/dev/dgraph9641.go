package dev

import (
	"compress/flate"
	"io"
	"sync"
)

// dgraph-io/dgraph#9641 and grpc/grpc-go#8172: a reader puts itself at the end of its
// input, and is read again by whoever has it.
type pooledReader struct {
	io.Reader
	pool *sync.Pool
}

func (r *pooledReader) Read(p []byte) (n int, err error) {
	n, err = r.Reader.Read(p)
	if err == io.EOF {
		r.pool.Put(r)
	}
	return n, err
}

type flateCompressor struct{ readers sync.Pool }

func (c *flateCompressor) decompress(r io.Reader) *pooledReader {
	z, ok := c.readers.Get().(*pooledReader)
	if !ok {
		return &pooledReader{Reader: flate.NewReader(r), pool: &c.readers}
	}
	z.Reader.(flate.Resetter).Reset(r, nil)
	return z
}

func (c *flateCompressor) BugReadAll(r io.Reader, dst []byte) ([]byte, error) {
	z := c.decompress(r)
	for {
		n, err := z.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	// Is there more than was announced?
	if n, _ := z.Read(make([]byte, 1)); n > 0 { // BUG
		return nil, io.ErrShortBuffer
	}
	return dst, nil
}
