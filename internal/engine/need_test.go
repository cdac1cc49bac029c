//go:build go1.25

package engine

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

// paced returns an engine with one class that is not busy, at the pace of real engines, and its
// clock.
func paced(t *testing.T, class Class) (e *Engine[int], d *depot[int], now *time.Duration) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e = newEngine[int](1e12, class)
	d = e.at(0)
	d.extra, d.peak = 0, 0
	e.pace = &busy
	now = new(time.Duration)
	e.clock = func() time.Duration { return *now }
	return e, d, now
}

// cycle gets and puts an item.
func cycle(t *testing.T, e *Engine[int]) {
	x, ok := get(e, 0)
	if !ok {
		x = 1
	}
	putAll(t, e, 0, x)
}

// TestBusyClasses: a class gets magazines once its depot serves Gets at the pace.
func TestBusyClasses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		size  int64
		each  time.Duration // time for a Get and a Put
		after int           // number of cycles until there is a slot; 0 is never
	}{
		{"at the pace", 1, 10 * time.Microsecond, 128},
		{"faster", 1, time.Microsecond, 128},
		{"a bit slower", 1, 10*time.Microsecond + 10, 0},
		{"slow", 1, time.Millisecond, 0},
		{"4 KiB", 4 << 10, time.Microsecond, 128},
		{"4 MiB", 4 << 20, time.Microsecond, 1024},
		{"8 MiB", 8 << 20, time.Microsecond, 2048},
		{"8 MiB, slow", 8 << 20, 11 * time.Microsecond, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, d, now := paced(t, Class{Size: tt.size, Local: Slots})
			n := 0
			for ; d.slots == 0 && n < 5000; n++ {
				*now += tt.each
				cycle(t, e)
			}
			audit(t, e)
			if tt.after == 0 {
				tt.after = 5000
				expect(t, "rows", rows(e), 0)
			}
			expect(t, "Gets before there is a slot", n, tt.after)
			expect(t, "items", len(stack(e, 0)), 1)
		})
	}
	t.Run("a burst", func(t *testing.T) {
		e, d, now := paced(t, Class{Size: 1, Local: Slots})
		for range 20 {
			*now += time.Second
			for range busy.gets - 1 {
				cycle(t, e)
			}
		}
		expect(t, "slots", d.slots, 0)
	})
	t.Run("no class of depots alone", func(t *testing.T) {
		e, d, _ := paced(t, Class{Size: 1})
		for range 5000 {
			cycle(t, e)
		}
		expect(t, "slots", d.slots, 0)
		expect(t, "allowed", d.allowed(), 0)
		expect(t, "rows", rows(e), 0)
	})
}

// TestRush: classes get magazines if the Gets of all keep up the pace, and each of them a part of it.
func TestRush(t *testing.T) {
	for _, tt := range []struct {
		name  string
		each  time.Duration // time for a Get and a Put of one of seven classes
		pause time.Duration // after seven of them
		busy  int           // at least so many classes, until the others together are slower than the pace; or none
	}{
		{"much together", time.Microsecond, 8 * time.Microsecond, 6},
		{"a bit faster than the pace", 9 * time.Microsecond, 0, 1},
		{"slower than the pace", 11 * time.Microsecond, 0, 0},
		{"seldom", time.Microsecond, 200 * time.Microsecond, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !pin.Available {
				t.Skip("no magazines in this build")
			}
			oneP(t)
			classes := slices.Repeat([]Class{{Size: 1, Local: Slots}}, 7)
			e := newEngine[int](1e12, classes...)
			var now time.Duration
			e.clock, e.pace = func() time.Duration { return now }, &busy
			for c := range classes {
				d := e.at(uint(c))
				d.extra, d.peak = 0, 0
			}
			for range 2000 {
				for c := range classes {
					now += tt.each
					x, ok := get(e, uint(c))
					if !ok {
						x = 1 + c
					}
					putAll(t, e, uint(c), x)
				}
				now += tt.pause
			}
			n := 0
			for c := range classes {
				if e.at(uint(c)).slots > 0 {
					n++
				}
			}
			if n < tt.busy || tt.busy == 0 && n > 0 {
				t.Errorf("%d classes have magazines, want %d or more, or none for 0", n, tt.busy)
			}
			audit(t, e)
		})
	}
}

// TestIdleFollowsUse: a class that is not busy has exactly the most items that were outstanding at
// one time.
func TestIdleFollowsUse(t *testing.T) {
	e, d, now := paced(t, Class{Size: 1, Local: Slots})
	for i := range 20_000 {
		*now += 100 * time.Microsecond
		var items []int
		for k := range 1 + i%7 {
			x, ok := get(e, 0)
			if !ok {
				x = 100*i + k
			}
			items = append(items, x)
		}
		putAll(t, e, 0, items...)
	}
	expect(t, "items", d.exist(), 7)
	expect(t, "slots", d.slots, 0)
	audit(t, e)
}

