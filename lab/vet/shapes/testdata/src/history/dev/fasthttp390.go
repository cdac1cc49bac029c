package dev

import (
	"errors"

	"github.com/valyala/fasthttp"
)

// valyala/fasthttp#390: the body is used after the response was released.
func BugFetch390(do func(*fasthttp.Request, *fasthttp.Response) error, url string, use func([]byte) error) error {
	req := fasthttp.AcquireRequest()
	res := fasthttp.AcquireResponse()
	req.SetRequestURI(url)
	err := do(req, res)
	if err != nil {
		fasthttp.ReleaseRequest(req)
		fasthttp.ReleaseResponse(res)
		return err
	}
	body := res.Body()
	status := res.StatusCode()
	fasthttp.ReleaseRequest(req)
	fasthttp.ReleaseResponse(res)
	switch {
	case status == 204:
		return nil
	case status >= 400:
		return errors.New("failed: " + string(body)) // BUG
	}
	return use(body) // BUG
}
