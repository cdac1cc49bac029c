package held

import "github.com/valyala/fasthttp"

// valyala/fasthttp#1109: the body is returned after a loop of attempts.
func BugQuery1109(do func(*fasthttp.Request, *fasthttp.Response) error, query []byte) []byte {
	req := fasthttp.AcquireRequest()
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.Header.SetMethod("POST")
	req.SetBody(query)
	for {
		if err := do(req, resp); err != nil {
			continue
		}
		break
	}
	return resp.Body() // BUG
}
