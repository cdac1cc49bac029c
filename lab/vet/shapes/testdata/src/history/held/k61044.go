package held

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// grafana/k6#1044: the body of a response is kept as bytes of a pooled buffer.
type bufferPool struct{ pool sync.Pool }

func (bp *bufferPool) Get() *bytes.Buffer { return bp.pool.Get().(*bytes.Buffer) }

func (bp *bufferPool) Put(b *bytes.Buffer) { bp.pool.Put(b) }

type vuState struct{ BPool *bufferPool }

type k6Response struct {
	Body   any
	Status int
	Error  string
}

func (r *k6Response) BugReadBody(state *vuState, respType string, resp *http.Response) error {
	buf := state.BPool.Get()
	buf.Reset()
	defer state.BPool.Put(buf)
	_, err := io.Copy(buf, resp.Body)
	if err != nil {
		r.Error = err.Error()
	}
	_ = resp.Body.Close()
	switch respType {
	case "text":
		r.Body = buf.String()
	case "binary":
		r.Body = buf.Bytes() // BUG
	default:
		r.Error = "unknown responseType " + respType
	}
	return err
}

func (r *k6Response) fixedReadBody(state *vuState, respType string, resp *http.Response) error {
	buf := state.BPool.Get()
	buf.Reset()
	defer state.BPool.Put(buf)
	_, err := io.Copy(buf, resp.Body)
	switch respType {
	case "text":
		r.Body = buf.String()
	case "binary":
		r.Body = append([]byte(nil), buf.Bytes()...)
	}
	return err
}
