//go:build go1.25

package basin_test

import (
	"bytes"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestStdBufferPool(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	t.Run("learns", func(t *testing.T) {
		var p basin.StdBufferPool
		use := func(n int) (grew bool) {
			b := p.Get()
			if b.Len() != 0 {
				t.Fatalf("handed out with %d bytes", b.Len())
			}
			size := b.Cap()
			b.Write(make([]byte, n))
			grew = b.Cap() != size
			p.Put(b)
			return grew
		}
		for range 50 {
			use(10_000)
		}
		grown := 0
		for i := range 10_000 {
			n := 10_000
			if i == 5_000 {
				n = 16_000_000
			}
			if use(n) {
				grown++
			}
		}
		if grown > 100 {
			t.Errorf("%d of 10,000 buffers had to grow", grown)
		}
		if b := p.Get(); b.Cap() < 10_000 || b.Cap() > 12_288 {
			t.Errorf("hands out %d bytes for payloads of 10,000", b.Cap())
		}
	})
	t.Run("keeps buffers that have grown up to MaxSize", func(t *testing.T) {
		p := basin.StdBufferPool{InitialSize: 1024, MaxSize: 10_000}
		a := p.Get()
		if a.Cap() < 1024 {
			t.Errorf("InitialSize is 1024, Cap %d", a.Cap())
		}
		a.Grow(5000)
		p.Put(a)
		if b := p.Get(); b != a || b.Len() != 0 {
			t.Error("a buffer within MaxSize was not kept")
		}
		a.Grow(20_000)
		p.Put(a)
		if b := p.Get(); b == a {
			t.Error("a buffer larger than MaxSize was kept")
		}
		p.Put(nil)
	})
	t.Run("put twice in a row", func(t *testing.T) {
		p := basin.StdBufferPool{InitialSize: 1024}
		a := p.Get()
		p.Put(a)
		p.Put(a)
		if b, c := p.Get(), p.Get(); b == c {
			t.Error("two users have the same buffer")
		}
	})
	t.Run("foreign and small", func(t *testing.T) {
		p := basin.StdBufferPool{InitialSize: 1024}
		p.Put(new(bytes.Buffer))
		p.Put(bytes.NewBufferString("x"))
		if b := p.Get(); b.Cap() < 1024 {
			t.Errorf("hands out %d bytes, want at least InitialSize", b.Cap())
		}
	})
}
