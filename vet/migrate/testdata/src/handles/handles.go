package handles

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `pool becomes a basin.BufferPool`

func join(names []string) string {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	defer pool.Put(b)
	for i, name := range names {
		fmt.Fprintf(b, "%d: ", i)
		b.WriteString(name)
		b.WriteByte('\n')
	}
	return b.String()
}

func read(r *strings.Reader) ([]byte, error) {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	defer func() {
		b.Reset()
		pool.Put(b)
	}()
	if _, err := b.ReadFrom(r); err != nil {
		return nil, err
	}
	return append([]byte(nil), b.Bytes()...), nil
}

func lost(s string) int {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(s)
	n := b.Len()
	if n == 0 {
		pool.Put(b)
		return 0
	}
	out := string(b.Bytes())
	pool.Put(b)
	return len(out)
}
