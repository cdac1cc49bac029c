// Sizes without a limit go into a sync.Pool.
package retention

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func BugReadAll(r io.Reader, use func([]byte)) error {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	_, err := b.ReadFrom(r)
	use(b.Bytes())
	pool.Put(b) // BUG
	return err
}

type state struct{ bytes.Buffer }

var states sync.Pool

func BugEncode(w io.Writer, v any) error {
	s, _ := states.Get().(*state)
	if s == nil {
		s = new(state)
	}
	s.Reset()
	defer states.Put(s) // BUG
	if err := json.NewEncoder(s).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(s.Bytes())
	return err
}

var limited = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func LegalLimited(r io.Reader, use func([]byte)) error {
	b := limited.Get().(*bytes.Buffer)
	b.Reset()
	_, err := b.ReadFrom(r)
	use(b.Bytes())
	if b.Cap() <= 64<<10 {
		limited.Put(b)
	}
	return err
}

var fixed = sync.Pool{New: func() any { return new([4096]byte) }}

func LegalFixed(r io.Reader, use func([]byte)) error {
	b := fixed.Get().(*[4096]byte)
	n, err := r.Read(b[:])
	use(b[:n])
	fixed.Put(b)
	return err
}
