//go:build go1.25

package gccycle_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/testenv"
)

// A late hook is due when the test sets it so.
type late struct {
	due   atomic.Bool
	calls atomic.Int32
}

func (l *late) Due(time.Duration) bool { return l.due.Load() }

func (l *late) Round(time.Duration, gccycle.Pressure) (keep bool) { return l.calls.Add(1) == 1 }

// TestDue: rounds skip a hook until it is due, and unregister it when it returns false.
func TestDue(t *testing.T) {
	l := new(late)
	gccycle.RegisterDue(l)
	for range 5 {
		testenv.RunCleanups()
	}
	if n := l.calls.Load(); n != 0 {
		t.Errorf("%d calls before the hook is due", n)
	}
	l.due.Store(true)
	testenv.CollectUntil(func() bool { return l.calls.Load() > 1 })
	for range 5 {
		testenv.RunCleanups()
	}
	if n := l.calls.Load(); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}
