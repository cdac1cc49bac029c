//go:build go1.25

package capacitypools

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
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

// counters are the figures of Pools. Those of slices from 64 bytes on are the pool's own.
type counters struct {
	on                     atomic.Bool
	outBytes, outCount     atomic.Uint64
	smallGets, smallMisses [6]atomic.Uint64 // by the logarithm of the capacity

	mu     sync.Mutex
	before figures // of earlier times while statistics were on
	since  figures // when they were last switched on
}

// figures count the bytes made and the reuses of each capacity, by its logarithm.
type figures struct {
	made uint64
	hits [32]uint64
}

// add adds n times the figures of f, with n of 1 or -1.
func (f *figures) add(other *figures, n uint64) {
	f.made += n * other.made
	for i := range f.hits {
		f.hits[i] += n * other.hits[i]
	}
}

// ever returns the figures of slices from 64 bytes on, since the first use.
func (p *Pools) ever() (f figures) {
	for _, c := range p.slices.Stats().Classes {
		if c.Size&(c.Size-1) == 0 { // others were only adopted
			f.made += c.Misses * uint64(c.Size)
			f.hits[bits.Len(uint(c.Size))-1] = c.Hits
		}
	}
	return f
}

// SetWithStats switches statistics on or off. They go on counting where they were when they were
// switched off.
func (p *Pools) SetWithStats(t bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t == p.on.Load() {
		return
	}
	f := p.ever()
	if t {
		p.since = f
	} else {
		p.before.add(&f, 1)
		p.before.add(&p.since, ^uint64(0))
	}
	p.on.Store(t)
}

// GetWithStats reports whether statistics are on.
func (p *Pools) GetWithStats() bool { return p.on.Load() }

// count returns the figures of all slices, while statistics are on.
func (p *Pools) count() figures {
	p.mu.Lock()
	f := p.ever()
	f.add(&p.before, 1)
	f.add(&p.since, ^uint64(0))
	p.mu.Unlock()
	for i := range p.small {
		misses := p.smallMisses[i].Load() // before gets: each miss is the miss of a counted get
		f.made += misses << i
		f.hits[i] = p.smallGets[i].Load() - misses
	}
	return f
}

// Summary returns the figures and at most topN capacities. All are zero while statistics are off.
func (p *Pools) Summary(topN int) RuntimeSummary {
	if !p.GetWithStats() {
		return RuntimeSummary{}
	}
	f := p.count()
	s := RuntimeSummary{NewBytes: f.made, OutBytes: p.outBytes.Load(), OutCount: p.outCount.Load()}
	var top [len(f.hits)]PoolStat
	used := top[:0]
	for i, n := range f.hits {
		if n > 0 {
			s.ReusedBytes += n << i
			used = append(used, PoolStat{Capacity: 1 << i, ReuseHits: n})
		}
	}
	if topN <= 0 || len(used) == 0 {
		return s
	}
	slices.SortStableFunc(used, func(a, b PoolStat) int { return cmp.Compare(b.ReuseHits, a.ReuseHits) })
	s.TopPools = slices.Clone(used[:min(topN, len(used))])
	for i := range s.TopPools {
		s.TopPools[i].Rank = i + 1
	}
	return s
}

// Map returns the figures by name, or nil while statistics are off.
func (p *Pools) Map() map[string]uint64 {
	if !p.GetWithStats() {
		return nil
	}
	s := p.Summary(0)
	return map[string]uint64{"NewBytes": s.NewBytes, "OutBytes": s.OutBytes, "OutCount": s.OutCount, "ReusedBytes": s.ReusedBytes}
}
