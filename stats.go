package basin

import (
	"cmp"
	"slices"

	"github.com/basin-go/basin/internal/engine"
)

// Stats is what has happened to a [BytePool] so far, and what it holds. Counting
// costs nothing worth switching off, so it is always on.
//
// While other goroutines use the pool the figures are of a short while rather than of
// one moment. They still agree in that no class has more Puts than Gets.
type Stats struct {
	Name string // as in Config

	// Gets are the requests for at least one byte:
	// Gets = Hits + Misses + Oversize.
	Gets     uint64
	Hits     uint64 // served with a recycled array
	Misses   uint64 // served with a new array
	Oversize uint64 // larger than MaxSize or not to be had under MaxInUse, so not from the pool

	// Puts are the slices given back that can be the pool's. They were kept,
	// but for DropsBy.Full of them.
	Puts uint64

	// Drops are the slices given back that were not kept: the sum of DropsBy.
	Drops   uint64
	DropsBy Drops

	AskedBytes     uint64 // lengths asked for, Oversize included
	HandedOutBytes uint64 // capacities handed out for them
	OversizeBytes  uint64 // of both: by Oversize

	InUseBytes int64 // capacities handed out and not put back, without Oversize; or what MaxInUse is about
	IdleBytes  int64 // capacities kept, never more than MaxIdle
	MaxIdle    int64 // as in Config
	MaxInUse   int64 // as in Config

	Trimmed uint64 // idle slices let go

	Waits // of requests, if there is a MaxInUse

	Misuse Misuses // found by checks: see SetChecking

	// Classes has an entry for each size class that was ever used, the
	// smallest first.
	Classes []ClassStats
}

// Drops counts slices that were put back and not kept, by the reason.
type Drops struct {
	Empty      uint64 // nil, or of capacity zero
	Small      uint64 // of a capacity below MinSize
	Large      uint64 // of a capacity above MaxSize
	Foreign    uint64 // of a capacity that no size class has: not from a pool, or re-sliced
	Misaligned uint64 // starting where no array of its size class can: a part of another array
	Double     uint64 // the same as the slice put back just before
	Full       uint64 // the pool's own, but beyond MaxIdle
}

// Positions in BytePool.drops, for the reasons that the engine does not see.
const (
	dropEmpty = iota
	dropSmall
	dropLarge
	dropForeign
	dropMisaligned
	dropReasons
)

// ClassStats are the [Stats] of one size class.
type ClassStats struct {
	Size int // capacity of its slices

	Gets, Hits, Misses uint64 // Gets = Hits + Misses
	Puts               uint64
	Full, Double       uint64 // as in Drops
	Trimmed            uint64 // idle slices let go

	AskedBytes, HandedOutBytes uint64
	InUseBytes, IdleBytes      int64
}

// Stats returns the statistics of the pool.
func (p *BytePool) Stats() Stats {
	var s Stats
	p.stats(&s)
	return s
}

// snapshot fills in s.
func (p *BytePool) snapshot(s *Snapshot) {
	p.stats(&s.Stats)
	s.countItems()
}

// stats fills in s, reusing its Classes.
func (p *BytePool) stats(s *Stats) {
	if p.ceiling != nil {
		p.ceiling.stats(s)
		return
	}
	*s = Stats{
		Name:          p.config.Name,
		Oversize:      p.oversize.Load(),
		OversizeBytes: p.oversizeBytes.Load(),
		MaxIdle:       p.config.MaxIdle,
		DropsBy: Drops{
			Empty:      p.drops[dropEmpty].Load(),
			Small:      p.drops[dropSmall].Load(),
			Large:      p.drops[dropLarge].Load(),
			Foreign:    p.drops[dropForeign].Load(),
			Misaligned: p.drops[dropMisaligned].Load(),
		},
		Misuse:  misusesOf(p.checkOwner.Load()),
		Classes: s.Classes[:0],
	}
	s.Gets = s.Oversize
	s.AskedBytes = s.OversizeBytes
	s.HandedOutBytes = s.OversizeBytes
	t := p.sizes.Load() // has no classes if the pool was never used
	for i := range t.Len() {
		s.add(t.Size(i), p.engine.Stats(uint(i)))
	}
	s.Drops = s.DropsBy.sum()
}

// add adds the class of the given size, if it was ever used.
func (s *Stats) add(size int, e engine.ClassStats) {
	c := ClassStats{
		Size: size,
		Gets: e.Hits + e.Misses, Hits: e.Hits, Misses: e.Misses,
		Puts: e.Puts, Full: e.Full, Double: e.Double,
		Trimmed:        e.Released,
		AskedBytes:     e.Asked,
		HandedOutBytes: (e.Hits + e.Misses) * uint64(size),
		IdleBytes:      int64(e.Idle) * int64(size),
	}
	if c.Gets == 0 && c.Puts == 0 && c.Double == 0 {
		return
	}
	if c.Gets > c.Puts { // unless foreign slices were taken for the pool's
		c.InUseBytes = int64(c.Gets-c.Puts) * int64(size)
	}
	s.Gets += c.Gets
	s.Hits += c.Hits
	s.Misses += c.Misses
	s.Puts += c.Puts
	s.Trimmed += c.Trimmed
	s.DropsBy.Full += c.Full
	s.DropsBy.Double += c.Double
	s.AskedBytes += c.AskedBytes
	s.HandedOutBytes += c.HandedOutBytes
	s.InUseBytes += c.InUseBytes
	s.IdleBytes += c.IdleBytes
	s.Classes = append(s.Classes, c)
}

// sum returns all drops.
func (d Drops) sum() uint64 {
	return d.Empty + d.Small + d.Large + d.Foreign + d.Misaligned + d.Double + d.Full
}

// countItems counts in items what the classes of s have in bytes.
func (s *Snapshot) countItems() {
	for _, c := range s.Classes {
		s.InUse += c.InUseBytes / int64(c.Size)
		s.Idle += c.IdleBytes / int64(c.Size)
	}
}

// Top returns the n classes that were reused most often, or all if there are
// fewer, beginning with the first of them.
func (s Stats) Top(n int) []ClassStats {
	top := slices.Clone(s.Classes)
	slices.SortStableFunc(top, func(a, b ClassStats) int { return cmp.Compare(b.Hits, a.Hits) })
	return top[:min(max(n, 0), len(top))]
}
