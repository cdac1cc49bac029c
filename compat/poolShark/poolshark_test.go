//go:build go1.25

package pool

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

type sized interface {
	Get() []byte
	Put([]byte)
	Size() int
}

// The API of the original.
var (
	_ func(int, int) *BytePool     = NewBytePool
	_ func(int, int) *ByteChanPool = NewByteChanPool
	_ func(int) *ByteSyncPool      = NewByteSyncPool

	_ sized = (*BytePool)(nil)
	_ sized = (*ByteChanPool)(nil)

	// Methods of values.
	_ func(BytePool) int         = BytePool.Size
	_ func(ByteChanPool) int     = ByteChanPool.Size
	_ func(ByteSyncPool, []byte) = ByteSyncPool.Put
)

var kinds = []struct {
	name string
	make func(poolSize, sliceSize int) sized
}{
	{"BytePool", func(n, size int) sized { return NewBytePool(n, size) }},
	{"ByteChanPool", func(n, size int) sized { return NewByteChanPool(n, size) }},
	{"ByteSyncPool", func(_, size int) sized { return uncounted{NewByteSyncPool(size)} }},
}

// uncounted adds the method that a ByteSyncPool lacks.
type uncounted struct{ *ByteSyncPool }

func (uncounted) Size() int { return -1 }

// TestPuts puts one slice, and checks the slice of the next Get.
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
				size := 0
				if c.kept {
					size = 1
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

// TestSize fills and empties pools, which are empty at first. Slices beyond the size are
// dropped.
func TestSize(t *testing.T) {
	pooltest.Alone(t)
	for _, kind := range kinds[:2] {
		for _, n := range []int{-1, 0, 1, 5, 100, 1000} {
			p := kind.make(n, 30)
			for round := range 3 {
				var out [][]byte
				for i := range n + 10 {
					want := 0
					if round > 0 { // it was filled
						want = max(n-i, 0)
					}
					if got := p.Size(); got != want {
						t.Errorf("%s of %d, round %d: Size is %d after %d Gets, want %d", kind.name, n, round, got, i, want)
					}
					out = append(out, p.Get())
				}
				for i, b := range out {
					p.Put(b)
					if got, want := p.Size(), max(min(i+1, n), 0); got != want {
						t.Errorf("%s of %d: Size is %d after %d Puts, want %d", kind.name, n, got, i+1, want)
					}
				}
			}
		}
	}
}

// TestMisses: a Get that finds nothing does not change Size.
func TestMisses(t *testing.T) {
	pooltest.Alone(t)
	for _, kind := range kinds[:2] {
		p := kind.make(5, 30)
		for range 10 {
			p.Get()
		}
		if got := p.Size(); got != 0 {
			t.Errorf("%s: Size is %d after Gets alone", kind.name, got)
		}
		for range 3 {
			p.Put(make([]byte, 30))
		}
		if got := p.Size(); got != 3 {
			t.Errorf("%s: Size is %d after 3 Puts", kind.name, got)
		}
	}
}

// TestZero uses zero values of pools, which keep nothing.
func TestZero(t *testing.T) {
	for _, p := range []sized{new(BytePool), new(ByteChanPool), uncounted{new(ByteSyncPool)}} {
		p.Put(p.Get())
		p.Put([]byte("abc"))
		if b, n := p.Get(), p.Size(); len(b) != 0 || n > 0 {
			t.Errorf("%T: Get has %q, and %d are idle", p, b, n)
		}
	}
}

// TestSizeLoops fills pools until Size says that they are full, and empties them until it is
// zero, as programs do. Each step counts, on any goroutine, whether or not basin kept the
// slice.
func TestSizeLoops(t *testing.T) {
	pooltest.Alone(t)
	for _, kind := range kinds[:2] {
		for _, c := range []struct{ poolSize, sliceSize int }{
			{-1, 30}, {0, 30}, {1, 0}, {10, 1}, {5000, 30},
			{1, basin.DefaultMaxSize + 1}, {basin.DefaultMaxIdle>>20 + 1, 1 << 20}, // more than basin keeps
		} {
			p, n := kind.make(c.poolSize, c.sliceSize), max(c.poolSize, 0)
			loop := func(what string, done func() bool, step func()) {
				t.Helper()
				steps := 0
				for ; !done() && steps <= n; steps++ {
					step()
				}
				if steps != n {
					t.Fatalf("%s of %v: %s takes %d steps, want %d", kind.name, c, what, steps, n)
				}
			}
			put := func() { p.Put(make([]byte, c.sliceSize)) }
			loop("filling", func() bool { return p.Size() == n }, put)
			loop("emptying", func() bool { return p.Size() == 0 }, func() { p.Get() })
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range (n + 3) / 4 {
						put()
					}
				})
			}
			wg.Wait()
			loop("emptying the items of others", func() bool { return p.Size() == 0 }, func() { p.Get() })
		}
	}
}

