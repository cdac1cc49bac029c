//go:build go1.25

package capacitypools

import (
	"cmp"
	"math/bits"
	"slices"
)

// A PoolStat has the number of reuses of slices of one capacity. The most frequent has Rank 1.
type PoolStat struct {
	Rank      int
	Capacity  int
	ReuseHits uint64
}

// A RuntimeSummary has the limits of the pools, and the figures since statistics were switched
// on: the bytes made for the pools, the bytes and the number of slices outside them, the bytes
// reused, and the capacities that were reused most often.
type RuntimeSummary struct {
	MinSize     int
	MaxSize     int
	NewBytes    uint64
	OutBytes    uint64
	OutCount    uint64
	ReusedBytes uint64
	TopPools    []PoolStat
}

// count returns the figures since the first use, with all capacities in TopPools.
func (p *Pools) count() *RuntimeSummary {
	s := &RuntimeSummary{MinSize: p.minSize, MaxSize: p.maxSize, OutBytes: p.outBytes.Load(), OutCount: p.outCount.Load(), TopPools: make([]PoolStat, 31)}
	add := func(capacity int, hits, misses uint64) {
		s.NewBytes += misses * uint64(capacity)
		s.ReusedBytes += hits * uint64(capacity)
		s.TopPools[bits.Len(uint(capacity))-1] = PoolStat{0, capacity, hits}
	}
	for i := range p.small {
		s := p.small[i].Stats()
		add(1<<i, s.Hits, s.Misses)
	}
	for _, c := range p.slices.Stats().Classes {
		if c.Size&(c.Size-1) == 0 { // others were only adopted
			add(c.Size, c.Hits, c.Misses)
		}
	}
	return s
}

// SetWithStats switches statistics on, from zero, or off.
func (p *Pools) SetWithStats(t bool) {
	p.since.Store(nil)
	if t {
		p.since.Store(p.count())
	}
}

// GetWithStats reports whether statistics are on.
func (p *Pools) GetWithStats() bool { return p.since.Load() != nil }

// Summary returns the figures and at most topN capacities. All are zero while statistics are
// off.
func (p *Pools) Summary(topN int) RuntimeSummary {
	since := p.since.Load()
	if since == nil {
		return RuntimeSummary{}
	}
	s := p.count()
	s.NewBytes -= since.NewBytes
	s.OutBytes -= since.OutBytes
	s.OutCount -= since.OutCount
	s.ReusedBytes -= since.ReusedBytes
	for i := range s.TopPools {
		s.TopPools[i].ReuseHits -= since.TopPools[i].ReuseHits
	}
	s.TopPools = slices.DeleteFunc(s.TopPools, func(c PoolStat) bool { return c.ReuseHits == 0 })
	slices.SortStableFunc(s.TopPools, func(a, b PoolStat) int { return cmp.Compare(b.ReuseHits, a.ReuseHits) })
	s.TopPools = s.TopPools[:min(max(topN, 0), len(s.TopPools))]
	if len(s.TopPools) == 0 {
		s.TopPools = nil
	}
	for i := range s.TopPools {
		s.TopPools[i].Rank = i + 1
	}
	return *s
}

// Map returns the figures by name, or nil while statistics are off.
func (p *Pools) Map() map[string]uint64 {
	if !p.GetWithStats() {
		return nil
	}
	s := p.Summary(0)
	return map[string]uint64{"MinSize": uint64(s.MinSize), "MaxSize": uint64(s.MaxSize), "NewBytes": s.NewBytes, "OutBytes": s.OutBytes, "OutCount": s.OutCount, "ReusedBytes": s.ReusedBytes}
}
