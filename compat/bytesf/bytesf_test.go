//go:build go1.25

package bytesf

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

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
