package legal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/basin-go/basin"
)

type Typed[T any] struct {
	pool  sync.Pool
	reset func(*T)
}

func (p *Typed[T]) Get() *T {
	if v, ok := p.pool.Get().(*T); ok {
		return v
	}
	return new(T)
}

func (p *Typed[T]) Put(v *T) {
	if p.reset != nil {
		p.reset(v)
	}
	p.pool.Put(v)
}

var typed = Typed[[]byte]{reset: func(b *[]byte) { *b = (*b)[:0] }}

func WrapTyped(in []byte) int {
	p := typed.Get()
	defer typed.Put(p)
	*p = append(*p, in...)
	return len(*p)
}

func WrapTypedCopy(in []byte) string {
	p := typed.Get()
	*p = append(*p, in...)
	s := string(*p)
	typed.Put(p)
	return s
}

var (
	get = func() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }
	put = func(b *bytes.Buffer) { buffers.Put(b) }
)

func WrapVariables(v any) string {
	b := get()
	defer put(b)
	b.Reset()
	json.NewEncoder(b).Encode(v)
	return b.String()
}

type pooler interface {
	Get() *bytes.Buffer
	Put(*bytes.Buffer)
}

func WrapInterface(p pooler, v any) ([]byte, error) {
	b := p.Get()
	defer p.Put(b)
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return nil, err
	}
	return append([]byte(nil), b.Bytes()...), nil
}

// A map's Put has nothing to do with pools.
type store map[string][]byte

func (s store) Put(key string, v []byte) { s[key] = v }
func (s store) Get(key string) []byte    { return s[key] }

func WrapNoPool(s store, v []byte) []byte {
	s.Put("k", v)
	v[0] = 1
	return v
}

// Neither has a file's Close or a heap's Free.
type region struct{ b []byte }

func (r *region) Free()         { r.b = nil }
func (r *region) Bytes() []byte { return r.b }

func WrapFree(n int) []byte {
	r := &region{make([]byte, n)}
	defer r.Free()
	return r.Bytes()
}

type ctxKey struct{}

func WrapContext(ctx context.Context, s string) context.Context {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return context.WithValue(ctx, ctxKey{}, string(b))
}

func WrapLog(s string) {
	b := getBuf()
	b.WriteString(s)
	slog.Info("got", "body", b.String(), "len", b.Len())
	putBuf(b)
}

func WrapErrorsJoin(r io.Reader) (err error) {
	b := basin.Get(64)
	defer basin.Put(b)
	_, e := r.Read(b)
	return errors.Join(err, e)
}

type encoder struct {
	buf []byte
	enc *json.Encoder
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// The encoder is put; the slice that it made for the caller is not in it.
func WrapEncoder(v any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return json.Marshal(v)
}

func WrapEncoderField(p []byte) []byte {
	e := encoders.Get().(*encoder)
	e.buf = append(e.buf[:0], p...)
	out := e.buf
	e.buf = nil
	encoders.Put(e)
	return out
}

func WrapCount(e *encoder) int {
	n := cap(e.buf)
	e.buf = e.buf[:0]
	encoders.Put(e)
	return n
}

func WrapReadAll(r io.Reader) (int, error) {
	b, err := basin.ReadAll(r)
	if err != nil {
		return 0, err
	}
	defer basin.Put(b)
	return len(b), nil
}

// A pool of pools' users: each struct owns its own.
type server struct {
	reqs sync.Pool
	free *sync.Pool
}

func (s *server) handle(p []byte) {
	v := s.reqs.Get()
	if v == nil {
		v = new(bytes.Buffer)
	}
	b := v.(*bytes.Buffer)
	b.Reset()
	b.Write(p)
	if s.free != nil {
		s.free.Put(b)
	} else {
		s.reqs.Put(b)
	}
}
