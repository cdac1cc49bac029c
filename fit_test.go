package basin_test

import (
	"math"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestBestFit: what serves a request for n bytes when arrays of the given sizes are idle.
func TestBestFit(t *testing.T) {
	pooltest.Reuses(t)
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		idle   []int
		n      int
		want   int // capacity
		misses uint64
	}{
		{"own class", pooltest.Config{}, []int{4096, 8192}, 4000, 4096, 0},
		{"the next larger", pooltest.Config{}, []int{16384, 8192, 6144}, 4000, 6144, 0},
		{"four times as large", pooltest.Config{}, []int{16384}, 4000, 16384, 0},
		{"more than that", pooltest.Config{}, []int{20480}, 4000, 4096, 1},
		{"smaller", pooltest.Config{}, []int{3456}, 4000, 4096, 1},
		{"small", pooltest.Config{}, []int{1024}, 1, 1024, 0},
		{"more than small", pooltest.Config{}, []int{1280}, 1, 64, 1},
		{"no magazines", pooltest.Config{}, []int{4 << 20}, 1 << 20, 4 << 20, 0},
		{"own class only", pooltest.Config{MaxFit: 1}, []int{8192}, 4000, 4096, 1},
		{"own class only, small", pooltest.Config{MaxFit: 1}, []int{128}, 64, 64, 1},
		{"twice", pooltest.Config{MaxFit: 2}, []int{10240, 8192}, 4000, 8192, 0},
		{"more than twice", pooltest.Config{MaxFit: 2}, []int{10240}, 4000, 4096, 1},
		{"any", pooltest.Config{MaxFit: math.MaxInt}, []int{4 << 20}, 1, 4 << 20, 0},
		{"zeroed", pooltest.Config{Zero: true}, []int{8192}, 4000, 8192, 0},
		{"room under MaxInUse", pooltest.Config{MaxInUse: 8192}, []int{8192}, 4000, 8192, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pooltest.Alone(t)
			p := tt.config.Pool()
			var idle [][]byte
			for _, size := range tt.idle {
				b := p.Get(size)
				for i := range b {
					b[i] = 1
				}
				idle = append(idle, b)
			}
			for _, b := range idle {
				p.Put(b)
			}
			before := p.Stats()
			b := p.Get(tt.n)
			s := p.Stats()
			if len(b) != tt.n || cap(b) != tt.want || s.Misses-before.Misses != tt.misses {
				t.Errorf("Get(%d) has length %d and capacity %d after %d misses, want %d and %d",
					tt.n, len(b), cap(b), s.Misses-before.Misses, tt.want, tt.misses)
			}
			if tt.config.Zero && !pooltest.IsZero(b[:cap(b)]) {
				t.Error("a larger slice is not zero")
			}
			if s.Bytes.InUse != int64(cap(b)) {
				t.Errorf("%d bytes in use, want the capacity, %d", s.Bytes.InUse, cap(b))
			}
			for _, c := range s.Classes {
				if out := int64(c.Gets - c.Puts); out != 0 && c.Size != cap(b) || c.Gets != c.Hits+c.Misses || c.AskedBytes > c.HandedOutBytes {
					t.Errorf("class %d: %+v", c.Size, c)
				}
			}
			if !p.TryPut(b) {
				t.Error("it was not kept")
			}
			if s = p.Stats(); s.Bytes.InUse != 0 || s.Gets != s.Puts {
				t.Errorf("after Put: %+v", s)
			}
			if again := p.Get(tt.want); array(again) != array(b) {
				t.Errorf("Get(%d) has another array: it has not gone to its own class", tt.want)
			}
		})
	}
}

// TestBestFitUnderCeiling: a larger slice is not taken if that exceeds MaxInUse, and
// nobody is refused or waits for want of a smaller one.
func TestBestFitUnderCeiling(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{MaxInUse: 4096 + 8192}
	p.Put(p.Get(12288))
	a := p.Get(4096) // of 12288: that is all
	if cap(a) != 12288 {
		t.Fatalf("capacity %d", cap(a))
	}
	if _, ok := p.TryGet(64); ok {
		t.Error("TryGet beyond the ceiling succeeded")
	}
	p.Put(a)
	b := p.Get(8192) // again
	p.Put(b)
	small := p.Get(64)
	c, ok := p.TryGet(8192) // 12288 are idle, and 64 too few are free
	if !ok || cap(c) != 8192 {
		t.Fatalf("TryGet(8192): capacity %d, %t", cap(c), ok)
	}
	if s := p.Stats(); s.Bytes.InUse != 64+8192 || s.Refused != 1 {
		t.Errorf("%+v", s)
	}
	p.Put(small)
	p.Put(c)
	if s := p.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%+v", s)
	}
}

// TestMadeToBeKept: what is made to be kept is of its own class.
func TestMadeToBeKept(t *testing.T) {
	pooltest.Reuses(t)
	for _, maxInUse := range []int64{0, 1 << 20} {
		for _, tt := range []struct {
			name string
			make func(p *basin.BytePool) []byte
			own  bool
		}{
			{"Get", func(p *basin.BytePool) []byte { return p.Get(1100) }, false},
			{"Grow", func(p *basin.BytePool) []byte { return p.Grow(nil, 1100) }, false},
			{"Clone", func(p *basin.BytePool) []byte { return p.Clone(pattern(1100)) }, true},
			{"CloneString", func(p *basin.BytePool) []byte { return p.CloneString(string(pattern(1100))) }, true},
			{"Detach", func(p *basin.BytePool) []byte {
				basin.SetDefault(p)
				defer basin.SetDefault(nil)
				return basin.NewBuffer(pattern(1100)).Detach()
			}, true},
		} {
			t.Run(tt.name, func(t *testing.T) {
				pooltest.Alone(t)
				p := &basin.BytePool{MaxInUse: maxInUse}
				p.Put(p.Get(2048))
				want := 2048
				if tt.own {
					want = 1280
				}
				if b := tt.make(p); len(b) != 1100 && tt.name != "Grow" || cap(b) != want {
					t.Errorf("length %d, capacity %d, want %d", len(b), cap(b), want)
				}
			})
		}
	}
}
