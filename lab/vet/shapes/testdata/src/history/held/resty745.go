package held

import (
	"bytes"
	"io"
	"net/http"
)

// go-resty/resty#745, CVE-2023-45286: the body puts the buffer when it is closed, and
// the request puts it, too.
type bodyReleaser struct {
	io.Reader
	buf *bytes.Buffer
}

func (r *bodyReleaser) Close() error {
	releaseBuffer(r.buf)
	return nil
}

func newBodyReleaser(buf *bytes.Buffer) io.ReadCloser {
	return &bodyReleaser{bytes.NewReader(buf.Bytes()), buf}
}

func BugExecute745(c *http.Client, url, body string) (*http.Response, error) {
	buf := acquireBuffer()
	buf.WriteString(body)
	req, err := http.NewRequest("POST", url, newBodyReleaser(buf))
	if err != nil {
		releaseBuffer(buf)
		return nil, err
	}
	resp, err := c.Do(req)
	req.Body.Close()
	releaseBuffer(buf) // BUG
	return resp, err
}
