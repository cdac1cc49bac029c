//go:build go1.25

package check

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

// TestInside asks Inside about addresses in and around tracked arrays of many sizes.
func TestInside(t *testing.T) {
	sizes := []int{1, 2, 63, 64, 65, 128, 4095, 4096, 4097, 6144, 1 << 20, 1<<20 + 1, 3 << 20}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sizes = append(sizes, 1+r.IntN(64<<r.IntN(10)))
	}
	for _, guarded := range []bool{false, true} {
		t.Run(fmt.Sprint("guarded ", guarded), func(t *testing.T) {
			tr := New(1, true, guarded)
			defer stop(tr)
			o := new(Owner)
			at := func(b []byte, i int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) }
			// The arrays are parts of larger ones, so that no other arrays are next to them.
			var arrays [][]byte
			for _, size := range sizes {
				tr.Pick()
				arrays = append(arrays, tr.Array(o, size, func(n int) []byte { return make([]byte, n, n+1)[:n:n] }))
			}
			look := func(b []byte, is bool) {
				t.Helper()
				for _, i := range []int{1, 2, len(b) / 2, len(b) - 1, r.IntN(len(b))} {
					if i <= 0 || i >= len(b) {
						continue
					}
					f := tr.Inside(o, at(b, i), 1)
					if (f.Kind == misuse.InteriorPut) != is || is && (f.Offset != i || f.Size != len(b)) {
						t.Fatalf("byte %d of %d: %+v", i, len(b), f)
					}
				}
			}
			for i, b := range arrays {
				look(b, true)
				if f := tr.Inside(o, at(b, len(b)), 1); !guarded && f.Kind != misuse.ForeignPut {
					t.Fatalf("the byte after %d: %+v", len(b), f)
				}
				if i%2 == 0 { // must not touch the records of the others
					tr.Put(o, unsafe.SliceData(b), len(b))
					look(b, true) // while it is in quarantine
				}
			}
			for i, b := range arrays {
				if i%2 == 1 {
					look(b, true)
				}
			}
			outside := make([]byte, 1<<20)
			look(outside, false)
			stop(tr)
			for _, b := range arrays {
				look(b, false)
			}
			for i := range tr.index.parts {
				if n := len(tr.index.parts[i].first); n > 0 {
					t.Errorf("part %d has %d granules after Stop", i, n)
				}
			}
			for k := range tr.index.sizes {
				if n := tr.index.sizes[k].Load(); n != 0 {
					t.Errorf("%d arrays of up to 1<<%d bytes after Stop", n, k)
				}
			}
			for _, b := range arrays {
				PutGuarded(unsafe.SliceData(b))
			}
		})
	}
}

// TestInsideGarbage reuses the addresses of dropped arrays, before and after their cleanups.
func TestInsideGarbage(t *testing.T) {
	misuse.Handle(0, func(f *misuse.Finding) { t.Errorf("reported: %+v", f) })
	defer misuse.Handle(0, nil)
	tr := New(1, true, false)
	defer stop(tr)
	o := new(Owner)
	var heap []byte
	anew := func(n int) []byte { heap = make([]byte, n); return heap }
	again := 0
	for range 20 {
		heap = nil
		dropped := make(map[uintptr]bool)
		for range 500 {
			tr.Pick()
			b := tr.Array(o, 4096, anew)
			dropped[addr(unsafe.SliceData(b))] = true
		}
		runtime.GC()
		for range 500 {
			b := anew(4096)
			if dropped[addr(unsafe.SliceData(b))] {
				again++
			}
			if f := tr.Inside(o, &b[1000], 1); f.Kind != misuse.ForeignPut {
				t.Fatalf("a new array is inside of garbage: %+v", f)
			}
			tr.Pick()
			c := tr.Array(o, 4096, anew)
			if f := tr.Inside(o, &c[1000], 1); f.Kind != misuse.InteriorPut || f.Offset != 1000 {
				t.Fatalf("a new array, where garbage was: %+v", f)
			}
		}
	}
	if again == 0 {
		t.Error("no address was used again")
	}
}

// BenchmarkAdopt adopts an array without a record. Adopt searches for a tracked array around it.
func BenchmarkAdopt(b *testing.B) {
	for _, records := range []int{0, 1000, 8000, 100_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			tr := New(1, true, false)
			b.Cleanup(tr.end)
			o := new(Owner)
			out := make([][]byte, records)
			for i := range out {
				tr.Pick()
				out[i] = tr.Array(o, 64<<(i%4), func(n int) []byte { return make([]byte, n) })
			}
			x := unsafe.SliceData(make([]byte, 4096))
			b.ResetTimer()
			for range b.N {
				if v, _ := tr.Adopt(o, x, 4096); v != Unknown {
					b.Fatalf("verdict %d", v)
				}
			}
		})
	}
}
