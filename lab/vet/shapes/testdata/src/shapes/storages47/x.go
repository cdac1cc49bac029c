// A reader over a pooled buffer goes to the parser of a response.
package storages47

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func BugReader(src io.Reader, req *http.Request) (*http.Response, error) {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	defer pool.Put(b)
	if _, err := io.Copy(b, src); err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(b), req) // BUG
}

func BugNopCloser(src io.Reader) io.ReadCloser {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	defer pool.Put(b)
	io.Copy(b, src)
	return io.NopCloser(bytes.NewReader(b.Bytes())) // BUG
}

func LegalReader(src io.Reader, req *http.Request) (*http.Response, error) {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	defer pool.Put(b)
	if _, err := io.Copy(b, src); err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(bytes.Clone(b.Bytes()))), req)
}

func LegalNopCloser(src io.Reader) io.ReadCloser {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	defer pool.Put(b)
	io.Copy(b, src)
	return io.NopCloser(bytes.NewBufferString(b.String()))
}

func LegalParsed(src io.Reader, req *http.Request) (int, error) {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	defer pool.Put(b)
	io.Copy(b, src)
	resp, err := http.ReadResponse(bufio.NewReader(b), req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, nil
}
