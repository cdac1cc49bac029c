package more

import (
	"bytes"
	"sync"
)

// dapr/dapr#1839: the body of a response that is released goes into the result.
type rawResponse struct {
	status int
	body   []byte
}

func (r *rawResponse) Body() []byte { return r.body }

var responses = sync.Pool{New: func() any { return new(rawResponse) }}

func acquireResponse() *rawResponse { return responses.Get().(*rawResponse) }
func releaseResponse(r *rawResponse) {
	r.body = r.body[:0]
	responses.Put(r)
}

type invokeResponse struct {
	status  int
	message []byte
}

func newInvoke(status int) *invokeResponse { return &invokeResponse{status: status} }
func (i *invokeResponse) withData(b []byte) *invokeResponse {
	i.message = b
	return i
}

type channel struct{ do func(*rawResponse) error }

func (c *channel) parse(r *rawResponse) *invokeResponse {
	body := r.Body()
	return newInvoke(r.status).withData(body)
}

func (c *channel) BugInvoke() (*invokeResponse, error) {
	r := acquireResponse()
	defer releaseResponse(r)
	if err := c.do(r); err != nil {
		return nil, err
	}
	return c.parse(r), nil // BUG
}

func (c *channel) parseCopy(r *rawResponse) *invokeResponse {
	return newInvoke(r.status).withData(bytes.Clone(r.Body()))
}

func (c *channel) fixedInvoke() (*invokeResponse, error) {
	r := acquireResponse()
	defer releaseResponse(r)
	if err := c.do(r); err != nil {
		return nil, err
	}
	return c.parseCopy(r), nil
}
