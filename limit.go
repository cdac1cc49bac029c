//go:build go1.25

package basin

import (
	"errors"
	"fmt"
	"sync"
	"weak"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/memlimit"
	"github.com/basin-go/basin/internal/quota"
)

// A Limit is a budget: so many bytes of memory in use, shared by any number of pools of all kinds, and by
// whatever else reports to it. Pools name it in their field Limit. The zero Limit is ready, and has no maximum.
//
//	var uploads = basin.Limit{Name: "uploads", Max: 120 << 20}
//	var bodies = basin.BytePool{Name: "bodies", Limit: &uploads}
//
// One rule says how a call meets a Limit that has no room. A call with a context waits. A call that returns an
// error, or a bool, does not wait: it returns [ErrLimit], or false, and has given back all that it took. A call
// that can do neither goes beyond the limit, and counts: so others wait until the memory is back. In use is
// memory that has been handed out and not put back. Idle memory has a limit of its own: see [BytePool.MaxIdle].
//
// Requests that wait are served in the order of their arrival, and a large one is not overtaken. To wait before
// a request holds anything, and not in its midst, reserve its memory with [Limit.Acquire].
//
// Memory that becomes garbage without a Put leaves its room when the collector has found it. While requests
// wait, the Limit makes the collector run now and then, and logs once which lines hold the memory.
//
// The first use of a Limit, by a pool or by one of its methods, reads its fields, which must not change from
// then on: use [Limit.SetMax]. If a field is out of range, the first use panics with its name; [Validate] finds
// this earlier. A Limit must not be copied after its first use. All methods may be called from many goroutines
// at once.
//
// The idea of a budget that reservations draw from is that of the byte monitors of CockroachDB.
type Limit struct {
	// Name labels the Limit in statistics, where it has a row of its own, with the kind "Limit".
	Name string

	// Max is the largest number of bytes in use. Zero means no maximum.
	Max int64

	// Share, if not zero, limits the bytes in use to that part of the memory limit of the program, which is
	// GOMEMLIMIT or the limit of its container. It is from 0 to 1. Of Max and Share, the lesser holds. If the
	// memory limit changes, the Limit follows it at the next garbage collection. Without a memory limit, Share
	// has no effect.
	Share float64

	// Within, if not nil, is a Limit whose bytes in use include those of this one: that of the process, where
	// this one is of a tenant.
	Within *Limit

	base
	over *overseer  // made by the first use
	lost largeCount // reservations that were dropped

	changes sync.Mutex // held while the maximum changes
	fixed   bool       // SetMax was called
}

// ErrLimit is wrapped by the error of each call that finds no room under a [Limit], or under
// [BytePool.MaxInUse], and does not wait.
var ErrLimit = errors.New("no room under the limit")

// A limitError is an ErrLimit with the numbers.
type limitError struct {
	n     int64 // bytes asked for
	size  int64 // bytes that they take
	least int64 // the maximum
	name  string
}

func (e *limitError) Unwrap() error { return ErrLimit }

func (e *limitError) Error() string {
	limit := "the limit"
	if e.name != "" {
		limit += fmt.Sprintf(" %q", e.name)
	}
	n := fmt.Sprintf("%d bytes", e.n)
	if e.size != e.n {
		n += fmt.Sprintf(", a capacity of %d,", e.size)
	}
	if e.size > e.least {
		return fmt.Sprintf("basin: no room for %s under %s of %d, which is less than that", n, limit, e.least)
	}
	return fmt.Sprintf("basin: no room for %s under %s of %d now", n, limit, e.least)
}

// refusal returns the error for n bytes that get no room.
func (l *Limit) refusal(n int64) error { return l.over.refusal(n, n) }

// refusal returns the error for n bytes, which take size, and get no room. It names the limit that has none.
func (o *overseer) refusal(n, size int64) error {
	full := o
	for at := o; at != nil; at = at.outer {
		if size > at.quota.Max()-at.quota.Taken() {
			full = at
			break
		}
	}
	return &limitError{n: n, size: size, least: full.quota.Max(), name: full.name}
}

func (l *Limit) complete() (settings, error) {
	c := fieldCheck{kind: "Limit"}
	seen := make(map[*Limit]bool)
	for at := l; at != nil && c.err == nil; at = at.Within {
		switch {
		case seen[at]:
			c.refuse("Within", fmt.Sprintf("%q", at.Name), "no circle of limits")
		case at.Max < 0:
			c.refuse("Max", at.Max, "0 (for none) or more")
		case at.Max > quota.Max:
			c.refuse("Max", at.Max, "at most %d", int64(quota.Max))
		case !(at.Share >= 0 && at.Share <= 1):
			c.refuse("Share", at.Share, "0 (for none) to 1")
		}
		seen[at] = true
	}
	return settings{name: l.Name, maxInUse: l.Max, share: l.Share, limit: l.Within.overseen()}, c.err
}

