package pin_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestQuiesceWaitsForPinnedSections is what every reclaim of a magazine stands on.
func TestQuiesceWaitsForPinnedSections(t *testing.T) {
	if !pin.Available {
		t.Skip("this build does not pin")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for range 50 {
		var pinned, release, ended, quiet atomic.Bool
		go func() {
			pin.Pin()
			pinned.Store(true)
			for !release.Load() {
			}
			// Anything Quiesce's caller can see after it returned must have
			// been stored before this Unpin.
			for range 1000 {
				ended.Load()
			}
			ended.Store(true)
			pin.Unpin()
		}()
		for !pinned.Load() {
			runtime.Gosched()
		}
		done := make(chan bool)
		go func() {
			pin.Quiesce()
			quiet.Store(true)
			done <- ended.Load()
		}()
		for range 100 {
			if quiet.Load() {
				t.Fatal("Quiesce returned while a section was pinned")
			}
		}
		release.Store(true)
		if !<-done {
			t.Fatal("Quiesce returned before the pinned section ended")
		}
	}
}

func TestPinReportsTheP(t *testing.T) {
	id := pin.Pin()
	pin.Unpin()
	if pin.Available && (id < 0 || id >= runtime.GOMAXPROCS(0)) {
		t.Errorf("Pin() = %d with GOMAXPROCS %d", id, runtime.GOMAXPROCS(0))
	}
	if !pin.Available && id != -1 {
		t.Errorf("Pin() = %d in a build that does not pin, want -1", id)
	}
}
