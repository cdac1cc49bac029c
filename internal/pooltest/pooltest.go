//go:build go1.25

// Package pooltest has helpers for tests of pools, of checks and of adapters, wherever these tests
// are. Touch it when tests of several packages need the same helper. Helpers that know no pool are in
// internal/testenv.
//
// All of them can run with full checks:
//
//	BASIN_CHECK=full go test . ./proof/...
//
// They then also fail if misuse is reported, except misuse by tests that call Misuses. With full
// checks, memory that is put is never reused, so tests of reuse are skipped. Leaks do not count,
// because these tests drop slices that they have examined, which is allowed.
//
// BASIN_TEST_LONG=1 runs tests in full that are shortened by default: see Long.
//
// The stress tests also pass with sampled checks: BASIN_CHECK=sampled=2 go test ./proof/stress.
package pooltest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/testenv"
)

// FullChecks reports whether the tests run with full checks, and SomeChecks whether with any
// checks.
var (
	FullChecks = basincheck.Now().Level == basincheck.Full
	SomeChecks = basincheck.Now().Level != basincheck.Off
)

// Long reports whether tests may take all the time that they can use, for more programs, rounds and
// load. By default they are quick, for a developer who waits.
func Long() bool { return os.Getenv("BASIN_TEST_LONG") == "1" }

// SkipUnlessExact skips a test that counts allocations if the race detector or checks add their
// own.
func SkipUnlessExact(t testing.TB) {
	if testenv.Race || SomeChecks {
		t.Skip("the race detector and checks allocate")
	}
}

// Reuses skips t, which tests the reuse of memory, if full checks prevent that.
func Reuses(t testing.TB) {
	if FullChecks {
		t.Skip("with full checks nothing is reused")
	}
}

// misusing counts running tests that called Misuses.
var misusing atomic.Int32

// Misuses declares that t misuses pools on purpose.
func Misuses(t testing.TB) {
	misusing.Add(1)
	t.Cleanup(func() {
		basincheck.Verify() // or a write after Put would be reported later
		misusing.Add(-1)
	})
}

// Main is the TestMain of a package whose tests can run with full checks.
func Main(m *testing.M) {
	if !FullChecks {
		os.Exit(m.Run())
	}
	c := basincheck.Now()
	var mu sync.Mutex
	said := make(map[string]bool) // reports without sizes and offsets, which vary
	c.Handler = func(m *basincheck.Report) {
		if m.Kind == basincheck.Leak || misusing.Load() > 0 {
			return
		}
		text := fmt.Sprintf("\nmisuse: %v\n%v\nacquired\n%v\nput\n%v\n", m.Kind, m.Here, m.Acquired, m.FirstPut)
		mu.Lock()
		defer mu.Unlock()
		if !said[text] {
			said[text] = true
			fmt.Print(text)
		}
	}
	basincheck.Set(c)
	code := m.Run()
	basincheck.Verify()
	mu.Lock()
	defer mu.Unlock()
	fmt.Printf("%d reports of misuse\n", len(said))
	os.Exit(max(code, min(len(said), 1)))
}

// Alone makes the calling test the only one on its P, without garbage collections except its own,
// and without rounds of reclaim that statistics begin. So the next Get returns the item put last,
// however slow the test is. With full checks, Alone does nothing.
func Alone(t testing.TB) {
	if FullChecks {
		return
	}
	procs := runtime.GOMAXPROCS(1)
	percent := debug.SetGCPercent(-1)
	t.Cleanup(gccycle.SuspendOverdue())
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		runtime.GOMAXPROCS(procs)
	})
}

// Allocs is testing.AllocsPerRun, the minimum of several runs. A round of reclaim, which an earlier
// collection may have scheduled for any time, makes a hundred allocations itself.
func Allocs(runs int, f func()) float64 {
	least := testing.AllocsPerRun(runs, f)
	for range 4 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}

// Collect collects garbage once and returns after all hooks of the pools have run.
func Collect() {
	done := make(chan struct{})
	gccycle.Register(func(gccycle.Pressure) bool { // hooks run in the order of registration, so this is the last
		close(done)
		return false
	})
	for {
		runtime.GC()
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond): // the collector may overlook a dead object once
		}
	}
}

// IsZero reports whether b is all zero.
func IsZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

// ClassSizes returns all size classes up to limit.
func ClassSizes(limit int) (sizes []int) {
	table := sizeclass.For(1, limit)
	for i := range table.Len() {
		sizes = append(sizes, table.Size(i))
	}
	return sizes
}

// A Source is a way to get a slice for n bytes from a pool.
type Source struct {
	Name string
	Get  func(n int) []byte
	Zero bool // as GetZeroed
}

// Sources returns all ways to get a slice from p. It makes p the default pool while the test runs.
func Sources(t testing.TB, p *basin.BytePool) []Source {
	basin.SetDefault(p)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return []Source{
		{Name: "BytePool.Get", Get: p.Get},
		{Name: "BytePool.GetZeroed", Get: p.GetZeroed, Zero: true},
		{Name: "BytePool.Sized", Get: func(n int) []byte { return p.Sized(n).Get() }},
		{Name: "Get", Get: basin.Get},
		{Name: "GetZeroed", Get: basin.GetZeroed, Zero: true},
	}
}

// Kept puts b into p, and reports whether p kept it. No other goroutine may use p meanwhile.
func Kept(p *basin.BytePool, b []byte) bool {
	dropped := func() uint64 { d := p.Stats().Drops; return d.Total() - d.Checked }
	before := dropped()
	p.Put(b)
	return dropped() == before
}

// Heap returns the bytes of all reachable objects on the heap.
func Heap() int64 {
	for range 3 {
		Collect()
	}
	return HeapNow()
}

// HeapNow returns the bytes of all objects on the heap.
func HeapNow() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A Config has the settings of a BytePool, for tables: a pool itself must not be copied.
type Config struct {
	Name             string
	MinSize, MaxSize int
	MaxFit           int
	MaxIdle          int64
	IdleTime         time.Duration
	MaxInUse         int64
	Zero             bool
	Adopts           bool
}

// Pool returns a new pool with the settings.
func (c Config) Pool() *basin.BytePool {
	return &basin.BytePool{
		Name: c.Name, MinSize: c.MinSize, MaxSize: c.MaxSize, MaxFit: c.MaxFit, MaxIdle: c.MaxIdle,
		IdleTime: c.IdleTime, MaxInUse: c.MaxInUse, Zero: c.Zero, Adopts: c.Adopts,
	}
}

// SizedPool returns a pool with a Size of slices. Its new slices have no array.
func SizedPool() *basin.Pool[*[]byte] {
	return &basin.Pool[*[]byte]{
		New:  func() *[]byte { return new([]byte) },
		Size: func(b *[]byte) int { return cap(*b) },
	}
}

// LearningPool returns a pool of slices that learns the size of their arrays.
func LearningPool() *basin.Pool[*[]byte] {
	return &basin.Pool[*[]byte]{
		Size:  func(b *[]byte) int { return cap(*b) },
		Used:  func(b *[]byte) int { return len(*b) },
		Make:  func(size int) *[]byte { b := make([]byte, 0, size); return &b },
		Reset: func(b *[]byte) *[]byte { *b = (*b)[:0]; return b },
	}
}
