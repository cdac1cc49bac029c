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
		var pinned, ended atomic.Bool
		go func() {
			pin.Pin()
			pinned.Store(true)
			// The section ends by itself: were it to wait for another goroutine,
			// that one might be stopped with the world, which waits for the section.
			for range 200_000 {
				ended.Load()
			}
			// Anything Quiesce's caller can see after it returned must have
			// been stored before this Unpin.
			ended.Store(true)
			pin.Unpin()
		}()
		for !pinned.Load() {
			runtime.Gosched()
		}
		pin.Quiesce()
		if !ended.Load() {
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
