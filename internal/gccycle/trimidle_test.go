//go:build go1.25

package gccycle

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatch: due returns true at the right reading.
func TestWatch(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		name     string
		readings []reading
		want     int // index of the reading, or -1
	}{
		{"nothing released", []reading{{0, 1, mib}, {0, 1, mib}, {0, 1, mib}, {0, 1, mib}}, -1},
		{"much", []reading{{0, 1, mib}, {mib, 1, mib}, {mib, 1, mib}, {mib, 1, mib}}, 2},
		{"once", []reading{{mib, 1, mib}, {mib, 1, mib}, {mib, 1, mib}, {mib, 1, mib}, {mib, 1, mib}}, 2},
		{"little", []reading{{0, 1, mib}, {mib - 1, 1, mib}, {mib - 1, 1, mib}, {mib - 1, 1, mib}}, -1},
		{"little of a large heap", []reading{{0, 1, 80 * mib}, {10*mib - 1, 1, 80 * mib}, {10*mib - 1, 1, 80 * mib}}, -1},
		{"much of a large heap", []reading{{0, 1, 80 * mib}, {10 * mib, 1, 80 * mib}, {10 * mib, 1, 80 * mib}}, 2},
		{"more is coming", []reading{{0, 1, mib}, {mib, 1, mib}, {2 * mib, 1, mib}, {3 * mib, 1, mib}, {3 * mib, 1, mib}}, 4},
		{"the program collects", []reading{{0, 1, mib}, {mib, 1, mib}, {mib, 2, mib}, {mib, 3, mib}, {mib, 3, mib}, {mib, 3, mib}}, -1},
		{"released after a collection began", []reading{{0, 1, mib}, {0, 1, mib}, {mib, 2, mib}, {mib, 2, mib}, {mib, 2, mib}}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w watch
			got := -1
			for i, r := range tt.readings {
				if w.due(r) {
					if got >= 0 {
						t.Errorf("it collects at reading %d again", i)
					}
					got = i
				}
			}
			if got != tt.want {
				t.Errorf("it collects at reading %d, want %d", got, tt.want)
			}
		})
	}
}

// TestTrimIdle: TrimIdle collects once, goes on, and ends with its context.
func TestTrimIdle(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			TrimIdle(ctx, time.Second)
		}()
		cycles := func() uint64 {
			s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
			metrics.Read(s)
			return s[0].Value.Uint64()
		}
		time.Sleep(5500 * time.Millisecond)
		before := cycles()
		Release(1 << 30)
		time.Sleep(10 * time.Second)
		if n := cycles() - before; n != 1 {
			t.Errorf("%d collections, want 1", n)
		}
		cancel()
		<-done
	})
}
