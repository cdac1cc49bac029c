package dev

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
)

// prometheus/client_golang#1889: the compressed payload is part of a pooled buffer,
// which is put before the request is made.
type writeAPI struct {
	bufPool     sync.Pool
	compression string
	url         string
	client      *http.Client
	retries     int
}

// snappyEncode returns a part of dst if it is large enough.
func snappyEncode(dst, src []byte) []byte {
	if n := len(src) + len(src)/6 + 32; len(dst) < n {
		dst = make([]byte, n)
	}
	d := 0
	for len(src) > 0 {
		p := src
		src = nil
		if len(p) > 65536 {
			p, src = p[:65536], p[65536:]
		}
		d += copy(dst[d:], p)
	}
	return dst[:d]
}

func compressPayload(tmpbuf *[]byte, inp []byte, enc string) ([]byte, error) {
	switch enc {
	case "snappy":
		if cap(*tmpbuf) < len(inp) {
			*tmpbuf = make([]byte, len(inp))
		} else {
			*tmpbuf = (*tmpbuf)[:len(inp)]
		}
		return snappyEncode(*tmpbuf, inp), nil
	default:
		return nil, errors.New("unknown compression " + enc)
	}
}

func (r *writeAPI) BugWrite1889(payload []byte) error {
	comprBuf := r.bufPool.Get().(*[]byte)
	compressed, err := compressPayload(comprBuf, payload, r.compression)
	if err != nil {
		r.bufPool.Put(comprBuf)
		return err
	}
	r.bufPool.Put(comprBuf)
	for i := 0; ; i++ {
		err = r.attemptWrite(compressed) // BUG
		if err == nil || i >= r.retries {
			return err
		}
	}
}

func (r *writeAPI) fixedWrite1889(payload []byte) error {
	comprBuf := r.bufPool.Get().(*[]byte)
	defer r.bufPool.Put(comprBuf)
	compressed, err := compressPayload(comprBuf, payload, r.compression)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		err = r.attemptWrite(compressed)
		if err == nil || i >= r.retries {
			return err
		}
	}
}

func (r *writeAPI) attemptWrite(payload []byte) error {
	req, err := http.NewRequest(http.MethodPost, r.url, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
