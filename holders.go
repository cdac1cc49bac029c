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
	now  Amount
	lost uint64

	gets, puts, leaks uint64 // gets - puts - leaks is now.Items
}

// holdings are the balances of all places so far.
var holdings struct {
	sync.Mutex
	of map[place]*holding
}

// maxHoldings is the most places without outstanding slices and lost ones that are remembered.
const maxHoldings = 4096

func init() { check.Holders = holders }

// holders returns the places that hold memory of pools with a MaxInUse, and those that did.
func holders() (list []check.Site) {
	h := &holdings
	h.Lock()
	defer h.Unlock()
	before := make(map[place]Amount)
	for k, x := range h.of {
		before[k] = x.now
		x.now, x.lost = Amount{}, 0
	}
	pools.Each(func(p any) {
		if p, ok := p.(*BytePool); ok && p.done.Load() != nil && p.ledger != nil {
			p.ledger.addTo(p.owner(p.Name).Name)
		}
	})
	for k, x := range h.of {
		// Lost slices of a pool that is garbage itself are not in lost any more.
		lost := max(x.lost, x.leaks) - x.leaks
		x.leaks += lost
		if change := x.now.Items + int64(lost) - before[k].Items; change > 0 {
			x.gets += uint64(change)
		} else {
			x.puts += uint64(-change)
		}
		if x.now.Items == 0 && x.leaks == 0 && len(h.of) > maxHoldings {
			delete(h.of, k)
			continue
		}
		list = append(list, check.Site{
			Pool: k.pool, Acquired: k.at.Stack(), Items: x.now.Items, Bytes: x.now.Bytes,
			Gets: x.gets, Puts: x.puts, Leaks: x.leaks,
		})
	}
	check.Sort(list)
	return list
}

// addTo adds the outstanding and the lost slices of l to holdings, as those of a pool of the given name.
// The caller must hold the lock of holdings.
func (l *ledger) addTo(pool string) {
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
	l.arrays.All(func(a uintptr, tag uint, word uint32) {
		if word&held == 0 {
			return
		}
		size := 0
		if tag != guardedTag {
			size = l.sizes.Size(int(tag))
		} else if array, ok := guard.Find(a); ok {
			size = array.Size
		}
		of(placeOf(word)).now.add(size, 1)
	})
	o := &l.outside
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.slices {
		if s.counted {
			of(s.site).now.add(s.size, 1)
		}
	}
	for at, n := range o.lostAt {
		of(at).lost += n
	}
}
