//go:build go1.25

package basin_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
)

// TestTrimIdle: TrimIdle returns when its context is done.
func TestTrimIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := false
		go func() {
			basin.TrimIdle(ctx)
			ended = true
		}()
		time.Sleep(time.Minute)
		synctest.Wait()
		if ended {
			t.Error("it has ended before its context")
		}
		cancel()
		synctest.Wait()
		if !ended {
			t.Error("it goes on after its context")
		}
	})
}
