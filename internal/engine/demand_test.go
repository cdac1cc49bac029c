//go:build go1.25

package engine

import (
	"math/rand/v2"
	"testing"
	"time"
)

// newDemanding returns an engine of three classes without magazines, with clock *now.
func newDemanding(t *testing.T) (e *Engine[int], now *time.Duration) {
	oneP(t)
	const kib = 1 << 10
	e = newEngine[int](1<<40, Class{Size: 64 * kib}, Class{Size: 128 * kib}, Class{Size: 512 * kib})
	now = new(time.Duration)
	e.clock = func() time.Duration { return *now }
	return e, now
}

// TestMissesStayWithinTwiceThePeak: without any round, misses in a new class release items of another
// one.
func TestMissesStayWithinTwiceThePeak(t *testing.T) {
	for name, order := range map[string][]uint{"ascending": {0, 1, 2, 0, 1, 2}, "descending": {2, 1, 0, 2, 1, 0}} {
		t.Run(name, func(t *testing.T) {
			e, _ := newDemanding(t)
			next := 0
			for _, c := range order {
				var items []int
				for range 8 << 20 / e.at(c).Size { // 8 MiB
					x, ok := get(e, c)
					if !ok {
						next++
						x = next
					}
					items = append(items, x)
				}
				putAll(t, e, c, items...)
				if idle := e.idle.taken.Load(); idle > 17<<20 {
					t.Errorf("after class %d, %d bytes are idle", c, idle)
				}
				audit(t, e)
			}
		})
	}
}

// TestIdleBesidePeakOfIdleTime: at every round, idle items cost at most twice the peak of the last
// IdleTime and a mebibyte, however late rounds are.
func TestIdleBesidePeakOfIdleTime(t *testing.T) {
	for seed := range uint64(20) {
		e, now := newDemanding(t)
		r := rand.New(rand.NewPCG(seed, 0))
		type use struct {
			at    time.Duration
			bytes int64
		}
		var uses []use
		next := 0
		for range 300 {
			*now += time.Duration(r.Int64N(int64(idleTime / 6)))
			if r.IntN(10) == 0 {
				*now += idleTime
			}
			c := uint(r.IntN(3))
			var items []int
			n := r.Int64N(max(r.Int64N(8<<20)/e.at(c).Size, 1)) + 1
			for range n {
				x, ok := get(e, c)
				if !ok {
					next++
					x = next
				}
				items = append(items, x)
			}
			uses = append(uses, use{*now, n * e.at(c).Size})
			putAll(t, e, c, items...)
			if r.IntN(3) > 0 {
				continue
			}
			e.reclaim(*now)
			peak := int64(0)
			for _, u := range uses {
				if u.at >= *now-idleTime {
					peak = max(peak, u.bytes)
				}
			}
			if idle := e.idle.taken.Load(); idle > 2*peak+slack {
				t.Errorf("seed %d: %d bytes are idle, beside a peak of %d", seed, idle, peak)
			}
			audit(t, e)
		}
	}
}

// TestAdoptedItemsAreWanted: a miss releases no items that were adopted in advance.
func TestAdoptedItemsAreWanted(t *testing.T) {
	e, _ := newDemanding(t)
	for i := range 100 {
		e.Adopt(2, i)
	}
	if _, ok := get(e, 0); ok {
		t.Error("an item where none is idle")
	}
	expect(t, "idle", e.Stats(2).Idle, uint64(100))
	audit(t, e)
}

// TestForeignItems: items that no Get has handed out count as outstanding before their Put.
func TestForeignItems(t *testing.T) {
	e, _ := newDemanding(t)
	putAll(t, e, 1, seq(1, 50)...)
	if _, ok := get(e, 0); ok {
		t.Error("an item where none is idle")
	}
	expect(t, "idle", e.Stats(1).Idle, uint64(50))
	expect(t, "misses", len(getAll(e, 1)), 50)
}

// TestMissesTakeFromMagazines: misses also release items in magazines: those of the current P at once.
func TestMissesTakeFromMagazines(t *testing.T) {
	oneP(t)
	const size = 256 << 10
	var classes []Class
	for range 7 {
		classes = append(classes, Class{Size: size, Local: 8})
	}
	e := newEngine[int](1<<40, classes...)
	next := 0
	for c := range uint(len(classes)) {
		var items []int
		for range 8 {
			x, ok := get(e, c)
			if !ok {
				next++
				x = next
			}
			items = append(items, x)
		}
		putAll(t, e, c, items...)
		audit(t, e)
	}
	idle := uint64(0)
	e.AllStats(func(_ uint, s ClassStats) { idle += s.Idle })
	if idle*size > 2*8*size+slack {
		t.Errorf("%d items are idle, beside 8 in use", idle)
	}
}
