//go:build go1.25

package basin

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/basin-go/basin/internal/quota"
)

// A Reservation is memory under a [Limit] that [Limit.Acquire] has reserved, for one request. Pools draw from it
// through views: see [Reservation.Pool]. A request gets more than its reservation if there is room,
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

// Acquire reserves n bytes before a request holds any memory, and waits for them if there is no room. If ctx is
// done before that, or is done already, it returns the error of ctx. If n is more than the maximum, it returns
// at once an error that wraps [ErrLimit]. It does so, too, if there is no room and ctx carries a Reservation,
// whose holder must not wait. It refuses an n below zero, and panics if ctx is nil.
//
// Reservations cannot wait for each other in a circle: whoever waits in Acquire holds none, and whoever has one
// does not wait.
func (l *Limit) Acquire(ctx context.Context, n int64) (*Reservation, error) {
	if ctx == nil {
		panic("basin: Limit.Acquire with a nil context")
	}
	q := l.begun().quota
	if n < 0 {
		return nil, fmt.Errorf("basin: Limit.Acquire of %d bytes, want 0 or more", n)
	}
	if err := ctx.Err(); err != nil {
		q.Refuse(0, false)
		return nil, err
	}
	if n > q.Least() {
		q.Refuse(n, false)
		return nil, l.refusal(n)
	}
	if carriedBy(ctx) != nil {
		account, ok := q.TryReserve(n)
		if !ok {
			q.Refuse(n, true)
			return nil, l.refusal(n)
		}
		return l.reservation(account, n), nil
	}
	account, err := q.Reserve(ctx, n)
	switch {
	case errors.Is(err, quota.ErrTooMuch): // since SetMax
		return nil, l.refusal(n)
	case err != nil:
		return nil, err
	}
	return l.reservation(account, n), nil
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

// Release gives back the reserved bytes that are not in use. Memory that is still in use counts towards the Limit until
// it is put back. Views of pools work on, without the reservation. Another Release does nothing.
func (r *Reservation) Release() {
	if r != nil && r.account != nil {
		r.account.Close()
		runtime.KeepAlive(r)
	}
}

// Pool returns a view of p that draws from the reservation: a pool with the same idle memory and settings, whose
// slices count towards the reservation instead of the Limit. Its calls do not wait. TryGet, GetContext, ReadAll
// and Buffers of the view find room in the reservation, or else under the Limit, or fail: GetContext with an
// error that wraps [ErrLimit]. Get, Append and the like go beyond. A slice of the view may be put into the view,
// or into p, during or after the reservation. Statistics count it as one of p.
//
// The Limit of p must be that of the reservation, or share an outer Limit with it; otherwise Pool panics. If p
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
	if p.quota == nil || r.account.Common(p.quota) == nil {
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

// Context returns a copy of ctx that carries r, for [ReservationOf]. Acquire and GetContext do not wait with such
// a context: they return an error that wraps [ErrLimit] instead. GetContext also draws from r if the pool could:
// see [Reservation.Pool].
func (r *Reservation) Context(ctx context.Context) context.Context {
	if ctx == nil {
		panic("basin: Reservation.Context with a nil context")
	}
	if r == nil {
		return ctx
	}
	if !carried.Load() {
		carried.Store(true)
	}
	return context.WithValue(ctx, carrierKey{}, r)
}

// ReservationOf returns the Reservation that ctx carries, or nil.
func ReservationOf(ctx context.Context) *Reservation {
	if !carried.Load() {
		return nil
	}
	r, _ := ctx.Value(carrierKey{}).(*Reservation)
	return r
}

// paying makes r a carrier.
func (r *Reservation) paying() *quota.Account {
	if r == nil {
		return nil
	}
	return r.account
}

// viewFor returns a view of p that draws from r.
func (p *BytePool) viewFor(r *Reservation) *BytePool {
	v := &BytePool{
		Name: p.Name, MinSize: p.MinSize, MaxSize: p.MaxSize, MaxFit: p.MaxFit, MaxIdle: p.MaxIdle, IdleTime: p.IdleTime,
		MaxInUse: p.MaxInUse, Limit: p.Limit, Zero: p.Zero, ZeroNew: p.ZeroNew, Adopts: p.Adopts,
	}
	v.sizes, v.config, v.zero, v.clean, v.adopts, v.manner = p.sizes, p.config, p.zero, p.clean, p.adopts, viewing
	v.quota, v.ledger = p.quota, p.ledger
	v.rare.Store(&rare{view: &view{p, r.account, r}})
	v.done.Store(p.done.Load())
	return v
}

// limited reports whether p is under a limit.
func (p *BytePool) limited() bool { return p.Limit != nil || p.MaxInUse > 0 }
