package noname

import (
	"bytes"
	"sync"

	"golang.org/x/tools"
)

var _ = tools.X

var free, other = sync.Pool{New: func() any { return new(bytes.Buffer) }}, 1 // want `free becomes a basin.Pool\[\*bytes.Buffer\]`

func get() *bytes.Buffer { return free.Get().(*bytes.Buffer) }

func put(b *bytes.Buffer) { free.Put(b) }