// TestSlotsFollowNeed: magazines have as many slots as items were outstanding in this window and
// the one before. Their extra slots double each time that the lock is still taken at a fifth of the pace.
func TestSlotsFollowNeed(t *testing.T) {
	e, d, now := paced(t, Class{Size: 1, Local: 4})
	use := func(n int) {
		var items []int
		for k := range n {
			x, ok := get(e, 0)
			if !ok {
				x = int(d.misses)*100 + k
			}
			items = append(items, x)
		}
		putAll(t, e, 0, items...)
	}
	expect(t, "allowed at first", d.allowed(), 0)
	for range busy.gets / 8 {
		use(8)
	}
	expect(t, "need", d.need(), 8)
	expect(t, "allowed when busy", d.allowed(), 9)
	for range 20 { // with more slots, magazines hold more
		use(30)
		if d.slots > d.allowed() {
			t.Fatalf("%d slots, %d are allowed", d.slots, d.allowed())
		}
		d.asks = 0
	}
	e.Trim()
	d.peak = 8
	for _, extra := range []uint{2, 4, 8, 16, 16, 16} { // up to the need plus eight
		for d.asks < busy.gets-1 {
			e.count(d, 0)
		}
		use(8)
		if d.asks > busy.gets/2 {
			use(8)
		}
		expect(t, "extra", d.extra, extra)
		d.asks = 0
	}
	audit(t, e)

	// The need of a window counts in the next one.
	*now = at(10)
	d.uses, e.pace = 0, &pace{e.pace.gets, time.Hour}
	e.reclaim(at(10))
	expect(t, "need after a window", d.need(), 8)
	expect(t, "extra after a window", d.extra, 8)
	use(2)
	e.reclaim(at(20))
	audit(t, e)
	if n := d.need(); n > 2 {
		t.Errorf("need after two windows is %d, want at most 2", n)
	}
	for range 10 {
		e.reclaim(e.last + at(10))
		use(1)
	}
	expect(t, "extra after many windows", d.extra, 1)
	audit(t, e)
}

// TestNoMoreSlots: magazines do not get more slots than allowed.
func TestNoMoreSlots(t *testing.T) {
	e, d, _ := paced(t, Class{Size: 1, Local: Slots})
	d.extra, d.peak = 1, 2
	putAll(t, e, 0, seq(1, 20)...)
	audit(t, e)
	expect(t, "slots", d.slots, 3)
}

// TestNoLongerBusy: a class with Gets at less than half the pace in a window loses its magazines.
func TestNoLongerBusy(t *testing.T) {
	for _, tt := range []struct {
		gets int // in a window of ten seconds
		busy bool
	}{{499_998, false}, {499_999, true}, {1_500_000, true}, {0, false}} {
		t.Run(fmt.Sprint(tt.gets), func(t *testing.T) {
			e, d, _ := paced(t, Class{Size: 1, Local: Slots})
			d.extra = 100
			putAll(t, e, 0, seq(1, 20)...)
			e.reclaim(at(10))
			d.extra = 100
			for range tt.gets {
				x, _ := get(e, 0)
				putAll(t, e, 0, x)
			}
			e.reclaim(at(20))
			expect(t, "busy", d.extra > 0, tt.busy)
			if tt.gets == 0 {
				return
			}
			x, _ := get(e, 0)
			putAll(t, e, 0, x)
			audit(t, e)
			expect(t, "slots", d.slots > 0, tt.busy)
			if !tt.busy {
				expect(t, "items in the depot", depotItems(e, 0), seq(1, 20))
			}
			if !tt.busy {
				for k := range 4 {
					e.reclaim(at(21 + float64(k)))
				}
				expect(t, "in limbo", len(d.limbo), 0)
				expect(t, "magazine", magazine(e, 0, 0), e.empty)
			}
		})
	}
}

