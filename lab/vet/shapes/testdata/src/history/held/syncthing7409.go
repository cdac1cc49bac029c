package held

import (
	"fmt"
	"io"
	"log"
	"sync"
)

// syncthing/syncthing#7409: a message is logged after its buffer was put.
type blockPool struct{ pools []sync.Pool }

func (p *blockPool) Get(size int) []byte {
	bs := p.pools[size>>17].Get().(*[]byte)
	return (*bs)[:size]
}

func (p *blockPool) Put(bs []byte) {
	c := cap(bs)
	if c < 128<<10 || c > 16<<20 {
		return
	}
	p.pools[c>>17].Put(&bs)
}

var blocks blockPool

type rawConn struct {
	r      io.Reader
	debug  bool
	unpack func([]byte) ([]byte, error)
}

func (c *rawConn) BugReadMessage(size int) (any, error) {
	buf := blocks.Get(size)
	if _, err := io.ReadFull(c.r, buf); err != nil {
		blocks.Put(buf)
		return nil, fmt.Errorf("reading message: %w", err)
	}
	decomp, err := c.unpack(buf)
	blocks.Put(buf)
	if err != nil {
		return nil, fmt.Errorf("decompressing message: %w", err)
	}
	buf2 := decomp
	if c.debug {
		log.Printf("message of %d bytes: %x", size, buf[:min(size, 8)]) // BUG
	}
	return buf2, nil
}
