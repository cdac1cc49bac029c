package basin

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/waitlist"
)

// ErrTooLarge is what [BytePool.GetContext] fails with, wrapped in the numbers, if a
// request is larger than all that the pool may hand out.
var ErrTooLarge = errors.New("request is larger than MaxInUse")

// GetContext is [BytePool.Get] for those who would not wait without end. Without a
// [Config.MaxInUse] it never waits. With one it waits until there is room for n
// bytes, after those who came before, even if there were room for less. If ctx is
// done before that, or already, it returns nil and the error of ctx. If n can never
// fit it fails at once, with an error that is [ErrTooLarge] and names both
// numbers. It panics if ctx is nil.
//
// Waiting in the order of arrival, large requests not overtaken by small ones, is
// as in golang.org/x/sync/semaphore.
func (p *BytePool) GetContext(ctx context.Context, n int) ([]byte, error) {
	if ctx == nil {
		panic("basin: BytePool.GetContext with a nil context")
	}
	c := p.ceiling
	if err := ctx.Err(); err != nil {
		if c != nil {
			c.waiters.Refuse()
		}
		return nil, err
	}
	if c == nil {
		return p.Get(n), nil
	}
	// Most requests find their class and room here, with no call more than need be.
	if class := c.pool.gets.Load().Class(n); !class.None() && c.take(int64(class.Size())) {
		return c.pool.pooled(n, class), nil
	}
	return c.get(ctx, n)
}

// TryGet is [BytePool.Get], but if there is no room for n bytes under
// [Config.MaxInUse], or others wait for room, it returns nil and false.
func (p *BytePool) TryGet(n int) ([]byte, bool) {
	if p.ceiling == nil {
		return p.Get(n), true
	}
	b := p.ceiling.tryGet(n)
	return b, b != nil
}

// A ceiling limits what a pool hands out. The BytePool that has one never uses its
// own magazines, so that every call ends up here; behind the ceiling is
// another BytePool, which has none.
//
// What is handed out is counted by capacity. That of a slice tells whether it
// has been counted, so that Put needs no record of it: capacities that are multiples of
// unit have, others have not.
type ceiling struct {
	pool *BytePool // behind the ceiling
	max  int64

	// state is the number of bytes handed out, plus someWait if somebody waits.
	// Then nobody takes room but in the name of who waits, so what comes back adds
	// up until it is enough even for a large request. Whatever needs attention
	// makes state, as an unsigned number, larger than max: one comparison.
	state   atomic.Int64
	waiters waitlist.List // guards the change of state from and to someWait
}

// someWait is larger than any number of bytes by far, so that both can be told
// apart.
const someWait = 1 << 62

// split returns the number of bytes of a state, and whether somebody waits.
func split(state int64) (n int64, waiting bool) {
	if state > someWait/2 {
		return state - someWait, true
	}
	return state, false
}

// unit is what the capacities of counted slices are multiples of: those of all
// size classes are anyway.
const unit = sizeclass.Min

// newCeiling returns a ceiling over a new pool. The settings are complete.
func newCeiling(c Config) *ceiling {
	limit := c.MaxInUse
	c.MaxInUse = 0
	return &ceiling{pool: NewBytePool(c), max: limit}
}

// charge returns what a request for n bytes counts as, which is the capacity it gets,
// and its class.
func (c *ceiling) charge(n int) (size int64, class sizeclass.Class) {
	if t := tracker.Load(); t != nil {
		t.Sweep() // while nothing has been taken yet
	}
	class = c.pool.classes().Find(n)
	switch {
	case !class.None():
		return int64(class.Size()), class
	case int64(n) > c.max: // and may be too large to round up
		return int64(n), class
	}
	return (int64(n) + unit - 1) &^ (unit - 1), class
}

// get waits for room for n bytes. If there can never be, it returns an error.
func (c *ceiling) get(ctx context.Context, n int) ([]byte, error) {
	if n <= 0 {
		return []byte{}, nil
	}
	size, class := c.charge(n)
	if size > c.max {
		c.waiters.Refuse()
		return nil, fmt.Errorf("basin: %d bytes, a capacity of %d, from a pool with a MaxInUse of %d: %w", n, size, c.max, ErrTooLarge)
	}
	if err := c.wait(ctx, size); err != nil {
		return nil, err
	}
	return c.make(n, size, class), nil
}

