package held

import (
	"bytes"
	"io"
	"sync"
)

// yarpc/yarpc-go#2554: the body puts its buffer when it is closed, and is read by the
// goroutine that writes.
var wirePool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type readCloser struct {
	*bytes.Reader
	buf *bytes.Buffer
}

func newReadCloser(buf *bytes.Buffer) readCloser {
	return readCloser{bytes.NewReader(buf.Bytes()), buf}
}

func (r readCloser) Close() error {
	wirePool.Put(r.buf)
	return nil
}

func BugSend2554(encode func(io.Writer) error, w io.Writer, goaway <-chan struct{}) error {
	buf := wirePool.Get().(*bytes.Buffer)
	buf.Reset()
	if err := encode(buf); err != nil {
		wirePool.Put(buf)
		return err
	}
	body := newReadCloser(buf)
	go io.Copy(w, body) // BUG
	return body.Close()
}
