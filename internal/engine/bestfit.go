//go:build go1.25

package engine

import "github.com/basin-go/basin/internal/pin"

// Best fit: a request that finds no idle item of its own class takes the smallest idle item of a
// larger class, up to [Class.Fit]. Classes seldom peak together. Without best fit, each class would
// keep as many items as it ever needed at one time, and all classes together would keep several
// times the program's peak.
//
// An item that a miss makes can serve the requests of a smaller idle one from then on. So a large
// new item replaces that one: see replace. The pool still has as many items of at least the smaller
// size as were outstanding at one time. But the rare largest classes do not each keep their own
// items.
//
// Only a miss pays for the search, and a class that misses often gets its own items in time: see
// borrows. An item counts for its own class, as a hit when it is handed out and as a Put when it is
// put. So gets minus puts of a class is the number of its items outstanding, whichever class was
// asked for.

// fungible reports whether items of any class may serve requests of a smaller class.
func fungible(classes []Class) bool {
	for c, class := range classes {
		if class.Fit > uint(c) {
			return true
		}
	}
	return false
}

// borrows reports whether an item of a larger class may serve n requests for this one. A class in
// frequent use needs items of its own, because the fast path looks at no other class. So borrows
// returns false once after some borrowed items: that Get is a miss, which makes an item. Each
// borrowed item then costs at most 64 new bytes. Where demand has no room for a new item, that
// item displaces others, so there it is 4. The caller must hold the lock of d.
func (e *Engine[T]) borrows(d *depot[T], n uint32) bool {
	most := max(d.Size/64, 16)
	if e.several() && e.excess()+d.Size > 0 {
		most *= 16
	}
	if d.borrowed += n; int64(d.borrowed) <= most {
		return true
	}
	d.borrowed = 0
	return false
}

// borrowSample: of so many items that borrow could take, it leaves one to the way with the lock, which counts for all.
const borrowSample = 16

// borrow serves a request of class c from the current P's magazine of a larger class, without a lock. It does so only
// while the depot of c is empty. If it takes no item, stands is the number of requests for which the Get counts that
// now takes the lock.
func (e *Engine[T]) borrow(c uint, asked int) (x T, class uint, stands uint32) {
	d := e.at(c)
	if d == nil || !e.fungible || d.stocked.Load() { // without depots, e may not be set up yet
		return x, c, 1
	}
	p := uint(pin.Pin())
	defer pin.Unpin()
	m, class := e.lender(p, c, uint(d.fit))
	switch {
	case m == nil:
		return x, c, 1
	case popsOf(m.state.get())%borrowSample == 0:
		return x, c, borrowSample
	}
	return m.Pop(m.Len()-1, asked), class, 0
}

// replace releases the largest item in a depot that is smaller than those of class c, but at least
// half as large. The caller's miss makes an item of class c, which can serve in its place. Nothing
// happens unless class c is large. The caller must hold the lock of d, the depot of class c.
func (e *Engine[T]) replace(d *depot[T], c uint) {
	for d.Size > large && c > 0 {
		c--
		smaller := e.at(c)
		if smaller == nil || !smaller.stocked.Load() {
			continue
		}
		if smaller.Size < d.Size/2 {
			return
		}
		if !smaller.mu.TryLock() { // no waiting: depots must be locked in the order of their classes
			continue
		}
		found := len(smaller.items) > 0
		e.release(smaller, 1)
		d.inherit(smaller)
		smaller.mu.Unlock()
		if found {
			return
		}
	}
}

// larger takes an item for a request of class c from the smallest class after c, up to last, that
// has an idle one. It starts with the magazines of the current P, which need no lock and whose
// items are most likely in the P's caches. Magazines of other Ps are out of reach. The caller must
// hold the lock of depot c; depots are locked in the order of their classes.
func (e *Engine[T]) larger(c, last uint, asked int) (x T, class uint, ok bool) {
	if x, class, ok = e.largerLocal(c, last, asked); ok {
		return x, class, true
	}
	for class := c + 1; class <= last; class++ {
		d := e.at(class)
		if d == nil || !d.stocked.Load() {
			continue
		}
		d.mu.Lock()
		if x, ok = e.largerLimbo(d, class, asked); !ok && len(d.items) > 0 {
			x, ok = e.getDepot(d, current(), asked), true
		}
		d.mu.Unlock()
		if ok {
			return x, class, true
		}
	}
	return x, c, false
}

// largerLimbo takes an item from the current P's magazine of the given class if that is in limbo.
// As in attach, a magazine needs no grace period on its own P. The caller must hold the lock of d.
func (e *Engine[T]) largerLimbo(d *depot[T], class uint, asked int) (x T, ok bool) {
	p := uint(pin.Pin())
	defer pin.Unpin()
	r := d.inLimbo(p<<e.config.Bits | class)
	if r == nil {
		return x, false
	}
	if n := r.Len(); n > 0 {
		return r.Pop(n-1, asked), true
	}
	return x, false
}

// largerLocal takes an item from the current P's magazines of the classes after c, up to last.
func (e *Engine[T]) largerLocal(c, last uint, asked int) (x T, class uint, ok bool) {
	p := uint(pin.Pin())
	defer pin.Unpin()
	m, class := e.lender(p, c, last)
	if m == nil {
		return x, c, false
	}
	return m.Pop(m.Len()-1, asked), class, true
}

// lender returns the first magazine with items of the classes after c, up to last, and its class, or nil. The caller
// must be pinned to P p.
func (e *Engine[T]) lender(p, c, last uint) (m *Magazine[T], class uint) {
	row := p << e.config.Bits
	if !e.has(row) {
		return nil, c
	}
	for class = c + 1; class <= last; class++ {
		if m = e.table.Entry(row | class).Load(); m.Len() > 0 {
			return m, class
		}
	}
	return nil, c
}
