//go:build go1.25

package engine

import (
	"sync/atomic"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
)

// An item that is another pool's may be idle here, because its user put it into the wrong pool. When
// that pool needs the room, it looks here. Items of depots can be taken under their locks. Those of magazines
// need a grace period, as for Trim. A look at the magazines of other Ps tells whether that is worth its
// cost: it reads single words, and a wrong result costs only time. Magazines keep their other items, and
// their Ps find them in limbo.

// A Retrieved is an item that Retrieve took out, with its class.
type Retrieved[T any] struct {
	Class uint
	Item  T
}

// Retrieve takes all idle items out for which wanted returns true, and returns them. Unless own is set,
// they are strays: no Get of this engine has handed them out. They count as released. wanted may be
// called several times for an item, with items that are not idle any more, and with locks held. It must
// not use the engine. Its result is final only for the returned items. If a magazine seems to have a
// wanted item, Retrieve stops the world.
func (e *Engine[T]) Retrieve(own bool, wanted func(c uint, x T) bool) (found []Retrieved[T]) {
	if e.idle.taken.Load() == 0 {
		return nil
	}
	search := searches.Add(1)
	waits := false
	for c, d := range e.made() {
		take := func(x T) bool { return wanted(c, x) }
		d.mu.Lock()
		if n := len(found); len(d.items) > 0 {
			found = d.retrieve(found, c, take)
			e.retrieved(d, len(found)-n, own)
			e.idle.give(int64(len(found)-n) * d.Size)
			if len(found) > n {
				e.lowerMark()
			}
		}
		if e.mayHold(d, c, take) {
			e.retireFor(search, d, c)
			waits = true
		}
		d.mu.Unlock()
	}
	if !waits {
		return found
	}
	pin.Quiesce()
	for c, d := range e.made() {
		take := func(x T) bool { return wanted(c, x) }
		d.mu.Lock()
		n := len(found)
		for i := range d.limbo {
			if r := &d.limbo[i]; r.search == search {
				r.search = 0
				found = r.retrieve(found, c, take) // its slots stay paid for
			}
		}
		e.retrieved(d, len(found)-n, own)
		d.mu.Unlock()
	}
	return found
}

// searches is the number of calls of Retrieve.
var searches atomic.Uint64

// retrieved counts n items of d that Retrieve took out. The caller must hold the lock of d.
func (e *Engine[T]) retrieved(d *depot[T], n int, own bool) {
	if n == 0 {
		return
	}
	d.released += uint64(n)
	if own {
		e.exist(d, -int64(n))
	} else {
		d.strays += uint64(n)
	}
	gccycle.Release(int64(n) * d.Size * max(1, e.config.Weight))
}

// retrieve moves the items that take accepts to found, as items of class c. The caller must hold the
// lock.
func (d *depot[T]) retrieve(found []Retrieved[T], c uint, take func(T) bool) []Retrieved[T] {
	items, rest := d.items, d.items[:0]
	for _, x := range items {
		if take(x) {
			found = append(found, Retrieved[T]{c, x})
		} else {
			rest = append(rest, x)
		}
	}
	if k := len(items) - len(rest); k > 0 {
		d.items = items // with the rest at its beginning
		d.pop(uint(k))
	}
	return found
}

// retrieve moves the items that take accepts to found. Nobody may use the magazine meanwhile.
func (m *Magazine[T]) retrieve(found []Retrieved[T], c uint, take func(T) bool) []Retrieved[T] {
	items := m.items()
	rest := items[:0]
	for _, x := range items {
		if take(x) {
			found = append(found, Retrieved[T]{c, x})
		} else {
			rest = append(rest, x)
		}
	}
	k := len(items) - len(rest)
	clear(items[len(rest):])
	m.state.add(-uint64(k) * push)
	return found
}

// mayHold reports whether a magazine of class c may have an item that take accepts. The caller must
// hold the lock of d.
func (e *Engine[T]) mayHold(d *depot[T], c uint, take func(T) bool) bool {
	if d.slots == 0 {
		return false
	}
	for m := range e.magazines(d, c) {
		for _, x := range m.slots[1:][:lenOf(m.state.peek())] {
			if take(x) {
				return true
			}
		}
	}
	return false
}

// retireFor takes the magazines of class c out of the table, for a search. Those in limbo by now, and
// still there after a stop of the world, are in nobody's use. The caller must hold the lock of d.
func (e *Engine[T]) retireFor(search uint64, d *depot[T], c uint) {
	now := e.clock()
	for i := c; e.has(i); i += 1 << e.config.Bits {
		m := e.table.Entry(i).Load()
		if m == e.empty {
			continue
		}
		e.table.Entry(i).Store(e.empty)
		// As in withdraw: the next round may have been scheduled before this point.
		d.limbo = append(d.limbo, retired[T]{Magazine: m, entry: i, round: e.round.Load() + 2, since: now})
	}
	for i := range d.limbo {
		d.limbo[i].search = search
	}
	d.restock()
}
