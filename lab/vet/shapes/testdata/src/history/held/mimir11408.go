package held

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// grafana/mimir#11408: the buffers of a request are cleaned up while its series are
// still in a queue.
type requestBuffers struct {
	p       *sync.Pool
	buffers []*bytes.Buffer
}

func (rb *requestBuffers) Get() *bytes.Buffer {
	b := rb.p.Get().(*bytes.Buffer)
	b.Reset()
	rb.buffers = append(rb.buffers, b)
	return b
}

func (rb *requestBuffers) CleanUp() {
	for i, b := range rb.buffers {
		rb.p.Put(b)
		rb.buffers[i] = nil
	}
	rb.buffers = rb.buffers[:0]
}

func BugParse11408(ctx context.Context, pool *sync.Pool, r io.Reader, queue chan<- []byte) error {
	rb := &requestBuffers{p: pool}
	defer rb.CleanUp()
	buf := rb.Get()
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	select {
	case queue <- buf.Bytes(): // BUG
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
