package a

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var kept sync.Map

func inMap(key string) {
	b := pool.Get().(*bytes.Buffer)
	b.WriteString(key)
	kept.Store(key, b.Bytes()) // want `kept after Put`
	pool.Put(b)
}

func legalInMap(key string) {
	b := pool.Get().(*bytes.Buffer)
	b.WriteString(key)
	kept.Store(key, bytes.Clone(b.Bytes()))
	pool.Put(b)
}

func legalForMeantime(key string, use func()) {
	b := pool.Get().(*bytes.Buffer)
	kept.Store(key, b.Bytes())
	use()
	kept.Delete(key)
	pool.Put(b)
}

type holder struct{ last atomic.Value }

func (h *holder) inAtomic() {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	h.last.Store(b.Bytes()) // want `kept after Put`
}

func (h *holder) legalReplaced() {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	h.last.Store(b.Bytes())
	h.last.Store([]byte(nil))
}

type ctxKey struct{}

func inContext(ctx context.Context) context.Context {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	return context.WithValue(ctx, ctxKey{}, b.Bytes()) // want `returned after Put`
}

func legalInContext(ctx context.Context, next func(context.Context) error) error {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	return next(context.WithValue(ctx, ctxKey{}, b))
}

func laterOn(d time.Duration, use func([]byte)) {
	b := pool.Get().(*bytes.Buffer)
	time.AfterFunc(d, func() { use(b.Bytes()) }) // want `shared at Put`
	pool.Put(b)
}

func legalLaterItself(d time.Duration, use func([]byte)) {
	b := pool.Get().(*bytes.Buffer)
	time.AfterFunc(d, func() {
		use(b.Bytes())
		pool.Put(b)
	})
}

func clipped() []byte {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	return slices.Clip(b.Bytes()) // want `returned after Put`
}

func decoder(r io.Reader) *json.Decoder {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	b.ReadFrom(r)
	return json.NewDecoder(b) // want `returned after Put`
}

func unzipper() (io.Reader, error) {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	zr, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(zr), nil // want `returned after Put`
}

var writers sync.Pool

func legalReset(w io.Writer) error {
	b := pool.Get().(*bytes.Buffer)
	zw := writers.Get().(*gzip.Writer)
	zw.Reset(b)
	defer func() {
		pool.Put(b)
		zw.Reset(io.Discard)
		writers.Put(zw)
	}()
	if err := zw.Close(); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func resetTo() *gzip.Writer {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	zw := gzip.NewWriter(nil)
	zw.Reset(b)
	return zw // want `returned after Put`
}

// A case of a select may have sent it.
func inSelect(ch chan []byte, done chan struct{}) {
	b := pool.Get().(*bytes.Buffer)
	select {
	case ch <- b.Bytes(): // want `shared at Put`
	case <-done:
	}
	pool.Put(b)
}

func handleInSelect(ch chan *bytes.Buffer) {
	b := pool.Get().(*bytes.Buffer)
	select {
	case ch <- b: // want `shared at Put`
	default:
	}
	pool.Put(b)
}

func legalInSelect(ch chan *bytes.Buffer) bool {
	b := pool.Get().(*bytes.Buffer)
	select {
	case ch <- b:
		return true
	default:
		pool.Put(b)
		return false
	}
}

// Which of the channels was ready is nothing that a caller knows.
var tokens = make(chan struct{}, 3)

func putSome(b *bytes.Buffer) {
	if b.Cap() > 1<<16 {
		select {
		case tokens <- struct{}{}:
			pool.Put(b)
		default:
		}
		return
	}
	pool.Put(b)
}

func some() []byte {
	b := pool.Get().(*bytes.Buffer)
	defer putSome(b)
	return b.Bytes() // want `returned after Put`
}

func tryPutSome(b *bytes.Buffer) bool {
	select {
	case tokens <- struct{}{}:
		pool.Put(b)
		return true
	default:
		return false
	}
}

func legalTrySome() []byte {
	b := pool.Get().(*bytes.Buffer)
	if tryPutSome(b) {
		return nil
	}
	return b.Bytes()
}

// encode returns a part of dst if it is large enough.
func encode(dst, src []byte) []byte {
	if cap(dst) < len(src) {
		dst = make([]byte, len(src))
	}
	return dst[:copy(dst[:cap(dst)], src)]
}

var pointers = sync.Pool{New: func() any { b := make([]byte, 0, 64); return &b }}

func encoded(src []byte) []byte {
	t := pointers.Get().(*[]byte)
	out := encode(*t, src)
	pointers.Put(t)
	return out // want `returned after Put`
}

func encodeInto(t *[]byte, src []byte) []byte { return encode(*t, src) }

func encodedInto(src []byte) []byte {
	t := pointers.Get().(*[]byte)
	defer pointers.Put(t)
	return encodeInto(t, src) // want `returned after Put`
}

// copied returns its argument if there is nothing to copy.
func copied(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	return append([]byte(nil), b...)
}

func copiedIfAny(b []byte) []byte {
	if len(b) > 0 {
		b = append([]byte(nil), b...)
	}
	return b
}

func legalCopied(even bool) []byte {
	t := pointers.Get().(*[]byte)
	defer pointers.Put(t)
	if even {
		return copied(*t)
	}
	return copiedIfAny(*t)
}

// borrow returns a buffer with the function that puts it.
func borrow() (*bytes.Buffer, func()) {
	b := pool.Get().(*bytes.Buffer)
	return b, func() {
		b.Reset()
		pool.Put(b)
	}
}

func borrowed() []byte {
	b, release := borrow()
	defer release()
	b.WriteString("x")
	return b.Bytes() // want `returned after Put`
}

func legalBorrowed() string {
	b, release := borrow()
	defer release()
	return b.String()
}

func legalLent() ([]byte, func()) {
	b, release := borrow()
	return b.Bytes(), release
}

type grower struct{ buf []byte }

// A part of what is put is kept.
func (g *grower) grow(n int) {
	var nb []byte
	if len(g.buf)+n <= cap(g.buf)/2 {
		nb = g.buf[:0]
	} else {
		nb = make([]byte, 0, n)
	}
	putBytes(g.buf)
	g.buf = nb // want `kept after Put`
}

func (g *grower) legalGrow(n int) {
	var nb []byte
	if len(g.buf)+n <= cap(g.buf)/2 {
		nb = g.buf[:0]
	} else {
		nb = make([]byte, 0, n)
		putBytes(g.buf)
	}
	g.buf = nb
}

var byteSlices [4]sync.Pool

func putBytes(b []byte) {
	c, n := cap(b), 0
	if c < 64 {
		return
	}
	for c > 64 && n < 3 {
		c >>= 1
		n++
	}
	byteSlices[n].Put(b[:0])
}
