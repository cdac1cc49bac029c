//go:build go1.25

// Package zeropool has the API of github.com/colega/zeropool, on basin.
//
// Intended differences: a pool keeps at most [basin.DefaultMaxItems] values. Values that were idle
// for [basin.DefaultIdleTime] are released. A garbage collection does not empty the pool.
//
// All pools appear as "zeropool" in statistics, and their kind names the type of the values. To use
// it in place of the original:
//
//	go mod edit -replace github.com/colega/zeropool=github.com/basin-go/basin/compat/zeropool@v0.1.0
package zeropool

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin"
)

// A Pool keeps values of one type for reuse. The zero Pool is ready to use; its new values are
// zero. A Pool must not be copied after its first use. Its methods are safe for concurrent use.
type Pool[T any] struct {
	values basin.Pool[T]
	named  atomic.Bool // values has its Name
	mu     sync.Mutex
}

// New returns a Pool that makes new values with item. If item is nil, new values are zero.
func New[T any](item func() T) Pool[T] { return Pool[T]{values: basin.Pool[T]{New: item}} }

// Get returns a value that was put before, unchanged, or else a new one.
func (p *Pool[T]) Get() T {
	if !p.named.Load() {
		p.name()
	}
	return p.values.Get()
}

// Put puts item into the pool. It does not allocate.
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
