package dev

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// hashicorp/aws-sdk-go-base#1502: the body that is restored after it was logged reads
// from a buffer that was put.
var logBufPool = sync.Pool{New: func() any { return bytes.NewBuffer(nil) }}

const maxBody = 4096

func BugReadTruncated(resp *http.Response, log func(string)) error {
	buf := logBufPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer logBufPool.Put(buf)
	if resp.Body == nil {
		return nil
	}
	tee := io.TeeReader(io.LimitReader(resp.Body, maxBody+1), buf)
	data, err := io.ReadAll(tee)
	if err != nil {
		return err
	}
	truncated := len(data) > maxBody
	if truncated {
		data = data[:maxBody]
	}
	log(string(data))
	resp.Body = struct { // BUG
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(buf.Bytes()), resp.Body), resp.Body}
	return nil
}