func (l *Limit) begin(s *settings) {
	var outer *overseer
	if s.limit != nil {
		outer = s.limit.begun()
	}
	l.over = newOverseer("Limit", s.name, s.mostInUse(), outer)
	register(l, &l.id, nil, func(*Limit) {})
	if s.share == 0 {
		return
	}
	self := weak.Make(l)
	gccycle.Register(func(gccycle.Pressure) (keep bool) {
		l := self.Value()
		if l != nil {
			l.follow()
		}
		return l != nil
	})
}

// limit checks the Limit of a pool.
func (c *fieldCheck) limit(l *Limit) {
	if l == nil || c.err != nil {
		return
	}
	if _, err := l.complete(); err != nil {
		c.err = fmt.Errorf("basin: %s.Limit: %w", c.kind, err)
	}
}

// overseer returns the overseer of the limits of a pool of the given kind, or nil.
func (s *settings) overseer(kind string) *overseer {
	var shared *overseer
	if s.limit != nil {
		shared = s.limit.begun()
	}
	if s.maxInUse > 0 {
		return newOverseer(kind, s.name, s.maxInUse, shared)
	}
	return shared
}

// overseen returns l as the value of settings.limit.
func (l *Limit) overseen() overseen {
	if l == nil {
		return nil
	}
	return l
}

// begun returns the overseer of l, and ensures that l is ready for use.
func (l *Limit) begun() *overseer {
	s := l.ready(l)
	field := ""
	switch {
	case l.Max != s.maxInUse:
		field = "Max"
	case l.Share != s.share:
		field = "Share"
	case l.Within.overseen() != s.limit:
		field = "Within"
	default:
		return l.over
	}
	panic(fmt.Sprintf("basin: the field %s of the Limit %q was changed after its first use: use SetMax", field, s.name))
}

// is reports whether l is the Limit of a pool's settings, or both are nil. It panics if a field of l has changed.
func (l *Limit) is(s overseen) bool {
	if l != nil && s != nil {
		l.begun()
	}
	return l.overseen() == s
}

// mostInUse returns the maximum that the fields of a Limit, or a pool, stand for.
func (s *settings) mostInUse() int64 {
	most := int64(quota.Max)
	if s.maxInUse > 0 {
		most = s.maxInUse
	}
	if limit := memlimit.Now(); s.share > 0 && limit != memlimit.None {
		most = min(most, max(1, int64(s.share*float64(limit.Bytes))))
	}
	return most
}

// follow makes l follow the memory limit.
func (l *Limit) follow() {
	s := l.done.Load()
	if s == nil || s.share == 0 {
		return
	}
	l.changes.Lock()
	defer l.changes.Unlock()
	if !l.fixed {
		l.over.quota.SetMax(s.mostInUse())
	}
}

// SetMax changes the maximum, in the place of Max and Share; zero means none. It may be less than the memory
// in use: then nobody gets any until enough of it is back. Requests that wait for more than the new maximum
// fail with [ErrLimit]; one that waits in a Limit within this one, when its turn has come there. SetMax panics if max
// is negative.
func (l *Limit) SetMax(max int64) {
	if max < 0 {
		panic(fmt.Sprintf("basin: Limit.SetMax of %d, want 0 (for none) or more", max))
	}
	q := l.begun().quota
	if max == 0 || max > quota.Max {
		max = quota.Max
	}
	l.changes.Lock()
	defer l.changes.Unlock()
	l.fixed = true
	q.SetMax(max)
}

// Stats returns the statistics of l, which also stand among those of the pools. Bytes.InUse is the memory in
// use, Reserved what reservations hold in advance, and Bytes.MaxInUse the maximum, or zero if there is none.
// Lost counts reservations that became garbage without a Release. InUse is above MaxInUse if calls went beyond
// it, or SetMax has lowered it.
func (l *Limit) Stats() Stats {
	var s Stats
	l.stats(l.id.Load(), &s)
	return s
}

// stats overwrites s with the statistics of l, whose ID is id. It reuses s.Classes.
func (l *Limit) stats(id uint64, s *Stats) {
	config := l.base.stats(l, "Limit", id, s)
	s.Items.Idle, s.Items.InUse = 0, Unknown
	s.PeakInUse.Items, s.OutsideInUse.Items = Unknown, 0
	if l.done.Load() == nil {
		s.Bytes.MaxInUse = maxOf(config.mostInUse())
		return
	}
	l.follow()
	q := l.begun().quota
	s.Reserved = q.Reserved()
	s.Bytes.InUse = max(0, q.Taken()-s.Reserved)
	s.Bytes.MaxInUse = maxOf(q.Max())
	s.Lost = l.lost.amount()
	s.waited(q.Waits())
	s.PeakInUse.Bytes = q.Peak()
}

// maxOf returns the figure for a maximum: zero stands for none.
func maxOf(max int64) int64 {
	if max == quota.Max {
		return 0
	}
	return max
}
