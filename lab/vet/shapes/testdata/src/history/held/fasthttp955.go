package held

import (
	"context"
	"errors"

	"github.com/valyala/fasthttp"
)

// valyala/fasthttp#955: the body outlives the function literal that releases the
// response.
type httpClient struct {
	do    func(*fasthttp.Request, *fasthttp.Response) error
	retry func(context.Context, func(context.Context) error) error
}

func (c *httpClient) BugSend955(ctx context.Context, url string, payload []byte) (int, []byte, error) {
	var (
		statusCode int
		respBody   []byte
	)
	err := c.retry(ctx, func(ctx context.Context) error {
		req := fasthttp.AcquireRequest()
		resp := fasthttp.AcquireResponse()
		defer fasthttp.ReleaseRequest(req)
		defer fasthttp.ReleaseResponse(resp)
		req.SetRequestURI(url)
		req.SetBody(payload)
		if err := c.do(req, resp); err != nil {
			return err
		}
		switch resp.StatusCode() / 100 {
		case 2, 4:
			statusCode = resp.StatusCode()
			respBody = resp.Body() // BUG
			return nil
		default:
			return errors.New("retry")
		}
	})
	return statusCode, respBody, err
}
