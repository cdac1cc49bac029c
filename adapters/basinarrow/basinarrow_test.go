package basinarrow_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinarrow"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/pooltest"
)

var _ memory.Allocator = (*basinarrow.Allocator)(nil)

func aligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64 == 0 }

func fill(b []byte) {
	for i := range b {
		b[i] = 0xAA
	}
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// TestReallocateAtCeiling grows a small array while all of MaxInUse is outstanding.
func TestReallocateAtCeiling(t *testing.T) {
	for _, level := range []basincheck.Settings{{}, {Level: basincheck.Full}, {Level: basincheck.Full, Guard: true}} {
		for _, size := range []int{65, 100, 129, 1000, 1025, 4096, 100_000} {
			t.Run(fmt.Sprintf("%v guard=%v %d", level.Level, level.Guard, size), func(t *testing.T) {
				before := basincheck.Now()
				defer basincheck.Set(before)
				basincheck.Set(level)
				synctest.Test(t, func(t *testing.T) { // a wait without end fails at once
					pool := &basin.BytePool{MaxInUse: 1<<20 + 64}
					a := basinarrow.Allocator{Bytes: pool}
					most, b := a.Allocate(1<<20), a.Allocate(64)
					fill(b)
					grown := a.Reallocate(size, b)
					if len(grown) != size || !aligned(grown) || bytes.Count(grown, []byte{0xAA}) != 64 || !isZero(grown[64:]) {
						t.Errorf("%d bytes, aligned: %v, of the old contents: %d", len(grown), aligned(grown), bytes.Count(grown, []byte{0xAA}))
					}
					a.Free(grown)
					a.Free(most)
					if s := pool.Stats(); s.Bytes.InUse != 0 || s.Waited != 0 {
						t.Errorf("%d bytes are in use, %d requests waited", s.Bytes.InUse, s.Waited)
					}
				})
			})
		}
	}
}

// TestAllocate: with any settings of the pool, every size is aligned, zero, and reused.
func TestAllocate(t *testing.T) {
	for _, pool := range []*basin.BytePool{
		{Name: "default"},
		{Name: "small", MaxSize: 64},
		{Name: "odd", MinSize: 80, MaxSize: 5000},
		{Name: "zero", Zero: true},
		{Name: "adopts", Adopts: true},
		{Name: "limited", MaxIdle: 1},
	} {
		t.Run(pool.Name, func(t *testing.T) {
			basintest.Check(t)
			a := &basinarrow.Allocator{Bytes: pool}
			sizes := []int{0, 1, 63, 64, 65, 4096, 32<<10 + 1, 1 << 20, 5 << 20}
			for range 300 {
				sizes = append(sizes, int(math.Exp2(rand.Float64()*17)))
			}
			for range 2 {
				for _, size := range sizes {
					b := a.Allocate(size)
					if len(b) != size || size > 0 && !aligned(b) || !isZero(b) {
						t.Fatalf("%d bytes: %p of %d, zero: %v", size, b, len(b), isZero(b))
					}
					fill(b)
					a.Free(b)
				}
			}
			if s := pool.Stats(); s.Bytes.InUse != 0 || s.Drops.Foreign+s.Drops.Misaligned+s.Drops.Empty != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestReallocate(t *testing.T) {
	for _, c := range []struct{ from, to int }{
		{0, 0}, {0, 100}, {100, 0}, {100, 100}, {100, 101}, {100, 128}, {64, 65}, {1000, 100_000}, {100_000, 1000},
		{1 << 20, 5 << 20}, {5 << 20, 1}, {64, 128},
	} {
		t.Run(fmt.Sprintf("%d to %d", c.from, c.to), func(t *testing.T) {
			basintest.Check(t)
			a := &basinarrow.Allocator{Bytes: &basin.BytePool{Name: t.Name()}}
			for range 3 {
				b := a.Allocate(c.from)
				fill(b)
				b = a.Reallocate(c.to, b)
				kept := min(c.from, c.to)
				if len(b) != c.to || c.to > 0 && !aligned(b) || bytes.Count(b[:kept], []byte{0xAA}) != kept || !isZero(b[kept:]) {
					t.Errorf("%d bytes, aligned: %v", len(b), aligned(b))
				}
				b = a.Reallocate(c.from, b) // bytes that were cut off are zero now
				if !isZero(b[kept:]) {
					t.Error("memory grew by old contents")
				}
				a.Free(b)
			}
			if s := a.Bytes.Stats(); s.Bytes.InUse != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
	t.Run("nil", func(t *testing.T) {
		var a basinarrow.Allocator
		if b := a.Reallocate(10, nil); len(b) != 10 || !isZero(b) {
			t.Error(b)
		}
		a.Free(nil)
		a.Free([]byte{})
	})
}

func TestPanics(t *testing.T) {
	a := &basinarrow.Allocator{}
	for _, size := range []int{-1, -1000, math.MinInt, math.MaxInt, math.MaxInt - 100} {
		for name, f := range map[string]func(){
			"Allocate":   func() { a.Allocate(size) },
			"Reallocate": func() { a.Reallocate(size, make([]byte, 10)) },
		} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				f()
			})
		}
	}
}

// TestFreed: Free drops slices that the pool did not hand out.
func TestFreed(t *testing.T) {
	if pooltest.SomeChecks {
		t.Skip("checks report it")
	}
	a := &basinarrow.Allocator{Bytes: &basin.BytePool{Name: t.Name()}}
	b := a.Allocate(1000)
	for name, foreign := range map[string][]byte{"made": make([]byte, 1000, 1001), "front cut off": b[1:], "capacity cut off": b[:10:10]} {
		a.Free(foreign)
		if s := a.Bytes.Stats(); s.Bytes.Idle != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	a.Free(b)
	if s := a.Bytes.Stats(); s.Bytes.Idle == 0 {
		t.Errorf("%+v", s)
	}
}

func TestAllocations(t *testing.T) {
	pooltest.SkipUnlessExact(t)
	var a basinarrow.Allocator
	for _, size := range []int{64, 1000, 100_000, 10 << 20} {
		f := func() { a.Free(a.Reallocate(size, a.Allocate(size/2))) }
		f()
		if n := pooltest.Allocs(100, f); n != 0 {
			t.Errorf("%d bytes: %v allocations", size, n)
		}
	}
}

// build makes and releases a column whose final size is unknown at first.
func build(a memory.Allocator, rows int) int64 {
	b := array.NewInt64Builder(a)
	for i := range rows {
		b.Append(int64(i))
	}
	column := b.NewInt64Array()
	last := column.Value(rows - 1)
	column.Release()
	b.Release()
	return last
}

func TestBuilder(t *testing.T) {
	basintest.Check(t)
	checked := memory.NewCheckedAllocator(&basinarrow.Allocator{Bytes: &basin.BytePool{Name: t.Name()}})
	for range 10 {
		if last := build(checked, 10_000); last != 9999 {
			t.Error(last)
		}
	}
	checked.AssertSize(t, 0)
}

func BenchmarkBuild(b *testing.B) {
	for _, rows := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			run := func(a memory.Allocator) func(int) {
				return func(n int) {
					for range n {
						build(a, rows)
					}
				}
			}
			pooltest.Compare(b, max(2, 2_000_000/(rows+100)), run(memory.NewGoAllocator()), run(new(basinarrow.Allocator)))
		})
	}
}
