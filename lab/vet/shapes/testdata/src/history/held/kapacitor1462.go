package held

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"
)

// influxdata/kapacitor#1462: with a timeout, a goroutine of the transport still writes
// the body when the buffer is put.
type bufPool1462 struct{ p sync.Pool }

func (b *bufPool1462) Get() *bytes.Buffer { return b.p.Get().(*bytes.Buffer) }

func (b *bufPool1462) Put(buf *bytes.Buffer) {
	buf.Reset()
	b.p.Put(buf)
}

type postNode struct {
	bp      *bufPool1462
	hc      *http.Client
	url     string
	timeout time.Duration
}

func (n *postNode) BugPost1462(encode func(*bytes.Buffer) error) (*http.Response, error) {
	body := n.bp.Get()
	defer n.bp.Put(body)
	if err := encode(body); err != nil {
		return nil, err
	}
	req, err := http.NewRequest("POST", n.url, body)
	if err != nil {
		return nil, err
	}
	if n.timeout > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), n.timeout)
		defer cancel()
		req = req.WithContext(ctx)
	}
	return n.hc.Do(req) // BUG
}
