//go:build go1.25

package sizeclass_test

import (
	"math"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/testenv"
)

var all = sizeclass.For(1, math.MaxInt)

var sink []byte

// TestSizesAreTheAllocators asks the allocator of the current Go version.
func TestSizesAreTheAllocators(t *testing.T) {
	for i := range all.Len() {
		size := all.Size(i)
		if size > 64<<20 {
			break // whole pages, like smaller ones; do not touch gigabytes
		}
		sink = append([]byte(nil), make([]byte, size)...)
		if cap(sink) != size {
			t.Errorf("class %d: an array of %d bytes has capacity %d", i, size, cap(sink))
		}
		for range 20 {
			sink = make([]byte, size)
			if c := all.Class(size); !c.Fits(cap(sink), uint32(uintptr(unsafe.Pointer(unsafe.SliceData(sink))))) {
				t.Fatalf("class %d: an array of %d bytes at %p does not fit its own class", i, size, sink)
			}
		}
	}
}

func TestClass(t *testing.T) {
	// Check every length up to 4 MiB, and the edges of all classes.
	check := func(n int) {
		c := all.Class(n)
		i := int(c.Index())
		if c.None() || c.Size() != all.Size(i) || c.Size() < n || i > 0 && all.Size(i-1) >= n {
			t.Fatalf("Class(%d) is class %d of size %d", n, i, c.Size())
		}
	}
	for n := 1; n <= 4<<20; n++ {
		check(n)
	}
	for i := range all.Len() {
		check(all.Size(i) - 1)
		check(all.Size(i))
		if i > 0 {
			check(all.Size(i-1) + 1)
		}
	}
	for _, n := range []int{0, -1, -64, -65, math.MinInt, math.MaxInt, math.MaxInt - 1} {
		if c := all.Class(n); !c.None() || c.Fits(n, 0) {
			t.Errorf("Class(%d) is class %d of size %d, want none", n, c.Index(), c.Size())
		}
	}
	if bits.UintSize == 32 {
		return
	}
	for shift := 31; shift < 63; shift++ {
		for _, n := range []int{1<<shift + 1, 1<<shift + 1<<(shift-2), 1<<(shift+1) - 1} {
			if c := all.Class(n); !c.None() || c.Fits(n, 0) {
				t.Errorf("Class(%d) is class %d of size %d, want none", n, c.Index(), c.Size())
			}
		}
	}
}

// TestLargest: the largest class has room for every valid MaxSize, if int has 64 bits.
func TestLargest(t *testing.T) {
	want, count := int64(2<<30), sizeclass.Count
	if bits.UintSize == 32 {
		want -= 256 << 20
		count--
	}
	if got := int64(all.Largest()); got != want || all.Len() != count {
		t.Errorf("the largest of %d classes is %d, want %d of %d", all.Len(), got, count, want)
	}
	if c := all.Class(sizeclass.Max); c.None() != (bits.UintSize == 32) {
		t.Errorf("Class(%d) is class %d", sizeclass.Max, c.Index())
	}
}

func TestStepsAreSmall(t *testing.T) {
	for i := 1; i < all.Len(); i++ {
		a, b := all.Size(i-1), all.Size(i)
		if a >= 256 && float64(b) > 1.27*float64(a) {
			t.Errorf("the step from %d to %d wastes more than a fifth", a, b)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, tt := range []struct {
		name              string
		min, max          int
		smallest, largest int
	}{
		{"all", math.MinInt, math.MaxInt, 64, all.Largest()},
		{"zero", 0, 0, 64, 64},
		{"one size", 4096, 4096, 4096, 4096},
		{"rounds up", 4000, 5000, 4096, 6144},
		{"small", 64, 32768, 64, 32768},
		{"just above small", 32769, 32769, 40960, 40960},
		{"large only", 1 << 20, 4 << 20, 1 << 20, 4 << 20},
		{"max below min", 4096, 64, 4096, 4096},
		{"across", 100, 1 << 20, 128, 1 << 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := sizeclass.For(tt.min, tt.max)
			if r.Smallest() != tt.smallest || r.Largest() != tt.largest {
				t.Fatalf("For(%d, %d) has classes from %d to %d, want %d to %d", tt.min, tt.max, r.Smallest(), r.Largest(), tt.smallest, tt.largest)
			}
			for _, n := range []int{1, 63, 64, 65, 1000, 4096, 4097, 32768, 32769, 1 << 20, 1<<20 + 1, 4 << 20, 4<<20 + 1} {
				c := r.Class(n)
				switch {
				case n > tt.largest:
					if !c.None() {
						t.Errorf("Class(%d) = class %d, want none", n, c.Index())
					}
				case n <= tt.smallest:
					if c.Index() != 0 || c.Size() != tt.smallest {
						t.Errorf("Class(%d) = class %d of size %d, want the first", n, c.Index(), c.Size())
					}
				default:
					if c.Size() != all.Class(n).Size() || r.Size(int(c.Index())) != c.Size() {
						t.Errorf("Class(%d) has size %d, want %d", n, c.Size(), all.Class(n).Size())
					}
				}
			}
			if sizeclass.For(tt.min, tt.max) != r {
				t.Error("the same range has two tables")
			}
		})
	}
}

// TestCut cuts arrays of up to 20 KiB that begin at various offsets within a page.
func TestCut(t *testing.T) {
	if testenv.ASan {
		t.Skip("arrays are aligned less")
	}
	for _, r := range []*sizeclass.Table{all, sizeclass.For(1024, 8192), sizeclass.For(4096, 4096)} {
		for capacity := 0; capacity < 20<<10; capacity += 61 {
			for _, offset := range []uint32{0, 1, 8, 63, 64, 65, 128, 1024, 4096, 8000, 8191, math.MaxUint32 - 63, math.MaxUint32} {
				c, begin := r.Cut(capacity, offset)
				largest := 0 // the largest class with room after the start of a cache line
				for i := range r.Len() {
					if int(-offset&63)+r.Size(i) <= capacity {
						largest = r.Size(i)
					}
				}
				if c.None() {
					if largest != 0 {
						t.Fatalf("Cut(%d, %d) finds nothing, want %d", capacity, offset, largest)
					}
					continue
				}
				if at := offset + uint32(begin); c.Size() != largest || begin < 0 || begin+c.Size() > capacity || !c.FitsCut(c.Size(), at) {
					t.Fatalf("Cut(%d, %d) = %d bytes from %d on, want %d", capacity, offset, c.Size(), begin, largest)
				}
				strict := begin
				for !c.Fits(c.Size(), offset+uint32(strict)) {
					strict++
				}
				if strict != begin && strict+c.Size() <= capacity {
					t.Fatalf("Cut(%d, %d) = %d bytes from %d on, want them from %d on", capacity, offset, c.Size(), begin, strict)
				}
			}
		}
	}
}
