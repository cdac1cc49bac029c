//go:build go1.25

package bytesf

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// The API of the original, which does not export the types of its pools.
var (
	_ BufferPool = NewBufferPool(64, 256)
	_ interface {
		Allocate() []byte
		Release([]byte)
	} = NewListPool(64, 256)
)

// TestBuffers puts each buffer into a separate pool, and checks the next buffer.
func TestBuffers(t *testing.T) {
	for _, c := range []struct {
		name string
		len  int // of the released buffer
		kept bool
	}{
		{"empty", 0, true},
		{"within its capacity", 64, true},
		{"grown", 255, true},
		{"of the largest size", 256, false},
		{"larger", 1000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			pooltest.Alone(t)
			p := NewBufferPool(64, 256)
			b := p.Allocate()
			if b.Len() != 0 || b.Cap() != 64 {
				t.Fatalf("a new buffer has length %d and capacity %d, want 0 and 64", b.Len(), b.Cap())
			}
			b.Write(make([]byte, c.len))
			p.Release(b)
			next := p.Allocate()
			if next.Len() != 0 {
				t.Errorf("%d bytes are in the next buffer", next.Len())
			}
			if basincheck.Now().Level == basincheck.Full {
				return
			}
			if kept := next == b; kept != c.kept {
				t.Errorf("kept: %v, want %v", kept, c.kept)
			}
		})
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(own []byte) []byte
		kept bool
	}{
		{"as it was", func(b []byte) []byte { return b }, true},
		{"shortened", func(b []byte) []byte { return b[:0] }, true},
		{"longer", func(b []byte) []byte { return b[:255] }, true},
		{"of the largest size", func(b []byte) []byte { return b[:256] }, false},
		{"without its front", func(b []byte) []byte { return b[1:] }, true},
		{"nil", func([]byte) []byte { return nil }, false},
		{"foreign", func([]byte) []byte { return make([]byte, 3, 300) }, true},
		{"foreign and small", func([]byte) []byte { return make([]byte, 3) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pooltest.Alone(t)
			p := NewListPool(64, 256)
			b := p.Allocate()
			if len(b) != 64 || cap(b) != 256 {
				t.Fatalf("a new list has length %d and capacity %d, want 64 and 256", len(b), cap(b))
			}
			put := c.put(b)
			p.Release(put)
			next := p.Allocate()
			if kept := c.kept && basincheck.Now().Level != basincheck.Full; !kept {
				if len(next) != 64 || cap(next) != 256 || !bytes.Equal(next[:256], make([]byte, 256)) {
					t.Errorf("the next list has length %d, capacity %d or is not zero, want 64 and 256", len(next), cap(next))
				}
				if cap(put) > 0 && &next[0] == &put[:1][0] {
					t.Error("it was kept")
				}
				return
			}
			if len(next) != len(put) || cap(next) != cap(put) {
				t.Errorf("the next list has length %d and capacity %d, want %d and %d, as when it was released", len(next), cap(next), len(put), cap(put))
			}
			if &next[:1][0] != &put[:1][0] {
				t.Error("it was not kept")
			}
		})
	}
}

// TestChecked: buffers that are released but too large to be kept are not leaks.
func TestChecked(t *testing.T) {
	reports := pooltest.BeginChecks(t, pooltest.FullChecking)
	p := NewBufferPool(64, 256)
	for _, c := range []struct {
		name string
		len  int
		put  bool
		want []basincheck.Kind
	}{
		{"released", 10, true, nil},
		{"too large", 1000, true, nil},
		{"never released", 10, false, []basincheck.Kind{basincheck.Leak}},
	} {
		b := p.Allocate()
		b.Write(make([]byte, c.len))
		if c.put {
			p.Release(b)
		}
		b = nil
		testenv.RunCleanups()
		if got := pooltest.Kinds(reports.Take()); !slices.Equal(got, c.want) {
			t.Errorf("%s: reports %v, want %v", c.name, got, c.want)
		}
	}
	runtime.KeepAlive(p)
}

// TestBounds releases more than a pool keeps.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ maxSize, items int }{
		{256, 256}, {100 << 10, 256}, {1 << 20, 32}, {16 << 20, 2}, {1 << 28, 2},
	} {
		p, l := NewBufferPool(64, c.maxSize), NewListPool(64, 64)
		l.maxSize, l.most = p.maxSize, p.most // New makes small lists
		l.idle.MaxItems = p.idle.MaxItems
		for range 300 {
			p.Release(new(bytes.Buffer))
			l.Release(make([]byte, 3))
		}
		for _, s := range []basin.Stats{p.idle.Stats(), l.idle.Stats()} {
			if s.Items.MaxIdle != int64(c.items) || s.Items.Idle > s.Items.MaxIdle {
				t.Errorf("largest size %d: %d of %d are idle, want at most %d", c.maxSize, s.Items.Idle, s.Items.MaxIdle, c.items)
			}
		}
		if most := NewListPool(64, c.maxSize).idle.MaxItems; most != c.items {
			t.Errorf("largest size %d: %d lists may be idle, want %d", c.maxSize, most, c.items)
		}
	}
}

// TestLarge: a pool does not keep a capacity far above the largest size, even while checks take a sample.
func TestLarge(t *testing.T) {
	defer basincheck.Set(basincheck.Now())
	for _, level := range []basincheck.Settings{{}, {Level: basincheck.Sampled, Every: 1 << 20}} {
		basincheck.Set(level)
		for name, use := range map[string]func(b *bytes.Buffer){
			"too large":             func(b *bytes.Buffer) { b.Write(make([]byte, 1<<20)) },
			"too large, then short": func(b *bytes.Buffer) { b.Write(make([]byte, 1<<20)); b.Truncate(10) },
		} {
			p := NewBufferPool(64, 256)
			b := p.Allocate()
			use(b)
			p.Release(b)
			if next := p.Allocate(); next.Cap() != 64 || next.Len() != 0 {
				t.Errorf("%v, %s: the next buffer has length %d and capacity %d, want 0 and 64", level, name, next.Len(), next.Cap())
			}
		}
		l := NewListPool(64, 256)
		l.Release(make([]byte, 10, 1<<20))
		if next := l.Allocate(); cap(next) != 256 {
			t.Errorf("%v: the next list has a capacity of %d, want 256", level, cap(next))
		}
	}
}

// TestBadInput: invalid input does not panic.
func TestBadInput(t *testing.T) {
	for _, sizes := range [][2]int{{-1, -1}, {0, 0}, {100, 10}} {
		p := NewBufferPool(sizes[0], sizes[1])
		p.Release(nil)
		p.Release(p.Allocate())
		p.Release(new(bytes.Buffer))
		l := NewListPool(sizes[0], sizes[1])
		l.Release(nil)
		l.Release(l.Allocate())
		l.Release(make([]byte, 10, 1000))
		l.Allocate()
		if got := NewListPool(sizes[0], sizes[1]).Allocate(); len(got) != max(sizes[0], 0) {
			t.Errorf("sizes %v: a list of length %d", sizes, len(got))
		}
	}
}

func TestName(t *testing.T) {
	p := NewBufferPool(64, 256)
	p.Release(p.Allocate())
	names := []string{}
	for _, s := range basinexport.Append(nil) {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, "bytesf") {
		t.Errorf("no pool named bytesf among %q", names)
	}
	runtime.KeepAlive(p)
}
