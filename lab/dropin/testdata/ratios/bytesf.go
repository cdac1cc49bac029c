package main

import (
	ours "github.com/basin-go/basin/compat/bytesf"
	old "github.com/mrcrgl/bytesf"
)

func init() {
	data := make([]byte, 100)
	a, b := ours.NewBufferPool(1024, 1<<20), old.NewBufferPool(1024, 1<<20)
	add("bytesf: BufferPool, a Write of 100 bytes", func(n int) {
		for range n {
			x := a.Allocate()
			x.Write(data)
			a.Release(x)
		}
	}, func(n int) {
		for range n {
			x := b.Allocate()
			x.Write(data)
			b.Release(x)
		}
	})
	c, d := ours.NewListPool(1024, 1<<20), old.NewListPool(1024, 1<<20)
	add("bytesf: ListPool", func(n int) {
		for range n {
			c.Release(c.Allocate())
		}
	}, func(n int) {
		for range n {
			d.Release(d.Allocate())
		}
	})
}
