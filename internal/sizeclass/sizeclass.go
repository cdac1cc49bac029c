// Package sizeclass maps lengths to the capacities that a byte pool keeps.
//
// Every class is a size that the Go allocator really hands out, so a buffer of
// a class has no slack that nobody can use, and a multiple of a cache line,
// so two buffers never share one. There are about four classes per doubling:
//
//	64 128 192 256 320 384 448 512 640 768 896 1024 1280 1536 1792 2048
//	2304 2688 3072 3456 4096 4864 6144 6912 8192 10240 12288 14336 16384
//	20480 24576 28672 32768, and from there on 5/4, 6/4, 7/4 and 8/4 of
//	each power of two, up to 2 GiB.
package sizeclass

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

const (
	// Min is the smallest class, and Max the most that a largest one may be asked for.
	Min = 64
	Max = math.MaxInt32

	// The largest class: 2 GiB, or where an int cannot say that, what is before it.
	largest = (7 + bits.UintSize>>6) << 28

	// Count is how many classes there are at most, and Bits how many bits hold the index of one.
	Count = 97
	Bits  = 7

	granule = 64       // what small classes are multiples of
	small   = 32 << 10 // the largest of them
	page    = 8 << 10  // what large classes are multiples of, and aligned to

	none = 1<<Bits - 1 // an index that no class has

	// noClass stands for all lengths that have no class. Its size is beyond
	// all of them, so what fits it is too large.
	noClass Class = none<<56 | (3<<30 + 1)
)

var smallSizes = [...]int{
	64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048,
	2304, 2688, 3072, 3456, 4096, 4864, 6144, 6912, 8192, 10240, 12288, 14336, 16384,
	20480, 24576, 28672, 32768,
}

// A Class describes one size class in one word, so that a lookup is one load:
// the size in bits 0 to 31, the alignment mask in bits 32 to 44, and the index
// within its [Table] in bits 56 to 62.
type Class uint64

func newClass(index, size int) Class {
	align := min(size&-size, page)
	if size < small {
		align = min(align, aligned)
	}
	return Class(index)<<56 | Class(align-1)<<32 | Class(size)
}

// Size returns the capacity in bytes of a buffer of the class, if it is one.
func (c Class) Size() int { return int(uint32(c)) }

// Index returns the position of the class in its table, counted from the
// smallest. It is an index that no class has if [Class.None] is true.
func (c Class) Index() uint { return uint(c >> 56) }

// None reports whether c stands for lengths that the table has no class for.
func (c Class) None() bool { return c.Index() == none }

// Fits reports whether an array of the given capacity that starts at the
// address whose low bits are given can be a buffer of the class: the capacity
// is the class's size, and the alignment is the one that all objects of that
// size have.
func (c Class) Fits(capacity int, addr uint32) bool {
	return uint32(capacity) == uint32(c) && addr&c.align() == 0
}

// FitsLoosely is [Class.Fits] for an array that [Table.Cut] may have found: it need be
// aligned to no more than a cache line.
func (c Class) FitsLoosely(capacity int, addr uint32) bool {
	return uint32(capacity) == uint32(c) && addr&c.loosely() == 0
}

// align returns the alignment that all objects of the class's size have, less one.
func (c Class) align() uint32 { return uint32(c>>32) & (page - 1) }

// loosely returns what of that is within a cache line.
func (c Class) loosely() uint32 { return c.align() & (granule - 1) }

// A Table maps lengths to the classes from a smallest to a largest one.
// Lengths below the smallest class belong to it.
type Table struct {
	byGranule [small / granule]Class // for lengths up to small
	byQuarter [4 * 64]Class          // for those beyond, by the quarters of powers of two
	sizes     []int
	classes   []Class
}

// Class returns the class of buffers for n bytes. It is [Class.None] if n is larger
// than the largest class, or is not positive.
func (t *Table) Class(n int) Class {
	u := uint(n - 1) // huge if n is zero or negative
	if u < small {
		return t.byGranule[u/granule]
	}
	e := uint(bits.Len(u)) - 3 // u>>e is from 4 to 7
	return t.byQuarter[uint8(e*4+u>>(e&63))]
}

// Cut returns the largest class that an array of the given capacity has room for where a cache
// line begins, and how far behind the array's own begin that is. The low bits of the
// address of the array are given. If it can begin where [Class.Fits] is true, it does. The
// class is [Class.None] if there is none.
func (t *Table) Cut(capacity int, addr uint32) (c Class, begin int) {
	i, exact := slices.BinarySearch(t.sizes, capacity) // seldom, so not by way of the tables
	if exact {
		i++
	}
	for i--; i >= 0; i-- {
		c = t.classes[i]
		for _, align := range [...]uint32{c.align(), c.loosely()} {
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

// Smallest and Largest return the sizes of the first and the last class.
func (t *Table) Smallest() int { return t.sizes[0] }

// Largest returns the size of the last class.
func (t *Table) Largest() int { return t.sizes[len(t.sizes)-1] }

var tables sync.Map // of [2]int{smallest, largest} to *Table: few programs have more than one

// For returns the table of the classes from the smallest that holds minSize to
// the smallest that holds maxSize. Both are clamped to what classes there are, and
// maxSize to minSize.
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

// next returns the size that follows size.
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
