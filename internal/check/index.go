//go:build go1.25

package check

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// An index finds the array around an address. For each power of two it divides memory into
// granules of that size. An array is listed in one granule only: the one with its first byte,
// of the smallest power of two that is at least the array's size. So an address within the
// array is in that granule or in the next. A granule lists few arrays, because each is larger
// than half of it and live arrays do not overlap.
//
// Lock order: first the lock of a shard, then the lock of a part.
type index struct {
	sizes [bits.UintSize + 1]atomic.Int64 // number of listed arrays, by power
	parts [shardCount]part
}

type part struct {
	mu    sync.Mutex
	first map[granule]*record // the others follow by record.next
	_     [48]byte
}

// A granule is an address shifted right by a power, followed by that power in the lowest bits.
type granule uintptr

const granuleBits = 6 // smaller arrays are in granules of 64 bytes

func granuleOf(a uintptr, power int) granule {
	return granule(a>>power<<granuleBits | uintptr(power))
}

// power returns the power of the granules that list arrays of n bytes.
func power(n int) int { return max(bits.Len(uint(n)-1), granuleBits) }

func (x *index) init() {
	for i := range x.parts {
		x.parts[i].first = make(map[granule]*record)
	}
}

// part returns the part of g, locked.
func (x *index) part(g granule) *part {
	p := &x.parts[hash(uintptr(g))%shardCount]
	p.mu.Lock()
	return p
}

// add lists r, the record of an array.
func (x *index) add(r *record) {
	k := power(r.size)
	x.sizes[k].Add(1)
	g := granuleOf(r.addr, k)
	p := x.part(g)
	defer p.mu.Unlock()
	r.next = p.first[g]
	p.first[g] = r
}

// remove removes r from the list of its granule.
func (x *index) remove(r *record) {
	k := power(r.size)
	x.sizes[k].Add(-1)
	g := granuleOf(r.addr, k)
	p := x.part(g)
	defer p.mu.Unlock()
	at := p.first[g]
	if at == r {
		if r.next == nil {
			delete(p.first, g)
		} else {
			p.first[g] = r.next
		}
		r.next = nil
		return
	}
	for at.next != r {
		at = at.next
	}
	at.next, r.next = r.next, nil
}

// around returns the records of all arrays that contain a slice of the given capacity at a, but begin
// before it. At most one of these arrays is not garbage.
func (x *index) around(a uintptr, capacity int) (found []*record) {
	for k := power(capacity + 1); k < len(x.sizes); k++ { // the array is larger than the slice
		if x.sizes[k].Load() == 0 {
			continue
		}
		own := granuleOf(a, k)
		for _, g := range [...]granule{own, own - 1<<granuleBits} {
			p := x.part(g)
			for r := p.first[g]; r != nil; r = r.next {
				if a > r.addr && a-r.addr < uintptr(r.size) {
					found = append(found, r)
				}
			}
			p.mu.Unlock()
		}
	}
	return found
}
