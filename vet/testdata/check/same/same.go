// Package same does the same after the change.
package same

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func join(a, b string) string {
	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	defer pool.Put(buf)
	buf.WriteString(a)
	buf.WriteString(b)
	return buf.String()
}
