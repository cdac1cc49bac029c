// Package differs has a test that waits for a collection to empty the pool.
package differs

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func get() *bytes.Buffer { return pool.Get().(*bytes.Buffer) }

func put(b *bytes.Buffer) { pool.Put(b) }
