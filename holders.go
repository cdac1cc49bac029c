//go:build go1.25

package basin

import (
	"sync"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/guard"
)

// A place is a Site that acquires from pools of one name.
type place struct {
	pool string
	at   caller.Site
}

// A holding is the balance of a place.
type holding struct {
	now        Amount
	lost, gone uint64 // lost slices: those that had to be put back, and others

	gets, puts, leaks, unfreed uint64 // gets - puts - leaks - unfreed is now.Items
}

// holdings are the balances of all places so far.
var holdings struct {
	sync.Mutex
	of map[place]*holding
}

// maxHoldings is the most places without outstanding slices and lost ones that are remembered.
const maxHoldings = 4096

func init() { check.Holders = holders }

// holders returns the places that hold memory of pools with a MaxInUse, and those that did. If known is not
// nil, arrays at an address for which it returns true are left out, and so are those that need not be put back.
func holders(known func(a uintptr) bool) (list []check.Site) {
	h := &holdings
	h.Lock()
	defer h.Unlock()
	before := make(map[place]Amount)
	for k, x := range h.of {
		before[k] = x.now
		x.now, x.lost, x.gone = Amount{}, 0, 0
	}
	pools.Each(func(p any) {
		if p, ok := p.(*BytePool); ok && p.done.Load() != nil && p.ledger != nil {
			p.ledger.addTo(p.owner(p.Name).Name, known)
		}
	})
	for k, x := range h.of {
		// Lost slices of a pool that is garbage itself are not in lost any more.
		lost := max(x.lost, x.leaks) - x.leaks
		gone := max(x.gone, x.unfreed) - x.unfreed
		x.leaks += lost
		x.unfreed += gone
		if change := x.now.Items + int64(lost+gone) - before[k].Items; change > 0 {
			x.gets += uint64(change)
		} else {
			x.puts += uint64(-change)
		}
		if x.now.Items == 0 && x.leaks == 0 && x.unfreed == 0 && len(h.of) > maxHoldings {
			delete(h.of, k)
			continue
		}
		list = append(list, check.Site{
			Pool: k.pool, Acquired: k.at.Stack(), Items: x.now.Items, Bytes: x.now.Bytes,
			Gets: x.gets, Puts: x.puts, Leaks: x.leaks, Unfreed: x.unfreed,
		})
	}
	check.Sort(list)
	return list
}

// addTo adds the outstanding and the lost slices of l to holdings, as those of a pool of the given name.
// The caller must hold the lock of holdings.
func (l *ledger) addTo(pool string, known func(a uintptr) bool) {
	of := func(at caller.Site) *holding {
		h := &holdings
		k := place{pool, at}
		x := h.of[k]
		if x == nil {
			if h.of == nil {
				h.of = make(map[place]*holding)
			}
			x = new(holding)
			h.of[k] = x
		}
		return x
	}
	asked := make(map[uintptr]func()) // known must not be called while the set is locked
	l.arrays.All(func(a uintptr, tag uint, n *note) {
		word := n.word.Get()
		if word&held == 0 {
			return
		}
		size := 0
		if tag != guardedTag {
			size = l.sizes.Size(int(tag))
		} else if array, ok := guard.Find(a); ok {
			size = array.Size
		}
		add := func() { of(placeOf(word)).now.add(size, 1) }
		if known == nil {
			add()
		} else if word&exempted == 0 { // as in the list of full checks
			asked[a] = add
		}
	})
	for a, add := range asked {
		if !known(a) {
			add()
		}
	}
	o := &l.outside
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.slices {
		if known == nil || !s.exempt {
			of(s.site).now.add(s.size, 1)
		}
	}
	for at, n := range o.lostAt {
		if at.exempt {
			of(at.at).gone += n
		} else {
			of(at.at).lost += n
		}
	}
}
