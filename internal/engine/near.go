//go:build go1.25

package engine

import "github.com/basin-go/basin/internal/pin"

// A near remembers which P has put each of the newest items of a depot. The entry of an item is its index modulo 8. Such
// an item may still be in the caches of that P. A writer of 800 KB that another core has used is not: in a server that
// compresses on two cores, its reset takes a third longer.
//
// All items of a depot are equal, so a wrong entry harms nothing. Items below the newest eight have none. An item that comes
// from a magazine, or that drop has moved, has that of an item before it.
type near [8]uint8

// put notes that P p has put the item with index i.
func (n *near) put(p uint, i int) { n[i%len(n)] = uint8(p) }

// find returns the index of the newest item that P p has put, if it is among the newest, and else that of the last item.
func (n *near) find(p uint, last int) int {
	for i := last; i >= 0 && i > last-len(n); i-- {
		if n[i%len(n)] == uint8(p) {
			return i
		}
	}
	return last
}

// take returns the item for a Get on P p, and makes it the last one.
func (d *depot[T]) take(p uint) T {
	last := len(d.items) - 1
	i := d.near.find(p, last)
	d.near[i%len(d.near)] = d.near[last%len(d.near)]
	d.items[i], d.items[last] = d.items[last], d.items[i]
	return d.items[last]
}

// current returns the P that runs the caller, or did just now.
func current() uint {
	p := uint(pin.Pin())
	pin.Unpin()
	return p
}
