//go:build go1.25

package basincheck_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// liveHeap returns how many bytes are in use after a collection.
func liveHeap() int64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.MSpanInuse + m.OtherSys)
}

// TestSampledMemory runs programs that make checks remember as much as possible. The memory of
// checks must stay below the ceiling, both by Stats and by the heap's size, and every
// acquisition must be counted as tracked or untracked.
func TestSampledMemory(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector has memory of its own")
	}
	if testing.Short() {
		t.Skip("takes seconds; other builds have the same tables")
	}
	const ceiling = 8 << 20
	type large [1 << 16]byte
	stacks := 50_000 // more than fit below the ceiling
	if pooltest.Long() {
		stacks = 200_000
	}
	gets := 0
	for _, tt := range []struct {
		name string
		do   func() (held any) // adds to gets the acquisitions that could be tracked
		fill string            // whether the ceiling is reached: yes, no or either
	}{
		{"stacks that are all different", func() any {
			for range stacks {
				gets++
				down(20, func() { basin.Put(basin.Get(100)) })
			}
			return nil
		}, "no"},
		{"pools that are dropped, with long names", func() any {
			for i := range 600 {
				p := &basin.BytePool{Name: strings.Repeat(strconv.Itoa(i), 1<<15)}
				gets++
				p.Get(100)
			}
			return nil
		}, "no"},
		{"outstanding slices", func() any {
			var held [][]byte
			for range 200_000 {
				gets++
				held = append(held, basin.Get(64))
			}
			return held
		}, "yes"},
		{"outstanding slices, stacks that are all different", func() any {
			var held [][]byte
			for range 100_000 {
				gets++
				down(20, func() { held = append(held, basin.Get(64)) })
			}
			return held
		}, "yes"},
		{"outstanding handles", func() any {
			p := basin.BufferPool{InitialSize: 64}
			var held []*basin.Buffer
			for range 50_000 {
				gets++
				held = append(held, p.Get())
			}
			return held
		}, "yes"},
		{"outstanding values", func() any {
			p := &basin.Pool[*[64]byte]{New: func() *[64]byte { return new([64]byte) }}
			var held []*[64]byte
			for range 100_000 {
				gets++
				held = append(held, p.Get())
			}
			return held
		}, "yes"},
		{"large slices put at once", func() any {
			var held [][]byte
			for range 40 {
				gets++
				held = append(held, basin.Get(1<<20))
			}
			for _, b := range held {
				basin.Put(b)
			}
			basin.Default().Trim()
			return nil
		}, "no"},
		{"large values", func() any {
			var last [16]*large // a value at an earlier one's address would not be tracked
			p := &basin.Pool[*large]{New: func() *large { last[gets%len(last)] = new(large); return last[gets%len(last)] }}
			for range 2000 {
				gets++
				p.Put(p.Get())
			}
			p.Trim()
			return nil
		}, "no"},
		{"bytes.Buffers that have grown", func() any {
			p := basin.StdBufferPool{InitialSize: 64}
			for range 200 {
				gets++
				b := p.Get()
				b.Grow(1 << 20)
				p.Put(b)
			}
			return nil
		}, "no"},
		{"handles that have grown", func() any {
			p := basin.BufferPool{InitialSize: 64}
			for range 100 {
				gets += 2 // the Buffer and its array
				b := p.Get()
				b.Grow(3 << 20)
				p.Put(b)
			}
			basin.Default().Trim()
			return nil
		}, "no"},
		{"leaks of stacks that are all different", func() any {
			for i := range 30_000 {
				gets++
				down(20, func() { basin.Get(100) })
				if i%1000 == 0 {
					runtime.GC()
				}
			}
			return nil
		}, "depends on the collector"},
		{"double Puts of stacks that are all different", func() any {
			for range 20_000 {
				gets++
				down(20, func() { b := basin.Get(100); basin.Put(b); basin.Put(b) })
			}
			basin.Default().Trim()
			return nil
		}, "no"},
		{"pools that are dropped", func() any {
			for range 5000 {
				gets++
				p := &basin.BytePool{Name: "dropped"}
				p.Put(p.Get(100))
			}
			return nil
		}, "depends on the collector"},
		{"FixedPools that are dropped", func() any {
			for range 5000 {
				gets++
				p := &basin.FixedPool{Count: 4, Size: 100}
				p.Put(p.Get())
			}
			return nil
		}, "depends on the collector"},
		{"large FixedPools", func() any {
			var held []*basin.FixedPool
			for range 40 {
				p := &basin.FixedPool{Count: 1 << 20, Size: 1}
				gets++
				p.Get()
				held = append(held, p)
			}
			return held
		}, "yes"},
		{"checks that go on and off", func() any {
			c := basincheck.Now()
			var held [][]byte
			for range 20 {
				for range 6000 {
					held = append(held, basin.Get(64))
				}
				basincheck.Set(basincheck.Settings{})
				basincheck.Set(c)
			}
			gets = 0
			return held
		}, "no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := basincheck.Now()
			defer basincheck.Set(before)
			measure := func(c basincheck.Settings) (int64, any) {
				basincheck.Set(basincheck.Settings{})
				basin.Default().Trim()
				empty := liveHeap()
				basincheck.Set(c)
				gets = 0
				held := tt.do()
				grown := liveHeap() - empty
				return grown, held
			}
			plain, held := measure(basincheck.Settings{})
			runtime.KeepAlive(held)
			held = nil
			grown, held := measure(basincheck.Settings{Level: basincheck.Sampled, Every: 1, Handler: func(*basincheck.Report) {}})
			s := basincheck.Stats()
			runtime.KeepAlive(held)
			t.Logf("%d bytes of %d by their account, %d by the heap's; %d tracked, %d not", s.Bytes, s.MaxBytes, grown-plain, s.Tracked, s.Untracked)
			if s.MaxBytes != ceiling || s.Bytes > ceiling {
				t.Errorf("%d bytes of %d, want at most %d", s.Bytes, s.MaxBytes, ceiling)
			}
			if grown-plain > ceiling {
				t.Errorf("the heap has %d bytes more than without checks, want at most %d", grown-plain, ceiling)
			}
			if s.Tracked+s.Untracked != uint64(gets) {
				t.Errorf("%d tracked and %d not, of %d", s.Tracked, s.Untracked, gets)
			}
			if s.Untracked > 0 && tt.fill == "no" || s.Untracked == 0 && tt.fill == "yes" {
				t.Errorf("%d not tracked, want some: %v", s.Untracked, tt.fill)
			}
			if n := len(basincheck.Found()); n > 512 {
				t.Errorf("%d findings are kept", n)
			}
		})
	}
}

