// What one user wrote is there for the next.
package noreset

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func BugNoReset(s string) string {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b) // ALSO
	b.WriteString(s)  // BUG
	return b.String()
}

var before, after = sync.Pool{New: func() any { return new(bytes.Buffer) }}, sync.Pool{New: func() any { return new(bytes.Buffer) }}

func LegalResetBefore(s string) string {
	b := before.Get().(*bytes.Buffer)
	b.Reset()
	defer before.Put(b)
	b.WriteString(s)
	return b.String()
}

func LegalResetAfter(s string) string {
	b := after.Get().(*bytes.Buffer)
	defer after.Put(b)
	defer b.Reset()
	b.WriteString(s)
	return b.String()
}