// TestBound: idle bytes stay within the pool's limit, although goroutines on other Ps miss idle
// slices.
func TestBound(t *testing.T) {
	pooltest.Alone(t)
	for _, kind := range kinds[:2] {
		p := kind.make(5, 1000)
		for range 100 {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { p.Put(p.Get()) })
			}
			wg.Wait()
			for range 5 {
				p.Put(make([]byte, 1000))
			}
		}
		if idle := inside(p).pool.Stats().Items.Idle; idle > 5 {
			t.Errorf("%s: %d are idle, want at most 5", kind.name, idle)
		}
	}
}

// inside returns the pool behind a BytePool or a ByteChanPool.
func inside(p sized) *counted {
	if p, ok := p.(*BytePool); ok {
		return p.state
	}
	return p.(*ByteChanPool).state
}

// TestBytes: idle slices of a large pool stay within DefaultMaxIdle, and foreign slices do not bring much more memory
// into a pool. Size counts them all.
func TestBytes(t *testing.T) {
	for _, kind := range kinds[:2] {
		for _, c := range []struct{ poolSize, sliceSize, want int }{
			{5, 1 << 20, 5}, {100, 1 << 20, 64}, {100, 60 << 20, 1}, {100, 65 << 20, 0}, {5, 0, 5},
		} {
			p := kind.make(c.poolSize, c.sliceSize)
			if got := inside(p).pool.Stats().Items.MaxIdle; got != int64(c.want) {
				t.Errorf("%s %v: %d slices may be idle, want %d", kind.name, c, got, c.want)
			}
		}
		if basincheck.Now().Level == basincheck.Full {
			return // nothing is kept
		}
		for _, c := range []struct {
			sliceSize, capacity int
			want                int64
		}{
			{30, 64, 1}, {30, 65, 0}, {1000, 2000, 1}, {1000, 2001, 0}, {0, 64, 1}, {0, 65, 0},
		} {
			p := kind.make(5, c.sliceSize)
			p.Put(make([]byte, c.capacity))
			if got, size := inside(p).pool.Stats().Items.Idle, p.Size(); got != c.want || size != 1 {
				t.Errorf("%s %v: %d slices are idle and Size is %d, want %d and 1", kind.name, c, got, size, c.want)
			}
			if b := p.Get(); len(b) != c.sliceSize || cap(b) != c.sliceSize {
				t.Errorf("%s %v: Get has length %d and capacity %d", kind.name, c, len(b), cap(b))
			}
		}
	}
}

// TestTrim: after a Trim, a pool counts and keeps slices as before.
func TestTrim(t *testing.T) {
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is retained under full checks")
	}
	pooltest.Alone(t)
	for _, kind := range kinds[:2] {
		p := kind.make(5, 30)
		for range 7 {
			p.Put(make([]byte, 30))
		}
		for _, s := range basinexport.Append(nil) {
			if s.Name == "poolShark" {
				basinexport.Trim(s.ID)
			}
		}
		for i := range 5 {
			if got := p.Size(); got != 5-i {
				t.Errorf("%s: Size is %d after Trim and %d Gets", kind.name, got, i)
			}
			p.Get()
		}
		b := p.Get()
		p.Put(b)
		if next := p.Get(); &next[0] != &b[0] {
			t.Errorf("%s keeps nothing any more", kind.name)
		}
	}
}

// TestConcurrent: each slice is used by one goroutine at a time, and the limit holds.
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

// TestBadInput: invalid input does not panic.
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

// TestChecked: checks find a slice that is put twice, and do not report slices that are
// dropped.
func TestChecked(t *testing.T) {
	reports := pooltest.BeginChecks(t, pooltest.FullChecking)
	for _, kind := range kinds {
		p := kind.make(3, 30)
		for _, c := range []struct {
			name string
			do   func()
			want []basincheck.Kind
		}{
			{"put", func() { p.Put(p.Get()) }, nil},
			{"shortened", func() { p.Put(p.Get()[:2]) }, nil},
			{"more than there is room for", func() {
				all := [5][]byte{}
				for i := range all {
					all[i] = p.Get()
				}
				for _, b := range all {
					p.Put(b)
				}
			}, nil},
			{"put twice", func() { // while there is room
				b := p.Get()
				p.Get()
				p.Put(b)
				p.Put(b)
			}, []basincheck.Kind{basincheck.DoublePut}},
		} {
			c.do()
			testenv.RunCleanups()
			if got := pooltest.Kinds(reports.Take()); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: reports %v, want %v", kind.name, c.name, got, c.want)
			}
		}
		runtime.KeepAlive(p)
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
