// Package borrowed passes memory to functions that neither put nor keep it.
package borrowed

import (
	"compress/flate"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"unsafe"
)

type session struct {
	id   string
	data map[string]string
}

var sessions = sync.Pool{New: func() any { return &session{data: map[string]string{}} }}

var kept *session

func (s *session) set(k, v string) { s.data[k] = v }
func (s *session) save() error {
	if s.id == "" {
		return errors.New("no id")
	}
	return nil
}
func (s *session) keep()    { kept = s }
func (s *session) release() { sessions.Put(s) }

// borrowed calls methods that neither put nor keep the session.
func borrowed(k, v string) {
	s := sessions.Get().(*session) // want `missing Put: a path from here has no Put`
	s.set(k, v)
	if err := s.save(); err != nil {
		return
	}
	s.release()
}

func keptLegal(k, v string) {
	s := sessions.Get().(*session)
	s.set(k, v)
	s.keep()
}

func borrowedLegal(k, v string) {
	s := sessions.Get().(*session)
	defer s.release()
	s.set(k, v)
}

type bytesPool struct{ p sync.Pool }

func (b *bytesPool) get(ctx context.Context) (*[]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return b.p.Get().(*[]byte), nil
}

// canceledLegal has no memory if there was an error of any kind.
func canceledLegal(ctx context.Context, b *bytesPool, w io.Writer) error {
	p, err := b.get(ctx)
	switch {
	case errors.Is(err, context.Canceled), err == context.DeadlineExceeded:
		return nil
	case os.IsTimeout(err):
		return nil
	case err != nil:
		return err
	}
	_, err = w.Write(*p)
	b.p.Put(p)
	return err
}

type writer struct{ w *flate.Writer }

var writers, buffers sync.Pool

type buffer struct{ b []byte }

func (b *buffer) Write(p []byte) (int, error) {
	b.b = append(b.b, p...)
	return len(p), nil
}

// lost leaves the buffer with a writer that is put, from where nobody gets it.
func lost(r io.Reader) (*buffer, error) {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	b := buffers.Get().(*buffer) // want `missing Put: a path from here has no Put`
	w.w.Reset(b)
	if _, err := io.Copy(w.w, r); err != nil {
		return nil, err
	}
	if err := w.w.Close(); err != nil {
		buffers.Put(b)
		return nil, err
	}
	return b, nil
}

type header struct {
	data     *byte
	len, cap int
}

// headerLegal returns the memory, which it has stored under another type.
func headerLegal(n int) []byte {
	b := []byte{}
	h := (*header)(unsafe.Pointer(&b))
	h.len, h.cap = n, n
	h.data = buffers.Get().(*byte)
	return b
}

func freeHeader(b []byte) { buffers.Put((*header)(unsafe.Pointer(&b)).data) }

type tooLarge int

func (tooLarge) Error() string { return "too large" }

// deferredLegal puts the memory if its error is not nil, as io.ErrUnexpectedEOF is not.
func deferredLegal(r io.Reader, n int) (_ *[]byte, err error) {
	p := buffers.Get().(*[]byte)
	defer func() {
		if err != nil {
			buffers.Put(p)
		}
	}()
	switch {
	case n == 0:
		return nil, io.ErrUnexpectedEOF
	case n > 100:
		return nil, tooLarge(n)
	}
	if _, err := r.Read(*p); err != nil {
		return nil, err
	}
	return p, nil
}
