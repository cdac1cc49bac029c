//go:build go1.25 && sync

package main

import "sync"

type copyBuffers struct{ p sync.Pool }

func (c *copyBuffers) Get() []byte {
	if b, _ := c.p.Get().(*[32 << 10]byte); b != nil {
		return b[:]
	}
	return make([]byte, 32<<10)
}
func (c *copyBuffers) Put(b []byte) { c.p.Put((*[32 << 10]byte)(b)) }

func init() { buffers = new(copyBuffers) }
