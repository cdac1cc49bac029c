//go:build go1.25

package quota

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

// Nobody waits while there are credits: what is given back there would wake nobody.
func TestCreditsBeginBesideWaiter(t *testing.T) {
	if !pin.Available {
		t.Skip()
	}
	tries := 3_000
	if testing.Short() {
		tries = 300
	}
	for i := range tries {
		q := New(leastMax, nil, nil)
		q.list().Watch = nil
		q.recalls.over.Store(0)
		q.Force(64)
		ctx, cancel := context.WithCancel(context.Background())
		var ready atomic.Int32
		begun, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ready.Add(1)
			for ready.Load() < 2 {
			}
			for range i % 50 {
				ready.Load()
			}
			q.extend(64)
			close(begun)
		}()
		go func() {
			ready.Add(1)
			for ready.Load() < 2 {
			}
			ended <- q.Take(ctx, leastMax)
		}()
		<-begun
		for q.Waits().Waiting == 0 {
			runtime.Gosched()
		}
		time.Sleep(0)
		if q.credits.Load() != nil {
			time.Sleep(10 * time.Millisecond) // the recall of the waiter
		}
		if q.credits.Load() != nil {
			p := pin.Pin()
			ok := q.Credit(uint(p)).Give(64)
			pin.Unpin()
			select {
			case <-ended:
			case <-time.After(time.Second):
				t.Fatalf("try %d: all is back (%v), %d taken, and the waiter is not served", i, ok, q.Taken())
			}
		}
		cancel()
		<-ended
	}
}

// A context that panics takes nothing.
func TestContextPanicsInOuter(t *testing.T) {
	outer := New(100, nil, nil)
	outer.list().Watch = nil
	inner := New(100, outer, nil)
	inner.list().Watch = nil
	outer.Force(100)
	func() {
		defer func() { recover() }()
		inner.Take(badDone{context.Background()}, 10)
	}()
	if inner.Taken() != 0 {
		t.Errorf("%d lost", inner.Taken())
	}
}

type badDone struct{ context.Context }

func (badDone) Done() <-chan struct{} { panic("Done") }

// An account that has used something refuses a huge amount, as a Quota does.
func TestAccountOverflow(t *testing.T) {
	q := New(100, nil, nil)
	a, _ := q.TryReserve(10)
	a.TryTake(5)
	if a.TryTake(1<<63 - 1) {
		t.Error("2⁶³-1 of 100")
	}
}