// tryGet returns n bytes, or nil if there is no room.
func (c *ceiling) tryGet(n int) []byte {
	if n <= 0 {
		return []byte{}
	}
	size, class := c.charge(n)
	if size > c.max || !c.take(size) {
		c.waiters.Refuse()
		return nil
	}
	return c.make(n, size, class)
}

// grow is get for those who hold a slice already. Others may be waiting for that,
// so they must not wait for others: without room they get a plain slice.
func (c *ceiling) grow(n int) []byte {
	if b := c.tryGet(n); b != nil {
		return b
	}
	return c.plain(n)
}

// plain returns n bytes that have not been counted, with a capacity that says so.
func (c *ceiling) plain(n int) []byte {
	if t := tracker.Load(); t != nil && t.Full() {
		return c.pool.checkedPlain(t, n)
	}
	return c.pool.outside(n, n|1)
}

// make returns n bytes that have been counted as size.
func (c *ceiling) make(n int, size int64, class sizeclass.Class) (b []byte) {
	if !class.None() {
		return c.pool.pooled(n, class)
	}
	defer func() {
		if b == nil { // there cannot be a slice of that size
			c.give(size)
		}
	}()
	return c.pool.outside(n, int(size))
}

// put takes an array back, and reports whether it was kept.
func (c *ceiling) put(x *byte, capacity int) bool {
	verdict, own := c.pool.recycle(x, capacity)
	counted := own && verdict != engine.Double ||
		capacity > c.pool.classes().Largest() && capacity%unit == 0
	if size := int64(capacity); counted && size <= c.max {
		c.give(size)
	}
	return own && verdict == engine.Kept
}

// take takes size bytes of room, if there is that much and nobody waits for it. It
// adds first and looks afterwards, which is faster than the other way round.
func (c *ceiling) take(size int64) bool {
	return c.state.Add(size) <= c.max || c.untake(size)
}

// untake undoes what take has done, and returns false. In between state says too
// much, which can turn others away. If they came to wait for that reason
// they are served from here, as from any other give.
func (c *ceiling) untake(size int64) bool {
	c.give(size)
	return false
}

// give gives size bytes of room back.
func (c *ceiling) give(size int64) {
	if uint64(c.state.Add(-size)) > uint64(c.max) {
		c.given()
	}
}

// given is the rest of give.
func (c *ceiling) given() {
	c.waiters.Lock()
	defer c.waiters.Unlock()
	if n, _ := split(c.state.Load()); n < 0 {
		c.state.Add(-n) // slices were put that had never been handed out
	}
	c.serve()
}

// fits reports whether there is room for size bytes more.
func (c *ceiling) fits(state, size int64) bool {
	n, _ := split(state)
	return size <= c.max-n
}

// wait takes size bytes of room as soon as there is that much.
func (c *ceiling) wait(ctx context.Context, size int64) error {
	if c.take(size) {
		return nil
	}
	c.waiters.Lock()
	for c.waiters.First() == nil {
		state := c.state.Load()
		if c.fits(state, size) {
			if c.state.CompareAndSwap(state, state+size) {
				c.waiters.Unlock()
				return nil
			}
		} else if c.state.CompareAndSwap(state, state+someWait) {
			break // whatever comes back from now on comes to serve
		}
	}
	w := c.waiters.Add(size)
	c.waiters.Unlock()
	return c.waiters.Wait(ctx, w, c.serve) // if a large request leaves, those after it may fit
}

// serve gives room to those who wait, in their order, as far as it goes. The caller
// holds the lock of waiters.
func (c *ceiling) serve() {
	for w := c.waiters.First(); w != nil; w = c.waiters.First() {
		state := c.state.Load()
		if !c.fits(state, w.Need) {
			return
		}
		if c.state.CompareAndSwap(state, state+w.Need) {
			c.waiters.Serve(w, 0)
		}
	}
	if _, waiting := split(c.state.Load()); waiting {
		c.state.Add(-someWait)
	}
}

// stats fills in the statistics of the pool.
func (c *ceiling) stats(s *Stats) {
	c.pool.stats(s)
	s.MaxInUse = c.max
	n, _ := split(c.state.Load())
	s.InUseBytes = min(n, c.max) // see untake
	s.Waits = waitsOf(&c.waiters)
}
