// The body of a response is kept as the pooled buffer's bytes.
package k61044

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/oxtoacart/bpool"
)

type Response struct {
	Status int
	Body   any
	Raw    []byte
}

type State struct{ BPool *bpool.BufferPool }

func (s *State) BugBody(res *http.Response, binary bool) (*Response, error) {
	buf := s.BPool.Get()
	defer s.BPool.Put(buf)
	if _, err := io.Copy(buf, res.Body); err != nil {
		return nil, err
	}
	out := &Response{Status: res.StatusCode}
	if binary {
		out.Body = buf.Bytes() // BUG
	} else {
		out.Body = buf.String()
	}
	return out, nil // ALSO
}

var std = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func BugStd(res *http.Response) (*Response, error) {
	buf := std.Get().(*bytes.Buffer)
	buf.Reset()
	defer std.Put(buf)
	_, err := buf.ReadFrom(res.Body)
	return &Response{Status: res.StatusCode, Raw: buf.Bytes()}, err // BUG
}

func (s *State) LegalBody(res *http.Response, binary bool) (*Response, error) {
	buf := s.BPool.Get()
	defer s.BPool.Put(buf)
	if _, err := io.Copy(buf, res.Body); err != nil {
		return nil, err
	}
	out := &Response{Status: res.StatusCode}
	if binary {
		raw := make([]byte, buf.Len())
		copy(raw, buf.Bytes())
		out.Body = raw
	} else {
		out.Body = buf.String()
	}
	return out, nil
}

func LegalLength(res *http.Response) (*Response, error) {
	buf := std.Get().(*bytes.Buffer)
	buf.Reset()
	defer std.Put(buf)
	_, err := buf.ReadFrom(res.Body)
	return &Response{Status: len(buf.Bytes())}, err
}
