package held

import (
	"bufio"
	"bytes"
	"net/http"
	"sync"
)

// openyurtio/openyurt#2774: the response reads its body from a reader that was put.
var readerPool sync.Pool

func newReader(b []byte) *bufio.Reader {
	if v := readerPool.Get(); v != nil {
		br := v.(*bufio.Reader)
		br.Reset(bytes.NewReader(b))
		return br
	}
	return bufio.NewReader(bytes.NewReader(b))
}

func putReader(br *bufio.Reader) {
	br.Reset(nil)
	readerPool.Put(br)
}

type cachedStore struct{ get func(string) ([]byte, error) }

func (s *cachedStore) BugRoundTrip2774(req *http.Request) (*http.Response, error) {
	data, err := s.get(req.URL.Path)
	if err != nil {
		return nil, err
	}
	br := newReader(data)
	defer putReader(br)
	resp, err := http.ReadResponse(br, req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == 0 {
		resp.StatusCode = http.StatusOK
	}
	return resp, nil // BUG
}
