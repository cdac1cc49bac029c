package held

import (
	"bytes"
	"io"
	"sync"
	"unsafe"
)

// projectdiscovery/utils#711: strings point into buffers that Close puts.
var respPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func unsafeToString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

type chain struct {
	headers *bytes.Buffer
	body    *bytes.Buffer
}

func newChain() *chain {
	return &chain{respPool.Get().(*bytes.Buffer), respPool.Get().(*bytes.Buffer)}
}

func (c *chain) Fill(r io.Reader) error {
	_, err := c.body.ReadFrom(r)
	return err
}

func (c *chain) BodyString() string { return unsafeToString(c.body.Bytes()) }

func (c *chain) Close() {
	if c.headers != nil {
		c.headers.Reset()
		respPool.Put(c.headers)
		c.headers = nil
	}
	if c.body != nil {
		c.body.Reset()
		respPool.Put(c.body)
		c.body = nil
	}
}

func BugText711(r io.Reader) (string, error) {
	c := newChain()
	defer c.Close()
	if err := c.Fill(r); err != nil {
		return "", err
	}
	return c.BodyString(), nil // BUG
}

func fixedText711(r io.Reader) (string, error) {
	c := newChain()
	defer c.Close()
	if err := c.Fill(r); err != nil {
		return "", err
	}
	return c.body.String(), nil
}
