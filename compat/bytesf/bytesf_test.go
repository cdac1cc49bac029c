package bytesf

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

// The API of the original, whose types of pools are not exported.
var (
	_ BufferPool = NewBufferPool(64, 256)
	_ interface {
		Allocate() []byte
		Release([]byte)
	} = NewListPool(64, 256)
)

// TestBuffers puts each buffer into a pool of its own and looks at what that has next.
func TestBuffers(t *testing.T) {
	for _, c := range []struct {
		name string
		len  int // of what is released
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
		{"without its front", func(b []byte) []byte { return b[1:] }, false},
		{"nil", func([]byte) []byte { return nil }, false},
		{"foreign", func([]byte) []byte { return make([]byte, 3, 300) }, true},
		{"foreign and too small", func([]byte) []byte { return make([]byte, 3) }, false},
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
			if len(next) != 64 || cap(next) != 256 {
				t.Errorf("the next list has length %d and capacity %d, want 64 and 256", len(next), cap(next))
			}
			if basincheck.Now().Level == basincheck.Full {
				return
			}
			if kept := cap(put) > 0 && &next[0] == &put[:1][0]; kept != c.kept {
				t.Errorf("kept: %v, want %v", kept, c.kept)
			}
		})
	}
}

// TestBadInput has nothing panic.
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
		if got := l.Allocate(); len(got) != max(sizes[0], 0) {
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
