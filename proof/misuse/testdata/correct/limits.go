//go:build go1.25

package correct

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/basin-go/basin"
)

// A limited has pools under a Limit within another.
type limited struct {
	process, tenant *basin.Limit
	pool, other     *basin.BytePool
}

func newLimited(most int64) *limited {
	l := &limited{process: &basin.Limit{Max: most}}
	l.tenant = &basin.Limit{Within: l.process}
	l.pool = &basin.BytePool{Limit: l.tenant, MaxSize: 8 << 10}
	l.other = &basin.BytePool{Limit: l.process, Zero: true}
	return l
}

// empty asserts that all is back.
func (l *limited) empty() {
	for _, l := range []*basin.Limit{l.process, l.tenant} {
		s := l.Stats()
		must(s.Bytes.InUse == 0 && s.Reserved == 0 && s.Waiting == 0)
	}
}

func init() {
	ctx := context.Background()
	text := strings.Repeat("some text", 100)
	add("limit: every way to a slice", func() {
		l := newLimited(64 << 10)
		a, b := l.pool.Get(1000), l.other.Get(100)[:0]
		c, ok := l.pool.TryGet(20_000) // above MaxSize
		must(ok)
		d, err := l.other.GetContext(ctx, 100)
		must(err == nil)
		_, err = l.pool.GetContext(ctx, 128<<10)
		must(errors.Is(err, basin.ErrLimit))
		a = l.pool.AppendString(a, text)
		l.pool.Put(a)
		l.pool.Put(c)
		l.other.Put(b)
		l.other.Forget(d)
		l.empty()
	})
	add("limit: a reservation and its views", func() {
		l := newLimited(64 << 10)
		r, err := l.tenant.Acquire(ctx, 16<<10)
		must(err == nil)
		p, q := r.Pool(l.pool), r.Pool(l.other)
		a, b := p.Get(1000), p.Get(2000)
		c, err := q.ReadAll(strings.NewReader(text))
		must(err == nil && string(c) == text)
		p.Put(a)
		l.pool.Put(b) // as good
		r.Release()
		q.Put(c)
		r.Release() // does nothing
		l.empty()
	})
	add("limit: a view after its reservation", func() {
		l := newLimited(64 << 10)
		r, err := l.process.Acquire(ctx, 1)
		must(err == nil)
		p := r.Pool(l.pool)
		r.Release()
		p.Put(p.AppendString(p.Get(100), text))
		l.empty()
	})
	add("limit: Buffers and Shareds of a view", func() {
		l := newLimited(64 << 10)
		r, err := l.process.Acquire(ctx, 8<<10)
		must(err == nil)
		defer r.Release()
		p := r.Pool(l.other)
		w := p.NewBuffer()
		w.WriteString(text)
		s := p.NewShared(p.AppendString(nil, text))
		must(bytes.Equal(s.Bytes(), w.Bytes()))
		s.Release()
		p.Put(w.Detach())
		w.Free()
		r.Release()
		l.empty()
	})
	add("limit: a Buffer that is refused", func() {
		l := newLimited(4 << 10)
		w := l.pool.NewBuffer()
		n, err := w.Write(make([]byte, 8<<10))
		must(n == 0 && errors.Is(err, basin.ErrLimit) && w.Len() == 0)
		m, err := w.ReadFrom(strings.NewReader(strings.Repeat("x", 8<<10)))
		must(errors.Is(err, basin.ErrLimit) && m == int64(w.Len()))
		w.Free()
		l.empty()
	})
	add("limit: GetContext with a reservation", func() {
		l := newLimited(4 << 10)
		r, err := l.process.Acquire(ctx, 2<<10)
		must(err == nil)
		held := r.Context(ctx)
		must(basin.ReservationOf(held) == r)
		b, err := l.pool.GetContext(held, 2<<10)
		must(err == nil)
		_, err = l.pool.GetContext(held, 4<<10) // does not wait
		must(errors.Is(err, basin.ErrLimit))
		_, err = l.process.Acquire(held, 4<<10)
		must(errors.Is(err, basin.ErrLimit))
		l.pool.Put(b)
		r.Release()
		l.empty()
	})
	add("limit: SetMax below what is used", func() {
		l := newLimited(4 << 10)
		b := l.pool.Get(2 << 10)
		l.process.SetMax(1 << 10)
		_, ok := l.pool.TryGet(1)
		must(!ok)
		l.pool.Put(b)
		b, ok = l.pool.TryGet(1)
		must(ok)
		l.pool.Put(b)
		l.empty()
	})
	add("limit: values and bytes.Buffers", func() {
		l := &basin.Limit{Max: 1}
		std := &basin.StdBufferPool{Limit: l}
		values := &basin.Pool[*[]byte]{Limit: l, New: func() *[]byte { return new([]byte) }, Size: func(b *[]byte) int { return cap(*b) }}
		for range 3 {
			b, v := std.Get(), values.Get()
			b.WriteString(text)
			*v = append((*v)[:0], text...)
			std.Put(b)
			values.Put(v)
		}
		must(l.Stats().Bytes.InUse == 0)
	})
}
