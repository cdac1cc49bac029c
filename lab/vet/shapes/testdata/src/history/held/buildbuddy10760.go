package held

import (
	"io"
	"sync"
)

// buildbuddy-io/buildbuddy#10760: closing several times adds the same buffers to the
// pool several times.
type bytePool struct{ pools map[int]*sync.Pool }

func (p *bytePool) Get(n int) []byte { return p.pools[n].Get().([]byte) }

func (p *bytePool) Put(b []byte) { p.pools[cap(b)].Put(b[:0]) }

type compressingReader struct {
	input    io.ReadCloser
	readBuf  []byte
	writeBuf []byte
	pool     *bytePool
}

func newCompressingReader(in io.ReadCloser, p *bytePool) *compressingReader {
	return &compressingReader{in, p.Get(1024), p.Get(2048), p}
}

func (c *compressingReader) Close() error {
	err := c.input.Close()
	c.pool.Put(c.readBuf)
	c.pool.Put(c.writeBuf)
	return err
}

func BugCopy10760(dst io.Writer, in io.ReadCloser, p *bytePool) (err error) {
	c := newCompressingReader(in, p)
	defer c.Close()
	n, err := c.input.Read(c.readBuf[:cap(c.readBuf)])
	if err != nil {
		return err
	}
	if _, err := dst.Write(c.readBuf[:n]); err != nil {
		return err
	}
	return c.Close() // BUG
}
