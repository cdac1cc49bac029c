// The body is assigned to a result, or to a variable, before the release.
package fasthttp612

import "github.com/valyala/fasthttp"

func BugNamed(req *fasthttp.Request) (body []byte, err error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	if err = fasthttp.Do(req, resp); err != nil {
		return
	}
	body = resp.Body() // ALSO
	return             // BUG
}

func BugReleased(req *fasthttp.Request) ([]byte, error) {
	resp := fasthttp.AcquireResponse()
	err := fasthttp.Do(req, resp)
	body := resp.Body()
	fasthttp.ReleaseResponse(resp)
	return body, err // BUG
}

func LegalNamed(req *fasthttp.Request) (body []byte, err error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	if err = fasthttp.Do(req, resp); err != nil {
		return
	}
	body = append(body, resp.Body()...)
	return
}

func LegalReleased(req *fasthttp.Request, dst []byte) ([]byte, error) {
	resp := fasthttp.AcquireResponse()
	err := fasthttp.Do(req, resp)
	dst = append(dst[:0], resp.Body()...)
	fasthttp.ReleaseResponse(resp)
	return dst, err
}
