//go:build go1.25

// Package sizeclass maps lengths to the capacities that a byte pool keeps.
//
// Every class is a size of the Go allocator, so a buffer of a class wastes no memory. It is a
// multiple of a cache line, so two buffers never share one. There are about four classes per
// doubling:
//
//	64 128 192 256 320 384 448 512 640 768 896 1024 1280 1536 1792 2048
//	2304 2688 3072 3456 4096 4864 6144 6912 8192 10240 12288 14336 16384
//	20480 24576 28672 32768, and from there on 5/4, 6/4, 7/4 and 8/4 of
//	each power of two, up to 2 GiB.
//
// Touch it when the classes of the Go allocator change, or for another choice among them. Which of
// the classes a pool learns to use is decided in internal/learn.
package sizeclass

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

const (
	// Min is the smallest class, and Max the largest size that a setting of a pool may have.
	Min = 64
	Max = math.MaxInt32

	// largest is the largest class: 2 GiB, or if int has 32 bits, the class before it.
	largest = (7 + bits.UintSize>>6) << 28

	// Count is the largest number of classes, and Bits the number of bits of a class index.
	Count = 97
	Bits  = 7

	granule = 64       // small classes are multiples of it
	small   = 32 << 10 // the largest small class
	page    = 8 << 10  // large classes are multiples of it, and aligned to it

	// With the address sanitizer, the allocator adds memory behind each array, so a small array gets
	// another size and less alignment: 96 bytes for the class of 64. Then Put recognises fewer foreign
	// arrays.
	asanAlign = 32

	none = 1<<Bits - 1 // an index that no class has

	// noClass stands for all lengths without a class. Its size is beyond all classes, so no array of a
	// class fits it.
	noClass Class = none<<56 | (3<<30 + 1)
)

var smallSizes = [...]int{
	64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048,
	2304, 2688, 3072, 3456, 4096, 4864, 6144, 6912, 8192, 10240, 12288, 14336, 16384,
	20480, 24576, 28672, 32768,
}

// A Class describes a size class in one word, so that a lookup is one load: the size in bits 0 to
// 31, the alignment mask in bits 32 to 44, and the index within its [Table] in bits 56 to 62.
type Class uint64

func newClass(index, size int) Class {
	align := min(size&-size, page)
	if asan && size < small {
		align = min(align, asanAlign)
	}
	return Class(index)<<56 | Class(align-1)<<32 | Class(size)
}

// Size returns the capacity, in bytes, of buffers of the class. It is meaningless if [Class.None]
// is true.
func (c Class) Size() int { return int(uint32(c)) }

// Index returns the position of the class in its table, from the smallest class on. If [Class.None]
// is true, it returns an index that no class has.
func (c Class) Index() uint { return uint(c >> 56) }

// None reports whether c stands for lengths that have no class in the table.
func (c Class) None() bool { return c.Index() == none }

// Fits reports whether an array may be a buffer of the class: whether its capacity is the class's
// size, and its alignment is that of all objects of this size. addr has the low bits of its
// address.
func (c Class) Fits(capacity int, addr uint32) bool {
	return uint32(capacity) == uint32(c) && addr&c.align() == 0
}

// FitsCut is [Class.Fits] for an array from [Table.Cut], which may be aligned to a cache line
// only.
func (c Class) FitsCut(capacity int, addr uint32) bool {
	return uint32(capacity) == uint32(c) && addr&c.cutAlign() == 0
}

// align returns the alignment of all objects of the class's size, minus one.
func (c Class) align() uint32 { return uint32(c>>32) & (page - 1) }

// cutAlign returns align capped to a cache line.
func (c Class) cutAlign() uint32 { return c.align() & (granule - 1) }

// A Table maps lengths to the classes from a smallest to a largest one. Lengths below the smallest
// class belong to it.
type Table struct {
	byGranule [small / granule]Class // for lengths up to small
	byQuarter [4 * 64]Class          // for larger lengths, by quarters of powers of two
	sizes     []int
	classes   []Class
}

// Class returns the class of buffers for n bytes. [Class.None] is true for the result if n is
// larger than the largest class, or not positive.
func (t *Table) Class(n int) Class {
	u := uint(n - 1) // huge if n is zero or negative
	if u < small {
		return t.byGranule[u/granule]
	}
	e := uint(bits.Len(u)) - 3 // u>>e is from 4 to 7
	return t.byQuarter[uint8(e*4+u>>(e&63))]
}

// Cut returns the largest class for which an array of the given capacity has room, starting at a
// cache line, and the offset of that start. addr has the low bits of the array's address. Cut
// chooses a start where [Class.Fits] is true, if there is one. [Class.None] is true for the result
// if the array has no room.
func (t *Table) Cut(capacity int, addr uint32) (c Class, begin int) {
	i, exact := slices.BinarySearch(t.sizes, capacity) // Cut is rare and needs no fast table
	if exact {
		i++
	}
	for i--; i >= 0; i-- {
		c = t.classes[i]
		for _, align := range [...]uint32{c.align(), c.cutAlign()} {
			if begin = int(-addr & align); begin <= capacity-c.Size() {
				return c, begin
			}
		}
	}
	return noClass, 0
}

// Len returns the number of classes.
func (t *Table) Len() int { return len(t.sizes) }

// Size returns the size of the class with the given index.
func (t *Table) Size(index int) int { return t.sizes[index] }

// Smallest returns the size of the first class.
func (t *Table) Smallest() int { return t.sizes[0] }

// Largest returns the size of the last class.
func (t *Table) Largest() int { return t.sizes[len(t.sizes)-1] }

var tables sync.Map // of [2]int{smallest, largest} to *Table: few programs have more than one

// For returns the table of the classes from the smallest one for minSize to the smallest one for
// maxSize. Both are clamped to the range of classes, and maxSize to at least minSize.
func For(minSize, maxSize int) *Table {
	minSize = min(max(minSize, Min), largest)
	maxSize = min(max(maxSize, minSize), largest)
	var sizes []int
	for size := Min; ; size = next(size) {
		if size >= minSize {
			sizes = append(sizes, size)
		}
		if size >= maxSize {
			break
		}
	}
	key := [2]int{sizes[0], sizes[len(sizes)-1]}
	if t, ok := tables.Load(key); ok {
		return t.(*Table)
	}
	t, _ := tables.LoadOrStore(key, newTable(sizes))
	return t.(*Table)
}

// All is the table of all classes.
var All = For(Min, Max)

// next returns the class size after size.
func next(size int) int {
	if size < small {
		for _, s := range smallSizes {
			if s > size {
				return s
			}
		}
	}
	return size + 1<<(bits.Len(uint(size))-3)
}

func newTable(sizes []int) *Table {
	t := &Table{sizes: sizes}
	for i, size := range sizes {
		t.classes = append(t.classes, newClass(i, size))
	}
	t.classes = append(t.classes, noClass)
	class := func(n int) Class {
		i, _ := slices.BinarySearch(sizes, n)
		return t.classes[i]
	}
	for i := range t.byGranule {
		t.byGranule[i] = class((i + 1) * granule)
	}
	for i := range t.byQuarter {
		t.byQuarter[i] = noClass
	}
	for e := bits.Len(small) - 3; uint(4)<<e < largest; e++ {
		for quarters := 4; quarters < 8; quarters++ {
			if size := uint(quarters+1) << e; size <= largest {
				t.byQuarter[e*4+quarters] = class(int(size))
			}
		}
	}
	return t
}
