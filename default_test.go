//go:build go1.25

package basin_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
)

// scribbler is a reader that uses its whole buffer as scratch space, as readers may.
type scribbler struct{ io.Reader }

func (r scribbler) Read(b []byte) (int, error) {
	dirty(b)
	return r.Reader.Read(b)
}

// TestZeroDefaultPool: if the default pool clears, bytes of one user do not reach the next one
// through any memory that this package recycles.
func TestZeroDefaultPool(t *testing.T) {
	pooltest.Alone(t)
	secret := bytes.Repeat([]byte("SECRET"), 20)
	judging := false
	seen := func(t *testing.T, storage []byte) {
		t.Helper()
		if judging && !pooltest.IsZero(storage) {
			t.Errorf("%d of %d bytes are not zero", len(storage)-bytes.Count(storage, []byte{0}), len(storage))
		}
	}
	free := func(b interface{ AvailableBuffer() []byte }) []byte {
		s := b.AvailableBuffer()
		return s[:cap(s)]
	}
	var std basin.StdBufferPool
	own := basin.BufferPool{InitialSize: 256}
	uses := []struct {
		name string
		use  func(t *testing.T)
	}{
		{"handle", func(t *testing.T) {
			b := basin.GetBuffer()
			seen(t, free(b))
			b.Write(secret[:50])
			basin.PutBuffer(b)
		}},
		{"handle that grew", func(t *testing.T) {
			b := basin.GetBuffer()
			seen(t, free(b))
			b.Write(secret[:50])
			for range 20 {
				b.Write(secret)
			}
			basin.PutBuffer(b)
		}},
		{"handle written beyond its contents", func(t *testing.T) {
			b := own.Get()
			seen(t, free(b))
			copy(free(b), secret)
			own.Put(b)
		}},
		{"handle that was freed", func(t *testing.T) {
			b := own.Get()
			seen(t, free(b))
			b.Write(secret)
			b.Free()
			own.Put(b)
		}},
		{"Buffer", func(t *testing.T) {
			var b basin.Buffer
			b.Grow(3000)
			seen(t, free(&b))
			b.Write(secret)
			b.Free()
		}},
		{"Buffer that outgrows its array", func(t *testing.T) {
			var b basin.Buffer
			for range 200 {
				b.Write(secret)
			}
			seen(t, free(&b))
			b.Free()
		}},
		{"StdBufferPool", func(t *testing.T) {
			b := std.Get()
			seen(t, free(b))
			b.Write(secret[:50])
			std.Put(b)
		}},
		{"basinio.Writer", func(t *testing.T) {
			w := basinio.NewWriter(io.Discard)
			seen(t, free(w))
			w.Write(secret)
			w.Reset(nil)
		}},
		{"ReadAll", func(t *testing.T) {
			b, err := basin.ReadAll(scribbler{bytes.NewReader(bytes.Repeat(secret, 20))})
			if err != nil {
				t.Fatal(err)
			}
			seen(t, b[len(b):cap(b)])
			basin.Put(b)
		}},
		{"ReadAll of an error", func(t *testing.T) {
			first := true
			basin.ReadAll(readerFunc(func(b []byte) (int, error) {
				seen(t, b)
				if first {
					first = false
					return copy(b, secret), nil
				}
				return 0, errors.New("an error")
			}))
		}},
	}
	for _, u := range uses { // leave bytes there
		u.use(t)
	}
	judging = true
	basin.SetDefault(&basin.BytePool{Zero: true})
	defer basin.SetDefault(nil)
	for _, u := range uses {
		t.Run(u.name, func(t *testing.T) {
			for range 40 { // more often than a ring is long
				u.use(t)
			}
		})
	}
}

