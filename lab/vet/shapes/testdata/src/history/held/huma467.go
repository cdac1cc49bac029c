package held

import (
	"bytes"
	"io"
	"sync"
)

// danielgtaylor/huma#467: goroutines that a handler has started read a pooled body.
var humaBodies = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 128)) }}

type input467 struct {
	RawBody []byte
	Name    string
}

func BugRegister467(r io.Reader, handler func(*input467) error, audit func([]byte)) error {
	buf := humaBodies.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		humaBodies.Put(buf)
	}()
	if _, err := io.Copy(buf, r); err != nil {
		return err
	}
	in := &input467{RawBody: buf.Bytes()}
	go audit(in.RawBody) // BUG
	if err := handler(in); err != nil {
		return err
	}
	return nil
}
