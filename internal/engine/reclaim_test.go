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

	"github.com/basin-go/basin/internal/pin"
)

// A step of a test of what stays: something happens, and a millisecond later there is a round of
// reclaim after which so many items are left.
type step struct {
	at   float64 // seconds
	get  int     // items taken, and put back
	put  int     // new items
	left int
}

// TestRelease follows the depot through windows of ten seconds.
func TestRelease(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"untouched items go over a window", []step{
			{at: 1, put: 100, left: 100},
			{at: 10, left: 100}, // they came in the course of this window, so nothing is known of them
			{at: 15, left: 100},
			{at: 20, left: 100}, // untouched for this one
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
		{"what is touched stays", []step{
			{put: 100, at: 10, left: 100},
			{get: 30, at: 15, left: 100},
			{at: 20, left: 100},
			{at: 25, left: 65}, // half of 70
			{at: 30, left: 30},
			// The thirty were not touched since, so they go next.
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
			{get: 30, at: 26, left: 46}, // 50 were due, of which 20 are still untouched: a fifth
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
			{at: 16, left: 100}, // since 5
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
				// The oldest go first.
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
		small    []int // left
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
		}, large, Kept, seq(4, 8), 3}, // it does not count on what is free, for others may take it
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
		// The magazine was halved, so half of it is two of its four items.
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
		// Else two that evict from each other would wait for ever.
		oneP(t)
		e := newEngine[int](100, classes...)
		putAll(t, e, small, seq(1, 10)...)
		e.reclaim(at(10))
		e.depots[small].Load().mu.Lock()
		expect(t, "verdict", put(e, large, 1), Full)
		e.depots[small].Load().mu.Unlock()
		audit(t, e)
	})
}

// TestTrim: whatever is idle goes, wherever it is, and nothing that was counted is
// lost.
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
			for c := range e.depots {
				before = append(before, e.Stats(uint(c)))
			}
			for range 2 {
				e.Trim()
				audit(t, e)
				expect(t, "taken", e.idle.taken.Load(), 0)
				for c := range e.depots {
					want := before[c]
					want.Released += want.Idle
					want.Idle = 0
					expect(t, fmt.Sprintf("stats of class %d", c), e.Stats(uint(c)), want)
					expect(t, "in limbo", len(e.depots[c].Load().limbo), 0)
					if x, ok := get(e, uint(c)); ok {
						t.Errorf("class %d: got %d after Trim", c, x)
					}
					before[c].Misses++
					before[c].Asked += 10
					before[c].Released, before[c].Idle = want.Released, 0
				}
			}
			// It is as good as new.
			for c := range uint(len(e.depots)) {
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

// TestReclaimDuringTrim: a round of reclaim that began while Trim waits may have
// been scheduled before Trim took the magazines out of the table, so it must
// not count on a grace period for them.
func TestReclaimDuringTrim(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	oneP(t)
	e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot, onlyDepot)
	putAll(t, e, 0, seq(1, 10)...)
	wait := func(c uint, done func(d *depot[int]) bool) {
		d := e.depots[c].Load()
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
	last := e.depots[2].Load()
	last.mu.Lock() // Trim stops here
	both.Go(e.Trim)
	wait(0, func(d *depot[int]) bool { return len(d.limbo) == 1 && d.limbo[0].doomed })
	putAll(t, e, 0, 11, 12) // into another magazine, for this one is doomed
	e.depots[1].Load().mu.Lock()
	e.depots[1].Load().due = 1 // a mark that reclaim removes, after it has been at class 0
	e.depots[1].Load().mu.Unlock()
	both.Go(func() { e.reclaim(at(1)) })
	wait(1, func(d *depot[int]) bool { return d.due == 0 })
	wait(0, func(d *depot[int]) bool {
		if len(d.limbo) != 1 || d.limbo[0].Len() != 10 || len(d.items) != 0 {
			t.Errorf("%d items in the depot, %d magazines in limbo: reclaim has settled what Trim took out", len(d.items), len(d.limbo))
		}
		return true
	})
	last.mu.Unlock()
	both.Wait()
	audit(t, e)
	expect(t, "items", stack(e, 0), []int{11, 12})
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 12, Released: 10, Idle: 2})
}

