package own

import (
	"bytes"
	. "fmt"
	. "sync"
	stdsync "sync"
)

var basin = 1

var pool = stdsync.Pool{New: func() any { return new(bytes.Buffer) }} // want `pool stays a sync.Pool: the change needs the name basin, which is in use`

func f() {
	pool.Put(pool.Get().(*bytes.Buffer))
	Println()
}

var dot = Pool{New: func() any { return new(bytes.Buffer) }} // want `dot stays a sync.Pool: its type is not written as sync.Pool`

func g() { dot.Put(dot.Get().(*bytes.Buffer)) }
