package replay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/trace"
)

// TestAgreesWithEngine records a pool that several goroutines use and replays the trace: the
// simulation must allocate as much as the real engine. One call is made at a time, on one P.
// Otherwise a goroutine could be preempted within a Put: its slice is back in the trace, but not
// yet in the pool. And with several Ps the scheduler decides which of them has an idle slice.
func TestAgreesWithEngine(t *testing.T) {
	for _, tt := range []struct {
		name       string
		goroutines int
		holds      int // most slices that each goroutine holds
		size       func(r *rand.Rand) int
	}{
		{"one size", 4, 8, func(*rand.Rand) int { return 4096 }},
		{"small ones", 8, 30, func(r *rand.Rand) int { return 1 + r.IntN(2000) }},
		{"few large, many small", 8, 4, func(r *rand.Rand) int { return 1 + r.IntN(1<<(8+r.IntN(12))) }},
		{"one goroutine", 1, 20, func(r *rand.Rand) int { return 1 + r.IntN(1<<(8+r.IntN(8))) }},
		{"larger than the pool keeps", 2, 3, func(r *rand.Rand) int { return 1 + r.IntN(1<<(8+r.IntN(16))) }},
	} {
		for policy, maxFit := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s, MaxFit %d", tt.name, maxFit), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				pool := &basin.BytePool{Name: tt.name, IdleTime: time.Hour, MaxFit: maxFit}
				recorder := recorder.Start(1)
				if recorder == nil {
					t.Fatal("something is being recorded")
				}
				defer recorder.Stop()
				var done sync.WaitGroup
				var turn sync.Mutex
				for g := range tt.goroutines {
					done.Go(func() {
						r := rand.New(rand.NewPCG(1, uint64(g)))
						held := make([][]byte, tt.holds)
						for range 2000 {
							slot := &held[r.IntN(len(held))]
							turn.Lock()
							pool.Put(*slot)
							*slot = pool.Get(tt.size(r))
							turn.Unlock()
						}
					})
				}
				done.Wait()
				recorder.Stop()

				s := pool.Stats()
				tr := &trace.Trace{Header: trace.Header{Every: 1}, Pools: []trace.Pool{{ID: s.ID}}, Duration: time.Since(recorder.Begun)}
				tr.Acquisitions = recorder.Open(recorder.Drain(nil))
				all, err := Run(t.Context(), tr, 1<<30, Policies, Settings{IdleTime: time.Hour})
				if err != nil || len(all) != 1 || recorder.Lost() > 0 {
					t.Fatalf("%d pools, %d acquisitions lost, error %v", len(all), recorder.Lost(), err)
				}
				got := all[0]
				var allocated int64
				for _, c := range s.Classes {
					allocated += int64(c.Misses) * int64(c.Size)
				}
				if got.Gets != s.Gets || got.Outside != s.Outside {
					t.Errorf("%d requests, %d outside; the pool counts %d and %d", got.Gets, got.Outside, s.Gets, s.Outside)
				}
				// The replay does not know the limit of idle memory beside memory in use. With best fit, a
				// pool is nearly always within that limit; with MaxFit 1, it allocates more.
				own := got.Results[policy]
				if own.New < allocated*90/100 && maxFit > 1 || own.New > allocated*110/100 {
					t.Errorf("%d bytes are newly allocated in the replay, %d were by the pool", own.New, allocated)
				} else {
					t.Logf("%d bytes in the replay, %d by the pool: %.3f", own.New, allocated, float64(own.New)/float64(allocated))
				}
			})
		}
	}
}

