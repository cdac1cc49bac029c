//go:build go1.25

package check

import (
	"sync"
	"testing"

	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/testenv"
)

// present returns the number of records of arrays and objects.
func present(tr *Tracker) (n int) {
	for range tr.table.all {
		n++
	}
	return n
}

// records is present while no record ends. It compares the ways to records.
func records(t *testing.T, tr *Tracker) (n int) {
	t.Helper()
	arrays, listed := 0, int64(0)
	for r := range tr.table.all {
		n++
		if r.array {
			arrays++
		}
		if r.ended || tr.table.shard(r.addr).records[r.addr] != r {
			t.Errorf("all has a record of %#x that has ended, or that its shard does not have", r.addr)
		}
	}
	for i := range tr.index.sizes {
		listed += tr.index.sizes[i].Load()
	}
	if int64(arrays) != listed {
		t.Errorf("the table has %d records of arrays, the index %d", arrays, listed)
	}
	return n
}

// TestTable: records are found by the address of their item, until they end.
func TestTable(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	const n = 3 * shardCount
	var xs []*byte
	for range n {
		xs = append(xs, array(tr, o, 64))
	}
	if got := records(t, tr); got != n {
		t.Errorf("%d records of %d arrays", got, n)
	}
	find := func(x *byte) *record {
		s := tr.table.shard(addr(x))
		s.mu.Lock()
		defer s.mu.Unlock()
		r, stale := tr.table.find(s, x)
		if stale {
			t.Errorf("the record of %p is stale", x)
		}
		return r
	}
	for i, x := range xs {
		r := find(x)
		if r == nil || r.addr != addr(x) {
			t.Fatalf("the record of %p is %+v", x, r)
		}
		if i%2 != 0 {
			continue
		}
		if ended, again := tr.table.remove(r), tr.table.remove(r); !ended || again {
			t.Errorf("a record ends: %t, and again: %t", ended, again)
		}
	}
	if got := records(t, tr); got != n/2 {
		t.Errorf("%d records, after every second of %d has ended", got, n)
	}
	for i, x := range xs {
		if r := find(x); (r == nil) != (i%2 == 0) {
			t.Errorf("array %d has a record: %t", i, r != nil)
		}
	}
	seen := 0
	for range tr.table.all {
		if seen++; seen == 5 {
			break
		}
	}
	if seen != 5 {
		t.Errorf("all goes on after %d records", seen)
	}
	if find(nil) != nil {
		t.Error("nil has a record")
	}
	stop(tr)
	if got := records(t, tr); got != 0 {
		t.Errorf("%d records after the end", got)
	}
	if tr.table.add(addr(xs[0]), &record{owner: o, size: 64}) || records(t, tr) != 0 {
		t.Error("a table that has ended has a new record")
	}
}

// TestTableReplaces: a record takes the place of an earlier one at its address, whose end leaves it alone.
func TestTableReplaces(t *testing.T) {
	tr, o, told := begin(t, 1, true)
	x := array(tr, o, 64)
	s := tr.table.shard(addr(x))
	earlier := s.records[addr(x)]
	earlier.cleanup.Stop()
	tr.Pay()
	tr.table.watch(x, tr.record(o, 64, synthetic(1)))
	later := s.records[addr(x)]
	if later == earlier || later == nil {
		t.Fatal("the earlier record is not replaced")
	}
	tr.table.died(earlier)
	if s.records[addr(x)] != later {
		t.Error("the end of the earlier record deletes the later one")
	}
	if got := told.take(); len(got) != 1 || got[0].Kind != misuse.Leak {
		t.Errorf("the earlier item was lost: %+v", got)
	}
	if v, f := tr.Put(o, x, 64); v != Accepted {
		t.Errorf("Put of the later item: verdict %d, %+v", v, f)
	}
}

