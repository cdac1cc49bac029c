package held

import (
	"bytes"
	"encoding/json"
	"sync"
)

// go-resty/resty#421: what an encoder wrote is returned from a buffer that is released.
var encPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func acquireBuffer() *bytes.Buffer { return encPool.Get().(*bytes.Buffer) }

func releaseBuffer(buf *bytes.Buffer) {
	if buf != nil {
		buf.Reset()
		encPool.Put(buf)
	}
}

var BugMarshal = func(v any) ([]byte, error) {
	buf := acquireBuffer()
	defer releaseBuffer(buf)
	encoder := json.NewEncoder(buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil // BUG
}

type restyClient struct{ marshal func(any) ([]byte, error) }

func (c *restyClient) body(v any) (*bytes.Buffer, error) {
	b, err := c.marshal(v)
	if err != nil {
		return nil, err
	}
	buf := acquireBuffer()
	buf.Write(b)
	return buf, nil
}
