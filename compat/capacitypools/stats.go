//go:build go1.25

package capacitypools

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// A PoolStat has the number of reuses of slices of one capacity. The most frequent has Rank 1.
type PoolStat struct {
	Rank      int
	Capacity  int
	ReuseHits uint64
}

// A RuntimeSummary has the figures of the time while statistics were on: the bytes made for the
// pools, the bytes and the number of slices outside them, the bytes reused, and the capacities that
// were reused most often.
type RuntimeSummary struct {
	NewBytes    uint64
	OutBytes    uint64
	OutCount    uint64
	ReusedBytes uint64
	TopPools    []PoolStat
}

// counters count while statistics are on. A miss is counted before its Get returns, but after its Get was counted.
type counters struct {
	on                 atomic.Bool
	outBytes, outCount atomic.Uint64     // of slices outside the pools
	bytes, missBytes   atomic.Uint64     // the capacities of the slices of gets, and of misses
	gets, misses       [32]atomic.Uint64 // by the logarithm of the capacity
}

// get counts a slice that is asked for.
func (c *counters) get(i int) {
	c.gets[i].Add(1)
	c.bytes.Add(1 << i)
}

// miss counts a slice that was made because none of its capacity was idle.
func (c *counters) miss(capacity int) {
	if c.on.Load() {
		c.missBytes.Add(uint64(capacity))
		c.misses[bits.Len(uint(capacity))-1].Add(1)
	}
}

// SetWithStats switches statistics on or off. They go on counting where they were when they were
// switched off.
func (c *counters) SetWithStats(t bool) { c.on.Store(t) }

// GetWithStats reports whether statistics are on.
func (c *counters) GetWithStats() bool { return c.on.Load() }

// sums returns the bytes made and the bytes reused.
func (c *counters) sums() (made, reused uint64) {
	made = c.missBytes.Load() // first, so that bytes includes them
	return made, above(c.bytes.Load(), made)
}

// above returns by how much all exceeds a part of it. If a Get was under way when statistics were switched on,
// only its miss was counted, and the part may be larger.
func above(all, part uint64) uint64 { return max(all, part) - part }

// Summary returns the figures and at most topN capacities. All are zero while statistics are off.
func (c *counters) Summary(topN int) (s RuntimeSummary) {
	if !c.GetWithStats() {
		return s
	}
	s.NewBytes, s.ReusedBytes = c.sums()
	s.OutBytes, s.OutCount = c.outBytes.Load(), c.outCount.Load()
	s.TopPools = c.Top(topN)
	return s
}

// Top returns the topN capacities that were reused most often, or nil while statistics are off.
func (c *counters) Top(topN int) []PoolStat {
	if topN <= 0 || !c.GetWithStats() {
		return nil
	}
	var hits [len(c.gets)]uint64
	n := 0
	for i := range c.gets {
		misses := c.misses[i].Load() // before gets
		if hits[i] = above(c.gets[i].Load(), misses); hits[i] > 0 {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	top := make([]PoolStat, 0, min(topN, n))
	for i, h := range hits {
		at := len(top)
		for at > 0 && top[at-1].ReuseHits < h { // of equal ones, the smaller capacity comes first
			at--
		}
		if h > 0 && at < cap(top) {
			top = slices.Insert(top[:min(len(top), cap(top)-1)], at, PoolStat{Capacity: 1 << i, ReuseHits: h})
		}
	}
	for i := range top {
		top[i].Rank = i + 1
	}
	return top
}

// Map returns the figures by name, or nil while statistics are off.
func (c *counters) Map() map[string]uint64 {
	if !c.GetWithStats() {
		return nil
	}
	made, reused := c.sums()
	bytes, count := c.outBytes.Load(), c.outCount.Load()
	return map[string]uint64{"NewBytes": made, "OutBytes": bytes, "OutCount": count, "ReusedBytes": reused}
}
