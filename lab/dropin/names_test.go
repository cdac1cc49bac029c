package dropin

import (
	"bytes"
	"io"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/basin-go/basin/basinexport"
	bpool "github.com/basin-go/basin/compat/bpool"
	bytebuf "github.com/basin-go/basin/compat/bytebuf"
	bytebufferpool "github.com/basin-go/basin/compat/bytebufferpool"
	bytesf "github.com/basin-go/basin/compat/bytesf"
	bytespool "github.com/basin-go/basin/compat/bytespool"
	bytespoolbuffer "github.com/basin-go/basin/compat/bytespool/buffer"
	readerpool "github.com/basin-go/basin/compat/bytespool/readerpool"
	pool "github.com/basin-go/basin/compat/go-buffer-pool"
	shark "github.com/basin-go/basin/compat/poolShark"
	zeropool "github.com/basin-go/basin/compat/zeropool"
	"github.com/basin-go/basin/lab/dropin/internal/one"
	"github.com/basin-go/basin/lab/dropin/internal/other"
)

// gets returns the number of Gets of each pool, by name and ID.
func gets() map[string]map[uint64]uint64 {
	counts := map[string]map[uint64]uint64{}
	for _, s := range basinexport.Append(nil) {
		if counts[s.Name] == nil {
			counts[s.Name] = map[uint64]uint64{}
		}
		counts[s.Name][s.ID] = s.Gets
	}
	return counts
}

// used returns the names of the pools that do uses, with the number of pools of each name.
func used(do func()) map[string]int {
	before, names := gets(), map[string]int{}
	do()
	for name, pools := range gets() {
		for id, n := range pools {
			if n > before[name][id] {
				names[name]++
			}
		}
	}
	return names
}

// TestNames finds the pools of each library in the statistics by their names.
func TestNames(t *testing.T) {
	var keep []any // otherwise the pools would be garbage, and not in the statistics
	mine := func(pool any) { keep = append(keep, pool) }
	for _, c := range []struct {
		name string
		do   func()
		want []string
	}{
		{"bytebufferpool", func() { bytebufferpool.Put(bytebufferpool.Get()) }, []string{"bytebufferpool"}},
		{"bytebufferpool.Pool", func() { p := new(bytebufferpool.Pool); mine(p); p.Get() }, []string{"bytebufferpool"}},
		{"bpool.BufferPool", func() { p := bpool.NewBufferPool(1); mine(p); p.Get() }, []string{"bpool"}},
		{"bpool.SizedBufferPool", func() { p := bpool.NewSizedBufferPool(1, 1); mine(p); p.Get() }, []string{"bpool"}},
		{"bpool.BytePool", func() { p := bpool.NewBytePool(1, 1); mine(p); p.Get() }, []string{"bpool"}},
		{"go-buffer-pool", func() { pool.Get(64) }, []string{"go-buffer-pool"}},
		{"go-buffer-pool, small", func() { pool.Get(1) }, []string{"go-buffer-pool, below 64 B"}},
		{"go-buffer-pool.BufferPool", func() { p := new(pool.BufferPool); mine(p); p.Get(64) }, []string{"go-buffer-pool"}},
		{"go-buffer-pool.Buffer", func() { pool.NewBuffer(make([]byte, 100)) }, []string{"go-buffer-pool"}},
		{"bytespool", func() { bytespool.New(64) }, []string{"bytespool"}},
		{"bytespool, small", func() { bytespool.New(63 / 2) }, []string{"bytespool, below 64 B"}},
		{"bytespool.BufPool", func() { p := bytespool.NewBufPool(64); mine(p); p.Get() }, []string{"bytespool"}},
		{"bytespool/buffer", func() { bytespoolbuffer.Get() }, []string{"bytespool", "bytespool buffers"}},
		{"bytespool/readerpool", func() { readerpool.New(nil) }, []string{"bytespool readers"}},
		{"zeropool.New", func() { p := zeropool.New(func() int { return 1 }); mine(&p); p.Get() }, []string{"zeropool"}},
		{"zeropool.Pool", func() { p := new(zeropool.Pool[int]); mine(p); p.Get() }, []string{"zeropool"}},
		{"bytesf.NewBufferPool", func() { p := bytesf.NewBufferPool(1, 2); mine(p); p.Allocate() }, []string{"bytesf"}},
		{"bytesf.NewListPool", func() { p := bytesf.NewListPool(1, 2); mine(p); p.Allocate() }, []string{"bytesf"}},
		{"poolShark.BytePool", func() { p := shark.NewBytePool(1, 1); mine(p); p.Get() }, []string{"poolShark"}},
		{"poolShark.ByteChanPool", func() { p := shark.NewByteChanPool(1, 1); mine(p); p.Get() }, []string{"poolShark"}},
		{"poolShark.ByteSyncPool", func() { p := shark.NewByteSyncPool(1); mine(p); p.Get() }, []string{"poolShark"}},
		{"bytebuf", func() { io.Copy(bytebuf.New(), bytes.NewReader(make([]byte, 1000))) }, []string{"default"}},
	} {
		if got := slices.Sorted(maps.Keys(used(c.do))); !slices.Equal(got, c.want) {
			t.Errorf("%s: pools of the names %q count it, want %q", c.name, got, c.want)
		}
	}
	runtime.KeepAlive(keep)
}

// TestTwoImporters has two packages use a library. Its shared pools are one pool in the
// statistics. Pools that the packages made are separate, but have the same name.
func TestTwoImporters(t *testing.T) {
	one.Use(1)
	other.Use(1)
	for _, c := range []struct {
		name string
		do   func()
		want map[string]int // pools, by name
	}{
		{"one of them", func() { one.Use(1000) }, map[string]int{"bytebufferpool": 2, "go-buffer-pool": 1}},
		{"the other", func() { other.Use(1000) }, map[string]int{"bytebufferpool": 2, "go-buffer-pool": 1}},
		{"both", func() { one.Use(1000); other.Use(1000) }, map[string]int{"bytebufferpool": 3, "go-buffer-pool": 1}},
	} {
		if got := used(c.do); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Metrics have one series for all pools of a name.
	var r basinexport.Reader
	series := map[string]int{}
	for s := range r.All() {
		series[s.Name]++
	}
	for _, name := range []string{"bytebufferpool", "go-buffer-pool"} {
		if series[name] != 1 {
			t.Errorf("%d series for %s, want 1", series[name], name)
		}
	}
}
