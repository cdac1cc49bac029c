package shadow

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return make([]byte, 10) }} // want `pool stays a sync.Pool: the change needs the name cap, which is in use`

func f() { pool.Put(pool.Get().([]byte)) }

func cap([]byte) int { return -1 }

// A pool that does not need the name is replaced all the same.
var beside = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `beside becomes a basin.BufferPool`

func g() {
	b := beside.Get().(*bytes.Buffer)
	b.Reset()
	beside.Put(b)
}
