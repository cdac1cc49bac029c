package conn

import (
	"io"
	"sync"
)

var packets = sync.Pool{New: func() any { b := make([]byte, 16<<10); return &b }}

type Conn struct {
	r    io.Reader
	last *[]byte
}

// ReadEphemeral reads a packet into a pooled buffer, until Recycle.
func (c *Conn) ReadEphemeral() ([]byte, error) {
	p := packets.Get().(*[]byte)
	n, err := io.ReadFull(c.r, *p)
	if err != nil {
		packets.Put(p)
		return nil, err
	}
	return (*p)[:n], nil
}

func (c *Conn) Recycle(data []byte) {
	data = data[:cap(data)]
	packets.Put(&data)
}

func Field(data []byte) []byte { return data[4 : 4+data[3]] }
func Text(data []byte) string  { return string(data[4:]) }
