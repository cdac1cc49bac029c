// Package drop has pools with a Drop, which owns its argument.
package drop

import (
	"os"

	"github.com/basin-go/basin"
)

type conn struct {
	f   *os.File
	buf []byte
}

func (c *conn) Close() { c.f.Close() }

func newConn() *conn { return &conn{buf: basin.Get(100)} }

var (
	kept   []*conn
	second = basin.Pool[*conn]{New: newConn}

	closes     = basin.Pool[*conn]{New: newConn, Drop: func(c *conn) { c.Close() }}
	method     = basin.Pool[*conn]{Drop: (*conn).Close}
	keeps      = basin.Pool[*conn]{Drop: func(c *conn) { kept = append(kept, c) }}
	elsewhere  = basin.Pool[*conn]{Drop: func(c *conn) { second.Put(c) }}
	slices     = basin.Pool[[]byte]{Drop: func(b []byte) { basin.Put(b) }}
	slicesToo  = basin.Pool[[]byte]{Drop: basin.Put}
	concurrent = basin.Pool[*conn]{Drop: func(c *conn) { go c.Close() }}

	parts = basin.Pool[*conn]{
		Reset: func(c *conn) *conn { c.buf = c.buf[:0]; return c },
		Drop: func(c *conn) {
			basin.Put(c.buf)
			c.buf = nil
			c.Close()
		},
	}
	nested = basin.Pool[*conn]{Drop: func(c *conn) {
		d := second.Get()
		d.buf = append(d.buf[:0], c.buf...)
		second.Put(d)
		c.Close()
	}}
)

var same basin.Pool[*conn]

func init() {
	same.New = newConn
	same.Drop = func(c *conn) {
		c.Close()
		same.Put(c)
	}
}

func close(c *conn) { c.Close() }

func uses() {
	p := &basin.Pool[*conn]{New: newConn, Drop: close}
	c := p.Get()
	c.buf = append(c.buf, 1)
	p.Put(c)
	d := closes.Get()
	defer closes.Put(d)
	d.buf = d.buf[:0]
}

func mistake() {
	p := &basin.Pool[*conn]{New: newConn, Drop: close}
	c := p.Get()
	p.Put(c)
	c.Close() // want "use after Put"
}
