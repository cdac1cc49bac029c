// Package fasthttp stands in for the real one: the functions that acquire and
// release, and the methods whose results point into what they release.
package fasthttp

import (
	"io"
	"sync"
)

type RequestHeader struct{ buf []byte }

func (h *RequestHeader) Peek(key string) []byte { return h.buf }
func (h *RequestHeader) Method() []byte         { return h.buf }
func (h *RequestHeader) SetMethod(m string)     { h.buf = append(h.buf[:0], m...) }

type ResponseHeader struct{ buf []byte }

func (h *ResponseHeader) Peek(key string) []byte { return h.buf }
func (h *ResponseHeader) ContentType() []byte    { return h.buf }

type URI struct{ path []byte }

func (u *URI) Path() []byte { return u.path }

type Request struct {
	Header RequestHeader
	uri    URI
	body   []byte
}

func (r *Request) Body() []byte           { return r.body }
func (r *Request) SetBody(b []byte)       { r.body = append(r.body[:0], b...) }
func (r *Request) SetBodyRaw(b []byte)    { r.body = b }
func (r *Request) SetRequestURI(s string) { r.uri.path = append(r.uri.path[:0], s...) }
func (r *Request) URI() *URI              { return &r.uri }
func (r *Request) Reset()                 { r.body = r.body[:0] }

type Response struct {
	Header ResponseHeader
	status int
	body   []byte
}

func (r *Response) Body() []byte                  { return r.body }
func (r *Response) BodyWriteTo(w io.Writer) error { _, err := w.Write(r.body); return err }
func (r *Response) StatusCode() int               { return r.status }
func (r *Response) Reset()                        { r.body = r.body[:0] }
func (r *Response) CopyTo(dst *Response)          { dst.body = append(dst.body[:0], r.body...) }
func (r *Response) SwapBody(b []byte) []byte      { old := r.body; r.body = b; return old }

var (
	requests  sync.Pool
	responses sync.Pool
)

func AcquireRequest() *Request {
	if v := requests.Get(); v != nil {
		return v.(*Request)
	}
	return new(Request)
}

func ReleaseRequest(r *Request) {
	r.Reset()
	requests.Put(r)
}

func AcquireResponse() *Response {
	if v := responses.Get(); v != nil {
		return v.(*Response)
	}
	return new(Response)
}

func ReleaseResponse(r *Response) {
	r.Reset()
	responses.Put(r)
}

func Do(req *Request, resp *Response) error { resp.body = append(resp.body, req.body...); return nil }

type Args struct{ buf []byte }

func (a *Args) Peek(key string) []byte { return a.buf }

type RequestCtx struct {
	Request  Request
	Response Response
	args     Args
}

func (c *RequestCtx) PostBody() []byte { return c.Request.Body() }
func (c *RequestCtx) QueryArgs() *Args { return &c.args }
func (c *RequestCtx) Path() []byte     { return c.Request.uri.path }
