package main

import (
	ours "github.com/basin-go/basin/compat/zeropool"
	old "github.com/colega/zeropool"
)

func init() {
	a := ours.New(func() []byte { return make([]byte, 1024) })
	b := old.New(func() []byte { return make([]byte, 1024) })
	add("zeropool: Get and Put of a slice", func(n int) {
		for range n {
			a.Put(a.Get())
		}
	}, func(n int) {
		for range n {
			b.Put(b.Get())
		}
	})
	c := ours.New(func() *[1024]byte { return new([1024]byte) })
	d := old.New(func() *[1024]byte { return new([1024]byte) })
	add("zeropool: Get and Put of a pointer", func(n int) {
		for range n {
			c.Put(c.Get())
		}
	}, func(n int) {
		for range n {
			d.Put(d.Get())
		}
	})
}
