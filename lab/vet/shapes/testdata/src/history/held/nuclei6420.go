package held

import (
	"bytes"
	"fmt"
	"sync"
)

// projectdiscovery/nuclei#6420: a field keeps bytes of a buffer that is put.
var rawPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type rawRequest struct {
	UnsafeRawBytes []byte
	Headers        map[string]string
}

func (r *rawRequest) BugTryFill(headers []string) error {
	if r.UnsafeRawBytes != nil {
		if bytes.HasPrefix(r.UnsafeRawBytes, []byte("PRI")) {
			return nil
		}
		newLine := bytes.IndexByte(r.UnsafeRawBytes, '\n')
		if newLine < 0 {
			return fmt.Errorf("no request line")
		}
		newLine++
		buf := rawPool.Get().(*bytes.Buffer)
		buf.Reset()
		buf.Write(r.UnsafeRawBytes[:newLine])
		for _, header := range headers {
			fmt.Fprintf(buf, "%s\r\n", header)
		}
		buf.Write(r.UnsafeRawBytes[newLine:])
		r.UnsafeRawBytes = buf.Bytes() // BUG
		rawPool.Put(buf)
		return nil
	}
	for _, h := range headers {
		r.Headers[h] = h
	}
	return nil
}
