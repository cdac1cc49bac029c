//go:build go1.25

package basinscope

import (
	"runtime"

	"github.com/basin-go/basin/internal/quota"
)

// Memory that is not from the pool, of values and of fresh scopes, counts towards the Limit of the pool, too.

// A bill has the bytes that a scope takes in that way. It is apart from the core, whose cleanup has it.
type bill struct {
	pays  quota.Payer
	bytes int64
}

// charge counts n bytes that are not from the pool. If there is no room, it goes beyond the Limit.
func (s *Scope) charge(n int) {
	if s.tryCharge(n) {
		return
	}
	s.exceed()
	b := s.core.bill
	b.pays.Force(int64(n))
	b.bytes += int64(n)
	quota.GuestBeyond(s.pool)
}

// tryCharge is charge if there is room. It reports whether there is.
func (s *Scope) tryCharge(n int) bool {
	if !s.ceils {
		return true
	}
	b := s.ensure().bill
	if b == nil {
		b = new(bill)
		s.core.bill = b
		runtime.AddCleanup(s.core, (*bill).lose, b)
	}
	if b.bytes == 0 {
		pays, limited := quota.Guest(s.pool)
		if !limited {
			return true
		}
		b.pays = pays
	}
	if !b.pays.TryTake(int64(n)) {
		return false
	}
	b.bytes += int64(n)
	return true
}

// settle gives the bytes back.
func (c *core) settle() {
	if c.bill != nil && c.bill.bytes > 0 {
		c.bill.pays.Give(c.bill.bytes)
		*c.bill = bill{}
	}
}

// lose gives back the bytes of a scope that was dropped without End.
func (b *bill) lose() {
	if b.bytes > 0 {
		b.pays.Recover(b.bytes)
	}
}
