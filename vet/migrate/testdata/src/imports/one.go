package imports

import "sync"; import _ "side"

var pool = sync.Pool{New: func() any { return make([]byte, 10) }} // want `pool becomes`

func f() { pool.Put(pool.Get().([]byte)) }
