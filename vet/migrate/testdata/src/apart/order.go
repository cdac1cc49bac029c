package apart

import (
	"bytes"
	"sync"
)

// A BufferPool would not refer to table, which would then be initialized after first.
var first = use()

var late = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, int64(len(table)))) }} // want `late becomes a basin.Pool\[\*bytes.Buffer\]`

var table = fill()

func fill() [8]int { return [8]int{} }

func use() int {
	b := late.Get().(*bytes.Buffer)
	b.Reset()
	late.Put(b)
	return 0
}
