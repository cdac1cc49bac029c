//go:build go1.25

package basin

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/quota"
)

// A Reservation is memory under a [Limit] that [Limit.Acquire] has reserved, for one request. Pools draw from it
// through views: see [Reservation.Pool]. What a request needs beyond its reservation, it gets if there is room,
// and otherwise [ErrLimit]: it does not wait.
//
// Whoever has acquired a Reservation must release it. One that becomes garbage is found by the collector, and
// counts as lost. A nil Reservation reserves nothing: its Pool returns the pool itself. All methods may be
// called from many goroutines at once.
type Reservation struct {
	account *quota.Account

	mu    sync.Mutex
	views []*BytePool
}

func (l *Limit) reservation(account *quota.Account, n int64) *Reservation {
	r := &Reservation{account: account}
	runtime.AddCleanup(r, func(account *quota.Account) {
		if unused, ok := account.Lose(); ok {
			l.lost.add(int(unused))
			l.over.found()
		}
	}, account)
	return r
}

// Release gives back what is reserved and not in use. Memory that is still in use counts towards the Limit until
// it is put back. Views of pools work on, without the reservation. Another Release does nothing.
func (r *Reservation) Release() {
	if r != nil && r.account != nil {
		r.account.Close()
		runtime.KeepAlive(r)
	}
}

// Pool returns a view of p that draws from the reservation: a pool with the same idle memory and settings, whose
// slices count towards the reservation instead of the Limit. Its calls do not wait. TryGet, GetContext, ReadAll,
// Copy and Buffers of the view find room in the reservation, or else under the Limit, or fail: GetContext with an
// error that wraps [ErrLimit]. Get, Append and the like go beyond. A slice of the view may be put into the view,
// or into p, during or after the reservation. Statistics count it as one of p.
//
// The Limit of p must be that of the reservation, or lie within it or around it; otherwise Pool panics. If p
// draws from further limits, MaxInUse among them, these count, too. If p is nil, it stands for the default pool.
func (r *Reservation) Pool(p *BytePool) *BytePool {
	if p == nil {
		p = Default()
	}
	if r == nil || r.account == nil {
		return p
	}
	p, _ = p.lender()
	p.ready(p)
	if p.quota == nil || common(p.quota, r.account) == nil {
		panic(fmt.Sprintf("basin: Reservation.Pool of the pool %q, which does not draw from the limit of the reservation: set its field Limit", p.Name))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.views {
		if pool, _ := v.lender(); pool == p {
			return v
		}
	}
	v := p.viewFor(r)
	r.views = append(r.views, v)
	return v
}

// common returns the innermost quota that q and the account draw from, or nil.
func common(q *quota.Quota, a *quota.Account) *quota.Quota {
	for ; q != nil; q = q.Within() {
		if a.Quota().LiesIn(q) {
			return q
		}
	}
	return nil
}

// reservationKey is the key of a Reservation in a context.
type reservationKey struct{}

// carried is set once a context carries a Reservation.
var carried atomic.Bool

// Context returns a copy of ctx that carries r, for [ReservationOf]. Acquire and GetContext do not wait with such
// a context: they return an error that wraps [ErrLimit] instead. GetContext also draws from r if the pool could:
// see [Reservation.Pool].
func (r *Reservation) Context(ctx context.Context) context.Context {
	if !carried.Load() {
		carried.Store(true)
	}
	return context.WithValue(ctx, reservationKey{}, r)
}

// ReservationOf returns the Reservation that ctx carries, or nil.
func ReservationOf(ctx context.Context) *Reservation {
	if !carried.Load() {
		return nil
	}
	r, _ := ctx.Value(reservationKey{}).(*Reservation)
	return r
}

// A view says that a BytePool has the settings of another one, whose slices it hands out.
type view struct {
	pool *BytePool
	from *Reservation
}

// viewFor returns a view of p that draws from r.
func (p *BytePool) viewFor(r *Reservation) *BytePool {
	v := &BytePool{
		Name: p.Name, MinSize: p.MinSize, MaxSize: p.MaxSize, MaxFit: p.MaxFit, MaxIdle: p.MaxIdle, IdleTime: p.IdleTime,
		MaxInUse: p.MaxInUse, Limit: p.Limit, Zero: p.Zero, ZeroNew: p.ZeroNew, Adopts: p.Adopts,
	}
	v.sizes, v.config, v.zero, v.clean, v.adopts = p.sizes, p.config, p.zero, p.clean, p.adopts
	v.quota, v.ledger = p.quota, p.ledger
	v.rare.Store(&rare{view: &view{p, r}})
	v.done.Store(p.done.Load())
	return v
}

// lender returns the pool that p is a view of, and the reservation that it draws from. If p is no view, it
// returns p and nil.
func (p *BytePool) lender() (*BytePool, *Reservation) {
	if r := p.rare.Load(); r != nil && r.view != nil {
		return r.view.pool, r.view.from
	}
	return p, nil
}