// TestLeaks: which items are reported when they have become garbage, and how their sites count them.
func TestLeaks(t *testing.T) {
	for _, tt := range []struct {
		name            string
		use             func(tr *Tracker, o *Owner, x *byte)
		leaks, unfreed  uint64
		withRecordsLeft bool // in quarantine
	}{
		{"outstanding", func(tr *Tracker, o *Owner, x *byte) {}, 1, 0, false},
		{"exempt", func(tr *Tracker, o *Owner, x *byte) { tr.Exempt(x) }, 0, 1, false},
		{"exempt twice", func(tr *Tracker, o *Owner, x *byte) { tr.Exempt(x); tr.Exempt(x) }, 0, 1, false},
		{"claimed", func(tr *Tracker, o *Owner, x *byte) { tr.Claim(x, true) }, 1, 0, false},
		{"claimed, not to put", func(tr *Tracker, o *Owner, x *byte) { tr.Claim(x, false) }, 0, 1, false},
		{"exempt, claimed", func(tr *Tracker, o *Owner, x *byte) { tr.Exempt(x); tr.Claim(x, true) }, 1, 0, false},
		{"put", func(tr *Tracker, o *Owner, x *byte) { tr.Put(o, x, 64) }, 0, 0, true},
		{"put re-sliced", func(tr *Tracker, o *Owner, x *byte) { tr.Put(o, x, 8) }, 0, 0, false},
		{"forgotten", func(tr *Tracker, o *Owner, x *byte) { tr.Forget(o, x, 64) }, 0, 0, false},
		{"an interior part adopted", func(tr *Tracker, o *Owner, x *byte) { tr.Adopt(o, byteAt(x, 8), 8) }, 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const every = 3
			tr, o, told := begin(t, every, false)
			tt.use(tr, o, array(tr, o, 64))
			array(tr, NewOwner("the last"), 64) // its leak says that cleanups run
			if tt.withRecordsLeft {
				testenv.CollectUntil(func() bool { return present(tr) == 1 })
			} else {
				testenv.CollectUntil(func() bool { return present(tr) == 0 })
			}
			testenv.RunCleanups()
			got := told.take()
			if uint64(len(got)) != tt.leaks || o.Counts()[misuse.Leak] != tt.leaks*every {
				t.Errorf("%d reports, and %d leaks are counted, want %d times %d", len(got), o.Counts()[misuse.Leak], tt.leaks, every)
			}
			for _, f := range got {
				if f.Kind != misuse.Leak || f.Size != 64 || f.Weight != every || len(f.Acquired) == 0 || f.FirstPut != nil {
					t.Errorf("%+v", f)
				}
			}
			var leaks, unfreed uint64
			for _, s := range tr.Sites() {
				if s.Pool == o.Name {
					leaks, unfreed = leaks+s.Leaks, unfreed+s.Unfreed
				}
			}
			if leaks != tt.leaks*every || unfreed != tt.unfreed*every {
				t.Errorf("sites count %d leaks and %d that need not be put, want %d and %d times %d", leaks, unfreed, tt.leaks, tt.unfreed, every)
			}
		})
	}
}

// TestTableAtOnce: goroutines make and end records while others look at all of them.
func TestTableAtOnce(t *testing.T) {
	tr, o, told := begin(t, 1, true)
	tr.quarantine.count = 10
	var users, watchers sync.WaitGroup
	for range 3 {
		users.Go(func() {
			for range 300 {
				x := array(tr, o, 64)
				if !tr.Out(x, 64) || !tr.Tracks(addr(x)) || !tr.Known(byteAt(x, 5)) {
					t.Error("an outstanding array is not found")
				}
				if v, f := tr.Put(o, x, 64); v != Accepted {
					t.Errorf("Put: verdict %d, %+v", v, f)
				}
				if tr.Out(x, 64) || tr.Tracks(addr(x)) {
					t.Error("an array is outstanding after its Put")
				}
			}
		})
	}
	done := make(chan bool)
	watchers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				tr.Verify()
				tr.Sites() // its numbers are of no one moment
			}
		}
	})
	users.Wait()
	close(done)
	watchers.Wait()
	if n := outItems(tr); n != 0 {
		t.Errorf("%d arrays are outstanding", n)
	}
	if n := records(t, tr); n != 10 {
		t.Errorf("%d records, want those of quarantine", n)
	}
	if got := told.take(); got != nil {
		t.Errorf("reported: %+v", got)
	}
}
