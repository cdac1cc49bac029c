//go:build go1.25

package misuse_test

import (
	"bytes"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

type sampledItem [64]int

// TestCheckSampledKinds misuses pools of every kind until a sample finds it. Then it uses them
// correctly as often, which must cause no report.
func TestCheckSampledKinds(t *testing.T) {
	var (
		handles, otherHandles basin.BufferPool
		std                   basin.StdBufferPool
		values                = &basin.Pool[*sampledItem]{New: func() *sampledItem { return new(sampledItem) }}
		interfaces            = &basin.Pool[any]{New: func() any { return new(sampledItem) }}
		structs               = basin.Pool[sampledItem]{New: func() sampledItem { return sampledItem{} }}
		fixed                 = &basin.FixedPool{Count: 16, Size: 256}
	)
	shared := func() *basin.Shared { return basin.Default().NewShared(make([]byte, 10)) }
	for _, tt := range []struct {
		name        string
		use, misuse func()
		want        basincheck.Kind
	}{
		{"handle put twice",
			func() { b := handles.Get(); b.WriteString("text"); handles.Put(b) },
			func() { b := handles.Get(); handles.Put(b); handles.Put(b) }, basincheck.DoublePut},
		{"handle put into another pool",
			func() { b := handles.Get(); b.Write(make([]byte, 10_000)); handles.Put(b) }, // grows
			func() { otherHandles.Put(handles.Get()) }, basincheck.WrongPool},
		{"handle written to after Put",
			func() { b := handles.Get(); b.WriteByte('x'); b.ReadByte(); handles.Put(b) },
			func() { b := handles.Get(); handles.Put(b); b.WriteString("text") }, basincheck.UseAfterRelease},
		{"handle leaked",
			func() { handles.Put(handles.Get()) },
			func() { handles.Get(); collectSometimes() }, basincheck.Leak},
		{"bytes.Buffer put twice",
			func() { b := std.Get(); b.WriteString("text"); std.Put(b) },
			func() { b := std.Get(); std.Put(b); std.Put(b) }, basincheck.DoublePut},
		{"bytes.Buffer written to after Put",
			func() { std.Put(new(bytes.Buffer)) },
			func() { b := std.Get(); std.Put(b); b.WriteString("text"); basincheck.Verify() }, basincheck.WriteAfterPut},
		{"value put twice",
			func() { v := values.Get(); v[0]++; values.Put(v) },
			func() { v := values.Get(); values.Put(v); values.Put(v) }, basincheck.DoublePut},
		{"value leaked",
			func() { values.Put(values.Get()) },
			func() { values.Get(); collectSometimes() }, basincheck.Leak},
		{"value in an interface put twice",
			func() { interfaces.Put(interfaces.Get()); structs.Put(structs.Get()) },
			func() { v := interfaces.Get(); interfaces.Put(v); interfaces.Put(v) }, basincheck.DoublePut},
		{"fixed buffer put twice",
			func() { b := fixed.Get(); b[0]++; fixed.Put(b) },
			func() { b := fixed.Get(); fixed.Put(b); fixed.Put(b) }, basincheck.DoublePut},
		{"fixed buffer written to after Put",
			func() { b := fixed.Get(); b[255] = 7; fixed.Put(b) },
			func() { b := fixed.Get(); fixed.Put(b); b[9] = 1 }, basincheck.WriteAfterPut},
		{"inside of a fixed buffer",
			func() { fixed.Put(make([]byte, 10)) },
			func() { b := fixed.Get(); fixed.Put(b[1:]); fixed.Put(b) }, basincheck.InteriorPut},
		{"slice put into a FixedPool",
			func() { basin.Put(basin.Get(100)) },
			func() { fixed.Put(basin.Get(100)) }, basincheck.WrongPool},
		{"Shared released too often",
			func() { s := shared(); s.Retain().Release(); s.Release() },
			func() {
				defer func() {
					if recover() == nil {
						t.Error("a Release too many did not panic")
					}
				}()
				s := shared()
				s.Release()
				s.Release()
			}, basincheck.UseAfterRelease},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pooltest.Misuses(t)
			told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 4})
			var got []*basincheck.Report
			for n := 0; len(got) == 0; n++ {
				if n == 10_000 {
					t.Fatal("not found")
				}
				tt.misuse()
				got = told.Take()
			}
			for _, m := range got {
				if m.Kind != tt.want || len(m.Acquired) == 0 {
					t.Errorf("reported: %v", m)
				}
			}
			told = pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 4})
			for range 1000 {
				tt.use()
			}
			basincheck.Verify()
			if got := told.Take(); got != nil {
				t.Errorf("reported of correct use: %v", got)
			}
		})
	}
}

