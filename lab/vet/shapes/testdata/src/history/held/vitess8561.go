package held

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// vitessio/vitess#8561: rows that are parsed from a packet point into its buffer, which
// is recycled.
type mysqlConn struct {
	r       io.Reader
	current *[]byte
	header  [4]byte
}

var packetPool = sync.Pool{New: func() any { b := make([]byte, 16<<10); return &b }}

func (c *mysqlConn) readEphemeralPacket() ([]byte, error) {
	if _, err := io.ReadFull(c.r, c.header[:]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(c.header[:]) & 0xffffff)
	if n == 0 {
		return nil, nil
	}
	c.current = packetPool.Get().(*[]byte)
	buf := (*c.current)[:n]
	if _, err := io.ReadFull(c.r, buf); err != nil {
		return nil, err
	}
	return buf, nil
}

func (c *mysqlConn) recycleReadPacket() {
	if c.current != nil {
		packetPool.Put(c.current)
		c.current = nil
	}
}

func (c *mysqlConn) BugReadRow(fields int) ([][]byte, error) {
	data, err := c.readEphemeralPacket()
	if err != nil {
		return nil, err
	}
	defer c.recycleReadPacket()
	if len(data) == 0 {
		return nil, errors.New("no row")
	}
	row := make([][]byte, 0, fields)
	for range fields {
		n := int(data[0])
		row = append(row, data[1:1+n])
		data = data[1+n:]
	}
	return row, nil // BUG
}
