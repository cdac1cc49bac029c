//go:build go1.25

package gccycle

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"slices"
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
		want     []int // indexes of the readings
	}{
		{"nothing released", []reading{{0, 1, mib, 0}, {0, 1, mib, 0}, {0, 1, mib, 0}, {0, 1, mib, 0}}, nil},
		{"much", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}}, []int{2}},
		{"once", []reading{{mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}}, []int{2}},
		{"little", []reading{{0, 1, mib, 0}, {mib - 1, 1, mib, 0}, {mib - 1, 1, mib, 0}, {mib - 1, 1, mib, 0}}, nil},
		{"little of a large heap", []reading{{0, 1, 80 * mib, 0}, {10*mib - 1, 1, 80 * mib, 0}, {10*mib - 1, 1, 80 * mib, 0}}, nil},
		{"much of a large heap", []reading{{0, 1, 80 * mib, 0}, {10 * mib, 1, 80 * mib, 0}, {10 * mib, 1, 80 * mib, 0}}, []int{2}},
		{"more is coming", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {2 * mib, 1, mib, 0}, {3 * mib, 1, mib, 0}, {3 * mib, 1, mib, 0}}, []int{4}},
		{"the program collects", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 2, mib, 0}, {mib, 3, mib, 0}, {mib, 3, mib, 0}, {mib, 3, mib, 0}}, nil},
		{"released after a collection began", []reading{{0, 1, mib, 0}, {0, 1, mib, 0}, {mib, 2, mib, 0}, {mib, 2, mib, 0}, {mib, 2, mib, 0}}, []int{4}},
		{"much stays free", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 2, mib, mib}, {mib, 2, mib, mib}, {mib, 3, mib, mib}, {mib, 3, mib, mib}, {mib, 3, mib, mib}}, []int{2, 4}},
		{"little stays free", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 2, mib, mib - 1}, {mib, 2, mib, mib - 1}, {mib, 2, mib, mib - 1}}, []int{2}},
		{"little of a large heap stays free", []reading{{0, 1, 80 * mib, 0}, {10 * mib, 1, 80 * mib, 0}, {10 * mib, 1, 80 * mib, 0}, {10 * mib, 2, 80 * mib, 9 * mib}, {10 * mib, 2, 80 * mib, 9 * mib}}, []int{2}},
		{"the program collects after the first collection", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 3, mib, mib}, {mib, 3, mib, mib}, {mib, 3, mib, mib}}, []int{2}},
		{"the program collects once and goes idle", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 2, mib, mib}, {mib, 2, mib, mib}, {mib, 2, mib, mib}, {mib, 3, mib, mib}, {mib, 3, mib, mib}, {mib, 3, mib, mib}}, []int{4}},
		{"the program collects twice between readings", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 3, mib, mib}, {mib, 3, mib, mib}, {mib, 3, mib, mib}, {mib, 3, mib, mib}}, nil},
		{"free without a release", []reading{{0, 1, mib, 9 * mib}, {0, 1, mib, 9 * mib}, {0, 2, mib, 9 * mib}, {0, 2, mib, 9 * mib}, {0, 2, mib, 9 * mib}}, nil},
		{"a second release", []reading{{0, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 1, mib, 0}, {mib, 2, mib, mib}, {2 * mib, 2, mib, mib}, {2 * mib, 2, mib, mib}, {2 * mib, 3, mib, mib}, {2 * mib, 3, mib, mib}, {2 * mib, 4, mib, mib}, {2 * mib, 4, mib, mib}, {2 * mib, 4, mib, mib}}, []int{2, 5, 7}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w watch
			var got []int
			for i, r := range tt.readings {
				if w.due(r) {
					got = append(got, i)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("it collects at readings %d, want %d", got, tt.want)
			}
		})
	}
}

// TestTrimIdle: TrimIdle collects once or twice, goes on, and ends with its context.
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
		if n := cycles() - before; n != 1 && n != 2 { // a second one if much of the heap is free
			t.Errorf("%d collections, want 1 or 2", n)
		}
		cancel()
		<-done
	})
}