var collections int

// collectSometimes collects garbage at each tenth call.
func collectSometimes() {
	if collections++; collections%10 == 0 {
		runtime.GC()
	}
}

// TestCheckSampledReuse uses items outside the sample, which are reused as usual, without
// allocation.
func TestCheckSampledReuse(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector allocates")
	}
	var handles basin.BufferPool
	var std basin.StdBufferPool
	values := &basin.Pool[*sampledItem]{New: func() *sampledItem { return new(sampledItem) }}
	structs := &basin.Pool[sampledItem]{New: func() sampledItem { return sampledItem{} }}
	interfaces := &basin.Pool[any]{New: func() any { return new(sampledItem) }}
	fixed := &basin.FixedPool{Count: 16, Size: 256}
	bytes := &basin.BytePool{}
	large := make([]byte, 100_000)
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: math.MaxInt32})
	for _, tt := range []struct {
		name string
		use  func()
		hits func() (hits, gets uint64)
	}{
		{"slices", func() { bytes.Put(bytes.Get(1000)) }, func() (uint64, uint64) { s := bytes.Stats(); return s.Hits, s.Gets }},
		{"handles", func() { b := handles.Get(); b.WriteByte(1); handles.Put(b) },
			func() (uint64, uint64) { s := handles.Stats(); return s.Hits, s.Gets }},
		{"handles that grow", func() { b := handles.Get(); b.Write(large); handles.Put(b) },
			func() (uint64, uint64) { s := handles.Stats(); return s.Hits, s.Gets }},
		{"bytes.Buffers", func() { b := std.Get(); b.WriteByte(1); std.Put(b) },
			func() (uint64, uint64) { s := std.Stats(); return s.Hits, s.Gets }},
		{"values", func() { values.Put(values.Get()) }, func() (uint64, uint64) { s := values.Stats(); return s.Hits, s.Gets }},
		{"structs", func() { structs.Put(structs.Get()) }, func() (uint64, uint64) { s := structs.Stats(); return s.Hits, s.Gets }},
		{"interfaces", func() { interfaces.Put(interfaces.Get()) }, func() (uint64, uint64) { s := interfaces.Stats(); return s.Hits, s.Gets }},
		{"fixed buffers", func() { fixed.Put(fixed.Get()) }, func() (uint64, uint64) { s := fixed.Stats(); return s.Hits, s.Gets }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 100 {
				tt.use()
			}
			if n := testing.AllocsPerRun(1000, tt.use); n != 0 && !testenv.ASan {
				t.Errorf("%v allocations", n)
			}
			if hits, gets := tt.hits(); float64(hits) < 0.9*float64(gets) {
				t.Errorf("%d of %d were reused", hits, gets)
			}
		})
	}
}

// TestCheckSampledInUse estimates outstanding items.
func TestCheckSampledInUse(t *testing.T) {
	const n, every = 4000, 4
	handles := basin.BufferPool{Name: "handles"}
	values := &basin.Pool[*sampledItem]{New: func() *sampledItem { return new(sampledItem) }}
	values.Name = "values"
	fixed := &basin.FixedPool{Count: n, Size: 64}
	fixed.Name = "fixed"
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: every})
	var keep []any
	for range n {
		keep = append(keep, handles.Get(), values.Get(), fixed.Get())
	}
	objects := make(map[string]int64)
	for _, s := range basincheck.Outstanding() {
		objects[s.Pool] += s.Items
	}
	for _, name := range []string{"handles", "values", "fixed"} {
		if got := objects[name]; got < n*3/4 || got > n*5/4 { // nine standard deviations
			t.Errorf("%s: %d are out, want about %d", name, got, n)
		}
	}
	runtime.KeepAlive(keep)
	runtime.KeepAlive(fixed) // or its records would be gone
}

