//go:build go1.25

package gccycle_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/testenv"
)

// apart runs the test again in its own process, with the given name in its environment.
func apart(t *testing.T, what string) {
	t.Helper()
	limit := 10 * time.Minute
	if end, ok := t.Deadline(); ok { // it must end before this process
		limit = min(limit, time.Until(end))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout="+limit.String())
	cmd.Env = append(os.Environ(), "BASIN_TEST_APART="+what, "GOMAXPROCS=2") // with more Ps, there are more goroutines to block
	if out, err := cmd.CombinedOutput(); err != nil {
		if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
			t.Skip("there are no processes here")
		}
		t.Errorf("%v\n%s", err, out)
	}
}

// block blocks the goroutine that runs all finalizers, or the one that runs cleanups, or both. It
// returns when they are blocked.
func block(finalizers, cleanups bool) {
	var finalizing, cleaning atomic.Bool
	for range 100 {
		if finalizers {
			runtime.SetFinalizer(&struct{ p *int }{new(int)}, func(*struct{ p *int }) { finalizing.Store(true); select {} })
		}
		if cleanups {
			runtime.AddCleanup(&struct{ p *int }{new(int)}, func(int) { cleaning.Store(true); select {} }, 0)
		}
	}
	for n := 0; n < 20 || finalizing.Load() != finalizers || cleaning.Load() != cleanups; n++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// settle begins a round and waits until a hook has counted it. After that, no earlier collection
// begins another round, however late its sentinels are heard of.
func settle(calls *atomic.Int32) {
	for before := calls.Load(); calls.Load() == before; {
		gccycle.Overdue(pin.Now(), 0)
	}
}

// TestBlocked: rounds go on whatever finalizers and cleanups of the program do.
func TestBlocked(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		finalizers, cleanups bool
	}{
		{"nothing", false, false},
		{"finalizers", true, false},
		{"cleanups", false, true},
		{"both", true, true},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			if os.Getenv("BASIN_TEST_APART") == "" {
				apart(t, tt.name)
				return
			}
			var calls atomic.Int32
			block(tt.finalizers, tt.cleanups)
			gccycle.Register(func(gccycle.Pressure) bool { calls.Add(1); return true })
			for calls.Load() < 10 { // no time limit but that of the test run
				runtime.GC()
				if tt.finalizers && tt.cleanups {
					gccycle.Poll(pin.Now())
				}
				runtime.Gosched()
			}
		})
	}
}

// TestRoundsDoNotOverlap begins rounds in all ways at the same time.
func TestRoundsDoNotOverlap(t *testing.T) {
	var under, overlaps, rounds atomic.Int32
	gccycle.Register(func(gccycle.Pressure) bool {
		if under.Add(1) > 1 {
			overlaps.Add(1)
		}
		gccycle.Register(func(gccycle.Pressure) bool { // another round needs a hook
			if under.Add(1) > 1 {
				overlaps.Add(1)
			}
			under.Add(-1)
			return false
		})
		runtime.GC()
		runtime.Gosched()
		under.Add(-1)
		return rounds.Add(1) < 50
	})
	var beginners sync.WaitGroup
	for _, begin := range []func(){
		runtime.GC,
		func() { gccycle.Overdue(pin.Now(), 0) },
		func() { gccycle.Overdue(pin.Now(), 0) },
		func() { gccycle.Poll(1 << 62) },
	} {
		beginners.Go(func() {
			for rounds.Load() < 50 {
				begin()
				runtime.Gosched()
			}
		})
	}
	beginners.Wait()
	if n := overlaps.Load(); n > 0 {
		t.Errorf("%d rounds overlap", n)
	}
}

