//go:build go1.25

package engine

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/basin-go/basin/internal/pin"
)

// A step of a test of release: something happens, a round of reclaim follows a millisecond later,
// and then left items must be left.
type step struct {
	at   float64 // seconds
	get  int     // items taken and put back
	put  int     // new items
	left int
}

// TestRelease follows a depot through windows of ten seconds.
func TestRelease(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"untouched items go over a window", []step{
			{at: 1, put: 100, left: 100},
			{at: 10, left: 100}, // they came during this window, which therefore shows nothing
			{at: 15, left: 100},
			{at: 20, left: 100}, // untouched for this window
			{at: 21, left: 90},
			{at: 22, left: 80},
			{at: 25, left: 50},
			{at: 29.9, left: 1},
			{at: 30, left: 0},
		}},
		{"a share at the end, if there are no cycles in between", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{at: 30, left: 0},
		}},
		{"few items and many cycles", []step{
			{put: 3, at: 10, left: 3},
			{at: 20, left: 3},
			{at: 20.5, left: 3}, {at: 21, left: 3}, {at: 21.5, left: 3}, {at: 22, left: 3}, {at: 22.5, left: 3},
			{at: 25, left: 2}, {at: 27, left: 2}, {at: 29, left: 1}, {at: 30, left: 0},
		}},
		{"touched items stay", []step{
			{put: 100, at: 10, left: 100},
			{get: 30, at: 15, left: 100},
			{at: 20, left: 100},
			{at: 25, left: 65}, // half of 70
			{at: 30, left: 30},
			// The thirty have not been touched since, so they go next.
			{at: 35, left: 15},
			{at: 40, left: 0},
		}},
		{"all are touched", []step{
			{put: 100, at: 10, left: 100},
			{get: 100, at: 20, left: 100},
			{get: 100, at: 30, left: 100},
			{get: 100, at: 35, left: 100},
			{get: 100, at: 40, left: 100},
		}},
		{"needed after all", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{at: 25, left: 50},
			{get: 30, at: 26, left: 46}, // of 50 due items 20 are still untouched; a fifth of these goes
			{at: 30, left: 30},
		}},
		{"all needed after all", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{get: 100, at: 21, left: 100},
			{at: 30, left: 100},
		}},
		{"new ones do not count as untouched", []step{
			{put: 50, at: 10, left: 50},
			{put: 50, at: 19, left: 100},
			{at: 20, left: 100},
			{at: 30, left: 50},
			{at: 40, left: 0},
		}},
		{"two windows in one cycle", []step{
			{put: 100, at: 10, left: 100},
			{at: 30, left: 0},
		}},
		{"two windows in one cycle, some touched", []step{
			{put: 100, at: 10, left: 100},
			{get: 20, at: 31, left: 20},
			{at: 51, left: 0},
		}},
		{"one window in a cycle, since they came", []step{
			{put: 100, at: 5, left: 100},
			{at: 16, left: 100}, // untouched since 5
			{at: 21, left: 50},
			{at: 26, left: 0},
		}},
		{"two windows in a cycle, since they came", []step{
			{put: 100, at: 9, left: 100},
			{at: 29, left: 0},
		}},
		{"a cycle in no time", []step{
			{put: 100, at: 10, left: 100},
			{at: 20, left: 100},
			{at: 20, left: 100},
			{at: 25, left: 50},
			{at: 25, left: 50},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, onlyDepot)
			next := 1
			for _, s := range tt.steps {
				e.clock = func() time.Duration { return at(s.at - 0.001) }
				taken := make([]int, 0, s.get)
				for range s.get {
					x, _ := get(e, 0)
					taken = append(taken, x)
				}
				slices.Reverse(taken)
				putAll(t, e, 0, taken...)
				putAll(t, e, 0, seq(next, next+s.put-1)[:s.put]...)
				next += s.put
				before := depotItems(e, 0)
				released := e.Stats(0).Released
				e.reclaim(at(s.at))
				audit(t, e)
				after := depotItems(e, 0)
				if len(after) != s.left {
					t.Fatalf("at %v s: %d items are left, want %d", s.at, len(after), s.left)
				}
				// The oldest items go first.
				gone := len(before) - len(after)
				expect(t, "items left", fmt.Sprint(after), fmt.Sprint(before[gone:]))
				expect(t, "released", e.Stats(0).Released-released, uint64(gone))
			}
		})
	}
}

