package engine

import "github.com/basin-go/basin/internal/pin"

// Best fit: a request that finds no idle item of its own class takes the smallest
// one of the classes after it, up to [Class.Fit]. Classes seldom peak together, so
// without this each would come to keep as much as it ever needed at a time, and
// together they would keep several times what the program ever did.
//
// Only a miss pays for the search, and a class that misses often gets items of its own
// in time: see borrows. The item counts for the class that it is of: as a
// hit of that class, and when it is put as a Put of it. So gets minus puts of a
// class is what is outstanding of it, whoever asked.

// GetFit is Get, but if no item of class c is idle an item of a larger class will
// do. It also returns the class of the item.
func (e *Engine[T]) GetFit(c uint, asked int) (x T, class uint, ok bool) {
	return e.get(c, asked, true)
}

// fungible reports whether items of a class may serve requests for another.
func fungible(classes []Class) bool {
	for c, class := range classes {
		if class.Fit > uint(c) {
			return true
		}
	}
	return false
}

// borrows reports whether an item of a larger class may serve a request for this one. A class
// that is often asked for is to have items of its own, as the fast path finds nothing else. So
// after a number of such requests, one is a miss. The number makes that 64 new bytes for
// each of them, or less. The caller holds the lock.
func (d *depot[T]) borrows() bool {
	if d.borrowed++; d.borrowed <= uint32(max(d.Size/64, 16)) {
		return true
	}
	d.borrowed = 0
	return false
}

// larger takes an item of a class after c, up to last, for a request of class c: from the
// smallest class that has one. Magazines of the present P come first, for they cost no
// lock and what they hold is the most likely to be in the P's caches. Those of other Ps
// cannot be touched. The caller holds the lock of depot c; depots are locked in the order
// of their classes.
func (e *Engine[T]) larger(c, last uint, asked int) (x T, class uint, ok bool) {
	if x, class, ok = e.largerLocal(c, last, asked); ok {
		return x, class, true
	}
	for class := c + 1; class <= last; class++ {
		d := e.depots[class].Load()
		if d == nil || !d.stocked.Load() {
			continue
		}
		d.mu.Lock()
		if x, ok = e.largerLimbo(d, c, class, asked); !ok && len(d.items) > 0 && e.admits(c, class) {
			x, ok = e.getDepot(d, asked), true
		}
		d.mu.Unlock()
		if ok {
			return x, class, true
		}
	}
	return x, c, false
}

// largerLimbo is larger in the magazine of the present P that is in limbo at d. As in
// attach, its own P needs no grace period. The caller holds the lock of d.
func (e *Engine[T]) largerLimbo(d *depot[T], c, class uint, asked int) (x T, ok bool) {
	p := uint(pin.Pin())
	defer pin.Unpin()
	r := d.inLimbo(p<<e.config.Bits | class)
	if r == nil {
		return x, false
	}
	if n := r.Len(); n > 0 && e.admits(c, class) {
		return r.Pop(n-1, asked), true
	}
	return x, false
}

// largerLocal is larger in the magazines of the present P.
func (e *Engine[T]) largerLocal(c, last uint, asked int) (x T, class uint, ok bool) {
	row := uint(pin.Pin()) << e.config.Bits
	defer pin.Unpin()
	if !e.has(row) {
		return x, c, false
	}
	for class := c + 1; class <= last; class++ {
		m := e.table.Entry(row | class).Load()
		if n := m.Len(); n > 0 && e.admits(c, class) {
			return m.Pop(n-1, asked), class, true
		}
	}
	return x, c, false
}

// admits reports whether an item of class larger may serve a request for class c.
func (e *Engine[T]) admits(c, larger uint) bool {
	return e.config.Admit == nil || e.config.Admit(c, larger)
}
