package pool

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

type counted interface {
	Get() []byte
	Put([]byte)
	Size() int
}

// The API of the original.
var (
	_ func(int, int) *BytePool     = NewBytePool
	_ func(int, int) *ByteChanPool = NewByteChanPool
	_ func(int) *ByteSyncPool      = NewByteSyncPool

	_ counted = (*BytePool)(nil)
	_ counted = (*ByteChanPool)(nil)
)

var kinds = []struct {
	name string
	make func(poolSize, sliceSize int) counted
}{
	{"BytePool", func(n, size int) counted { return NewBytePool(n, size) }},
	{"ByteChanPool", func(n, size int) counted { return NewByteChanPool(n, size) }},
	{"ByteSyncPool", func(_, size int) counted { return uncounted{NewByteSyncPool(size)} }},
}

// uncounted has the one method that a ByteSyncPool lacks.
type uncounted struct{ *ByteSyncPool }

func (uncounted) Size() int { return -1 }

// TestPuts puts one slice, and looks at what Get has next.
func TestPuts(t *testing.T) {
	for _, kind := range kinds {
		for _, c := range []struct {
			name string
			put  func(own []byte) []byte
			kept bool
		}{
			{"as it was", func(b []byte) []byte { return b }, true},
			{"shortened", func(b []byte) []byte { return b[:3] }, true},
			{"empty", func(b []byte) []byte { return b[:0] }, true},
			{"foreign", func([]byte) []byte { return bytes.Repeat([]byte{1}, 40) }, true},
			{"without its front", func(b []byte) []byte { return b[1:] }, false},
			{"foreign and too small", func([]byte) []byte { return make([]byte, 29) }, false},
			{"nil", func([]byte) []byte { return nil }, false},
		} {
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				pooltest.Alone(t)
				p := kind.make(5, 30)
				b := p.Get()
				for i := range b {
					b[i] = 'x'
				}
				put := c.put(b)
				p.Put(put)
				size := 4
				if c.kept {
					size = 5
				}
				if got := p.Size(); got != size && got >= 0 {
					t.Errorf("Size is %d, want %d", got, size)
				}
				next := p.Get()
				if !bytes.Equal(next, make([]byte, 30)) {
					t.Errorf("Get has %q, want 30 zeros", next)
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
}

// TestSize fills and empties pools. What is put beyond the size is dropped.
func TestSize(t *testing.T) {
	pooltest.Alone(t)
	for _, kind := range kinds[:2] {
		for _, n := range []int{-1, 0, 1, 5, 100, 1000} {
			p := kind.make(n, 30)
			if got := p.Size(); got != max(n, 0) {
				t.Errorf("%s of %d: Size of a new pool is %d", kind.name, n, got)
			}
			for range 3 {
				var out [][]byte
				for i := range n + 10 {
					out = append(out, p.Get())
					if got, want := p.Size(), max(n-i-1, 0); got != want {
						t.Errorf("%s of %d: Size is %d after %d Gets, want %d", kind.name, n, got, i+1, want)
					}
				}
				for _, b := range out {
					p.Put(b)
				}
				if got := p.Size(); got != max(n, 0) {
					t.Errorf("%s of %d: Size is %d, want %d", kind.name, n, got, max(n, 0))
				}
			}
		}
	}
}

// TestTrim has a pool keep as many slices as before after it has been trimmed.
func TestTrim(t *testing.T) {
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is retained under full checks")
	}
	pooltest.Alone(t)
	p := NewBytePool(5, 30)
	out := [][]byte{make([]byte, 30)}
	p.Put(out[0]) // has no room beside those that the pool begins with
	for range 5 {
		b := p.Get()
		if &b[0] == &out[0][0] {
			t.Error("a new pool of 5 keeps a sixth slice")
		}
		out = append(out, b)
	}
	for _, b := range out[1:] {
		p.Put(b)
	}
	for _, s := range basinexport.Append(nil) {
		if s.Name == "poolShark" {
			basinexport.Trim(s.ID)
		}
	}
	if got := p.Size(); got != 5 {
		t.Errorf("Size after Trim is %d, want 5", got)
	}
	b := p.Get()
	p.Put(b)
	if next := p.Get(); &next[0] != &b[0] {
		t.Error("the pool keeps nothing any more")
	}
}

// TestConcurrent has each slice used by one goroutine at a time, and the bound hold.
func TestConcurrent(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			p := kind.make(5, 64)
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() {
					for range 2000 {
						b := p.Get()
						if !bytes.Equal(b, make([]byte, 64)) {
							t.Errorf("Get has %q, want zeros", b)
						}
						for i := range b {
							b[i] = byte(g)
						}
						p.Put(b[:g])
					}
				})
			}
			wg.Wait()
			if got := p.Size(); got > 5 {
				t.Errorf("%d are idle, want at most 5", got)
			}
		})
	}
}

// TestBadInput has nothing panic.
func TestBadInput(t *testing.T) {
	for _, kind := range kinds {
		p := kind.make(-1, -1)
		p.Put(nil)
		p.Put(make([]byte, 5))
		if b := p.Get(); len(b) != 0 {
			t.Errorf("%s: a slice of a negative size has length %d", kind.name, len(b))
		}
	}
}

func TestAllocations(t *testing.T) {
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is reused under full checks")
	}
	for _, kind := range kinds {
		p := kind.make(5, 1000)
		p.Put(p.Get())
		if n := pooltest.Allocs(100, func() { p.Put(p.Get()) }); n != 0 {
			t.Errorf("%s: %v allocations for a Get and a Put", kind.name, n)
		}
	}
}

func TestName(t *testing.T) {
	p := NewBytePool(5, 30)
	p.Put(p.Get())
	names := []string{}
	for _, s := range basinexport.Append(nil) {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, "poolShark") {
		t.Errorf("no pool named poolShark among %q", names)
	}
	runtime.KeepAlive(p)
}
