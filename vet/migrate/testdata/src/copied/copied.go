package copied

import (
	"bytes"
	"sync"
)

type server struct {
	pool sync.Pool // want `pool stays a sync.Pool: a sync.Pool is copied`
}

var s = server{pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}

func use() {
	t := s
	t.pool.Put(t.pool.Get().(*bytes.Buffer))
}
