package dev

import (
	"bufio"
	"context"
	"io"
	"sync"
)

// grafana/mimir#15024: a reader comes from the pool that the caller has given, and
// goes to that of the package.
var bucketBufPool = &sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 1<<20) }}

type bucketBufReader struct {
	ctx  context.Context
	buf  *bufio.Reader
	name string
	pool *sync.Pool
}

func newBucketBufReader(ctx context.Context, r io.Reader, name string, pool *sync.Pool) *bucketBufReader {
	buf := pool.Get().(*bufio.Reader)
	buf.Reset(r)
	return &bucketBufReader{ctx: ctx, buf: buf, name: name, pool: pool}
}

func (b *bucketBufReader) BugClose15024() error {
	bucketBufPool.Put(b.buf) // BUG
	return nil
}

func (b *bucketBufReader) fixedClose() error {
	b.pool.Put(b.buf)
	return nil
}
