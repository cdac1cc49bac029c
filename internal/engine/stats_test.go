//go:build go1.25

package engine

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

func TestStats(t *testing.T) {
	oneP(t)
	e := newEngine[int](200, Class{Size: 10, Local: 4}, Class{Size: 10, Local: 0})
	for c := range uint(2) {
		var want ClassStats
		check := func(what string) {
			t.Helper()
			expect(t, fmt.Sprintf("class %d, %s", c, what), e.Stats(c), want)
		}
		check("unused")
		e.Get(c, 7, OwnClass)
		want.Misses, want.Asked = 1, 7
		check("a miss")
		putAll(t, e, c, seq(1, 9)...)
		want.Puts, want.Idle = 9, 9
		check("nine put")
		expect(t, "verdict", put(e, c, 9), Double)
		want.Double = 1
		check("one put again")
		for range 5 {
			get(e, c)
		}
		want.Hits, want.Asked, want.Idle = 5, 57, 4
		check("five taken")
		for i := range 3 {
			e.reclaim(at(float64(i)))
			check("after a cycle")
		}
		e.Trim()
		want.Released, want.Idle = 4, 0
		check("trimmed")
		for put(e, c, 100) != Full {
			want.Puts++
			want.Idle++
			e.config.Same = nil // all items are equal
		}
		e.config.Same = equal[int]
		want.Puts++
		want.Full = 1
		check("full")
		e.Trim()
		want.Released += want.Idle
		want.Idle = 0
		check("trimmed again")
	}
}

// TestAllStatsWithinMaxIdle: no item that leaves a class while another is read counts together with
// the item that takes its room.
func TestAllStatsWithinMaxIdle(t *testing.T) {
	oneP(t)
	for _, class := range []Class{onlyDepot, {Size: 10, Local: Slots}} {
		e := newEngine[int](10, class, class)
		putAll(t, e, 0, 1)
		var mover sync.WaitGroup
		idle := int64(0)
		e.AllStats(func(c uint, s ClassStats) {
			idle += int64(s.Idle) * class.Size
			if c == 0 {
				mover.Go(func() {
					get(e, 0)
					put(e, 1, 2)
				})
				for range 100 { // with one P, it gets as far as it can
					runtime.Gosched()
				}
			}
		})
		mover.Wait()
		if idle > 10 {
			t.Errorf("%d bytes are idle with a MaxIdle of 10", idle)
		}
		expect(t, "idle afterwards", e.Stats(1).Idle, 1)
		audit(t, e)
	}
}
