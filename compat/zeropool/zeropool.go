// Package zeropool has the API of github.com/colega/zeropool, on basin.
//
// What differs on purpose:
//
//   - A pool keeps at most [basin.DefaultMaxItems] values, and those that nobody has
//     needed for [basin.DefaultIdleTime] go. A garbage collection does not
//     empty it.
//
// All pools appear as "zeropool" in statistics, with the type of their values.
//
// To put it in place of the original:
//
//	go mod edit -replace github.com/colega/zeropool=github.com/basin-go/basin/compat/zeropool@v0.1.0
package zeropool

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin"
)

// A Pool keeps values of one type for reuse. The zero Pool is ready, and has zero
// values for those who find nothing to reuse. A Pool must not be copied after its
// first use. Its methods may be called from many goroutines at once.
type Pool[T any] struct {
	values basin.Pool[T]
	named  atomic.Bool // values has its Name
	mu     sync.Mutex
}

// New returns a Pool that makes values with item when it has none to reuse. If item is
// nil, they are zero.
func New[T any](item func() T) Pool[T] { return Pool[T]{values: basin.Pool[T]{New: item}} }

// Get returns a value that was put before, as it was, or else a new one.
func (p *Pool[T]) Get() T {
	if !p.named.Load() {
		p.name()
	}
	return p.values.Get()
}

// Put gives item to the pool. It does not allocate.
func (p *Pool[T]) Put(item T) {
	if !p.named.Load() {
		p.name()
	}
	p.values.Put(item)
}

func (p *Pool[T]) name() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.named.Load() {
		p.values.Name = "zeropool"
		p.named.Store(true)
	}
}
