package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net"
	"os/exec"
	"strings"
	"sync/atomic"
	"unsafe"
)

type tree struct {
	left  *tree
	parts [][]byte
	arr   [4][]byte
}

type list[T any] struct{ items []T }

func (l *list[T]) add(x T) { l.items = append(l.items, x) }

func Generic(l *list[[]byte], n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	l.add(b)
}

func keepIn[T any](dst *T, x T) { *dst = x }

func GenericFunc(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	keepIn(&latest, b)
}

func Array(t *tree, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	t.arr[1] = b
}

func Literal(n int) *tree {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return &tree{parts: [][]byte{b}}
}

func UnsafeString(n int) string {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return unsafe.String(&b[0], len(b))
}

func UnsafePointer(n int) string {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return *(*string)(unsafe.Pointer(&b))
}

func Atomic(p *atomic.Pointer[[]byte], n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	p.Store(&b)
}

func Context(ctx context.Context, n int) context.Context {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return context.WithValue(ctx, "k", b)
}

func Split(n int) [][]byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return bytes.Split(b, []byte(","))
}

func Iterator(n int) iter.Seq[byte] {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return func(yield func(byte) bool) {
		for _, x := range b {
			if !yield(x) {
				return
			}
		}
	}
}

func Command(n int) *exec.Cmd {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	c := exec.Command("x")
	c.Stdin = bytes.NewReader(b)
	return c
}

func Buffers(c net.Conn, n int) error {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	bufs := net.Buffers{b}
	_, err := bufs.WriteTo(c)
	return err
}

func Decoder(r io.Reader) (*json.Decoder, error) {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return nil, err
	}
	return json.NewDecoder(bytes.NewReader(b)), nil
}

func TwoResults(n int) (a, b []byte) {
	x := make([]byte, n) // want needs an owner; no patch; 4096
	a, b, _ = bytes.Cut(x, nil)
	return a, b
}

func Pointer(n int) *byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return &b[0]
}

func ArrayPointer(n int) *[4]byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return (*[4]byte)(b)
}

func Any(n int) any {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return b
}

func Phi(n int, old []byte) []byte {
	out := old
	b := make([]byte, n) // want needs an owner; no patch; 4096
	if len(old) == 0 {
		out = b
	}
	return out[:1]
}

func ViaSwitch(x any, n int) any {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	x = b
	switch y := x.(type) {
	case []byte:
		return y
	}
	return nil
}

type sink interface{ io.Writer }

type stringer struct{ b []byte }

func (s stringer) String() string { return string(s.b) }

func Struct2(w io.Writer, n int) stringer {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	s := stringer{b}
	w.Write(s.b)
	return s
}

func Local(w io.Writer, n int) {
	b := make([]byte, n) // want pool it; patch; 4096
	var s sink = nil
	_ = s
	w.Write(b[:len(b):len(b)])
	strings.ToUpper(string(b))
}

func BufferBytesKept(v any) {
	var buf bytes.Buffer
	json.NewEncoder(&buf).Encode(v) // want needs an owner by encoding/json.(*Encoder).Encode, bytes.(*Buffer).Write; no patch; 4096
	latest = buf.Bytes()
}

func BufferNext() []byte {
	var buf bytes.Buffer
	buf.WriteString("abc") // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	return buf.Next(2)
}

func BufferCopied() bytes.Buffer {
	var buf bytes.Buffer
	buf.WriteString("abc") // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	return buf
}

func BufferGoroutine() {
	var buf bytes.Buffer
	buf.WriteString("abc") // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	go buf.Reset()
}

func Labeled(w io.Writer, n int) {
again:
	b := make([]byte, n) // want reuse a variable; no patch; 4096
	if _, err := w.Write(b); err != nil {
		goto again
	}
}
