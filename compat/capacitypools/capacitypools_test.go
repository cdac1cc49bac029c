//go:build go1.25

package capacitypools

import (
	"maps"
	"math"
	"math/bits"
	"runtime/debug"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestLargest has pools of the largest possible capacities. Nothing touches their memory, so it
// costs only address space.
func TestLargest(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector touches their memory")
	}
	above := 1 // the capacity of one byte if the smallest is more than 1 GiB
	if bits.UintSize == 64 {
		above <<= 31
	}
	for _, tt := range []struct {
		name           string
		min, max, size int
		capacity       int
		kept           bool
		smallIsKept    bool
	}{
		{"minimum of 1 GiB", 1 << 30, math.MaxInt32, 1, 1 << 30, true, false},
		{"minimum above 1 GiB", 1<<30 + 1, math.MaxInt32, 1, above, false, false},
		{"largest minimum", math.MaxInt32, math.MaxInt32, 1, above, false, false},
		{"minimum above the largest", math.MaxInt, math.MaxInt, 1, above, false, false},
		{"1 GiB", 2, math.MaxInt32, 1 << 30, 1 << 30, true, true},
		{"maximum of 1 GiB", 2, 1 << 30, 1 << 30, 1 << 30, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := New(t.Name(), false, tt.min, tt.max)
			p.slices.MaxIdle = math.MaxInt64
			if kept := p.Release(make([]byte, 4096)); kept != tt.smallIsKept {
				t.Errorf("4096 bytes are kept: %t", kept)
			}
			debug.FreeOSMemory() // of the previous pool
			b := p.New(tt.size)
			if len(b) != tt.size || cap(b) != tt.capacity {
				t.Errorf("New(%d) has length %d and capacity %d, want %d", tt.size, len(b), cap(b), tt.capacity)
			}
			if kept := p.Release(b); kept != tt.kept {
				t.Errorf("it is kept: %t, want %t", kept, tt.kept)
			}
		})
	}
}

// TestStatsWithChecks: at each level of checks, a slice that was made counts as new, and one that was put before as
// reused.
func TestStatsWithChecks(t *testing.T) {
	pooltest.Alone(t)
	defer basincheck.Set(basincheck.Now())
	for _, level := range []basincheck.Settings{{}, {Level: basincheck.Sampled, Every: 1}, {Level: basincheck.Full}} {
		basincheck.Set(level)
		p := New(t.Name(), false, 2, 4096)
		p.SetWithStats(true)
		want := map[string]uint64{"NewBytes": 1024 + 8, "OutBytes": 0, "OutCount": 0, "ReusedBytes": 2 * (1024 + 8)}
		if level.Level != basincheck.Off { // nothing is reused
			want["NewBytes"], want["ReusedBytes"] = 3*(1024+8), 0
		}
		for range 3 {
			p.Put(p.New(1000))
			p.Put(p.New(7))
		}
		if got := p.Map(); !maps.Equal(got, want) {
			t.Errorf("%v: %v, want %v", level.Level, got, want)
		}
	}
}
