// Package fields has methods that put a field on some returns, beside a Put of the caller.
package fields

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

var pool = sync.Pool{New: func() any { b := make([]byte, 64); return &b }}

func put(b *[]byte) { pool.Put(b) }

type reader struct {
	src    io.Reader
	buffer *[]byte
	off    int
}

// Read puts the buffer if its error is not nil.
func (r *reader) Read(p []byte) (int, error) {
	n, err := io.ReadFull(r.src, *r.buffer)
	if err != nil {
		pool.Put(r.buffer)
		return 0, err
	}
	return copy(p, (*r.buffer)[:n]), nil
}

func literal(src io.Reader, p []byte) (int, error) {
	b := pool.Get().(*[]byte)
	defer pool.Put(b)
	r := reader{src: src, buffer: b}
	return r.Read(p) // want `double Put: pool.Put\(r.buffer\) in Read puts b, and the deferred pool.Put\(b\) puts it once more`
}

func checked(src io.Reader, p []byte) error {
	b := pool.Get().(*[]byte)
	defer pool.Put(b)
	r := &reader{src: src, buffer: b}
	if _, err := r.Read(p); err != nil { // want `double Put: pool.Put\(r.buffer\) in Read puts [br]`
		return err
	}
	return nil
}

func wrapped(src io.Reader, p []byte) error {
	b := pool.Get().(*[]byte)
	defer put(b)
	r := reader{src: src, buffer: b}
	if _, err := r.Read(p); err != nil { // want `double Put: pool.Put\(r.buffer\) in Read puts [br]`
		return fmt.Errorf("reading: %w", err)
	}
	return nil
}

func field(src io.Reader, p []byte) error {
	r := &reader{src: src, buffer: pool.Get().(*[]byte)}
	defer pool.Put(r.buffer)
	if _, err := r.Read(p); err != nil { // want `double Put: pool.Put\(r.buffer\) in Read puts [br]`
		return err
	}
	return nil
}

// wrapError wraps the error of the field's Put.
type second struct{ buffer *[]byte }

func (s *second) fill(src io.Reader) error {
	if _, err := src.Read(*s.buffer); err != nil {
		pool.Put(s.buffer)
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

func wrapsItself(src io.Reader) error {
	s := &second{pool.Get().(*[]byte)}
	if err := s.fill(src); err != nil {
		pool.Put(s.buffer) // want `double Put`
		return err
	}
	pool.Put(s.buffer)
	return nil
}

// Read of an outer reader puts on the errors of the inner one, too.
type outer struct{ in *reader }

func (o *outer) next(p []byte) error {
	if _, err := o.in.Read(p); err != nil {
		return err
	}
	return nil
}

func nested(src io.Reader, p []byte) error {
	b := pool.Get().(*[]byte)
	defer pool.Put(b)
	o := outer{&reader{src: src, buffer: b}}
	return o.next(p) // want `double Put`
}

func throughLibrary(src io.Reader, p []byte) error {
	b := pool.Get().(*[]byte)
	defer pool.Put(b)
	r := &reader{src: src, buffer: b}
	_, err := io.ReadFull(r, p)
	return err
}

// The correct twins.

func legalOnSuccess(src io.Reader, p []byte) error {
	b := pool.Get().(*[]byte)
	r := reader{src: src, buffer: b}
	if _, err := r.Read(p); err != nil {
		return err // Read has put it
	}
	pool.Put(b)
	return nil
}

func legalDeferredOnSuccess(src io.Reader, p []byte) (err error) {
	b := pool.Get().(*[]byte)
	defer func() {
		if err == nil {
			pool.Put(b)
		}
	}()
	r := reader{src: src, buffer: b}
	_, err = r.Read(p)
	return err
}

type calm struct{ buffer *[]byte }

func (c *calm) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, errors.New("empty")
	}
	return copy(p, *c.buffer), nil
}

func legalCalm(p []byte) error {
	b := pool.Get().(*[]byte)
	defer pool.Put(b)
	c := calm{b}
	_, err := c.Read(p)
	return err
}

type emptied struct {
	src    io.Reader
	buffer *[]byte
}

func (e *emptied) Read(p []byte) (int, error) {
	n, err := e.src.Read(*e.buffer)
	if err != nil {
		pool.Put(e.buffer)
		e.buffer = nil
	}
	return n, err
}

func (e *emptied) Close() {
	if e.buffer != nil {
		pool.Put(e.buffer)
		e.buffer = nil
	}
}

func legalEmptied(src io.Reader, p []byte) error {
	e := &emptied{src: src, buffer: pool.Get().(*[]byte)}
	defer e.Close()
	_, err := e.Read(p)
	return err
}

func legalEmptiedChecked(src io.Reader, p []byte) error {
	e := &emptied{src: src, buffer: pool.Get().(*[]byte)}
	defer e.Close()
	if _, err := e.Read(p); err != nil {
		return err
	}
	return nil
}

// next puts the buffer if its error is not nil, and has it no more then.
func (r *reader) next() error {
	if _, err := r.src.Read(*r.buffer); err != nil {
		pool.Put(r.buffer)
		r.buffer = nil
		return err
	}
	return nil
}

func clearedLegal(src io.Reader) (byte, error) {
	r := &reader{src: src, buffer: pool.Get().(*[]byte)}
	defer func() { pool.Put(r.buffer) }()
	if err := r.next(); err != nil {
		return 0, err
	}
	return (*r.buffer)[0], nil
}

// clearedOnly has the buffer in a variable, too, which is not cleared.
func clearedOnly(src io.Reader) (byte, error) {
	r := &reader{src: src, buffer: pool.Get().(*[]byte)}
	b := r.buffer
	defer pool.Put(b)
	if err := r.next(); err != nil { // want `double Put: pool.Put\(r.buffer\) in next puts b, and the deferred pool.Put\(b\) puts it once more`
		return 0, err
	}
	return (*b)[0], nil
}