func TestEvict(t *testing.T) {
	const small, large, huge, other = 0, 1, 2, 3
	classes := []Class{{Size: 10}, {Size: 25}, {Size: 101}, {Size: 20}}
	for _, tt := range []struct {
		name     string
		do       func(e *Engine[int])
		put      uint
		want     Verdict
		small    []int // items left
		released uint64
	}{
		{"of another class", func(e *Engine[int]) { e.reclaim(at(10)) }, large, Kept, seq(4, 10), 3},
		{"exactly as much", func(e *Engine[int]) { e.reclaim(at(10)) }, other, Kept, seq(3, 10), 2},
		{"not judged yet", func(e *Engine[int]) {}, large, Full, seq(1, 10), 0},
		{"in use", func(e *Engine[int]) {
			e.reclaim(at(10))
			items := getAll(e, small)
			slices.Reverse(items)
			putAll(t, e, small, items...)
		}, large, Full, seq(1, 10), 0},
		{"too few that are not in use", func(e *Engine[int]) {
			e.reclaim(at(10))
			for range 8 {
				get(e, small)
			}
			putAll(t, e, small, seq(3, 10)...)
		}, large, Full, seq(3, 10), 2},
		{"some are free anyway", func(e *Engine[int]) {
			e.reclaim(at(10))
			get(e, small)
			get(e, small)
		}, large, Kept, seq(4, 8), 3}, // evict does not rely on free budget, because others may take it
		{"not of its own class", func(e *Engine[int]) { e.reclaim(at(10)) }, small, Full, seq(1, 10), 0},
		{"more than MaxIdle", func(e *Engine[int]) { e.reclaim(at(10)) }, huge, Full, seq(1, 10), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](100, classes...)
			putAll(t, e, small, seq(1, 10)...)
			expect(t, "verdict of one too many", put(e, small, 11), Full)
			tt.do(e)
			audit(t, e)
			expect(t, "verdict", put(e, tt.put, 1000), tt.want)
			audit(t, e)
			expect(t, "items left", depotItems(e, small), tt.small)
			expect(t, "released", e.Stats(small).Released, tt.released)
			want := uint64(0)
			if tt.want == Full {
				want = 1
			}
			if tt.put == small {
				want++
			}
			expect(t, "turned away", e.Stats(tt.put).Full, want)
		})
	}
	t.Run("of several classes", func(t *testing.T) {
		oneP(t)
		e := newEngine[int](100, Class{Size: 10, Local: 0}, Class{Size: 30, Local: 0}, Class{Size: 80, Local: 0})
		putAll(t, e, 0, seq(1, 4)...)
		putAll(t, e, 1, 11, 12)
		e.reclaim(at(10))
		expect(t, "verdict", put(e, 2, 100), Kept)
		audit(t, e)
		expect(t, "released", []uint64{e.Stats(0).Released, e.Stats(1).Released, e.Stats(2).Released}, []uint64{4, 2, 0})
	})
	t.Run("for half a magazine", func(t *testing.T) {
		if !pin.Available {
			t.Skip("no magazines in this build")
		}
		oneP(t)
		e := newEngine[int](200, Class{Size: 10, Local: 0}, Class{Size: 10, Local: 8})
		putAll(t, e, 1, seq(101, 108)...)
		expect(t, "limit", magazine(e, 0, 1).limit, 8)
		putAll(t, e, 0, seq(1, 12)...)
		audit(t, e)
		e.reclaim(at(10))
		expect(t, "verdict", put(e, 1, 109), Kept)
		audit(t, e)
		expect(t, "items", stack(e, 1), seq(101, 109))
		// The magazine was halved: two of its four items are in the depot.
		expect(t, "items left", depotItems(e, 0), seq(3, 12))
	})
	t.Run("looks again after the next cycle only", func(t *testing.T) {
		oneP(t)
		e := newEngine[int](100, classes...)
		putAll(t, e, small, seq(1, 10)...)
		items := getAll(e, small)
		e.reclaim(at(10))
		slices.Reverse(items)
		putAll(t, e, small, items...)
		expect(t, "verdict", put(e, large, 1), Full)
		e.reclaim(at(20))
		expect(t, "verdict", put(e, large, 1), Kept)
		audit(t, e)
	})
	t.Run("passes by a class that is locked", func(t *testing.T) {
		// Otherwise, two evictions would wait for each other for ever.
		oneP(t)
		e := newEngine[int](100, classes...)
		putAll(t, e, small, seq(1, 10)...)
		e.reclaim(at(10))
		e.at(small).mu.Lock()
		expect(t, "verdict", put(e, large, 1), Full)
		e.at(small).mu.Unlock()
		audit(t, e)
	})
}

