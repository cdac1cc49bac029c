//go:build go1.25

package basin_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestBestFit: the right array serves a request for n bytes when arrays of the given sizes are
// idle.
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
		{"under MaxInUse", pooltest.Config{MaxInUse: 1 << 20}, []int{8192}, 4000, 4096, 1},
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

// TestBestFitUnderCeiling: under a ceiling, each request counts as its own class, so the number of
// requests that fit does not depend on earlier ones.
func TestBestFitUnderCeiling(t *testing.T) {
	for _, tt := range []struct {
		name          string
		limit         int64
		before, count int // number of slices that came and went before
		beforeOf, of  int
	}{
		{"a larger one has come and gone", 64 << 10, 1, 4, 32 << 10, 16 << 10},
		{"many larger ones have", 64 << 10, 64, 1024, 1 << 10, 64},
		{"all of it was one", 64 << 10, 1, 1024, 64 << 10, 64},
		{"smaller ones have", 64 << 10, 1024, 1, 64, 64 << 10},
		{"nothing has", 64 << 10, 0, 64, 0, 1 << 10},
	} {
		for _, maxFit := range []int{0, 1, 2, math.MaxInt} {
			t.Run(fmt.Sprintf("%s, MaxFit %d", tt.name, maxFit), func(t *testing.T) {
				p := &basin.BytePool{MaxInUse: tt.limit, MaxFit: maxFit}
				var out [][]byte
				for range tt.before {
					out = append(out, p.Get(tt.beforeOf))
				}
				for _, b := range out {
					p.Put(b)
				}
				for i := range tt.count {
					b, ok := p.TryGet(tt.of)
					if !ok || cap(b) != tt.of {
						t.Fatalf("slice %d of %d: %t, capacity %d, want %d", i+1, tt.count, ok, cap(b), tt.of)
					}
					out = append(out, b)
				}
				if b, ok := p.TryGet(tt.of); ok {
					t.Errorf("%d bytes beyond the ceiling", cap(b))
				}
				if s := p.Stats(); s.Bytes.InUse != tt.limit || s.Refused != 1 {
					t.Errorf("%v", s)
				}
				runtime.KeepAlive(out)
			})
		}
	}
}

// TestReadAllUnderCeiling reads long texts, and then as many short ones as fit.
func TestReadAllUnderCeiling(t *testing.T) {
	const limit, length = 256 << 10, 5 << 10
	for _, before := range []int{0, 16 << 10, 100 << 10} {
		p := &basin.BytePool{MaxInUse: limit}
		one := p.Get(length)
		own := cap(one)
		p.Put(one)
		for range 100 {
			data, err := p.ReadAll(struct{ io.Reader }{bytes.NewReader(pattern(before))})
			if err != nil || len(data) != before {
				t.Fatal(len(data), err)
			}
			p.Put(data)
		}
		var out [][]byte
		for p.Stats().Bytes.InUse < limit/2 {
			data, err := p.ReadAll(struct{ io.Reader }{bytes.NewReader(pattern(length))})
			if err != nil || !bytes.Equal(data, pattern(length)) || cap(data) != own {
				t.Fatalf("after texts of %d bytes: %d bytes, capacity %d, %v", before, len(data), cap(data), err)
			}
			out = append(out, data)
		}
		if len(out) != (limit/2+own-1)/own {
			t.Errorf("after texts of %d bytes, there are %d of %d bytes in the half of %d", before, len(out), own, limit)
		}
		for _, data := range out {
			p.Put(data)
		}
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Refused != 0 || s.Drops.Foreign != 0 {
			t.Errorf("in the end %v", s)
		}
	}
}

// TestMadeToBeKept: slices that are usually kept for long have their own class.
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
				if tt.own || maxInUse > 0 {
					want = 1280
				}
				if b := tt.make(p); len(b) != 1100 && tt.name != "Grow" || cap(b) != want {
					t.Errorf("length %d, capacity %d, want %d", len(b), cap(b), want)
				}
			})
		}
	}
}
