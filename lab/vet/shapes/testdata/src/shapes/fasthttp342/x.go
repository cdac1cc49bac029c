// ReleaseResponse is deferred, and the body returned.
package fasthttp342

import (
	"errors"

	"github.com/valyala/fasthttp"
)

func BugBody(url string) ([]byte, error) {
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	return resp.Body(), nil // BUG
}

func LegalBody(url string) ([]byte, error) {
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	return append([]byte(nil), resp.Body()...), nil
}

func LegalText(url string) (string, error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	if resp.StatusCode() != 200 {
		return "", errors.New(string(resp.Body()))
	}
	return string(resp.Body()), nil
}

func LegalSwapped(url string) []byte {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	return resp.SwapBody(nil)
}
