//go:build go1.25

package engine

import "github.com/basin-go/basin/internal/pin"

// A near remembers which item of a depot each P has put last, by the index plus one. Such an item may still be in the
// caches of that P. A writer of 800 KB that another core has used is not: in a server that compresses on two cores, its
// reset takes a third longer.
//
// All items of a depot are equal, so a wrong entry harms nothing: drop moves items and leaves their entries, and Ps may
// share one.
type near [16]int32

// nearEnough is the most items above that of a P. Below them, the caches have lost it.
const nearEnough = 16

// current returns the P that runs the caller, or did just now.
func current() uint {
	p := uint(pin.Pin())
	pin.Unpin()
	return p
}

// put notes that P p has put the item with index i.
func (n *near) put(p uint, i int) {
	n.move(i, -1)
	n[p%uint(len(n))] = int32(i) + 1
}

// take returns the index of the item for a Get on P p, where the last item has index last. The last item then takes the
// place of that one.
func (n *near) take(p uint, last int) int {
	i := last
	if own := int(n[p%uint(len(n))]) - 1; own > last-nearEnough && own >= 0 && own < last {
		i = own
		n[p%uint(len(n))] = 0
		n.move(last, i)
	} else {
		n.move(last, -1)
	}
	return i
}

// move notes that the item with index i has moved to index to. If to is negative, the item is gone.
func (n *near) move(i, to int) {
	for p := range n {
		if n[p] == int32(i)+1 {
			n[p] = int32(to) + 1
		}
	}
}

// take returns the item for a Get on P p, and makes it the last one.
func (d *depot[T]) take(p uint) T {
	last := len(d.items) - 1
	i := d.near.take(p, last)
	d.items[i], d.items[last] = d.items[last], d.items[i]
	return d.items[last]
}