// TestTrim: all idle items are released, wherever they are, and all counts stay.
func TestTrim(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(e *Engine[int])
	}{
		{"nothing", func(e *Engine[int]) {}},
		{"empty", func(e *Engine[int]) { putAll(t, e, 0, 1); get(e, 0); get(e, 0) }},
		{"magazine", func(e *Engine[int]) { putAll(t, e, 0, seq(1, 20)...); get(e, 0) }},
		{"depot", func(e *Engine[int]) { putAll(t, e, 1, seq(1, 20)...); get(e, 1) }},
		{"magazine and depot", func(e *Engine[int]) { putAll(t, e, 0, seq(1, 300)...); get(e, 0) }},
		{"limbo", func(e *Engine[int]) { putAll(t, e, 0, seq(1, 20)...); e.reclaim(at(1)); e.reclaim(at(2)) }},
		{"limbo, magazine and depot", func(e *Engine[int]) {
			putAll(t, e, 0, seq(1, 50)...)
			putAll(t, e, 2, seq(1, 5)...)
			e.reclaim(at(1))
			putAll(t, e, 0, seq(51, 60)...)
			e.reclaim(at(2))
		}},
		{"due", func(e *Engine[int]) { putAll(t, e, 1, seq(1, 20)...); e.reclaim(at(10)); e.reclaim(at(20)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot, Class{Size: 1000, Local: 4})
			tt.do(e)
			var before []ClassStats
			for c := range uint(e.classes) {
				before = append(before, e.Stats(c))
			}
			for range 2 {
				e.Trim()
				audit(t, e)
				expect(t, "taken", e.idle.taken.Load(), 0)
				for c := range uint(e.classes) {
					want := before[c]
					want.Released += want.Idle
					want.Idle = 0
					expect(t, fmt.Sprintf("stats of class %d", c), e.Stats(c), want)
					expect(t, "in limbo", len(e.at(c).limbo), 0)
					if x, ok := get(e, c); ok {
						t.Errorf("class %d: got %d after Trim", c, x)
					}
					before[c].Misses++
					before[c].Asked += 10
					before[c].Released, before[c].Idle = want.Released, 0
				}
			}
			// The engine works as before.
			for c := range uint(e.classes) {
				putAll(t, e, c, seq(1, 50)...)
				audit(t, e)
				expect(t, "items", getAll(e, c), seq(50, 1))
			}
			for s := range 60 {
				e.reclaim(at(float64(20 + s)))
				audit(t, e)
			}
			expect(t, "taken in the end", e.idle.taken.Load(), 0)
		})
	}
}

// TestReclaimDuringTrim: a round of reclaim that runs while Trim waits must not rely on a grace
// period for the magazines that Trim took out of the table. The round may have been scheduled
// before that.
func TestReclaimDuringTrim(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot, onlyDepot)
	putAll(t, e, 0, seq(1, 10)...)
	wait := func(c uint, done func(d *depot[int]) bool) {
		d := e.at(c)
		for {
			d.mu.Lock()
			ok := done(d)
			d.mu.Unlock()
			if ok {
				return
			}
			runtime.Gosched()
		}
	}
	var both sync.WaitGroup
	last := e.at(2)
	last.mu.Lock() // Trim stops here
	both.Go(e.Trim)
	wait(0, func(d *depot[int]) bool { return len(d.limbo) == 1 && d.limbo[0].trimmed })
	putAll(t, e, 0, 11, 12) // in another magazine, because this one is trimmed
	e.at(1).mu.Lock()
	e.at(1).due = 1 // reclaim clears it after it has passed class 0
	e.at(1).mu.Unlock()
	both.Go(func() { e.reclaim(at(1)) })
	wait(1, func(d *depot[int]) bool { return d.due == 0 })
	wait(0, func(d *depot[int]) bool {
		if len(d.limbo) != 1 || d.limbo[0].Len() != 10 || len(d.items) != 0 {
			t.Errorf("%d items in the depot, %d magazines in limbo: reclaim has settled magazines that Trim took out", len(d.items), len(d.limbo))
		}
		return true
	})
	last.mu.Unlock()
	both.Wait()
	audit(t, e)
	expect(t, "items", stack(e, 0), []int{11, 12})
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 12, Released: 10, Idle: 2})
}

