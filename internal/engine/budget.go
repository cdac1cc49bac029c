package engine

import "sync/atomic"

// A budget is an amount that can be taken from until nothing is left.
type budget struct {
	limit int64
	taken atomic.Int64
}

// take takes n and reports whether there was that much.
func (b *budget) take(n int64) bool {
	for {
		taken := b.taken.Load()
		if n > b.limit-taken {
			return false
		}
		if b.taken.CompareAndSwap(taken, taken+n) {
			return true
		}
	}
}

// give gives n back.
func (b *budget) give(n int64) { b.taken.Add(-n) }
