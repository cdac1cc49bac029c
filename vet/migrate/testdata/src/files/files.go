package files

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `pool stays a sync.Pool: files_other.go, which is not compiled here, mentions pool too`

func f() { pool.Put(pool.Get().(*bytes.Buffer)) }

var shown = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `shown stays a sync.Pool: it is used in a generated file`

var tool = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `tool becomes a basin.Pool\[\*bytes.Buffer\]`

func g() { tool.Put(tool.Get().(*bytes.Buffer)) }