// TestRecall: a miss takes magazines out of the table if they hold more than a quarter of the need
// and two items. Their Ps hand over the items when they come back.
func TestRecall(t *testing.T) {
	const other = 1
	for _, tt := range []struct {
		name     string
		idle     int // idle items of the other P
		use      int // items outstanding meanwhile
		recalled bool
	}{
		{"nothing", 0, 0, false},
		{"few", 2, 0, false},
		{"one too many", 3, 0, true},
		{"many", Slots, 0, true},
		{"few of many", 6, 16, false},
		{"too many of many", 7, 16, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, d, _ := paced(t, Class{Size: 1, Local: Slots})
			e.pace = &pace{1 << 31, time.Hour}
			runtime.GOMAXPROCS(2)
			e.grow(other)
			runtime.GOMAXPROCS(1)
			for range tt.idle + tt.use {
				e.Get(0, 1, OwnClass)
			}
			d.peak = 0
			d.extra = 100
			var m *Magazine[int]
			if tt.idle > 0 { // as if the other P had put the items
				putAll(t, e, 0, seq(1, tt.idle)...)
				m = magazine(e, 0, 0)
				e.table.Entry(0).Store(e.empty)
				e.table.Entry(other << bits).Store(m)
			}
			d.peak = int32(tt.use)
			if x, ok := get(e, 0); ok {
				t.Fatalf("got item %d of the other P", x)
			}
			audit(t, e)
			if recalled := len(d.limbo) > 0; recalled != tt.recalled {
				t.Fatalf("recalled: %t, want %t", recalled, tt.recalled)
			}
			if !tt.recalled {
				return
			}
			for range 2 { // the first may have been scheduled before the recall, the second not
				expect(t, "of the other P in limbo", d.limbo[0].Len(), uint(tt.idle))
				expect(t, "in the depot", len(d.items), 0)
				e.reclaim(e.last)
				audit(t, e)
			}
			expect(t, "in limbo after two rounds", len(d.limbo), 0)
			expect(t, "in the depot", depotItems(e, 0), seq(1, tt.idle))
		})
	}
	t.Run("the P comes back", func(t *testing.T) {
		for _, tt := range []struct {
			name string
			come func(e *Engine[int])
			left []int
		}{
			{"to get", func(e *Engine[int]) {
				if x, _, ok := e.Get(0, 1, OwnClass); x != 10 || !ok {
					t.Errorf("got %d, %t", x, ok)
				}
			}, seq(1, 9)},
			{"to put", func(e *Engine[int]) { putAll(t, e, 0, 11) }, seq(1, 11)},
		} {
			e, d, _ := paced(t, Class{Size: 1, Local: Slots})
			d.extra = 100
			putAll(t, e, 0, seq(1, 10)...)
			m := magazine(e, 0, 0)
			d.mu.Lock()
			e.recall(d, 0)
			d.mu.Unlock()
			expect(t, "in limbo", len(d.limbo), 1)
			audit(t, e)
			tt.come(e)
			audit(t, e)
			expect(t, "in limbo", len(d.limbo), 0)
			expect(t, "magazine", magazine(e, 0, 0), m)
			if n := d.slots; n > 1 {
				t.Errorf("%s: %d slots", tt.name, n)
			}
			expect(t, "items", stack(e, 0), tt.left)
		}
	})
}

// TestNeedInBounds: items that checks have taken back are not needed, and however many items are
// never put, the need does not wrap.
func TestNeedInBounds(t *testing.T) {
	e, d, _ := paced(t, Class{Size: 1, Local: Slots})
	for range 100 {
		e.CountGet(0, 1)
		e.CountChecked(0)
	}
	expect(t, "items after checks", int(d.exist()), 0)
	e.CountGet(0, 1)
	expect(t, "items that checks track", int(d.exist()), 1)
	for _, lost := range []uint64{1<<31 - 1, 1 << 31, 1 << 32, 1 << 40} {
		d.misses, d.peak, d.peakBefore = lost, 0, 0
		d.note(0)
		if n := d.need(); n < 1<<29 {
			t.Errorf("need is %d after %d items were never put", n, lost)
		}
		for range 2 { // windows
			e.assess(d, 0, true, time.Second)
		}
		d.extra = 1
		if n := d.need(); n < 1<<29 || d.allowed() <= n {
			t.Errorf("need is %d and %d slots are allowed in the windows after %d items were never put", n, d.allowed(), lost)
		}
	}
}

// TestChecksRecallNothing: Gets served with new items by checks recall no magazines. Other counted
// misses do.
func TestChecksRecallNothing(t *testing.T) {
	for _, tt := range []struct {
		name     string
		count    func(e *Engine[int])
		recalled int
	}{
		{"checks", func(e *Engine[int]) { e.CountGet(0, 10) }, 0},
		{"a miss", func(e *Engine[int]) { e.CountMiss(0, 10) }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, d, _ := paced(t, Class{Size: 1, Local: Slots})
			e.pace = &pace{1 << 31, time.Hour}
			d.extra = 100
			putAll(t, e, 0, seq(1, 10)...)
			d.peak = 0
			tt.count(e)
			expect(t, "magazines recalled", len(d.limbo), tt.recalled)
			s := e.stats(d, 0)
			expect(t, "misses", s.Misses, 1)
			expect(t, "asked", s.Asked, 10)
			audit(t, e)
		})
	}
}
