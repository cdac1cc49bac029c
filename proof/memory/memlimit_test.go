//go:build go1.25

package memory_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/memlimit"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/pooltest"
)

// container makes the program believe that it runs in a control group with the given limit. It
// returns a function that changes the limit.
func container(t *testing.T, limit int64) (change func(limit int64)) {
	t.Helper()
	root := t.TempDir()
	const max = "sys/fs/cgroup/memory.max"
	for name, text := range map[string]string{
		"proc/self/mountinfo": "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"proc/self/cgroup":    "0::/\n",
		max:                   fmt.Sprintln(limit),
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Skip(err) // there are systems without files
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(memlimit.SetRoot(root))
	return func(limit int64) {
		t.Helper()
		// A file that is renamed, unlike one that is written, is never read when it is empty.
		next := filepath.Join(root, "next")
		if err := os.WriteFile(next, []byte(fmt.Sprintln(limit)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, filepath.Join(root, filepath.FromSlash(max))); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDefaultMaxIdle(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	for _, tt := range []struct {
		name             string
		limit, container int64
		maxIdle          int64 // setting
		want             int64
	}{
		{"GOMEMLIMIT", 80 << 20, 0, 0, 10 << 20},
		{"a large GOMEMLIMIT", 8 << 30, 0, 0, basin.DefaultMaxIdle},
		{"container", math.MaxInt64, 128 << 20, 0, 16 << 20},
		{"GOMEMLIMIT in a container", 256 << 20, 128 << 20, 0, 32 << 20},
		{"MaxIdle in a container", math.MaxInt64, 128 << 20, 100 << 20, 100 << 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.container > 0 {
				container(t, tt.container)
			}
			debug.SetMemoryLimit(tt.limit)
			p := &basin.BytePool{MaxIdle: tt.maxIdle}
			b := basin.BufferPool{MaxIdle: tt.maxIdle}
			b.Put(b.Get())
			if got := p.Stats().Bytes.MaxIdle; got != tt.want {
				t.Errorf("BytePool: MaxIdle %d, want %d", got, tt.want)
			}
			if got := b.Stats().Bytes.MaxIdle; got != tt.want {
				t.Errorf("BufferPool: MaxIdle %d, want %d", got, tt.want)
			}
		})
	}
}

// TestSpikeInContainer has a spike of buffers in addition to a live heap, in a container of 128
// MiB.
func TestSpikeInContainer(t *testing.T) {
	pooltest.Reuses(t)
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	container(t, 128<<20)
	live := make([]byte, 20<<20)
	p := &basin.BytePool{}
	fill(p, 100, 1<<20)
	runtime.GC()
	if idle := p.Stats().Bytes.Idle; idle > 16<<20 {
		t.Errorf("%d bytes are idle", idle)
	}
	runtime.KeepAlive(live)
}

// TestNearContainerLimit: all idle memory is released when the live heap approaches the limit
// of a container, as near GOMEMLIMIT.
func TestNearContainerLimit(t *testing.T) {
	pooltest.Reuses(t)
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	p := &basin.BytePool{}
	fill(p, 10, 1<<20)
	container(t, 8<<20)
	for p.Stats().Bytes.Idle > 0 { // no time limit but the test's own
		runtime.GC()
		runtime.Gosched()
	}
}

// TestContainerLimitChanges: pools follow the limit of a container that changes while the program
// runs, without a collection too, as with TrimIdle. TestNow of internal/memlimit tests how
// often the limit is read.
func TestContainerLimitChanges(t *testing.T) {
	pooltest.Reuses(t)
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	change := container(t, 1<<40)
	p := &basin.BytePool{IdleTime: 24 * time.Hour}
	idle := func() int64 {
		gccycle.Overdue(pin.Now(), 0)
		time.Sleep(10 * time.Millisecond) // the limit is read once a second
		return p.Stats().Bytes.Idle
	}
	maxIdle := func() int64 { return new(basin.BytePool).Stats().Bytes.MaxIdle } // of a pool first used now

	fill(p, 10, 1<<20)
	if n := idle(); n != 10<<20 {
		t.Fatalf("%d bytes are idle below the limit", n)
	}
	change(8 << 20)
	for idle() > 0 { // no time limit but the test's own
	}
	if n := maxIdle(); n != 1<<20 {
		t.Errorf("after the limit fell: MaxIdle %d", n)
	}
	change(1 << 40)
	for maxIdle() != basin.DefaultMaxIdle {
		fill(p, 10, 1<<20) // or no round has work, and none reads the limit
		idle()
	}
	fill(p, 10, 1<<20)
	if n := idle(); n != 10<<20 {
		t.Errorf("%d bytes are idle after the limit rose", n)
	}
}

// TestMaxIdleFollowsContainer: the default MaxIdle of a pool in use follows the limit of the
// container, down and up, and the idle bytes follow it.
func TestMaxIdleFollowsContainer(t *testing.T) {
	pooltest.Reuses(t)
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	change := container(t, 1<<40)
	p := &basin.BytePool{IdleTime: 24 * time.Hour}
	own := &basin.BytePool{IdleTime: 24 * time.Hour, MaxIdle: 40 << 20}
	fill(p, 40, 1<<20)
	fill(own, 40, 1<<20)
	change(240 << 20)
	const less = 30 << 20
	for p.Stats().Bytes.MaxIdle != less || p.Stats().Bytes.Idle > less { // no time limit but the test's own
		gccycle.Overdue(pin.Now(), 0)
		time.Sleep(10 * time.Millisecond) // the limit is read once a second
	}
	if n := p.Stats().Bytes.Idle; n == 0 {
		t.Error("nothing is idle")
	}
	if b := own.Stats().Bytes; b.MaxIdle != 40<<20 || b.Idle != 40<<20 {
		t.Errorf("with a MaxIdle: %d of %d bytes are idle", b.Idle, b.MaxIdle)
	}
	change(1 << 40)
	for p.Stats().Bytes.MaxIdle != basin.DefaultMaxIdle || p.Stats().Bytes.Idle != 40<<20 {
		fill(p, 40, 1<<20)
		gccycle.Overdue(pin.Now(), 0)
		time.Sleep(10 * time.Millisecond)
	}
}
