//go:build go1.25

package engine

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sched"
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

// take gets n items of class c, and makes those that no Get returns, from the number *made on.
func take(e *Engine[int], c uint, n int, made *int) (items []int) {
	for range n {
		x, ok := get(e, c)
		if !ok {
			*made++
			x = *made
		}
		items = append(items, x)
	}
	return items
}

// TestMissesStayWithinTwiceThePeak: without any round, misses in a new class release items of another
// one.
func TestMissesStayWithinTwiceThePeak(t *testing.T) {
	for name, order := range map[string][]uint{"ascending": {0, 1, 2, 0, 1, 2}, "descending": {2, 1, 0, 2, 1, 0}} {
		t.Run(name, func(t *testing.T) {
			e, _ := newDemanding(t)
			next := 0
			for _, c := range order {
				putAll(t, e, c, take(e, c, int(8<<20/e.at(c).Size), &next)...)
				if idle := e.idle.taken.Load(); idle > 17<<20 {
					t.Errorf("after class %d, %d bytes are idle", c, idle)
				}
				audit(t, e)
			}
		})
	}
}

// TestSlackFollowsPs: an engine that has been busy on many Ps may keep more.
func TestSlackFollowsPs(t *testing.T) {
	for ps, want := range map[uint]int64{1: 2, 2: 2, 4: 4, 16: 16, 64: 64} { // halves of a mebibyte
		e, _ := newDemanding(t)
		next := 0
		defer sched.GOMAXPROCS(sched.GOMAXPROCS(int(ps)))
		e.grow(ps - 1)
		for c := range uint(3) { // one class after the other, each with more than the limit
			putAll(t, e, c, take(e, c, int(40<<20/e.at(c).Size), &next)...)
		}
		idle := e.idle.taken.Load()
		if least, most := int64(80<<20+(want-1)<<19), int64(80<<20+want<<19); idle <= least || idle > most {
			t.Errorf("%d Ps: %d bytes are idle, not between %d and %d", ps, idle, least, most)
		}
		audit(t, e)
	}
}

// TestMissesWaitForRecalledMagazines: while magazines wait for their grace period, a miss does not look at others unless
// depots hold enough.
func TestMissesWaitForRecalledMagazines(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	const size = 256 << 10
	e := newEngine[int](1<<40, Class{Size: size, Local: 8}, Class{Size: size, Local: 8}, Class{Size: size, Local: 8}, Class{Size: size})
	next := 0
	e.waiting.Store(1)
	for c := range uint(3) {
		putAll(t, e, c, take(e, c, 8, &next)...)
	}
	take(e, 3, 1, &next)
	expect(t, "idle, in magazines", e.idle.taken.Load(), 24*size)
	e.waiting.Store(0)
	take(e, 3, 1, &next)
	expect(t, "idle after the grace period", e.idle.taken.Load(), 2*8*size+slack-2*size)
	audit(t, e)
}

// TestOneCutsBack: a miss does not wait for another one that releases items.
func TestOneCutsBack(t *testing.T) {
	e, _ := newDemanding(t)
	next := 0
	putAll(t, e, 0, take(e, 0, 64, &next)...) // 4 MiB
	putAll(t, e, 1, take(e, 1, 32, &next)...) // 4 MiB
	e.demand.cutting.Lock()
	items := take(e, 2, 8, &next) // 4 MiB: twice the peak, 4 and the slack
	expect(t, "idle while another miss cuts back", e.idle.taken.Load(), 8<<20)
	e.demand.cutting.Unlock()
	items = append(items, take(e, 2, 1, &next)...)
	expect(t, "idle", e.idle.taken.Load(), 5<<20+512<<10)
	putAll(t, e, 2, items...)
	audit(t, e)
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
			n := r.Int64N(max(r.Int64N(8<<20)/e.at(c).Size, 1)) + 1
			items := take(e, c, int(n), &next)
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
		putAll(t, e, c, take(e, c, 8, &next)...)
		audit(t, e)
	}
	idle := uint64(0)
	e.AllStats(func(_ uint, s ClassStats) { idle += s.Idle })
	if idle*size > 2*8*size+slack {
		t.Errorf("%d items are idle, beside 8 in use", idle)
	}
}