func TestPutAfterSetDefault(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		n      int
		want   basin.Drops
	}{
		{"within the new pool's range", pooltest.Config{}, 1000, basin.Drops{}},
		{"too small for the new pool", pooltest.Config{MinSize: 4096}, 1000, basin.Drops{Small: 1}},
		{"too large for the new pool", pooltest.Config{MaxSize: 512}, 1000, basin.Drops{Large: 1}},
		{"no room in the new pool", pooltest.Config{MaxIdle: 1}, 1000, basin.Drops{Full: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := &basin.BytePool{}
			basin.SetDefault(first)
			b := basin.Get(tt.n)
			before := first.Stats()
			p := tt.config.Pool()
			basin.SetDefault(p)
			defer basin.SetDefault(nil)
			basin.Put(b)
			s := p.Stats()
			if s.Drops != tt.want || s.Bytes.InUse != 0 {
				t.Errorf("the new pool counts %+v", s)
			}
			if after := first.Stats(); after.Puts != before.Puts || after.Drops.Total() != before.Drops.Total() || after.Bytes.Idle != before.Bytes.Idle {
				t.Error("the old pool counts it as well")
			}
			if kept := tt.want == (basin.Drops{}); kept != (array(basin.Get(tt.n)) == array(b)) {
				t.Errorf("kept: %v, but the slices of the new pool say otherwise", kept)
			}
		})
	}
}

// TestPackageFunctionsUseTheDefaultPool checks the counts of the default pool.
func TestPackageFunctionsUseTheDefaultPool(t *testing.T) {
	for _, tt := range []struct {
		name string
		call func() []byte
		asks uint64 // bytes asked for in one Get, if any
		want string
	}{
		{"Get", func() []byte { return basin.Get(100) }, 100, ""},
		{"GetZeroed", func() []byte { return basin.GetZeroed(4) }, 4, "\x00\x00\x00\x00"},
		{"AppendString", func() []byte { return basin.AppendString(nil, "abc") }, 3, "abc"},
		{"Append", func() []byte { return basin.Append(nil, 'a', 'b') }, 2, "ab"},
		{"Grow", func() []byte { return basin.Grow(nil, 100) }, 100, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := new(basin.BytePool) // goroutines of other tests may use the default pool of before
			basin.SetDefault(first)
			p := &basin.BytePool{Zero: true}
			basin.SetDefault(p)
			defer basin.SetDefault(nil)
			b := tt.call()
			if tt.want != "" && string(b) != tt.want {
				t.Errorf("it returns %q, want %q", b, tt.want)
			}
			gets := uint64(0)
			if tt.asks > 0 {
				gets = 1
			}
			if s := p.Stats(); s.Gets != gets || s.AskedBytes != tt.asks {
				t.Errorf("it counts as %d Gets of %d bytes, want %d of %d", s.Gets, s.AskedBytes, gets, tt.asks)
			}
			if gets > 0 {
				basin.Put(b)
				if s := p.Stats(); s.Puts != 1 || s.Bytes.InUse != 0 {
					t.Errorf("Put counts as %d Puts and leaves %d bytes in use", s.Puts, s.Bytes.InUse)
				}
			}
			if s := first.Stats(); s.Gets != 0 || s.Puts != 0 || s.Drops.Total() != 0 {
				t.Errorf("it used the pool that was the default one before: %v", s)
			}
		})
	}
}

func TestSetDefault(t *testing.T) {
	first := basin.Default()
	if s := first.Stats(); s.Name != "default" || s.Bytes.MaxIdle != basin.DefaultMaxIdle {
		t.Errorf("the default pool has the name %q and a MaxIdle of %d", s.Name, s.Bytes.MaxIdle)
	}
	p, q := &basin.BytePool{Name: "p"}, &basin.BytePool{Name: "q"}
	for _, tt := range []struct {
		name      string
		set, want *basin.BytePool
	}{
		{"a pool", p, p},
		{"another", q, q},
		{"the first again", first, first},
		{"p again", p, p},
		{"nil", nil, first},
		{"nil twice", nil, first},
	} {
		if basin.SetDefault(tt.set); basin.Default() != tt.want {
			t.Errorf("%s: the default pool is %q, want %q", tt.name, basin.Default().Stats().Name, tt.want.Stats().Name)
		}
	}
}

// TestSetDefaultRefuses: an unusable pool does not become the default pool.
func TestSetDefaultRefuses(t *testing.T) {
	before := basin.Default()
	defer basin.SetDefault(nil)
	mustPanic(t, func() { basin.SetDefault(&basin.BytePool{MaxIdle: -2}) }, "BytePool.MaxIdle")
	if basin.Default() != before {
		t.Error("it is the default pool all the same")
	}
}