// TestTrimWaits: Trim must not touch a magazine while a pinned section may be using it.
func TestTrimWaits(t *testing.T) {
	retiredWhilePinned(t, func(e *Engine[int]) { e.Trim() })
}

// TestRetrieveWaits: likewise for Retrieve, which finds the item of the pinned section, too.
func TestRetrieveWaits(t *testing.T) {
	retiredWhilePinned(t, func(e *Engine[int]) {
		found := e.Retrieve(true, func(uint, int) bool { return true })
		if !slices.ContainsFunc(found, func(r Retrieved[int]) bool { return r.Item == 3 }) {
			t.Errorf("found %v, and not 3", found)
		}
	})
}

// retiredWhilePinned calls release, which releases all items, while a pinned section is about to put the item 3 into a
// magazine.
func retiredWhilePinned(t *testing.T, release func(*Engine[int])) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	procs := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(procs)
	// A collection would stop all goroutines but the pinned section, which waits for release, and
	// nothing would happen until that gives up.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 20 {
		e := newEngine[int](1e6, Class{Size: 10, Local: Slots})
		var pinned atomic.Bool
		var section sync.WaitGroup
		section.Go(func() {
			for {
				e.Put(0, 1)
				e.Put(0, 2)
				p := uint(pin.Pin())
				entry := e.table.Entry(p << bits)
				m := entry.Load()
				if m.Len() == 0 || !m.Room(m.Len()) { // moved to another P meanwhile
					pin.Unpin()
					continue
				}
				pinned.Store(true)
				for i := 0; i < 1e9 && entry.Load() == m; i++ { // not for ever, or the stop of the world would never return
				}
				for range 100_000 { // give a wrong release some time
					pinned.Load()
				}
				m.Push(m.Len(), 3)
				pin.Unpin()
				return
			}
		})
		for !pinned.Load() {
			runtime.Gosched()
		}
		release(e)
		section.Wait()
		audit(t, e)
		s := e.Stats(0)
		if s.Idle != 0 || s.Released != s.Puts || s.Puts%2 != 1 {
			t.Fatalf("an item put in a pinned section is lost: %+v", s)
		}
	}
}

// TestNearMemoryLimit: idle memory is released at once when memory is short.
func TestNearMemoryLimit(t *testing.T) {
	e := new(Engine[*thing])
	e.Init(new(Table[*thing]), 1e6, nil, Config[*thing]{
		Classes:  func() []Class { return []Class{{Size: 10, Local: Slots}, {Size: 10, Local: 0}} },
		Bits:     bits,
		IdleTime: time.Hour,
		Same:     equal[*thing],
	})
	things(t, e, 100)
	for e.round.Load() < 1 {
		runtime.GC()
		runtime.Gosched()
	}
	expect(t, "idle items", e.Stats(0).Idle, 100)
	limit := debug.SetMemoryLimit(1 << 20)
	defer debug.SetMemoryLimit(limit)
	for e.idle.taken.Load() > 0 { // no time limit but that of the test run
		runtime.GC()
		runtime.Gosched()
	}
	debug.SetMemoryLimit(limit)
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 100, Released: 100})
}

// TestLimitRises: an engine that has released everything because its limit fell to nothing, and so
// takes part in no round any more, keeps items again when the limit rises.
func TestLimitRises(t *testing.T) {
	limit := int64(0)
	e := newEngine[int](0, onlyDepot)
	e.config.MaxIdle = func() int64 { return limit }
	for range 2 {
		expect(t, "Put without room", e.Put(0, 1), Full)
	}
	limit = 1e6
	expect(t, "the first Put after the limit has risen", e.Put(0, 2), Full)
	expect(t, "the second Put", e.Put(0, 3), Kept)
	audit(t, e)
}

