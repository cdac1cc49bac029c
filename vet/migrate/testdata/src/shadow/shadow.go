package shadow

import "sync"

var pool = sync.Pool{New: func() any { return make([]byte, 10) }} // want `pool stays a sync.Pool: the change needs the name cap, which is in use`

func f() { pool.Put(pool.Get().([]byte)) }

func cap([]byte) int { return -1 }
