// Package corpus has lines that must not be pooled.
package corpus

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

type conn struct{ buf []byte }

type page struct {
	next *page
	data []byte
}

type packet struct {
	head [4]byte
	body []byte
}

type failure struct{ context []byte }

func (f failure) Error() string { return string(f.context) }

var (
	current atomic.Pointer[[]byte]
	seen    sync.Map
	queue   list.List
	pages   *page
	hooks   []func()
	table   [8][]byte
	last    any
)

func Named(n int) (b []byte, err error) {
	b = make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 1
	return
}

func InStruct(n int) packet {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return packet{body: b[2:]}
}

func InError(n int) error {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return failure{b}
}

func Closure(n int) func() byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return func() byte { return b[0] }
}

func Atomic(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	current.Store(&b)
}

func SyncMap(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	seen.Store(n, b)
}

func List(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	queue.PushBack(b)
}

func Chain(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	pages = &page{next: pages, data: b}
}

func Hook(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	hooks = append(hooks, func() { clear(b) })
}

func Table(i, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	table[i&7] = b
}

func Boxed(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	last = b
}

func Selected(out chan<- []byte, stop <-chan struct{}, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	select {
	case out <- b:
	case <-stop:
	}
}

func SentInside(out chan<- packet, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	out <- packet{body: b}
}

func Goroutine(w io.Writer, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	go w.Write(b)
}

func Waited(n int) {
	b := make([]byte, n) // want pool it; patch; 4096
	var all sync.WaitGroup
	all.Go(func() { b[0]++ })
	all.Wait()
}

func Deferred(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	defer func() { last = b }()
}

func Context(ctx context.Context, n int) context.Context {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return context.WithValue(ctx, &last, b)
}

func Pointer(n int) *byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return &b[n/2]
}

func Unsafe(n int) string {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return unsafe.String(&b[0], n)
}

func Array(n int) *[16]byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return (*[16]byte)(b)
}

func Piped(n int) *http.Request {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	r, _ := http.NewRequest("POST", "/", bytes.NewReader(b))
	return r
}

func Split(r io.Reader) ([][]byte, error) {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return nil, err
	}
	return bytes.Split(b, []byte("\n")), nil
}

func Trimmed(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b), nil
}

func Mapped(r io.Reader, m map[string][]byte) error {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return err
	}
	m["a"] = b[1:]
	return nil
}

func Joined(r io.Reader) error {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return err
	}
	return errors.Join(failure{b})
}

func Cleaned(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	runtime.AddCleanup(new(page), func(b []byte) { last = b }, b)
}

func Method(c *conn, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	use := c.keep
	use(b)
}

func (c *conn) keep(b []byte) { c.buf = b }

func Generic(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	put(&last, any(b))
}

func put[T any](to *T, v T) { *to = v }

func Text(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p) // want preallocate by strings.(*Builder).WriteString; no patch; 4096
	}
	return b.String()
}

func Printed(n int) string {
	return fmt.Sprintf("%0*d", n, 1) // want not judged by fmt.Sprintf; no patch; 4096
}