// TestNothingToReclaim: rounds skip an engine without items until it is used again.
func TestNothingToReclaim(t *testing.T) {
	for _, tt := range []struct {
		name string
		put  func(e *Engine[int])
	}{
		{"an item in the depot", func(e *Engine[int]) { put(e, 1, 1) }},
		{"an item in a magazine", func(e *Engine[int]) { put(e, 0, 1) }},
		{"a magazine without items", func(e *Engine[int]) { put(e, 0, 1); get(e, 0) }},
		{"a magazine without slots", func(e *Engine[int]) { e.local.limit.Store(0); e.Get(0, 1, OwnClass) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !pin.Available && strings.HasPrefix(tt.name, "a magazine") {
				t.Skip("no magazines in this build")
			}
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot)
			for i := range 2 {
				if pin.Available {
					e.at(0).extra = 1 << 20
				}
				tt.put(e)
				if hook := (&caller[int]{engine: weak.Make(e)}); strings.HasPrefix(tt.name, "a magazine") && !hook.Due(e.last) {
					t.Error("a round would skip the engine, which has a magazine")
				}
				e.at(0).extra = 0 // no longer busy, so the table goes, too
				before := e.round.Load()
				e.reclaim(at(float64(100*i + 10)))
				expect(t, "rounds", e.round.Load(), before+1)
				for k := range 5 {
					e.reclaim(at(float64(100*i + 40 + 10*k)))
					audit(t, e)
				}
				expect(t, "idle", e.Stats(0).Idle+e.Stats(1).Idle, 0)
				if m := e.table.Has(0) && magazine(e, 0, 0) != e.empty; m {
					t.Error("a magazine is left")
				}
				last := e.round.Load()
				e.reclaim(at(float64(100*i + 99)))
				expect(t, "rounds of nothing", e.round.Load(), last)
			}
		})
	}
}

// TestDue: rounds skip an engine until it is due, and unregister it when it has no items, until it
// is used again.
func TestDue(t *testing.T) {
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: 4}, Class{Size: 20})
	e.awake.Store(true) // only this test calls the engine
	round := func(seconds float64, want float64, sleeps bool) {
		t.Helper()
		e.reclaim(at(seconds))
		audit(t, e)
		if got := e.sleeps(); got != sleeps {
			t.Errorf("at %v s: sleeps: %t, want %t", seconds, got, sleeps)
		}
		if sleeps {
			return
		}
		hook := &caller[int]{engine: weak.Make(e)}
		if early := want - 0.01; early > seconds && hook.Due(at(early)) {
			t.Errorf("at %v s: due at %v s, want %v", seconds, early, want)
		}
		if !hook.Due(at(want + 0.01)) {
			t.Errorf("at %v s: not due at %v s", seconds, want)
		}
	}
	round(0, 0, true)
	putAll(t, e, 1, 1, 2, 3, 4, 5)
	expect(t, "awake after a Put", e.awake.Load(), true)
	round(1, 10, false)
	round(10, 20, false)
	round(20, 22, false) // five are due during the next window
	round(22, 24, false)
	round(27, 28.5, false) // two are left
	round(30, 0, true)
	expect(t, "awake", e.awake.Load(), false)
	round(31, 0, true)
	if pin.Available {
		putAll(t, e, 0, 6) // into a magazine
		expect(t, "awake after a Put", e.awake.Load(), true)
		round(32, 32, false)
		get(e, 0)
		round(33, 33, false)
		round(34, 34, false)
		round(35, 40, false) // the table is left
		e.at(0).extra = 0
		round(40, 50, false)
		expect(t, "rows", rows(e), 0)
		round(50, 0, true)
		expect(t, "there is an array", e.table.first.Load() != nil, false)
	}
}

// TestPutReleasesOverdueItems: a Put releases items that were untouched for two windows, without a
// collection.
func TestPutReleasesOverdueItems(t *testing.T) {
	oneP(t)
	for _, tt := range []struct {
		name        string
		class       Class
		get, before int // get items are taken, and put back at this second
		left        int // of a hundred items
	}{
		{"overdue, ten used", onlyDepot, 10, 20, 10},
		{"overdue, all used", onlyDepot, 100, 20, 100},
		{"not yet overdue", onlyDepot, 10, 19, 100},
		{"overdue, used with magazines", Class{Size: 10, Local: 4}, 50, 20, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEngine[int](1e6, tt.class)
			now := at(1)
			e.clock = func() time.Duration { return now }
			putAll(t, e, 0, seq(1, 100)...)
			now = at(1 + float64(tt.before))
			var taken []int
			for range tt.get {
				x, ok := get(e, 0)
				if !ok {
					t.Fatal("a Get finds nothing")
				}
				taken = append(taken, x)
			}
			slices.Reverse(taken)
			putAll(t, e, 0, taken...)
			audit(t, e)
			s := e.Stats(0)
			if tt.class.Local > 0 { // a magazine holds some of the used items, and some others
				if int(s.Idle) < tt.left || int(s.Idle) > tt.left+4 {
					t.Errorf("%d items are left, want %d to %d", s.Idle, tt.left, tt.left+4)
				}
				return
			}
			expect(t, "items left", int(s.Idle), tt.left)
			expect(t, "released", int(s.Released), 100-tt.left)
		})
	}
}

