//go:build go1.25

package quota

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func watchNothing(idle, waited time.Duration) {}

func newQuota(max int64, within *Quota) *Quota { return New(max, within, watchNothing) }

// expect compares the amounts taken from quotas with want.
func expect(t *testing.T, of string, want int64, quotas ...*Quota) {
	t.Helper()
	for i, q := range quotas {
		if got := q.Taken(); got != want {
			t.Errorf("%s: %d taken from quota %d, want %d", of, got, i, want)
		}
	}
}

// TestOrder: requests are served in the order of their arrival, and a large one is not overtaken.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := newQuota(10, nil)
		for _, q := range []*Quota{outer, newQuota(Max, outer)} {
			q.Take(t.Context(), 10)
			var order []int64
			for _, n := range []int64{3, 8, 1} {
				go func() {
					if err := q.Take(t.Context(), n); err != nil {
						t.Error(err)
					}
					order = append(order, n)
				}()
				synctest.Wait()
			}
			give := func(n int64, served ...int64) {
				t.Helper()
				q.Give(n)
				synctest.Wait()
				if len(order) != len(served) || len(order) > 0 && order[len(order)-1] != served[len(served)-1] {
					t.Errorf("served %v, want %v", order, served)
				}
			}
			give(4, 3)
			give(6, 3)
			if q.TryTake(1) {
				t.Error("TryTake overtook those who wait")
			}
			give(1, 3, 8)
			give(8, 3, 8, 1)
			q.Give(3)
			expect(t, "at the end", 0, q, outer)
		}
	})
}

