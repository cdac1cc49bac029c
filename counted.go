//go:build go1.25

package basin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/waitlist"
)

// The usual Get and Put under a ceiling are getHeld and putHeld. As the fast paths of BytePool.Get and Put,
// they are written with few calls.

// getHeld is GetContext for the usual case: nothing is checked, the pool is no view, and there is room for n
// bytes, which have a class. Otherwise it returns nil, and has done nothing. It also reports whether the array is new.
func (s *stock) getHeld(n int) (b []byte, isNew bool) {
	c := s.sizes.Class(n)
	if c.None() || check.Current.Load() != nil || s.manner == viewing {
		return nil, false
	}
	x := s.popPaid(c, n)
	if x == nil {
		if !s.quota.TryTake(int64(c.Size())) {
			return nil, false
		}
		if x = s.pop(c.Index(), n); x == nil {
			x, isNew = s.idleOrNew(n, c)
		}
	}
	at := caller.Here()
	if note := s.ledger.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index()); note != nil {
		note.word.Set(uint32(at)<<siteBits | held)
	} else {
		s.ledger.hold(x, c.Index(), at, nil)
	}
	return buffer(x, n, c), isNew
}

// putHeld is put for the usual case in a simple pool: nothing is checked, and the array is one of the
// pool's. Otherwise it returns false, and has done nothing.
func (s *stock) putHeld(x *byte, capacity int) (done bool) {
	if check.Current.Load() != nil {
		return false
	}
	c := s.sizes.Class(capacity)
	if c.None() || capacity != c.Size() {
		return false
	}
	note := s.ledger.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index())
	if note == nil || note.word.Get()&(held|loaned) != held {
		return false
	}
	mem.RaceWrite(x, capacity)
	note.word.Set(unheld)
	if !s.pushPaid(x, c) {
		if !s.push(x, c.Index()) {
			s.engine.Put(c.Index(), x)
		}
		s.quota.GiveLocal(int64(capacity))
	}
	return true
}

// popPaid is pop for an array whose room the credit of the current P has.
func (s *stock) popPaid(c sizeclass.Class, n int) *byte {
	p := uint(pin.Pin())
	if credit := s.quota.Credit(p); credit != nil {
		if i := p<<sizeclass.Bits + c.Index(); s.table.Has(i) {
			m := s.table.Entry(i).Load()
			if top := m.Len() - 1; top < engine.Slots && credit.Take(c.Size()) {
				x := m.Pop(top, n)
				pin.Unpin()
				return x
			}
		}
	}
	pin.Unpin()
	return nil
}

// pushPaid is push if the credit of the current P takes the room of the array.
func (s *stock) pushPaid(x *byte, c sizeclass.Class) bool {
	p := uint(pin.Pin())
	if credit := s.quota.Credit(p); credit != nil {
		if i := p<<sizeclass.Bits + c.Index(); s.table.Has(i) {
			m := s.table.Entry(i).Load()
			if n := m.Len(); m.Room(n) && m.Top(n) != x && credit.Give(c.Size()) {
				m.Push(n, x)
				pin.Unpin()
				return true
			}
		}
	}
	pin.Unpin()
	return false
}

// pop takes an array out of the magazine of a class, for a request of n bytes, or returns nil.
func (s *stock) pop(class uint, n int) *byte {
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if s.table.Has(i) {
		m := s.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x := m.Pop(top, n)
			pin.Unpin()
			return x
		}
	}
	pin.Unpin()
	return nil
}

// push puts the array at x into the magazine of a class, if there is room and it is not on top there.
func (s *stock) push(x *byte, class uint) bool {
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if s.table.Has(i) {
		m := s.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && m.Top(n) != x {
			m.Push(n, x)
			pin.Unpin()
			return true
		}
	}
	pin.Unpin()
	return false
}

// idleOrNew returns an idle or a new array for n bytes of class c, in a pool with a quota and without
// checks.
func (s *stock) idleOrNew(n int, c sizeclass.Class) (x *byte, isNew bool) {
	x, _, ok := s.engine.Get(c.Index(), n, engine.OwnClass) // as MaxFit is 1
	if !ok {
		x = unsafe.SliceData(s.allocate(c.Size()))
		s.ledger.born(x, c.Index())
		s.missed(c)
	}
	return x, !ok
}

// A want says how a request meets a limit without room: it waits as long as ctx allows, unless that is nil, or
// goes beyond the limit. If it does neither, it is refused. It draws from a reservation, if that is not nil.
type want struct {
	ctx   context.Context
	force bool
	quiet bool           // nobody counts the refusal: the caller has another way
	from  *quota.Account // of a reservation
}

