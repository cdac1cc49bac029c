package more

import (
	"fmt"
	"io"
	"sync"
)

// thomasjungblut/go-sstables#26: a read that fails loses the header's buffer.
type sizedPool struct{ pools [20]sync.Pool }

func (p *sizedPool) class(n int) int {
	c := 0
	for 1<<c < n {
		c++
	}
	return c
}

func (p *sizedPool) Get(n int) []byte {
	c := p.class(n)
	if v := p.pools[c].Get(); v != nil {
		return v.([]byte)[:n]
	}
	return make([]byte, n, 1<<c)
}

func (p *sizedPool) Put(b []byte) { p.pools[p.class(cap(b))].Put(b) }

type recordReader struct {
	pool *sizedPool
	src  io.Reader
	name string
}

func parseHeader(b []byte) (int, error) {
	if b[0] != 'R' {
		return 0, fmt.Errorf("magic %x", b[0])
	}
	return int(b[1]), nil
}

func BugSkip(r *recordReader) (int, error) {
	header := r.pool.Get(20) // BUG
	n, err := io.ReadFull(r.src, header)
	if err != nil {
		return n, fmt.Errorf("header of '%s': %w", r.name, err)
	}
	size, err := parseHeader(header)
	if err != nil {
		return n, fmt.Errorf("header of '%s': %w", r.name, err)
	}
	r.pool.Put(header)
	return size, nil
}

func fixedSkip(r *recordReader) (int, error) {
	header := r.pool.Get(20)
	defer r.pool.Put(header)
	n, err := io.ReadFull(r.src, header)
	if err != nil {
		return n, fmt.Errorf("header of '%s': %w", r.name, err)
	}
	size, err := parseHeader(header)
	if err != nil {
		return n, fmt.Errorf("header of '%s': %w", r.name, err)
	}
	return size, nil
}
