package basin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file is what [BytePool.MaxInUse] adds to a BytePool: a quota of bytes, taken
// before a slice is handed out and given back after it has been put. A pool with a
// quota keeps its fast path's tables empty, so every Get and Put comes here by way
// of the slow path, and the magazines are used from there.
//
// What is counted is capacity. Of a slice that the pool can keep, the capacity also
// tells whether it has been counted, so Put needs no record: slices with the capacity
// of a size class have been, others have not. A slice larger than MaxSize has a
// record.

// chargeUnit divides the capacities of slices larger than MaxSize.
const chargeUnit = sizeclass.Min

// ErrTooLarge is the error of [BytePool.GetContext], wrapped with the numbers, if a
// request is larger than MaxInUse.
var ErrTooLarge = errors.New("request is larger than MaxInUse")

// GetContext is [BytePool.Get] with a bound on waiting. Without a [BytePool.MaxInUse]
// it never waits. With one it waits until all who came before have been served and
// there is room for n bytes. If ctx is done before that, or already, GetContext
// returns nil and the error of ctx. If n can never fit, it fails at once, with an
// error that is [ErrTooLarge] and names both numbers. It panics if ctx is nil.
func (p *BytePool) GetContext(ctx context.Context, n int) ([]byte, error) {
	if ctx == nil {
		panic("basin: BytePool.GetContext with a nil context")
	}
	if err := ctx.Err(); err != nil {
		if q := p.ceiling(); q != nil {
			q.Refuse()
		}
		return nil, err
	}
	q := p.ceiling()
	if q == nil {
		return p.Get(n), nil
	}
	// Most requests find their class and room here, with no call more than need be.
	if c := p.sizes.Class(n); !c.None() && check.Current.Load() == nil && q.TryTake(int64(c.Size())) {
		return p.pooled(n, c, bestFit), nil
	}
	return p.getCounted(ctx, n, bestFit)
}

// TryGet is [BytePool.Get] without waiting: if there is no room for n bytes under
// [BytePool.MaxInUse], or if others wait for room, it returns nil and false.
func (p *BytePool) TryGet(n int) ([]byte, bool) {
	if p.ceiling() == nil {
		return p.Get(n), true
	}
	b := p.tryCounted(n, bestFit)
	return b, b != nil
}

// ceiling returns the quota of p, or nil, and p is ready from then on.
func (p *BytePool) ceiling() *quota.Quota {
	p.ready()
	return p.quota
}

// growTo is Get for those who grow. They may already hold a slice that others wait
// for, so they must not wait themselves. Without room under MaxInUse they get a slice
// that is not counted.
func (p *BytePool) growTo(n int, f fit) []byte {
	if p.ceiling() == nil {
		if f == ownClass {
			return p.get(n, f)
		}
		return p.Get(n)
	}
	if b := p.tryCounted(n, f); b != nil {
		return b
	}
	return p.uncounted(n)
}

// getCounted returns n bytes, and waits for room. If there can never be room, it
// returns an error.
func (p *BytePool) getCounted(ctx context.Context, n int, f fit) ([]byte, error) {
	if n <= 0 {
		return []byte{}, nil
	}
	size, c := p.charge(n)
	if limit := p.quota.Max(); size > limit {
		p.quota.Refuse()
		return nil, fmt.Errorf("basin: %d bytes, a capacity of %d, from a pool with a MaxInUse of %d: %w", n, size, limit, ErrTooLarge)
	}
	if err := p.quota.Take(ctx, size); err != nil {
		return nil, err
	}
	return p.counted(n, size, c, f), nil
}

// tryCounted returns n bytes, or nil if there is no room.
func (p *BytePool) tryCounted(n int, f fit) []byte {
	if n <= 0 {
		return []byte{}
	}
	size, c := p.charge(n)
	if !p.quota.TryTake(size) {
		p.quota.Refuse()
		return nil
	}
	return p.counted(n, size, c, f)
}

// charge returns the class of a request for n bytes, and the size that it counts as:
// the capacity it gets.
func (p *BytePool) charge(n int) (size int64, c sizeclass.Class) {
	if t := check.Current.Load(); t != nil {
		t.Sweep() // while nothing has been taken yet
	}
	c = p.classes().Class(n)
	switch {
	case !c.None():
		return int64(c.Size()), c
	case int64(n) > p.quota.Max(): // and may be too large to round up
		return int64(n), c
	}
	return (int64(n) + chargeUnit - 1) &^ (chargeUnit - 1), c
}

// counted returns n bytes that have been counted as size.
func (p *BytePool) counted(n int, size int64, c sizeclass.Class, f fit) (b []byte) {
	if !c.None() {
		return p.pooled(n, c, f)
	}
	defer func() {
		if b == nil { // there cannot be a slice of that size
			p.quota.Give(size)
		}
	}()
	b = p.outside(n, int(size))
	p.large.add(unsafe.SliceData(b), cap(b))
	return b
}

// uncounted returns n bytes that have not been counted, with a capacity that says so: it is odd.
func (p *BytePool) uncounted(n int) []byte {
	if t := check.Current.Load(); t != nil && t.Full() {
		return p.checkedUncounted(t, n)
	}
	return p.countOutside(p.allocateOdd(n | 1)[:n])
}

// allocateOdd is allocate for an odd capacity. The slice begins at a multiple of 64, if it is as long:
// so does what the pool has of such sizes, and a slice that grows is not to lose that.
func (p *BytePool) allocateOdd(n int) []byte {
	return p.allocate(n + -n&63)[:n:n]
}

// credit gives back the room of the array at x, which was put with the given
// capacity. Own and verdict are what recycle said of it.
func (p *BytePool) credit(x *byte, capacity int, verdict engine.Verdict, own bool) {
	if own && verdict != engine.Double || capacity > p.classes().Largest() && p.large.remove(x, capacity) {
		if size := int64(capacity); size <= p.quota.Max() { // or it is not of this pool
			p.quota.Give(size)
		}
	}
}

// A largeSet is the arrays larger than MaxSize that are outstanding and have been
// counted. They are few, and each is an allocation, so each can have a record: an
// array that is foreign, or is put twice, has none. An array that is never put stays
// in the set, as it stays counted.
type largeSet struct {
	mu    sync.Mutex
	sizes map[uintptr]int // by address, so that it keeps no array alive
	bytes int64           // sum of sizes
}

func (s *largeSet) add(x *byte, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sizes == nil {
		s.sizes = make(map[uintptr]int)
	}
	a := uintptr(unsafe.Pointer(x))
	s.bytes += int64(size - s.sizes[a]) // one that was never put may have been there
	s.sizes[a] = size
}

func (s *largeSet) amount() Amount {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Amount{Items: int64(len(s.sizes)), Bytes: s.bytes}
}

// remove reports whether the array of the given size at x was in s.
func (s *largeSet) remove(x *byte, size int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := uintptr(unsafe.Pointer(x))
	if s.sizes[a] != size {
		return false
	}
	delete(s.sizes, a)
	s.bytes -= int64(size)
	return true
}
