// The closure that does the request stores the body outside.
package fasthttp955

import (
	"bytes"
	"sync"

	"github.com/valyala/fasthttp"
)

func BugClosure(req *fasthttp.Request, retry func(func() error) error) ([]byte, error) {
	var body []byte
	err := retry(func() error {
		resp := fasthttp.AcquireResponse()
		defer fasthttp.ReleaseResponse(resp)
		if err := fasthttp.Do(req, resp); err != nil {
			return err
		}
		body = resp.Body() // BUG
		return nil         // ALSO
	})
	return body, err
}

// The outer function releases when it returns; the closure runs later.
func BugReader(req *fasthttp.Request) func() []byte {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	fasthttp.Do(req, resp)
	return func() []byte { return resp.Body() } // BUG
}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func BugStd(each func(func(string))) (last []byte) {
	each(func(s string) {
		b := pool.Get().(*bytes.Buffer)
		defer pool.Put(b)
		b.Reset()
		b.WriteString(s)
		last = b.Bytes() // BUG
	})
	return last
}

func LegalClosure(req *fasthttp.Request, retry func(func() error) error) ([]byte, error) {
	var body []byte
	err := retry(func() error {
		resp := fasthttp.AcquireResponse()
		defer fasthttp.ReleaseResponse(resp)
		if err := fasthttp.Do(req, resp); err != nil {
			return err
		}
		body = append(body[:0], resp.Body()...)
		return nil
	})
	return body, err
}

func LegalOuter(req *fasthttp.Request, retry func(func() error) error) (n int, err error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	var body []byte
	err = retry(func() error {
		if err := fasthttp.Do(req, resp); err != nil {
			return err
		}
		body = resp.Body()
		return nil
	})
	return len(body), err
}

func LegalReader(req *fasthttp.Request) (func() []byte, func()) {
	resp := fasthttp.AcquireResponse()
	fasthttp.Do(req, resp)
	return func() []byte { return resp.Body() }, func() { fasthttp.ReleaseResponse(resp) }
}
