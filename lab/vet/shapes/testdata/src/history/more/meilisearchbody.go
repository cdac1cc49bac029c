package more

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// The same: a request that fails loses the buffer of its body.
type apiClient struct {
	http    *http.Client
	buffers *sync.Pool
}

func (c *apiClient) body(v any) (io.Reader, error) {
	switch v := v.(type) {
	case io.Reader:
		return v, nil
	case []byte:
		return bytes.NewReader(v), nil
	}
	buf := c.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		c.buffers.Put(buf)
		return nil, err
	}
	return buf, nil
}

func (c *apiClient) BugSend(url string, v any) (*http.Response, error) {
	body, err := c.body(v) // BUG
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest("POST", url, body)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if buf, ok := body.(*bytes.Buffer); ok {
		c.buffers.Put(buf)
	}
	return resp, nil
}