// TestStats compares Bytes before and after 1,000 tracked slices were put.
func TestStats(t *testing.T) {
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1})
	p := &basin.BytePool{}
	before := basincheck.Stats()
	if before.Tracked != 0 || before.MaxBytes != 8<<20 {
		t.Errorf("at first: %+v", before)
	}
	var held [][]byte
	for range 1000 {
		held = append(held, p.Get(100))
	}
	all := basincheck.Stats()
	if all.Tracked != 1000 || all.Untracked != 0 || all.Bytes < before.Bytes+1000*100 {
		t.Errorf("with 1000 outstanding: %+v, before %+v", all, before)
	}
	for i := range held {
		p.Put(held[i])
	}
	held = nil
	for range 100 {
		p.Put(p.Get(1 << 20)) // so that the others leave quarantine
	}
	if s := basincheck.Stats(); s.Tracked != 1100 || s.Bytes-before.Bytes > 5<<20 {
		t.Errorf("after all were put: %+v", s)
	}
	basincheck.Set(pooltest.FullChecking)
	if s := basincheck.Stats(); s.Tracked != 0 || s.MaxBytes != 0 {
		t.Errorf("with full checks: %+v", s)
	}
	basincheck.Set(basincheck.Settings{})
	if s := basincheck.Stats(); s.Tracked != 0 || s.MaxBytes != 0 {
		t.Errorf("with checks off: %+v", s)
	}
}

// TestStatsRace reads statistics while others acquire at the ceiling.
func TestStatsRace(t *testing.T) {
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1})
	var done atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var held [][]byte
			for range 8000 {
				held = append(held, basin.Get(64))
			}
			for _, b := range held {
				basin.Put(b)
			}
		}()
	}
	go func() { wg.Wait(); done.Store(true) }()
	for !done.Load() {
		if s := basincheck.Stats(); s.Bytes > s.MaxBytes {
			t.Fatalf("%+v", s)
		}
	}
	if s := basincheck.Stats(); s.Tracked+s.Untracked != 4*8000 || s.Untracked == 0 {
		t.Errorf("%+v, want 32000 in all", s)
	}
}

// resident returns the resident memory of the process, without the heap. It skips where there is no
// /proc.
func resident(t *testing.T) int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var pages, n int64
	if _, err := fmt.Sscan(string(text), &pages, &n); err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return n*int64(os.Getpagesize()) - int64(m.Sys-m.HeapReleased)
}

// TestGuardMillion: a million guarded acquisitions, late or outstanding, take no more memory than the limit,
// by Stats and by the kernel.
func TestGuardMillion(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector has memory of its own")
	}
	n := 200_000
	if pooltest.Long() {
		n = 1_000_000
	}
	if testing.Short() {
		n = 30_000
	}
	told := beginGuarded(t, guarded)
	before := resident(t)
	within := func(what string) {
		t.Helper()
		s := basincheck.Stats()
		grown := resident(t) - before
		t.Logf("%s: resident memory has grown by %d KiB; %+v", what, grown>>10, s)
		if s.GuardBytes > s.MaxGuardBytes || s.Bytes > s.MaxBytes || grown > s.MaxGuardBytes+s.MaxBytes {
			t.Errorf("%s: resident memory has grown by %d; %+v", what, grown, s)
		}
	}
	for i := range n {
		b := basin.Get(64 << (i % 12))
		b[0], b[len(b)-1] = 1, 1
		basin.Put(b)
	}
	within("late")
	var held [][]byte
	for range n {
		b := basin.Get(64)
		b[0] = 1
		held = append(held, b)
	}
	within("outstanding")
	for _, b := range held {
		basin.Put(b)
	}
	within("all late again")
	if got := told.Take(); got != nil {
		t.Errorf("%d reports, first %v", len(got), got[0])
	}
}