// TestPolicies replays a few acquisitions with known results for each policy.
func TestPolicies(t *testing.T) {
	const (
		own  = "basin, own class only"
		fit2 = "basin, best fit up to 2x"
		fit4 = "basin, best fit up to 4x"
		pow  = "powers of two"
		sync = "sync.Pool per power of two"
		one  = "one sync.Pool, grown"
		none = "no pool"
	)
	held := func(size, start, end int64) trace.Acquisition {
		return trace.Acquisition{Pool: 1, Size: size, Start: start, Lifetime: end - start}
	}
	type results map[string]Result // fields that are not compared are zero
	for _, tt := range []struct {
		name   string
		list   []trace.Acquisition
		cycles []int64
		set    Settings
		want   results
	}{
		{"one after the other", []trace.Acquisition{held(3000, 0, 1), held(3000, 2, 3)}, nil, Settings{}, results{
			own:  {New: 3072, Misses: 1, MaxHeld: 3072, MaxIdle: 3072},
			fit4: {New: 3072, Misses: 1, MaxHeld: 3072, MaxIdle: 3072},
			pow:  {New: 4096, Misses: 1, MaxHeld: 4096, MaxIdle: 4096},
			sync: {New: 4096, Misses: 1, MaxHeld: 4096, MaxIdle: 4096},
			one:  {New: 4096, Misses: 1, MaxHeld: 4096, MaxIdle: 4096},
			none: {New: 6000, Misses: 2, MaxHeld: 3000},
		}},
		{"at the same time", []trace.Acquisition{held(3072, 0, 3), held(3072, 2, 5)}, nil, Settings{}, results{
			own: {New: 6144, Misses: 2, MaxHeld: 6144, MaxIdle: 6144},
		}},
		{"put when another begins", []trace.Acquisition{held(3072, 0, 2), held(3072, 2, 5)}, nil, Settings{}, results{
			own: {New: 3072, Misses: 1, MaxHeld: 3072, MaxIdle: 3072},
		}},
		{"never put", []trace.Acquisition{{Pool: 1, Size: 3072, Lifetime: -1}, held(3072, 2, 5)}, nil, Settings{}, results{
			own: {New: 6144, Misses: 2, MaxHeld: 6144, MaxIdle: 3072},
		}},
		{"a third of idle memory", []trace.Acquisition{held(12288, 0, 1), held(4096, 2, 3)}, nil, Settings{}, results{
			own:  {New: 16384, Misses: 2, MaxHeld: 16384, MaxIdle: 16384},
			fit2: {New: 16384, Misses: 2, MaxHeld: 16384, MaxIdle: 16384},
			fit4: {New: 12288, Misses: 1, MaxHeld: 12288, MaxIdle: 12288},
			one:  {New: 16384, Misses: 1, MaxHeld: 16384, MaxIdle: 16384},
		}},
		{"a collection between", []trace.Acquisition{held(4096, 0, 1), held(4096, 4, 5)}, []int64{2}, Settings{}, results{
			own:  {New: 4096, Misses: 1, MaxHeld: 4096, MaxIdle: 4096},
			sync: {New: 4096, Misses: 1, MaxHeld: 4096, MaxIdle: 4096},
		}},
		{"two collections between", []trace.Acquisition{held(4096, 0, 1), held(4096, 4, 5)}, []int64{2, 3}, Settings{}, results{
			own:  {New: 4096, Misses: 1, MaxHeld: 4096, MaxIdle: 4096},
			sync: {New: 8192, Misses: 2, MaxHeld: 4096, MaxIdle: 4096},
			one:  {New: 8192, Misses: 2, MaxHeld: 4096, MaxIdle: 4096},
		}},
		{"two collections and a short IdleTime between", []trace.Acquisition{held(4096, 0, 1), held(4096, 50, 51)}, []int64{20, 40}, Settings{IdleTime: 20}, results{
			own: {New: 8192, Misses: 2, MaxHeld: 4096, MaxIdle: 4096},
		}},
		{"a low MaxIdle", []trace.Acquisition{held(4096, 0, 2), held(4096, 1, 3), held(4096, 4, 6), held(4096, 5, 7)}, nil, Settings{MaxIdle: 5000}, results{
			own:  {New: 12288, Misses: 3, MaxHeld: 8192, MaxIdle: 4096},
			sync: {New: 8192, Misses: 2, MaxHeld: 8192, MaxIdle: 8192},
		}},
		{"tiny, which fit all that is little", []trace.Acquisition{held(1000, 0, 1), held(1, 2, 3)}, nil, Settings{}, results{
			own:  {New: 1088, Misses: 2, MaxHeld: 1088, MaxIdle: 1088},
			fit2: {New: 1024, Misses: 1, MaxHeld: 1024, MaxIdle: 1024},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := Run(t.Context(), &trace.Trace{
				Header:       trace.Header{Every: 1},
				Pools:        []trace.Pool{{ID: 1}},
				Acquisitions: tt.list,
				Cycles:       tt.cycles,
				Duration:     time.Minute,
			}, 1<<30, Policies, tt.set)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d pools, error %v", len(all), err)
			}
			seen := 0
			for _, got := range all[0].Results {
				want, ok := tt.want[got.Policy]
				if !ok {
					continue
				}
				seen++
				want.Policy, got.Overhead = got.Policy, 0
				if got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
			}
			if seen != len(tt.want) {
				t.Errorf("%d of %d policies are there", seen, len(tt.want))
			}
		})
	}
}

