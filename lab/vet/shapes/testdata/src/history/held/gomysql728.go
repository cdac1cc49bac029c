package held

import (
	"bytes"
	"io"
	"sync"
)

// go-mysql-org/go-mysql#728: the variable is set to nil so that nothing is put, but the
// deferred call has its own copy.
var bytesBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func bytesBufferGet() *bytes.Buffer {
	data := bytesBuffers.Get().(*bytes.Buffer)
	data.Reset()
	return data
}

func bytesBufferPut(data *bytes.Buffer) {
	if data == nil || data.Len() > 1<<20 {
		return
	}
	bytesBuffers.Put(data)
}

type packetConn struct{ read func(io.Writer) error }

func (c *packetConn) BugReadPacket(dst []byte) ([]byte, error) {
	buf := bytesBufferGet()
	defer bytesBufferPut(buf) // BUG
	if err := c.read(buf); err != nil {
		return nil, err
	}
	read := buf.Bytes()
	n := len(read)
	if len(dst) == 0 && n > 1<<16 {
		buf = nil
		return read, nil // BUG
	}
	return append(dst, read...), nil
}
