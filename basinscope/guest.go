//go:build go1.25

package basinscope

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/basin-go/basin/internal/quota"
)

// Memory that is not from the pool, of values and of fresh scopes, counts towards the Limit of the pool, too.

// A bill has the bytes that a scope takes in that way. It is apart from the core, whose cleanup has it.
type bill struct {
	pays  quota.Payer // while bytes is not zero
	bytes atomic.Int64
}

// bills has the bills of all cores. Go loses some cleanups, and then a request that finds no room asks for those whose
// core is garbage.
var bills struct {
	sync.Mutex
	of map[*bill]weak.Pointer[core]
}

func init() { quota.EndGuests = endDead }

// newBill returns the bill of c.
func newBill(c *core) *bill {
	b := new(bill)
	bills.Lock()
	defer bills.Unlock()
	if bills.of == nil {
		bills.of = make(map[*bill]weak.Pointer[core])
	}
	bills.of[b] = weak.Make(c)
	runtime.AddCleanup(c, (*bill).lose, b)
	return b
}

// charge counts n bytes that are not from the pool. If there is no room, it goes beyond the Limit.
func (s *Scope) charge(n int) {
	if s.tryCharge(n) {
		return
	}
	s.exceed()
	b := s.core.bill
	b.pays.Force(int64(n))
	b.bytes.Add(int64(n))
	quota.GuestBeyond(s.pool)
}

// tryCharge is charge if there is room. It reports whether there is.
func (s *Scope) tryCharge(n int) bool {
	if !s.ceils {
		return true
	}
	b := s.ensure().bill
	if b == nil {
		b = newBill(s.core)
		s.core.bill = b
	}
	if b.bytes.Load() == 0 {
		pays, limited := quota.Guest(s.pool)
		if !limited {
			return true
		}
		b.pays = pays
	}
	if !b.pays.TryTake(int64(n)) {
		return false
	}
	b.bytes.Add(int64(n))
	return true
}

// fits reports whether the limits have room for an array of values that has n bytes.
func (s *Scope) fits(n uintptr) bool {
	n += n / 4 // sizes of chunks are rounded up
	if s.Max > 0 && int64(n) > s.Max-s.total() || !s.tryCharge(int(n)) {
		return false
	}
	if s.ceils && s.core.bill.bytes.Load() > 0 { // there is a Limit
		s.core.bill.bytes.Add(-int64(n))
		s.core.bill.pays.Give(int64(n))
	}
	return true
}

// settle gives the bytes back.
func (c *core) settle() {
	if c.bill == nil {
		return
	}
	if n := c.bill.bytes.Swap(0); n > 0 {
		c.bill.pays.Give(n)
		c.bill.pays = quota.Payer{}
	}
}

// lose gives back the bytes of a scope that was dropped without End. Only the first call does something.
func (b *bill) lose() {
	bills.Lock()
	delete(bills.of, b)
	bills.Unlock()
	if n := b.bytes.Swap(0); n > 0 {
		b.pays.Recover(n)
	}
}

// endDead calls lose for all scopes that are garbage.
func endDead() {
	var dead []*bill
	bills.Lock()
	for b, c := range bills.of {
		if c.Value() == nil {
			dead = append(dead, b)
		}
	}
	bills.Unlock()
	for _, b := range dead {
		b.lose()
	}
}
