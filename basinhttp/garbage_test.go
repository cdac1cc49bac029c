//go:build go1.25

package basinhttp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestGarbage: the report explains in use only if it is garbage, or may be.
func TestGarbage(t *testing.T) {
	pool := func(kind string, gets uint64, inUse, peak, bytes, ceiling int64) basin.Stats {
		s := basin.Stats{Name: "p", Kind: kind, Gets: gets}
		s.Items.InUse, s.PeakInUse.Items, s.Bytes.InUse, s.Bytes.MaxInUse = inUse, peak, bytes, ceiling
		return s
	}
	adopting := pool("BytePool", 1e9, 10, 10, 12<<20, 0)
	adopting.Adopted = 1
	leaking := &basinhttp.Checking{Sites: []basinhttp.Site{{Unfreed: 1}}}
	for _, tt := range []struct {
		name  string
		pool  basin.Stats
		check *basinhttp.Checking
		want  []string // parts of the text; none if it must be empty
	}{
		{"more than the heap", pool("BytePool", 1e9, 10, 10, 12<<20, 0), nil, []string{"Of the 12.0 MiB in use, at least 2.0 MiB is garbage", "heap has only 10.0 MiB", "Buffers without Free", "BASIN_CHECK=sampled"}},
		{"more than the heap, and some is adopted", adopting, nil, []string{"at least 2.0 MiB is garbage, or was adopted and is not on the heap, because the heap has only 10.0 MiB"}},
		{"as much as the heap", pool("BytePool", 1e9, 10, 10, 10<<20, 0), nil, nil},
		{"under a ceiling", pool("BytePool", 1e9, 1000, 1000, 12<<20, 1<<30), nil, nil},
		{"a fixed pool", pool("FixedPool", 1e3, 1000, 1000, 12<<20, 0), nil, nil},
		{"a limit, whose memory is that of pools", pool("Limit", 0, basin.Unknown, basin.Unknown, 12<<20, 0), nil, nil},
		{"of unknown size", pool("Pool[int]", 1e9, 1000, 1000, basin.Unknown, 0), nil, nil},
		{"all gets are in use", pool("BytePool", 150, 150, 150, 1000, 0), nil, []string{`in pool "p": 150 of its 150 gets`, "If the program does not hold that many"}},
		{"so, with checks", pool("BytePool", 150, 150, 150, 1000, 0), leaking, []string{"Checks list the lines"}},
		{"so, and nothing was found", pool("BytePool", 150, 150, 150, 1000, 0), new(basinhttp.Checking), []string{"Checks have not seen"}},
		{"so, and checks are off", pool("BytePool", 150, 150, 150, 1000, 0), &basinhttp.Checking{Level: "off"}, []string{"BASIN_CHECK=sampled"}},
		{"one get in a hundred", pool("BytePool", 100_000, 1000, 1000, 1000, 0), nil, []string{"1000 of its 100000 gets"}},
		{"few", pool("BytePool", 99, 99, 99, 1000, 0), nil, nil},
		{"a small part of gets", pool("BytePool", 1e6, 1000, 1000, 1000, 0), nil, nil},
		{"not at its peak", pool("BytePool", 1000, 500, 1000, 1000, 0), nil, nil},
	} {
		less := basin.Stats{ID: 1, Kind: "BytePool"}
		tt.pool.ID = 2
		r := &basinhttp.Report{Pools: []basin.Stats{less, tt.pool}, Checking: tt.check, Go: basinhttp.Go{HeapBytes: 10 << 20}}
		basinhttp.FindGarbage(r)
		got, id, bytes := r.Garbage, uint64(0), int64(0)
		if tt.want != nil {
			id = 2
		}
		if strings.HasPrefix(got, "Of the") {
			bytes = 2 << 20
		}
		if r.GarbageID != id || r.GarbageBytes != bytes {
			t.Errorf("%s: %d bytes of pool %d, want %d of pool %d", tt.name, r.GarbageBytes, r.GarbageID, bytes, id)
		}
		if (got == "") != (tt.want == nil) {
			t.Errorf("%s: %q", tt.name, got)
		}
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", tt.name, got, want)
			}
		}
	}
}

// TestUnfreed drops Buffers at two lines and frees them at a third. The report has the lines that drop.
func TestUnfreed(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.BytePool{Name: "unfreed"}
	buffers := &basin.BufferPool{Bytes: p}
	drop := func() {
		b := buffers.Get()
		fmt.Fprintf(b, "%0500d", 1)
		b.Detach()
		buffers.Put(b)
		var own basin.Buffer
		json.NewEncoder(&own).Encode(make([]int, 500))
	}
	const n = 5
	for range n {
		drop()
		var freed basin.Buffer
		fmt.Fprintf(&freed, "%0500d", 1)
		freed.Free()
	}
	total := func(all bool) (sum uint64, lines int) {
		for _, s := range basincheck.Sites() {
			if s.Unfreed > 0 {
				sum += s.Unfreed
				lines++
				if all && !strings.HasSuffix(s.Stack.Line().File, "garbage_test.go") || all && s.Unfreed != n || s.Gets != 0 || s.Leaks != 0 {
					t.Errorf("%+v", s)
				}
			}
		}
		return
	}
	testenv.CollectUntil(func() bool { sum, _ := total(false); return sum >= 2*n })
	if sum, lines := total(true); sum != 2*n || lines != 2 {
		t.Errorf("%d unfreed at %d lines, want %d at 2", sum, lines, 2*n)
	}
}
