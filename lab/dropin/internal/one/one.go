// Package one stands for a library that imports others.
package one

import (
	"github.com/basin-go/basin/compat/bytebufferpool"
	pool "github.com/basin-go/basin/compat/go-buffer-pool"
)

var own bytebufferpool.Pool

// Use uses each pool n times: those of the packages, and one of its own.
func Use(n int) {
	for range n {
		bytebufferpool.Put(bytebufferpool.Get())
		own.Put(own.Get())
		pool.Put(pool.Get(100))
	}
}
