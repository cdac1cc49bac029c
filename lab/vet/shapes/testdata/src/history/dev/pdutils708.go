package dev

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// projectdiscovery/utils#708: the full response is built in a buffer that is put on
// return, by a helper that keeps only some of the large ones.
var chainPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var largeBuffers = make(chan struct{}, 20)

const (
	defaultSize = 10 << 10
	maxSize     = 10 << 20
)

func getChainBuffer() *bytes.Buffer { return chainPool.Get().(*bytes.Buffer) }

func putChainBuffer(buf *bytes.Buffer) {
	c := buf.Cap()
	if c > maxSize {
		return
	}
	buf.Reset()
	if c >= defaultSize*2 {
		select {
		case largeBuffers <- struct{}{}:
			chainPool.Put(buf)
		default:
		}
		return
	}
	chainPool.Put(buf)
}

type responseChain struct {
	headers, body *bytes.Buffer
	resp          *http.Response
}

func (r *responseChain) fullResponse() *bytes.Buffer {
	full := getChainBuffer()
	full.Write(r.headers.Bytes())
	full.Write(r.body.Bytes())
	return full
}

func (r *responseChain) BugFullResponseBytes() []byte {
	full := r.fullResponse()
	defer putChainBuffer(full)
	return full.Bytes() // BUG
}

func (r *responseChain) fixedFullResponseBytes() []byte {
	full := r.fullResponse()
	defer putChainBuffer(full)
	return bytes.Clone(full.Bytes())
}

func (r *responseChain) fill(max int64) error {
	_, err := io.CopyN(r.body, r.resp.Body, max)
	if err == io.EOF {
		err = nil
	}
	return err
}
