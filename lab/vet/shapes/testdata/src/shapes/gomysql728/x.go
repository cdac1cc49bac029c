// The variable is set to nil so that a later Put does nothing; the deferred
// call has the old value.
package gomysql728

import (
	"bytes"
	"io"
	"sync"

	"github.com/basin-go/basin"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func put(b *bytes.Buffer) {
	if b != nil {
		pool.Put(b)
	}
}

type Conn struct{ pending *bytes.Buffer }

func (c *Conn) BugKept(r io.Reader) error {
	buf := pool.Get().(*bytes.Buffer)
	defer put(buf) // BUG
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	c.pending = buf // ALSO
	buf = nil
	return nil
}

func BugBasin(r io.Reader, keep bool) ([]byte, error) {
	b := basin.Get(512)
	defer basin.Put(b) // BUG
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	if keep {
		out := b
		b = nil
		return out, nil // ALSO
	}
	return nil, nil
}

func (c *Conn) LegalKept(r io.Reader) error {
	buf := pool.Get().(*bytes.Buffer)
	defer func() { put(buf) }()
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	c.pending = buf
	buf = nil
	return nil
}

func LegalBasin(r io.Reader) ([]byte, error) {
	b := basin.Get(512)
	defer func() { basin.Put(b) }()
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	out := b
	b = nil
	return out, nil
}

func LegalFlag(r io.Reader) ([]byte, error) {
	b := basin.Get(512)
	keep := false
	defer func() {
		if !keep {
			basin.Put(b)
		}
	}()
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	keep = true
	return b, nil
}
