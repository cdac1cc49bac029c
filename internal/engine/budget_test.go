//go:build go1.25

package engine

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/testenv"
)

func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name          string
		limit, before int64
		n             int64
		ok            bool
	}{
		{"all", 100, 0, 100, true},
		{"rest", 100, 60, 40, true},
		{"nothing", 100, 100, 0, true},
		{"one too many", 100, 60, 41, false},
		{"more than all", 100, 0, 101, false},
		{"no budget", 0, 0, 1, false},
		{"sum overflows", math.MaxInt64, math.MaxInt64 - 1, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBudget(tt.limit)
			b.taken.Store(tt.before)
			if ok := b.take(tt.n); ok != tt.ok {
				t.Errorf("take(%d) with %d of %d taken is %v", tt.n, tt.before, tt.limit, ok)
			}
			want := tt.before
			if tt.ok {
				want += tt.n
			}
			expect(t, "taken", b.taken.Load(), want)
			if tt.ok {
				b.give(tt.n)
				expect(t, "taken after give", b.taken.Load(), tt.before)
			}
		})
	}
	t.Run("many at once", func(t *testing.T) {
		b := NewBudget(10)
		var now, over atomic.Int64
		var users sync.WaitGroup
		for range 8 {
			users.Go(func() {
				for i := range int64(2000) {
					n := i%4 + 1
					if b.take(n) {
						if now.Add(n) > b.Limit() {
							over.Add(1)
						}
						runtime.Gosched()
						now.Add(-n)
						b.give(n)
					}
				}
			})
		}
		users.Wait()
		expect(t, "times more than the limit was taken", over.Load(), 0)
		expect(t, "taken", b.taken.Load(), 0)
	})
}

// TestSharedBudget: two engines take from one budget.
func TestSharedBudget(t *testing.T) {
	oneP(t)
	shared := NewBudget(100)
	engines := [2]*Engine[int]{}
	for i := range engines {
		engines[i] = newEngine[int](80, Class{Size: 10, Local: Slots})
		engines[i].idle.within = &share{of: shared}
	}
	one, other := engines[0], engines[1]
	check := func(what string) {
		t.Helper()
		audit(t, one)
		audit(t, other)
		expect(t, what+": taken", shared.taken.Load(), one.idle.taken.Load()+other.idle.taken.Load())
	}
	kept := func(e *Engine[int], n int) (kept int) {
		for i := range n {
			if put(e, 0, 1+i) == Kept {
				kept++
			}
		}
		return kept
	}
	expect(t, "kept by one", kept(one, 20), 8) // its own limit applies
	check("one")
	expect(t, "kept by the other", kept(other, 20), 2)
	check("both")
	if n := one.local.taken.Load() + other.local.taken.Load(); pin.Available && (n == 0 || n > 50) {
		t.Errorf("slots take %d of 100", n)
	}
	one.Trim()
	check("after Trim")
	expect(t, "kept after Trim", kept(other, 20), 6)
	check("after Trim")
	other.idle.within.leave()
	expect(t, "taken when the other is gone", shared.taken.Load(), one.idle.taken.Load())
	expect(t, "limit", shared.Limit(), int64(100))
}

// TestMaxIdle tests depots; audit checks magazines.
func TestMaxIdle(t *testing.T) {
	for _, tt := range []struct {
		name    string
		maxIdle int64
		kept    int // of 50 items that cost 10
	}{
		{"none", 9, 0},
		{"one", 10, 1},
		{"nineteen", 199, 19},
		{"all", 500, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](tt.maxIdle, onlyDepot)
			for round := range 3 { // released budget can be taken again
				for i := range 50 {
					want := Full
					if i < tt.kept {
						want = Kept
					}
					expect(t, fmt.Sprintf("round %d: verdict of put %d", round, i), put(e, 0, i), want)
					audit(t, e)
				}
				items := getAll(e, 0)
				slices.Reverse(items)
				expect(t, "items kept", fmt.Sprint(items), fmt.Sprint(seq(0, 49)[:tt.kept]))
			}
			kept := uint64(3 * tt.kept)
			expect(t, "stats", e.Stats(0), ClassStats{Hits: kept, Misses: 3, Puts: 150, Full: 150 - kept, Asked: 10 * (kept + 3)})
		})
	}
}

// TestDroppedEngineLeaves: the budget gets back an engine's part once the engine is found dead,
// even if its items could stay idle for longer.
func TestDroppedEngineLeaves(t *testing.T) {
	shared := NewBudget(100)
	func() {
		e := new(Engine[int])
		e.Init(new(Table[int]), 1000, shared, Config[int]{
			Classes:  func() []Class { return []Class{onlyDepot} },
			Bits:     bits,
			IdleTime: 1000 * time.Hour,
			Same:     equal[int],
		})
		for i := range 10 {
			put(e, 0, 1+i)
		}
		testenv.CollectUntil(func() bool { return e.round.Load() > 0 }) // it is not due again for days
		expect(t, "taken", shared.taken.Load(), 100)
	}()
	for i := 0; i < 50 && shared.taken.Load() > 0; i++ {
		testenv.RunCleanups()
	}
	expect(t, "taken when the engine is gone", shared.taken.Load(), 0)
}
