// A pooled bufio.Reader is put while the returned response reads from it.
package openyurt2774

import (
	"bufio"
	"io"
	"net/http"
	"sync"

	"github.com/basin-go/basin"
)

var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

func BugResponse(conn io.Reader) (*http.Response, error) {
	br := readers.Get().(*bufio.Reader)
	br.Reset(conn)
	defer readers.Put(br)
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		return nil, err
	}
	return resp, nil // BUG
}

var pooled = basin.Pool[*bufio.Reader]{New: func() *bufio.Reader { return bufio.NewReader(nil) }}

func BugBasin(conn io.Reader) (*http.Response, error) {
	br := pooled.Get()
	br.Reset(conn)
	defer pooled.Put(br)
	return http.ReadResponse(br, nil) // BUG
}

func LegalBody(conn io.Reader, w io.Writer) (int, error) {
	br := readers.Get().(*bufio.Reader)
	br.Reset(conn)
	defer readers.Put(br)
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, resp.Body)
	return resp.StatusCode, err
}

type body struct {
	io.ReadCloser
	br *bufio.Reader
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	readers.Put(b.br)
	return err
}

// The response's Close puts the reader.
func LegalUntilClose(conn io.Reader) (*http.Response, error) {
	br := readers.Get().(*bufio.Reader)
	br.Reset(conn)
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		readers.Put(br)
		return nil, err
	}
	resp.Body = &body{resp.Body, br}
	return resp, nil
}

func LegalFresh(conn io.Reader) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(conn), nil)
}
