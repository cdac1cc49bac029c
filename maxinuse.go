//go:build go1.25

package basin

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file adds [BytePool.MaxInUse] to a BytePool: a quota of bytes that is taken before a slice
// is handed out and given back after it has been put. In a pool with a quota, gets and puts stay
// nil, so every Get and Put takes the slow path and reaches the code below. That code still uses
// the magazines.
//
// The quota counts the capacity of the request's own size class. So which requests fit does not
// depend on which slices are idle. The pool knows the addresses of the arrays that it has
// allocated, and so recognises foreign arrays in Put: see lost.go, which also finds arrays that are
// never put back. Slices larger than MaxSize, and those that did not fit under the ceiling, each
// have a record: see outside.go.

// chargeUnit is the unit to which capacities of slices larger than MaxSize are rounded up.
const chargeUnit = sizeclass.Min

// ErrTooLarge is the error of [BytePool.GetContext] for a request larger than MaxInUse. The error
// wraps it with the numbers.
var ErrTooLarge = errors.New("request is larger than MaxInUse")

// GetContext is [BytePool.Get] with a limit on waiting. Without a [BytePool.MaxInUse] it never
// waits. With one, it waits until all earlier requests have been served and there is room for n
// bytes. If ctx is done before that, GetContext returns nil and the error of ctx. If n can never
// fit, it fails at once, with an error that wraps [ErrTooLarge] and names both numbers. It panics
// if ctx is nil.
func (p *BytePool) GetContext(ctx context.Context, n int) ([]byte, error) {
	if ctx == nil {
		panic("basin: BytePool.GetContext with a nil context")
	}
	if err := ctx.Err(); err != nil {
		if q := p.ceiling(); q != nil {
			q.Refuse(false)
		}
		return nil, err
	}
	q := p.ceiling()
	if q == nil {
		return p.Get(n), nil
	}
	// Most requests find their class and room here, with as few calls as possible.
	if c := p.sizes.Class(n); !c.None() && check.Current.Load() == nil && q.TryTake(int64(c.Size())) {
		return p.pooled(n, c, bestFit), nil // own class only, because MaxFit is 1
	}
	b, err := p.getCounted(ctx, n)
	if errors.Is(err, ErrTooLarge) {
		q.Refuse(false)
	}
	return b, err
}

// TryGet is [BytePool.Get] without waiting. It returns nil and false if there is no room for n
// bytes under [BytePool.MaxInUse], or if other requests wait for room.
func (p *BytePool) TryGet(n int) ([]byte, bool) {
	if p.ceiling() == nil {
		return p.Get(n), true
	}
	b := p.tryCounted(n)
	if b == nil {
		p.quota.Refuse(int64(n) <= p.quota.Max())
		return nil, false
	}
	return b, true
}

// ceiling returns the quota of p, or nil, and ensures that p is ready for use.
func (p *BytePool) ceiling() *quota.Quota {
	p.ready()
	return p.quota
}

// growTo is Get for calls that grow a slice. Their caller may hold a slice that others wait for, so
// growTo must not wait. If MaxInUse leaves no room, it returns a slice that is not counted.
func (p *BytePool) growTo(n int, f fit) []byte {
	if p.ceiling() == nil {
		if f == ownClass {
			return p.get(n, f)
		}
		return p.Get(n)
	}
	if b := p.tryCounted(n); b != nil {
		return b
	}
	return p.uncounted(n)
}

// getCounted returns n bytes and waits for room if needed. It returns an error if n can never fit.
func (p *BytePool) getCounted(ctx context.Context, n int) ([]byte, error) {
	if n <= 0 {
		return []byte{}, nil
	}
	size, c := p.charge(n)
	if limit := p.quota.Max(); size > limit {
		return nil, fmt.Errorf("basin: %d bytes, a capacity of %d, from a pool with a MaxInUse of %d: %w", n, size, limit, ErrTooLarge)
	}
	if err := p.quota.Take(ctx, size); err != nil {
		return nil, err
	}
	return p.counted(n, size, c), nil
}

// tryCounted returns n bytes, or nil if there is no room.
func (p *BytePool) tryCounted(n int) []byte {
	if n <= 0 {
		return []byte{}
	}
	size, c := p.charge(n)
	if !p.quota.TryTake(size) {
		return nil
	}
	return p.counted(n, size, c)
}

// charge returns the class of a request for n bytes and its charge: the capacity that it will get.
func (p *BytePool) charge(n int) (size int64, c sizeclass.Class) {
	if t := check.Current.Load(); t != nil {
		t.Sweep() // before anything is taken
	}
	c = p.classes().Class(n)
	switch {
	case !c.None():
		return int64(c.Size()), c
	case int64(n) > p.quota.Max(): // rounding up could overflow
		return int64(n), c
	}
	return (int64(n) + chargeUnit - 1) &^ (chargeUnit - 1), c
}

// counted returns n bytes whose charge, size, has been taken from the quota.
func (p *BytePool) counted(n int, size int64, c sizeclass.Class) (b []byte) {
	if !c.None() {
		return p.pooled(n, c, bestFit) // as in GetContext
	}
	defer func() {
		if b == nil { // allocation panicked
			p.quota.Give(size)
		}
	}()
	b = p.outside(n, int(size))
	p.ledger.outside.add(unsafe.SliceData(b), cap(b), true, p.ledger.lostOutside)
	return b
}

// uncounted returns n bytes that the quota does not count. Their odd capacity marks them.
func (p *BytePool) uncounted(n int) []byte {
	if t := check.Current.Load(); t != nil && t.Full() {
		return p.checkedUncounted(t, n)
	}
	return p.countOutside(p.allocateOdd(n | 1)[:n])
}

// allocateOdd allocates an array with an odd capacity, which tells Put that the quota did not count
// it. It aligns arrays of 64 bytes and more to 64, as pooled slices are, because callers that grow
// a slice must not lose that alignment.
func (p *BytePool) allocateOdd(n int) []byte {
	b := p.allocate(n + -n&63)[:n:n]
	p.ledger.outside.add(unsafe.SliceData(b), n, false, p.ledger.lostOutside)
	return b
}

// isUncounted reports whether uncounted made the array of the given capacity at x.
func (p *BytePool) isUncounted(x *byte, capacity int) bool {
	return capacity&1 == 1 && p.quota != nil && p.ledger.outside.uncounted(x, capacity)
}

// putCounted is put for the usual case under a ceiling: no call is checked or recorded, the array is
// one of the pool's, and its P's magazine has room. If it returns false, it has done nothing.
func (p *BytePool) putCounted(x *byte, capacity int) bool {
	if p.zero || check.Current.Load() != nil || recorder.Current.Load() != nil {
		return false
	}
	c := p.sizes.Class(capacity)
	if c.None() || capacity != c.Size() || !p.ledger.knows(x, c.Index()) {
		return false
	}
	mem.RaceWrite(x, capacity)
	if !p.engine.Push(c.Index(), x) {
		return false
	}
	p.quota.Give(int64(capacity))
	return true
}

// credit gives back the charge of the array at x, put with the given capacity. verdict and own are
// the results of recycle.
func (p *BytePool) credit(x *byte, capacity int, verdict engine.Verdict, own bool) {
	size := int64(capacity)
	switch {
	case own:
		if verdict == engine.Double || size > p.quota.Max() { // the latter is not of this pool
			return
		}
	case capacity > p.sizes.Largest() || capacity&1 == 1:
		if _, counted := p.ledger.outside.remove(x, capacity); !counted {
			return
		}
	case !p.ledger.guardedEnded(x):
		return
	}
	p.quota.Give(size)
}
