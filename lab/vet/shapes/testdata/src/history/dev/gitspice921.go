package dev

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// abhinav/git-spice#921: the body of the response reads from a buffer that is put when
// the round trip returns.
var buffPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer921() *bytes.Buffer {
	buff := buffPool.Get().(*bytes.Buffer)
	buff.Reset()
	return buff
}

func putBuffer921(buff *bytes.Buffer) {
	if buff.Cap() > 1<<20 {
		return
	}
	buffPool.Put(buff)
}

type graphQLTransport struct{ t http.RoundTripper }

func (t *graphQLTransport) BugRoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.t.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		return resp, nil
	}
	buff := getBuffer921()
	defer putBuffer921(buff)
	if _, err := io.Copy(buff, resp.Body); err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(buff.Bytes()))
	var body struct{ Errors []json.RawMessage }
	if err := json.Unmarshal(buff.Bytes(), &body); err == nil && len(body.Errors) > 0 {
		return nil, errNotFound
	}
	return resp, nil // BUG
}

var errNotFound = io.ErrUnexpectedEOF

func (t *graphQLTransport) fixedRoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.t.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	buff := getBuffer921()
	defer putBuffer921(buff)
	if _, err := io.Copy(buff, resp.Body); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(bytes.Clone(buff.Bytes())))
	return resp, nil
}
