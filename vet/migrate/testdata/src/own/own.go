package own

import (
	"bytes"
	. "fmt"
	. "sync"
	stdsync "sync"
)

var basin = 1

var pool = stdsync.Pool{New: func() any { return new(bytes.Buffer) }} // want `pool stays a sync.Pool: the name basin is in use`

func f() {
	pool.Put(pool.Get().(*bytes.Buffer))
	Println()
}

var dot = Pool{New: func() any { return new(bytes.Buffer) }} // want `dot stays a sync.Pool: its type has another name`

func g() { dot.Put(dot.Get().(*bytes.Buffer)) }
