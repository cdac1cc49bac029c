package a

import (
	"bufio"
	"os"
	"sync"
)

var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

type chunk struct {
	name string
	r    *bufio.Reader
	f    *os.File
}

// Close does nothing when it is called again.
func (c *chunk) Close() error {
	if c.f == nil {
		return nil
	}
	err := c.f.Close()
	readers.Put(c.r)
	c.f = nil
	return err
}

// free puts the reader each time.
func (c *chunk) free() {
	if c.f == nil {
		return
	}
	readers.Put(c.r)
	c.name = ""
}

func legalGuarded(c *chunk) (byte, error) {
	defer c.Close()
	b, err := c.r.ReadByte()
	if err != nil {
		return 0, err
	}
	return b, c.Close()
}

func again(c *chunk) byte {
	defer c.free()
	b, _ := c.r.ReadByte()
	c.free() // want `double Put: the deferred c.free\(\) puts c once more`
	return b
}

func closedAndPut(c *chunk) {
	c.Close()
	readers.Put(c.r) // want `double Put: readers.Put\(c.r\) in Close already put c`
}