// TestPollBetweenRounds: since the round before a round that Poll begins, a collection has begun
// and ended.
func TestPollBetweenRounds(t *testing.T) {
	if os.Getenv("BASIN_TEST_APART") == "" {
		apart(t, "poll")
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	block(true, true)
	calls := 0
	gccycle.Register(func(gccycle.Pressure) bool { calls++; return calls < 3 })
	now := pin.Now()
	poll := func() {
		now += time.Hour
		gccycle.Poll(now)
	}
	for want := 1; want <= 3; want++ {
		poll()
		runtime.GC()
		poll() // the collection may have begun before the round ended
		if calls != want-1 {
			t.Fatalf("%d rounds with one collection since the last, want %d", calls, want-1)
		}
		runtime.GC()
		poll()
		if calls != want {
			t.Fatalf("%d rounds with two collections since the last, want %d", calls, want)
		}
	}
}

// TestOverdueStopsTheWorld: a call of Overdue that begins a round waits for pinned sections.
func TestOverdueStopsTheWorld(t *testing.T) {
	if !pin.Available {
		t.Skip("this build does not pin")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var pinned, ended atomic.Bool
	var early, rounds atomic.Int32
	gccycle.Register(func(gccycle.Pressure) bool {
		if pinned.Load() && !ended.Load() {
			early.Add(1)
		}
		return rounds.Add(1) < 20
	})
	settle(&rounds) // a collection does not wait for sections that are pinned after it
	for rounds.Load() < 20 {
		pinned.Store(false)
		ended.Store(false)
		var section sync.WaitGroup
		section.Go(func() {
			pin.Pin()
			pinned.Store(true)
			for range 200_000 { // ends by itself: see TestQuiesceWaitsForPinnedSections
				ended.Load()
			}
			ended.Store(true)
			pin.Unpin()
		})
		for !pinned.Load() {
			runtime.Gosched()
		}
		gccycle.Overdue(pin.Now(), 0)
		section.Wait()
	}
	if n := early.Load(); n > 0 {
		t.Errorf("%d of %d rounds begin while somebody is pinned since before", n, rounds.Load())
	}
}

// TestOverdueIsNotEarly: Overdue begins no round before its time.
func TestOverdueIsNotEarly(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	var calls atomic.Int32
	stop := new(atomic.Bool)
	gccycle.Register(func(gccycle.Pressure) bool { calls.Add(1); return !stop.Load() })
	gccycle.Overdue(pin.Now(), 0) // or in another way; rounds that begin from here on are recent
	for calls.Load() == 0 {
		gccycle.Overdue(pin.Now(), 0)
	}
	stop.Store(true)
	before := calls.Load()
	for range 1000 {
		gccycle.Overdue(pin.Now(), 24*time.Hour)
	}
	if n := calls.Load() - before; n > 1 { // one may have been running
		t.Errorf("%d rounds", n)
	}
}

// TestLaterIsOnce: one stop of the world serves the calls of Later by many hooks.
func TestLaterIsOnce(t *testing.T) {
	const n = 50
	var before, after atomic.Int32
	for range n {
		gccycle.Register(func(gccycle.Pressure) bool {
			before.Add(1)
			gccycle.Later(func() {
				if before.Load() < n {
					t.Error("called before all hooks have been")
				}
				after.Add(1)
			})
			return false
		})
	}
	testenv.CollectUntil(func() bool { return after.Load() == n })
}

// TestLaterWaits: functions passed to Later run after the end of sections that were pinned while
// hooks ran.
func TestLaterWaits(t *testing.T) {
	if !pin.Available {
		t.Skip("this build does not pin")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var early, rounds atomic.Int32
	gccycle.Register(func(gccycle.Pressure) bool {
		var pinned, ended atomic.Bool
		go func() {
			pin.Pin()
			pinned.Store(true)
			for range 200_000 { // ends by itself: see TestQuiesceWaitsForPinnedSections
				ended.Load()
			}
			ended.Store(true)
			pin.Unpin()
		}()
		for !pinned.Load() {
			runtime.Gosched()
		}
		gccycle.Later(func() {
			if !ended.Load() {
				early.Add(1)
			}
			rounds.Add(1)
		})
		return rounds.Load() < 20
	})
	for rounds.Load() < 20 {
		gccycle.Overdue(pin.Now(), 0)
		runtime.Gosched()
	}
	if n := early.Load(); n > 0 {
		t.Errorf("%d of %d times a section was still pinned", n, rounds.Load())
	}
}

// TestLateSentinel: a sentinel that is heard of after the next round has begun in another way
// begins no round.
func TestLateSentinel(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	blocked, unblock := make(chan struct{}), make(chan struct{})
	func() {
		runtime.SetFinalizer(&struct{ p *int }{new(int)}, func(*struct{ p *int }) { close(blocked); <-unblock })
	}()
	testenv.CollectUntil(func() bool {
		select {
		case <-blocked:
			return true
		default:
			return false
		}
	})
	var calls atomic.Int32
	var stop atomic.Bool
	gccycle.Register(func(gccycle.Pressure) bool { calls.Add(1); return !stop.Load() })
	for range 2 { // too few, with that of settle, for the sentinel to count as lost
		before := calls.Load()
		runtime.GC()
		for waited := 1; calls.Load() == before; waited++ { // no time limit but that of the test run
			time.Sleep(time.Millisecond)
			if waited%100 == 0 {
				runtime.GC() // the last one came between the hooks of a round and its new sentinel
			}
		}
	}
	settle(&calls)
	before := calls.Load()
	close(unblock)
	for range 20 {
		time.Sleep(time.Millisecond) // for the finalizer
	}
	stop.Store(true)
	if n := calls.Load() - before; n != 0 {
		t.Errorf("%d rounds without a collection", n)
	}
}
