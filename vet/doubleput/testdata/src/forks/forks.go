package forks

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// What follows the Put depends on what is called after it, and not on the Put.
func noReturn(w io.Writer, read func(*bytes.Buffer) error) error {
	b := bufPool.Get().(*bytes.Buffer)
	if err := read(b); err != nil {
		bufPool.Put(b)
	}
	if _, err := w.Write([]byte("header")); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// The second error is one of the first.
func legalSameError(read func(*bytes.Buffer) error) (int, error) {
	b := bufPool.Get().(*bytes.Buffer)
	err := read(b)
	if err != nil {
		bufPool.Put(b)
	}
	if errors.Is(err, io.EOF) || err != nil {
		return 0, err
	}
	n := b.Len()
	bufPool.Put(b)
	return n, nil
}

type source struct{ ended bool }

func (s *source) done() bool { return s.ended }

// Both conditions ask the same.
func legalAskedAgain(s *source, w io.Writer) error {
	b := bufPool.Get().(*bytes.Buffer)
	if s.done() {
		bufPool.Put(b)
	}
	if s.done() {
		return nil
	}
	_, err := w.Write(b.Bytes())
	bufPool.Put(b)
	return err
}

// The condition after the first is one that the Put may depend on.
func legalOtherwise(s *source, w io.Writer, last bool) error {
	b := bufPool.Get().(*bytes.Buffer)
	if s.ended {
		bufPool.Put(b)
	}
	if _, err := w.Write([]byte("header")); err != nil {
		return err
	}
	if last {
		return nil
	}
	_, err := w.Write(b.Bytes())
	return err
}

type frameReader struct {
	n     int
	reads chan []byte
}

func (r *frameReader) single() bool { return r.n == 1 }

// single says the same each time.
func legalSameAnswer(r *frameReader, read func([]byte) int) (n int) {
	var data []byte
	if r.single() {
		data = bytesOf.Get().([]byte)
		defer bytesOf.Put(data)
	}
	for {
		var dst []byte
	read:
		if r.single() {
			dst = data[:read(data)]
		} else {
			bytesOf.Put(dst)
			dst = <-r.reads
		}
		if len(dst) == 0 {
			return n
		}
		n += len(dst)
		goto read
	}
}

var bytesOf = sync.Pool{New: func() any { return make([]byte, 64) }}

type userPool interface{ buffer() []byte }

// A buffer of the user is returned, and it is got only if there is none.
func legalUsersOwn(each func(func(userPool)), decode func([]byte) error) ([]byte, error) {
	var out *bytes.Buffer
	own := false
	each(func(p userPool) {
		out = bytes.NewBuffer(p.buffer())
		own = true
	})
	if out == nil {
		out = bufPool.Get().(*bytes.Buffer)
		out.Reset()
		defer bufPool.Put(out)
	}
	decoded := out.Bytes()
	if err := decode(decoded); err != nil {
		return nil, err
	}
	if own {
		return decoded, nil
	}
	return bytes.Clone(decoded), nil
}
