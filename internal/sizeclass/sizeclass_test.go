package sizeclass_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/sizeclass"
)

var all = sizeclass.For(1, math.MaxInt)

var sink []byte

// TestSizesAreTheAllocators asks the allocator of the Go version at hand.
func TestSizesAreTheAllocators(t *testing.T) {
	for i := range all.Len() {
		size := all.Size(i)
		if size > 64<<20 {
			break // whole pages, as those below; no need to touch gigabytes
		}
		sink = append([]byte(nil), make([]byte, size)...)
		if cap(sink) != size {
			t.Errorf("class %d: an array of %d bytes has capacity %d", i, size, cap(sink))
		}
		for range 20 {
			sink = make([]byte, size)
			if c := all.Find(size); !c.Fits(cap(sink), uint32(uintptr(unsafe.Pointer(unsafe.SliceData(sink))))) {
				t.Fatalf("class %d: an array of %d bytes at %p does not fit its own class", i, size, sink)
			}
		}
	}
}

func TestClass(t *testing.T) {
	// Every length up to 4 MiB, and the edges of all classes beyond.
	check := func(n int) {
		c := all.Find(n)
		if fast := all.Class(n); fast != c && (n <= 4<<20 || !fast.None()) {
			t.Fatalf("Class(%d) = %x, but Find gives %x", n, fast, c)
		}
		i := int(c.Index())
		if c.None() || c.Size() != all.Size(i) || c.Size() < n || i > 0 && all.Size(i-1) >= n {
			t.Fatalf("Find(%d) = class %d of size %d", n, i, c.Size())
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
	for _, n := range []int{0, -1, -64, -65, math.MinInt, sizeclass.Max + 1, math.MaxInt, math.MaxInt - 1, math.MaxInt32} {
		if c := all.Find(n); !c.None() || c.Fits(n, 0) || !all.Class(n).None() {
			t.Errorf("Find(%d) = class %d of size %d, want none", n, c.Index(), c.Size())
		}
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
		{"all", math.MinInt, math.MaxInt, 64, sizeclass.Max},
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
				c := r.Find(n)
				switch {
				case n > tt.largest:
					if !c.None() {
						t.Errorf("Find(%d) = class %d, want none", n, c.Index())
					}
				case n <= tt.smallest:
					if c.Index() != 0 || c.Size() != tt.smallest {
						t.Errorf("Find(%d) = class %d of size %d, want the first", n, c.Index(), c.Size())
					}
				default:
					if c.Size() != all.Find(n).Size() || r.Size(int(c.Index())) != c.Size() {
						t.Errorf("Class(%d) has size %d, want %d", n, c.Size(), all.Find(n).Size())
					}
				}
			}
			if sizeclass.For(tt.min, tt.max) != r {
				t.Error("the same range has two tables")
			}
		})
	}
}
