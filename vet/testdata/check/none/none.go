// Package none has no tests.
package none

import "sync"

var pool = sync.Pool{New: func() any { return make([]byte, 100) }}

func use() { pool.Put(pool.Get().([]byte)) }