// TestSetMax lowers and raises the maximum while requests wait.
func TestSetMax(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuota(100, nil)
		q.Take(t.Context(), 100)
		var served, failed atomic.Int64
		for i := range 1000 {
			go func() {
				n := int64(1 + i%2*59)
				switch err := q.Take(t.Context(), n); {
				case err == nil:
					served.Add(n)
				case errors.Is(err, ErrTooMuch):
					failed.Add(1)
				default:
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		q.SetMax(50) // less than half of them want, and than is taken
		synctest.Wait()
		if failed.Load() != 500 || served.Load() != 0 {
			t.Errorf("%d failed and %d was served, want 500 and 0", failed.Load(), served.Load())
		}
		if err := q.Take(t.Context(), 51); !errors.Is(err, ErrTooMuch) {
			t.Error(err)
		}
		q.Give(50)
		synctest.Wait()
		expect(t, "at the lower maximum", 50, q)
		q.SetMax(Max)
		synctest.Wait()
		if served.Load() != 500 {
			t.Errorf("%d served, want 500", served.Load())
		}
		if s := q.Waits(); s.Refused != 500 || s.Waiting != 0 || s.Waited != 1000 {
			t.Errorf("%+v", s)
		}
		q.Give(550)
		expect(t, "at the end", 0, q)
	})
}

// TestForce: amounts beyond the maximum make others wait, and are reported.
func TestForce(t *testing.T) {
	outer := newQuota(10, nil)
	q := newQuota(100, outer)
	if q.Force(10) {
		t.Error("10 of 10 are not beyond")
	}
	if !q.Force(5) || q.Waits().Beyond != 0 || outer.Waits().Beyond != 1 {
		t.Error("15 of 10 are beyond the outer quota alone")
	}
	if q.Give(5); q.TryTake(1) {
		t.Error("there is no room")
	}
	q.Give(1)
	if !q.TryTake(1) || outer.Peak() != 15 {
		t.Errorf("there is room, and the peak is %d, want 15", outer.Peak())
	}
	q.Give(1000) // twice, by mistake: never below zero
	expect(t, "after too much is given back", 0, q, outer)
}

// TestRefusedTakesNothing: a request that an outer quota refuses, or whose wait for it ends, gives back its part
// of the inner one.
func TestRefusedTakesNothing(t *testing.T) {
	outer := newQuota(10, nil)
	q := newQuota(100, outer)
	outer.Take(t.Context(), 10)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := q.Take(ctx, 1); err != context.DeadlineExceeded {
		t.Error(err)
	}
	if err := q.Take(ctx, 11); !errors.Is(err, ErrTooMuch) {
		t.Error(err)
	}
	if q.TryTake(1) {
		t.Error("took 1 of an outer quota without room")
	}
	expect(t, "refused", 0, q)
	expect(t, "refused", 10, outer)
}

// TestAccount takes more and less than an account has.
func TestAccount(t *testing.T) {
	outer := newQuota(100, nil)
	q := newQuota(100, outer)
	a, err := q.Reserve(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	step := func(of string, ok, want bool, taken, reserved int64) {
		t.Helper()
		if ok != want {
			t.Errorf("%s: %t, want %t", of, ok, want)
		}
		expect(t, of, taken, q, outer)
		if q.Reserved() != reserved || outer.Reserved() != reserved {
			t.Errorf("%s: %d and %d are reserved, want %d", of, q.Reserved(), outer.Reserved(), reserved)
		}
	}
	step("reserve", true, true, 60, 60)
	step("within", a.TryTake(50), true, 60, 10)
	step("beyond the account", a.TryTake(40), true, 90, 0)
	step("beyond the quota", a.TryTake(11), false, 90, 0)
	step("force", a.Force(20), true, 110, 0)
	a.Give(60) // 50 are used
	step("give", true, true, 60, 10)
	step("close", a.Close(), true, 50, 0)
	step("close twice", a.Close(), false, 50, 0)
	step("closed", a.TryTake(10), true, 60, 0)
	a.Recover(60)
	step("all is back", true, true, 0, 0)
	if _, ok := a.Lose(); ok {
		t.Error("lost an account that was closed")
	}
	if _, ok := q.TryReserve(101); ok {
		t.Error("reserved more than the maximum")
	}
	expect(t, "refused", 0, q, outer)
	b, ok := q.TryReserve(10)
	if unused, lost := b.Lose(); !ok || !lost || unused != 10 {
		t.Errorf("lost %d", unused)
	}
	step("lost", true, true, 0, 0)
}

// TestSums runs goroutines that take, wait, give up, force, reserve and give in nested quotas, while others
// change a maximum. At every sample, the outer quota has taken no more than its maximum and the parts beyond it.
// At the end, nothing is taken and nobody waits.
func TestSums(t *testing.T) {
	outer := newQuota(1000, nil)
	inner := []*Quota{newQuota(700, outer), newQuota(Max, outer), outer}
	const users, rounds = 64, 2000
	var forced atomic.Int64
	var done atomic.Bool
	var all, watchers sync.WaitGroup
	for g := range uint64(users) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 1))
			for range rounds {
				q := inner[r.IntN(len(inner))]
				n := int64(r.IntN(200))
				switch r.IntN(5) {
				case 0:
					if q.TryTake(n) {
						runtime.Gosched()
						q.Give(n)
					}
				case 1, 2: // a third of all waits is cancelled
					ctx, cancel := context.WithCancel(context.Background())
					if r.IntN(3) == 0 {
						go cancel()
					}
					if q.Take(ctx, n) == nil {
						runtime.Gosched()
						q.Give(n)
					}
					cancel()
				case 3:
					forced.Add(n)
					q.Force(n)
					runtime.Gosched()
					q.Recover(n)
					forced.Add(-n)
				case 4:
					if a, err := q.Reserve(context.Background(), n); err == nil {
						used := int64(0)
						for range 3 {
							if m := int64(r.IntN(100)); a.TryTake(m) {
								used += m
							}
						}
						if r.IntN(2) == 0 {
							a.Close()
							a.Give(used)
						} else {
							a.Give(used)
							a.Close()
						}
					}
				}
			}
		})
	}
	watchers.Go(func() {
		for !done.Load() {
			before := forced.Load()
			taken := outer.Taken()
			if beyond := before + forced.Load() + 200*users; taken > 1000+beyond || taken < 0 {
				t.Errorf("%d taken of 1000, and at most %d beyond", taken, beyond)
				return
			}
			if n := inner[0].Waits(); n.Waiting < 0 {
				t.Error(n)
			}
		}
	})
	watchers.Go(func() {
		for i := 0; !done.Load(); i++ {
			inner[0].SetMax(int64(300 + i%5*100))
			runtime.Gosched()
		}
	})
	all.Wait()
	done.Store(true)
	watchers.Wait()
	expect(t, "at the end", 0, inner...)
	for _, q := range inner {
		if q.Reserved() != 0 || q.Waits().Waiting != 0 {
			t.Errorf("%d reserved, %d waiting", q.Reserved(), q.Waits().Waiting)
		}
	}
}

// TestBounded: without Force and SetMax, no sample is above the maximum.
func TestBounded(t *testing.T) {
	q := newQuota(500, nil)
	var done atomic.Bool
	var all, watcher sync.WaitGroup
	for g := range uint64(16) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 2))
			for range 5000 {
				a, err := q.Reserve(context.Background(), int64(r.IntN(200)))
				if err != nil {
					t.Error(err)
					return
				}
				used := int64(0)
				for range 3 {
					if n := int64(r.IntN(100)); a.TryTake(n) {
						used += n
					}
				}
				a.Close()
				a.Give(used)
			}
		})
	}
	watcher.Go(func() {
		for !done.Load() {
			if taken := q.Taken(); taken > 500 || taken < 0 {
				t.Errorf("%d taken of 500", taken)
				return
			}
		}
	})
	all.Wait()
	done.Store(true)
	watcher.Wait()
	expect(t, "at the end", 0, q)
	if q.Peak() > 500 {
		t.Errorf("the peak is %d of 500", q.Peak())
	}
}
