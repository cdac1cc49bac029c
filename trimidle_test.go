//go:build go1.25

package basin_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestIdleProgram: in an idle program, memory that a pool no longer needs is freed. There is no
// time limit but that of the test run.
func TestIdleProgram(t *testing.T) {
	pooltest.Reuses(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, tt := range []struct {
		name string
		fill func(freed *atomic.Bool) (idle func() int64) // freed is set when an item has been freed
	}{
		{"BytePool", func(freed *atomic.Bool) func() int64 {
			p := &basin.BytePool{IdleTime: time.Millisecond}
			var all [][]byte
			for range 16 { // more than an eighth of the heap that other tests keep alive, or TrimIdle would not collect
				all = append(all, p.Get(2<<20))
			}
			watchFreed(unsafe.SliceData(all[0]), freed)
			for _, b := range all {
				p.Put(b)
			}
			return func() int64 { return p.Stats().Bytes.Idle }
		}},
		{"Pool without a Size", func(freed *atomic.Bool) func() int64 {
			p := &basin.Pool[*[100 << 10]byte]{New: func() *[100 << 10]byte { return new([100 << 10]byte) }, IdleTime: time.Millisecond}
			var all []*[100 << 10]byte
			for range 100 {
				all = append(all, p.Get())
			}
			watchFreed(all[0], freed)
			for _, x := range all {
				p.Put(x)
			}
			return func() int64 { return p.Stats().Items.Idle }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var freed atomic.Bool
			idle := tt.fill(&freed)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				gccycle.TrimIdle(ctx, time.Millisecond)
			}()
			for !freed.Load() {
				time.Sleep(time.Millisecond)
			}
			cancel()
			<-done
			if n := idle(); n != 0 {
				t.Errorf("%d are idle", n)
			}
		})
	}
}

// watchFreed sets freed when x has been freed. A weak pointer would keep x alive whenever it is read.
func watchFreed[T any](x *T, freed *atomic.Bool) {
	runtime.AddCleanup(x, func(freed *atomic.Bool) { freed.Store(true) }, freed)
}
