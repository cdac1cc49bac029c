//go:build go1.25

package stress_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/testenv"
)

// A door is a quota of one, so that its holder is alone and can write down who was served when. It knows of some
// requests that they wait, and so finds those that are overtaken.
type door struct {
	q             *quota.Quota
	issued, ended atomic.Int64 // numbers of requests
	frontier      atomic.Int64 // all requests up to this number waited or had ended at some moment

	// Guarded by the door itself.
	passed    int64 // the highest frontier at the begin of a request that was served
	overtaken int64
	known     int64 // served requests that were known to wait
}

// enter makes a request, and reports whether it is served. cancel is called if ctx has to end.
func (d *door) enter(ctx context.Context) bool {
	before := d.frontier.Load()
	number := d.issued.Add(1)
	if d.q.Take(ctx, 1) != nil {
		d.ended.Add(1)
		return false
	}
	if number <= d.passed {
		d.overtaken++ // by a request that began when this one was known to wait
	}
	if number <= d.frontier.Load() {
		d.known++
	}
	d.passed = max(d.passed, before)
	for range 1 + number%3 {
		runtime.Gosched() // others come, and wait
	}
	// If as many wait as have not ended, all but this one wait.
	ended, issued := d.ended.Load(), d.issued.Load()
	if waiting := int64(d.q.Waits().Waiting); waiting >= issued-ended-1 && d.issued.Load() == issued {
		d.frontier.Store(issued)
	}
	d.ended.Add(1)
	d.q.Give(1)
	return true
}

// yield lets others run while an amount is taken.
func yield(r *rand.Rand) {
	for range 1 + r.IntN(4) {
		runtime.Gosched()
	}
}

// TestStressQuota has 64 goroutines that take from quotas, where about a third gives up while it waits. Each
// request ends, so no wake-up is lost; no request overtakes one that waits; and all that was taken is there in the
// end. With BASIN_TEST_LONG=1 it makes ten million requests.
func TestStressQuota(t *testing.T) {
	requests := 100_000
	switch {
	case pooltest.Long() && !testenv.Race:
		requests = 10_000_000
	case testenv.Race || testing.Short():
		requests = 20_000
	}
	requests = testenv.Int(t, "BASIN_TEST_REQUESTS", requests)
	const users, most = 64, 1000
	watch := func(idle, waited time.Duration) {}
	one := &door{q: quota.New(1, nil, watch)}
	outer := quota.New(most, nil, watch)
	inner := []*quota.Quota{outer, quota.New(most*2/3, outer, watch), quota.New(quota.Max, outer, watch)}
	cancels := make(chan context.CancelFunc, users)
	var cancellers sync.WaitGroup
	for range 4 {
		cancellers.Go(func() {
			for cancel := range cancels {
				cancel()
			}
		})
	}
	var served, gaveUp atomic.Int64
	began := time.Now()
	crowd(users, func(r *rand.Rand) {
		for range requests / users {
			ctx, cancel := context.Background(), context.CancelFunc(func() {})
			if r.IntN(5) < 3 { // some are served before
				ctx, cancel = context.WithCancel(ctx)
				if r.IntN(4) == 0 {
					cancel() // before
				} else {
					cancels <- cancel
				}
			}
			ok := false
			if r.IntN(2) == 0 {
				ok = one.enter(ctx)
			} else {
				q := inner[r.IntN(len(inner))]
				n := 1 + r.Int64N(1+r.Int64N(most*2/3))
				switch {
				case r.IntN(8) == 0:
					a, err := q.Reserve(ctx, n)
					if ok = err == nil; ok {
						used := r.Int64N(n + 1)
						if !a.TryTake(used) {
							t.Error("a reservation is not there")
						}
						a.Close()
						yield(r)
						a.Give(used)
					}
				default:
					if ok = q.Take(ctx, n) == nil; ok {
						yield(r)
						q.Give(n)
					}
				}
			}
			if ok {
				served.Add(1)
			} else {
				gaveUp.Add(1)
			}
			cancel()
		}
	})
	close(cancels)
	cancellers.Wait()
	t.Logf("%d served and %d gave up in %v; %d served at the door were known to wait", served.Load(), gaveUp.Load(), time.Since(began), one.known)
	if one.overtaken != 0 || one.known == 0 {
		t.Errorf("%d of %d requests that were known to wait were overtaken", one.overtaken, one.known)
	}
	for i, q := range append(inner, one.q) {
		if s := q.Waits(); q.Taken() != 0 || q.Reserved() != 0 || s.Waiting != 0 {
			t.Errorf("quota %d at the end: %d taken, %d reserved, %d waiting", i, q.Taken(), q.Reserved(), s.Waiting)
		}
		if q.Max() < quota.Max && q.Peak() > q.Max() {
			t.Errorf("quota %d: a peak of %d, of %d", i, q.Peak(), q.Max())
		}
	}
	if gaveUp.Load() == 0 {
		t.Error("nobody gave up")
	}
}

// TestQuotaLargeLeaves: when a large request gives up, those behind it that fit are served, although nothing comes back.
func TestQuotaLargeLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := quota.New(10, nil, func(idle, waited time.Duration) {})
		q.Take(t.Context(), 5)
		ctx, cancel := context.WithCancel(t.Context())
		var served atomic.Int64
		for _, n := range []int64{8, 3, 2} {
			go func() {
				if q.Take(ctx, n) == nil {
					served.Add(n)
				}
			}()
			synctest.Wait()
			ctx = t.Context()
		}
		if served.Load() != 0 || q.Waits().Waiting != 3 {
			t.Fatalf("%d served, %+v", served.Load(), q.Waits())
		}
		cancel()
		synctest.Wait()
		if served.Load() != 5 || q.Waits().Waiting != 0 || q.Taken() != 10 {
			t.Errorf("%d served, %d taken, %+v", served.Load(), q.Taken(), q.Waits())
		}
	})
}

// TestQuotaRecoverServes: recovered amounts serve those who wait.
func TestQuotaRecoverServes(t *testing.T) {
	q := quota.New(10, nil, func(idle, waited time.Duration) {})
	q.Take(t.Context(), 10)
	served := make(chan error)
	go func() { served <- q.Take(t.Context(), 7) }()
	for q.Waits().Waiting == 0 {
		runtime.Gosched()
	}
	q.Recover(8)
	if s := q.Waits(); s.Waiting != 0 || q.Taken() != 9 {
		t.Errorf("%d taken, %+v", q.Taken(), s)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