// TestCheckSampledEstimates compares the numbers of acquisitions that checks estimate with the true
// ones, for places whose turns have patterns.
func TestCheckSampledEstimates(t *testing.T) {
	pool := basin.BytePool{Name: "estimates"}
	take := func(n int) []byte { return pool.Get(n) } // not inlined: each place calls it from a line of its own
	const rounds = 200_000
	for _, load := range []struct {
		name string
		run  func() (gets map[string]int)
	}{
		{"in turn", func() map[string]int {
			for range rounds {
				pool.Put(first(take, 4096))
				pool.Put(second(take, 4096))
			}
			return map[string]int{"first": rounds, "second": rounds}
		}},
		{"one to fifteen", func() map[string]int {
			for i := range 2 * rounds {
				if i%16 == 0 {
					pool.Put(first(take, 1000))
				} else {
					pool.Put(second(take, 1000))
				}
			}
			return map[string]int{"first": 2 * rounds / 16, "second": 2 * rounds * 15 / 16}
		}},
		{"two, then one, held together", func() map[string]int {
			for range rounds {
				a, b, c := first(take, 300), first(take, 300), second(take, 300)
				pool.Put(a)
				pool.Put(b)
				pool.Put(c)
			}
			return map[string]int{"first": 2 * rounds, "second": rounds}
		}},
		{"in bursts of many", func() map[string]int {
			var held [256][]byte
			for range rounds / 256 {
				for i := range held {
					if i < 200 {
						held[i] = first(take, 64<<10)
					} else {
						held[i] = second(take, 64<<10)
					}
				}
				for _, b := range held {
					pool.Put(b)
				}
			}
			return map[string]int{"first": rounds / 256 * 200, "second": rounds / 256 * 56}
		}},
		{"of two sizes", func() map[string]int {
			for range rounds {
				pool.Put(first(take, 100))
				b := second(take, 100)
				pool.Put(second(take, 8000))
				pool.Put(b)
			}
			return map[string]int{"first": rounds, "second": 2 * rounds}
		}},
	} {
		t.Run(load.name, func(t *testing.T) {
			told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 16})
			want := load.run()
			got := map[string]uint64{}
			for _, s := range basincheck.Stacks() {
				for _, f := range s.Stack.Frames() {
					name := f.Function[strings.LastIndexByte(f.Function, '.')+1:]
					if _, ok := want[name]; ok && s.Pool == pool.Name {
						got[name] += s.Gets
						break
					}
				}
			}
			for name, n := range want {
				if ratio := float64(got[name]) / float64(n); ratio < 0.9 || ratio > 1.1 {
					t.Errorf("%s: about %d, but there were %d", name, got[name], n)
				}
			}
			if got := told.Take(); got != nil {
				t.Errorf("reported: %v", got)
			}
		})
	}
}

//go:noinline
func first(take func(int) []byte, n int) []byte { return take(n) }

//go:noinline
func second(take func(int) []byte, n int) []byte { return take(n) }

// TestSampledCounts: the statistics of a pool count sampled requests once.
func TestSampledCounts(t *testing.T) {
	pool := &basin.BytePool{}
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 8})
	const n = 20_000
	for range n {
		pool.Put(pool.Get(500))
	}
	tracked := basincheck.Stats().Tracked
	s := pool.Stats()
	if tracked < n/16 || tracked > n/4 || s.Gets != n || s.Puts != n || s.Drops.Checked != tracked || s.Items.InUse != 0 {
		t.Errorf("%d tracked of %d: %+v", tracked, n, s)
	}
}