// TestTrimWaits: Trim must not touch a magazine while a pinned section may be
// using it.
func TestTrimWaits(t *testing.T) {
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	procs := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(procs)
	// A collection that wants to begin would stop everybody but the pinned
	// section, which waits for Trim: nothing would happen until it gives up.
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
				for i := 0; i < 1e9 && entry.Load() == m; i++ { // not for ever, or what stops the world never returns
				}
				for range 100_000 { // some time for Trim to go wrong
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
		e.Trim()
		section.Wait()
		audit(t, e)
		s := e.Stats(0)
		if s.Idle != 0 || s.Released != s.Puts || s.Puts%2 != 1 {
			t.Fatalf("what a pinned section put is lost: %+v", s)
		}
	}
}

// TestNearMemoryLimit: idle memory goes at once when memory is short.
func TestNearMemoryLimit(t *testing.T) {
	e := new(Engine[*thing])
	e.Init(new(Table[*thing]), Config[*thing]{
		Classes:  func() []Class { return []Class{{Size: 10, Local: Slots}, {Size: 10, Local: 0}} },
		Bits:     bits,
		MaxIdle:  1e6,
		IdleTime: time.Hour,
		Same:     equal[*thing],
	})
	things(t, e, 100)
	for e.round.Load() < 3 {
		runtime.GC()
		runtime.Gosched()
	}
	expect(t, "idle items", e.Stats(0).Idle, 100)
	limit := debug.SetMemoryLimit(1 << 20)
	defer debug.SetMemoryLimit(limit)
	for e.idle.taken.Load() > 0 { // the test's own time limit is the only one
		runtime.GC()
		runtime.Gosched()
	}
	debug.SetMemoryLimit(limit)
	expect(t, "stats", e.Stats(0), ClassStats{Puts: 100, Released: 100})
}

// TestNothingToReclaim: an engine in which nothing is left is passed over until it is used again.
func TestNothingToReclaim(t *testing.T) {
	for _, tt := range []struct {
		name string
		put  func(e *Engine[int])
	}{
		{"an item in the depot", func(e *Engine[int]) { put(e, 1, 1) }},
		{"an item in a magazine", func(e *Engine[int]) { put(e, 0, 1) }},
		{"a magazine without items", func(e *Engine[int]) { put(e, 0, 1); get(e, 0) }},
		{"a magazine without slots", func(e *Engine[int]) { e.local.limit = 0; e.Get(0, 1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !pin.Available && strings.HasPrefix(tt.name, "a magazine") {
				t.Skip("no magazines in this build")
			}
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot)
			for i := range 2 {
				tt.put(e)
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

// TestPutLetsGoWhatIsOverdue: what nobody has touched for an IdleTime does not wait for a collection.
func TestPutLetsGoWhatIsOverdue(t *testing.T) {
	oneP(t)
	for _, tt := range []struct {
		name        string
		class       Class
		get, before int // items that are taken and put back after so many seconds
		left        int // of a hundred
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
			if tt.class.Local > 0 { // a magazine holds some of those that are used, with some that are not
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

// TestSpikeLateInACycle: it does not matter in which part of a long cycle items came.
func TestSpikeLateInACycle(t *testing.T) {
	oneP(t)
	for _, came := range []float64{0, 1, 9.9, 10, 50, 99} {
		for _, tt := range []struct {
			name  string
			after float64
			left  uint64
		}{{"before an IdleTime", 19.9, 3}, {"after it", 20, 0}} {
			e := newEngine[int](1e6, onlyDepot)
			e.clock = func() time.Duration { return at(came) }
			putAll(t, e, 0, 1, 2, 3)
			e.reclaim(at(came + tt.after))
			audit(t, e)
			expect(t, fmt.Sprintf("came at %v, %s: items left", came, tt.name), e.Stats(0).Idle, tt.left)
		}
	}
}
