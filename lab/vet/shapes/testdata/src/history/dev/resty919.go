package dev

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// go-resty/resty#919: the buffer of a body is released with the first attempt, and the
// next attempt sends it again.
var restyPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func acquireBuffer919() *bytes.Buffer { return restyPool.Get().(*bytes.Buffer) }

func releaseBuffer919(buf *bytes.Buffer) {
	if buf != nil {
		buf.Reset()
		restyPool.Put(buf)
	}
}

type restyRequest struct {
	url     string
	bodyBuf *bytes.Buffer
}

func (r *restyRequest) execute(c *http.Client) (*http.Response, error) {
	req, err := http.NewRequest("POST", r.url, io.NopCloser(bytes.NewReader(r.bodyBuf.Bytes())))
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(req)
	releaseBuffer919(r.bodyBuf)
	return resp, err
}

func BugRetry919(c *http.Client, url, body string, attempts int) (resp *http.Response, err error) {
	r := &restyRequest{url: url, bodyBuf: acquireBuffer919()}
	r.bodyBuf.WriteString(body)
	for range attempts {
		resp, err = r.execute(c) // BUG
		if err == nil {
			break
		}
	}
	return resp, err
}
