//go:build go1.25

package quota

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

// local takes n from the credit of the current P, or else from q.
func local(q *Quota, n int) bool {
	credit := q.Credit(uint(pin.Pin()))
	ok := credit != nil && credit.Take(n)
	pin.Unpin()
	return ok || q.TryTake(int64(n))
}

// giveLocal gives n to the credit of the current P, or else to q.
func giveLocal(q *Quota, n int) {
	credit := q.Credit(uint(pin.Pin()))
	ok := credit != nil && credit.Give(n)
	pin.Unpin()
	if !ok {
		q.GiveLocal(int64(n))
	}
}

// TestCredit: amounts that come back stay on their P, and whoever needs them gets them.
func TestCredit(t *testing.T) {
	const max = 16 << 20
	if !pin.Available {
		t.Skip("this build does not pin")
	}
	q := newQuota(max, nil)
	for range 3 {
		for q.recalls.over.Store(0); q.credits.Load() == nil; {
			if !local(q, 1000) {
				t.Fatal("there is room")
			}
			giveLocal(q, 1000)
		}
		local(q, 1000)
		giveLocal(q, 1000)
		if taken, _ := split(q.state.Load()); taken != 1000 || q.Taken() != 0 {
			t.Errorf("%d taken with credits, %d without, want 1000 and 0", taken, q.Taken())
		}
		if !q.TryTake(max) || q.credits.Load() != nil {
			t.Error("the credits were not recalled")
		}
		q.Give(max)
		expect(t, "afterwards", 0, q)
	}
	small := newQuota(leastMax-1, nil)
	inner := newQuota(max, q)
	for range 100 {
		for _, q := range []*Quota{small, inner} {
			local(q, 10)
			if giveLocal(q, 10); q.credits.Load() != nil {
				t.Error("a quota that is small, or within another one, has credits")
			}
		}
	}
}

// TestCreditRecalls: while some use credits, others want almost all, now and then, and wait for it. Nobody
// waits in vain, and no amount is lost.
func TestCreditRecalls(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const max = 4 << 20
	q := newQuota(max, nil)
	var done atomic.Bool
	var users, wanting sync.WaitGroup
	var out atomic.Int64
	for g := range uint64(8) {
		users.Go(func() {
			r := rand.New(rand.NewPCG(g, 5))
			for !done.Load() {
				n := 1 + r.IntN(20_000)
				if !local(q, n) {
					runtime.Gosched()
					continue
				}
				if sum := out.Add(int64(n)); sum > max {
					t.Errorf("%d out of %d", sum, max)
				}
				if r.IntN(20) == 0 {
					runtime.Gosched()
				}
				out.Add(-int64(n))
				giveLocal(q, n)
			}
		})
	}
	for range 2 {
		wanting.Go(func() {
			for range 30 {
				q.recalls.Lock()
				q.recalls.over.Store(0) // so that credits begin again at once
				q.recalls.Unlock()
				time.Sleep(time.Millisecond)
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				if err := q.Take(ctx, max-1000); err != nil {
					t.Error(err)
				} else {
					out.Add(max - 1000)
					out.Add(1000 - max)
					q.Give(max - 1000)
				}
				cancel()
			}
		})
	}
	wanting.Wait()
	done.Store(true)
	users.Wait()
	q.recall()
	expect(t, "at the end", 0, q)
	if taken, waiting := split(q.state.Load()); taken != 0 || waiting || q.Peak() > max {
		t.Errorf("%d taken, waiting %t, peak %d", taken, waiting, q.Peak())
	}
}