// TestOneInMany replays a tenth of some traffic: the figures must be similar.
func TestOneInMany(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	whole := &trace.Trace{Header: trace.Header{Every: 1}, Pools: []trace.Pool{{ID: 1}}, Duration: time.Second}
	tenth := &trace.Trace{Header: trace.Header{Every: 10}, Pools: []trace.Pool{{ID: 1}}, Duration: time.Second}
	for i := range int64(100_000) {
		a := trace.Acquisition{Pool: 1, Size: 1 + r.Int64N(1<<(4+r.IntN(10))), Start: i * 10_000, Lifetime: r.Int64N(2_000_000)}
		whole.Acquisitions = append(whole.Acquisitions, a)
		if r.IntN(10) == 0 {
			tenth.Acquisitions = append(tenth.Acquisitions, a)
		}
	}
	all, err := Run(t.Context(), whole, 1<<30, Policies, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	some, err := Run(t.Context(), tenth, 1<<30, Policies, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := all[0].InUse, some[0].InUse; b < a*8/10 || b > a*13/10 {
		t.Errorf("%d bytes are asked for at one time by a tenth of the traffic, %d by all", b, a)
	}
	for i, a := range all[0].Results {
		if b := some[0].Results[i]; b.MaxHeld < a.MaxHeld*7/10 || b.MaxHeld > a.MaxHeld*15/10 {
			t.Errorf("%s: %d bytes are held for a tenth of the traffic, %d for all", a.Policy, b.MaxHeld, a.MaxHeld)
		}
	}
}

// TestTooMuch has traces that stand for more than their files allow. An accepted trace takes
// bounded memory: at most as many acquisitions as Limit allows are outstanding.
func TestTooMuch(t *testing.T) {
	many := func(every, acquisitions, pools, cycles int) *trace.Trace {
		tr := &trace.Trace{Header: trace.Header{Every: every}, Cycles: make([]int64, cycles), Duration: time.Minute}
		for i := range pools {
			tr.Pools = append(tr.Pools, trace.Pool{ID: uint64(i)})
		}
		for i := range acquisitions {
			tr.Acquisitions = append(tr.Acquisitions, trace.Acquisition{Pool: uint64(i % pools), Size: 1, Lifetime: -1})
		}
		return tr
	}
	for _, tt := range []struct {
		name string
		t    *trace.Trace
		size int64
		want string
	}{
		{"one in a million", many(trace.MaxEvery, 1, 1, 0), 71, "more than the 560640 that a file of 71 bytes may have"},
		{"beyond all files", many(trace.MaxEvery, 100, 1, 0), 1 << 40, "more than the 67108864"},
		{"collections for many pools", many(1, 1000, 1000, 1000), 71, "1001000 requests and garbage collections"},
		{"larger than the pool keeps", &trace.Trace{Header: trace.Header{Every: 1 << 20}, Pools: []trace.Pool{{}}, Acquisitions: []trace.Acquisition{{Size: 1, Outside: true}}}, 71, ""},
		{"a thousand for each of a thousand, in 5 KB", many(1000, 1000, 1, 100), 5000, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Run(t.Context(), tt.t, tt.size, Policies[:1], Settings{})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	tr := &trace.Trace{Header: trace.Header{Every: 1}, Pools: []trace.Pool{{}}, Acquisitions: make([]trace.Acquisition, 10_000)}
	if _, err := Run(ctx, tr, 1<<20, Policies, Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
