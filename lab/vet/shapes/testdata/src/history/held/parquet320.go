package held

import (
	"bufio"
	"io"
	"sync"
)

// segmentio/parquet-go#320: readers of all sizes go to the pool of one.
var smallReaders = &sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 1<<10) }}

var largeReaders = &sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 1<<20) }}

func BugFilePages(r io.Reader, process func(*bufio.Reader) error) error {
	rbuf := largeReaders.Get().(*bufio.Reader)
	rbuf.Reset(r)
	err := process(rbuf)
	rbuf.Reset(nil)
	smallReaders.Put(rbuf) // BUG
	return err
}
