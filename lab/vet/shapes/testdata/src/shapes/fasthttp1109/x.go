// What a header or a struct holds of the response outlives it.
package fasthttp1109

import (
	"encoding/json"

	"github.com/valyala/fasthttp"
)

type Answer struct {
	Type []byte
	Data []byte
	V    map[string]any
}

func BugStruct(req *fasthttp.Request) (*Answer, error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	a := &Answer{}
	a.Data = resp.Body() // ALSO
	return a, nil        // BUG
}

func BugHeader(req *fasthttp.Request) []byte {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	fasthttp.Do(req, resp)
	return resp.Header.Peek("Location") // BUG
}

func LegalDecoded(req *fasthttp.Request) (*Answer, error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	a := &Answer{}
	err := json.Unmarshal(resp.Body(), &a.V)
	return a, err
}

func LegalHeader(req *fasthttp.Request) string {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	fasthttp.Do(req, resp)
	return string(resp.Header.Peek("Location"))
}

// The caller owns the response and releases it.
func LegalBorrowed(req *fasthttp.Request, resp *fasthttp.Response) ([]byte, error) {
	err := fasthttp.Do(req, resp)
	return resp.Body(), err
}
