//go:build go1.25

package pin_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestQuiesceWaitsForPinnedSections tests the basis of each reclaim of a magazine.
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
			// The section must end by itself. If it waited for another goroutine, that goroutine
			// might be stopped with the world, and the stop waits for the section.
			for range 200_000 {
				ended.Load()
			}
			// Everything that Quiesce's caller sees after the call must have been stored before
			// this Unpin.
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