// TestIdleGoesWithinIdleTime: after a burst of sixteen users, only the items that the one remaining
// user needs stay idle for longer than IdleTime. This holds wherever in a window the burst ended,
// although rounds come late.
func TestIdleGoesWithinIdleTime(t *testing.T) {
	oneP(t)
	for ended := 10.0; ended < 30; ended += 0.7 {
		for _, every := range []float64{0.5, 2, 5} { // of windows of ten seconds
			e := newEngine[int](1e6, onlyDepot)
			now := 0.0
			e.clock = func() time.Duration { return at(now) }
			use := func(users int) {
				var items []int
				for k := range users {
					x, ok := get(e, 0)
					if !ok {
						x = k + 1
					}
					items = append(items, x)
				}
				putAll(t, e, 0, items...)
			}
			round := every
			for ; now < ended+idleTime.Seconds(); now += 0.1 {
				if now <= ended {
					use(16)
				} else {
					use(1)
				}
				if now >= round {
					e.reclaim(at(now))
					round += every
				}
			}
			audit(t, e)
			if s := e.Stats(0); s.Idle > 1 || s.Misses != 16 {
				t.Errorf("the burst ended at %.1f, a round every %v s: %d are idle, %d were made", ended, every, s.Idle, s.Misses)
			}
		}
	}
}

// TestSpikeLateInACycle: the time within a long cycle at which items came does not matter.
func TestSpikeLateInACycle(t *testing.T) {
	oneP(t)
	for _, came := range []float64{0, 1, 9.9, 10, 50, 99} {
		for _, tt := range []struct {
			name  string
			after float64
			left  uint64
		}{{"before two windows", 19.9, 3}, {"after them", 20, 0}} {
			e := newEngine[int](1e6, onlyDepot)
			e.clock = func() time.Duration { return at(came) }
			putAll(t, e, 0, 1, 2, 3)
			e.reclaim(at(came + tt.after))
			audit(t, e)
			expect(t, fmt.Sprintf("came at %v, %s: items left", came, tt.name), e.Stats(0).Idle, tt.left)
		}
	}
}

// TestMaxIdleFollows: when the limit falls, the next rounds release what is beyond it, in depots and
// in magazines. When it rises, more is kept.
func TestMaxIdleFollows(t *testing.T) {
	oneP(t)
	for _, local := range []uint{0, Slots} {
		t.Run(fmt.Sprintf("%d slots", local), func(t *testing.T) {
			limit := int64(3000)
			e := newEngine[int](limit, Class{Size: 10, Local: local}, Class{Size: 30, Local: local})
			e.config.MaxIdle = func() int64 { return limit }
			idle := func() int64 { return int64(e.Stats(0).Idle*10 + e.Stats(1).Idle*30) }
			putAll(t, e, 0, seq(1, 30)...)
			putAll(t, e, 1, seq(1, 20)...)
			e.reclaim(at(1))
			expect(t, "idle below the limit", idle(), 900)
			limit = 100
			e.reclaim(at(2))
			put(e, 0, 100) // the P comes back for its magazine
			put(e, 1, 100)
			e.reclaim(at(3))
			e.reclaim(at(4))
			if n := e.idle.taken.Load(); n > limit || idle() == 0 {
				t.Errorf("%d bytes are taken and %d idle, the limit is %d", n, idle(), limit)
			}
			audit(t, e)
			limit = 3000
			e.reclaim(at(5))
			for i := range 30 {
				put(e, 1, 200+i)
			}
			if n := idle(); n < 700 {
				t.Errorf("%d bytes are idle after the limit rose", n)
			}
			audit(t, e)
		})
	}
}