// charge returns the class of a request for n bytes and its charge: the capacity that it will get.
func (s *stock) charge(n int) (size int64, c sizeclass.Class) {
	if t := check.Current.Load(); t != nil {
		t.Sweep() // before anything is taken
	}
	if c = s.sizes.Class(n); !c.None() {
		return int64(c.Size()), c
	}
	return (min(int64(n), math.MaxInt64-chargeUnit) + chargeUnit - 1) &^ (chargeUnit - 1), c
}

// wantBy returns the want of a request with a context that carries account, or nil, for the quota q.
func wantBy(ctx context.Context, account *quota.Account, q *quota.Quota) want {
	switch {
	case account == nil:
		return want{ctx: ctx}
	case account.Common(q) == nil:
		return want{}
	}
	return want{from: account}
}

// impossible is the most bytes, or more, that the address space has.
const impossible = min(1<<50, math.MaxInt)

// takeRoom takes the room for size bytes. If there is none, it first looks for arrays in other pools. payer is
// the account that the room is from, or nil for the quota of the pool.
func (s *stock) takeRoom(w want, size int64) (payer *quota.Account, err error) {
	payer = w.from
	pays := quota.Payer{Of: s.quota, From: payer}
	if size > impossible {
		s.refuse(size, false)
		return nil, errNoRoom
	}
	if pays.TryTake(size) || search(s.quota, size) && w.ctx == nil && pays.TryTake(size) {
		return payer, nil
	}
	waits := s.waits()
	switch {
	case w.force:
		pays.Force(size)
		if waits != nil {
			waits.Beyond()
		}
		return payer, nil
	case w.ctx == nil || w.from != nil || size > s.quota.Least():
		if !w.quiet {
			s.refuse(size, size <= s.quota.Least())
		}
		return nil, errNoRoom
	}
	if waits != nil {
		err = errNoRoom // if ctx panics
		note := waits.Note(size)
		defer func() { waits.Ended(note, err == nil) }()
	}
	if err = s.quota.Take(w.ctx, size); errors.Is(err, quota.ErrTooMuch) {
		err = errNoRoom
	}
	return nil, err
}

// refuse counts a request for size bytes that is refused. wanting says that others hold the memory.
func (s *stock) refuse(size int64, wanting bool) {
	s.quota.Refuse(size, wanting)
	if waits := s.waits(); waits != nil {
		waits.Refuse(false)
	}
}

// waits has the waits of the pool's requests, if others wait for the same quota; otherwise it returns nil.
func (s *stock) waits() *waitlist.List {
	if s.config.maxInUse > 0 && s.config.limit == nil {
		return nil
	}
	return &s.ensureRare().waits
}

// errNoRoom is the error of a request that gets no room and does not wait. A caller with a name and numbers
// replaces it.
var errNoRoom = errors.New("no room")

// refusal returns the error for a request of n bytes, which take size, where err is that of takeRoom.
func (s *stock) refusal(n int, size int64, err error) error {
	if err != errNoRoom {
		return err
	}
	return s.ledger.over.refusal(int64(n), size)
}

// A carrier is the value of a context that carries a Reservation.
type carrier interface {
	paying() *quota.Account
}

// carrierKey is its key.
type carrierKey struct{}

// carried is set once a context carries a Reservation.
var carried atomic.Bool

// carriedBy returns the account of the Reservation that ctx carries, or nil. One that was released holds nothing.
func carriedBy(ctx context.Context) *quota.Account {
	if !carried.Load() {
		return nil
	}
	if c, ok := ctx.Value(carrierKey{}).(carrier); ok {
		if account := c.paying(); account != nil && !account.Closed() {
			return account
		}
	}
	return nil
}

// allocateFor is allocate for n bytes whose room payer has paid for. If it panics, the room is given back.
func (s *stock) allocateFor(payer *quota.Account, n int) (b []byte) {
	defer func() {
		if b == nil {
			s.ledger.give(payer, n)
		}
	}()
	return s.allocate(n)
}

// changed returns the message for a BytePool whose MaxInUse or Limit is not that of s any more.
func (s *settings) changed(maxInUse int64) string {
	if maxInUse != s.maxInUse {
		return fmt.Sprintf("basin: the field MaxInUse of the BytePool %q was changed after its first use, from %d to %d: use a Limit, and its SetMax", s.name, s.maxInUse, maxInUse)
	}
	return fmt.Sprintf("basin: the field Limit of the BytePool %q was changed after its first use: set it before, and change the maximum with Limit.SetMax", s.name)
}
