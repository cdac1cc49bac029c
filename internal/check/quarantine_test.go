//go:build go1.25

package check

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

// TestQuarantineLimits: how much stays, and that the oldest items leave first.
func TestQuarantineLimits(t *testing.T) {
	for _, tt := range []struct {
		name         string
		limit, count int
		sizes, stay  []int
	}{
		{"by count", 1 << 20, 3, []int{64, 65, 66, 67, 68}, []int{66, 67, 68}},
		{"by bytes", 300, 100, []int{100, 101, 99, 98, 1}, []int{101, 99, 98, 1}},
		{"to the limit", 300, 3, []int{100, 100, 100}, []int{100, 100, 100}},
		{"several for one", 300, 100, []int{70, 71, 72, 73, 200}, []int{73, 200}},
		{"one that is too large", 300, 100, []int{70, 71, 301}, nil},
		{"after one that is too large", 300, 100, []int{301, 70}, []int{70}},
		{"none", 300, 0, []int{70, 71}, nil},
	} {
		tr, o, told := begin(t, 1, true)
		tr.quarantine.limit, tr.quarantine.count = tt.limit, tt.count
		before := tr.Usage().Bytes - tr.budget.used.Load()
		var xs []*byte
		for _, size := range tt.sizes {
			x := array(tr, o, size)
			tr.Put(o, x, size)
			xs = append(xs, x)
		}
		var sizes []int
		bytes := 0
		for i, x := range xs {
			if v, f := tr.Put(o, x, tt.sizes[i]); v == Rejected && f.Kind == misuse.DoublePut {
				sizes = append(sizes, tt.sizes[i])
				bytes += tt.sizes[i]
			} else if v != Unknown {
				t.Errorf("%s: verdict %d on an array that has left", tt.name, v)
			}
		}
		if !slices.Equal(sizes, tt.stay) || records(t, tr) != len(tt.stay) {
			t.Errorf("%s: %v stay, want %v", tt.name, sizes, tt.stay)
		}
		if held := tr.quarantine.held(); held != int64(bytes) || tr.Usage().Bytes-tr.budget.used.Load()-before < int64(bytes) {
			t.Errorf("%s: %d bytes are held, want %d; usage is %d more", tt.name, held, bytes, tr.Usage().Bytes-before)
		}
		if got := told.take(); got != nil {
			t.Errorf("%s: reported: %+v", tt.name, got)
		}
	}
	for _, full := range []bool{false, true} {
		q := &New(1, full, false).quarantine
		if full && (q.limit != quarantineFull || q.count != quarantineFullCount || q.maxFound != 0) ||
			!full && (q.limit != quarantineSampled || q.count != quarantineSampledCount || q.maxFound != quarantineSampledFound) {
			t.Errorf("full %t: limits are %d bytes, %d items and %d findings", full, q.limit, q.count, q.maxFound)
		}
	}
}

// putArrays puts n arrays of 64 bytes, of which array i is written to at byte i, before the next one is put.
func putArrays(tr *Tracker, o *Owner, n int) {
	for i := range n {
		x := array(tr, o, 64)
		tr.Put(o, x, 64)
		*byteAt(x, i) = 0
	}
}

func offsets(found []misuse.Finding) (list []int) {
	for _, f := range found {
		list = append(list, f.Offset)
	}
	return list
}

// TestQuarantineFinds: a write is found when its array leaves, is reported by the next Sweep, oldest first, and
// not again. A Put itself reports nothing. Samples keep only the first findings.
func TestQuarantineFinds(t *testing.T) {
	for _, tt := range []struct {
		most   int
		first  []int // reported by Sweep
		second []int // by Verify after it
	}{
		{0, []int{0, 1, 2, 3, 4}, []int{5, 6}},
		{3, []int{0, 1, 2}, []int{5, 6}},
		{5, []int{0, 1, 2, 3, 4}, []int{5, 6}},
	} {
		tr, o, told := begin(t, 1, true)
		tr.quarantine.count, tr.quarantine.maxFound = 2, tt.most
		if tr.Sweep(); told.take() != nil {
			t.Error("a finding before any Put")
		}
		putArrays(tr, o, 7)
		if got := told.take(); got != nil {
			t.Errorf("Put reports %+v", got)
		}
		tr.Sweep()
		got := told.take()
		if !slices.Equal(offsets(got), tt.first) {
			t.Errorf("at most %d: Sweep reports writes to bytes %v, want %v", tt.most, offsets(got), tt.first)
		}
		for _, f := range got {
			if f.Kind != misuse.WriteAfterPut || f.Size != 64 || len(f.Acquired) == 0 || len(f.FirstPut) == 0 {
				t.Errorf("%+v", f)
			}
		}
		if tr.Sweep(); told.take() != nil {
			t.Error("Sweep reports again")
		}
		tr.Verify() // those that have not left
		got = told.take()
		at := offsets(got)
		if slices.Sort(at); !slices.Equal(at, tt.second) {
			t.Errorf("at most %d: Verify reports writes to bytes %v, want %v", tt.most, at, tt.second)
		}
		for range 2 { // their arrays leave
			tr.Put(o, array(tr, o, 64), 64)
		}
		if tr.Sweep(); told.take() != nil {
			t.Error("reported by Verify, and again when the array leaves")
		}
	}
}

// TestSweepPanics: if the handler panics, the next Sweep reports the next finding.
func TestSweepPanics(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	var heard []int
	misuse.Handle(tr.id, func(f *misuse.Finding) {
		if f.Pool == &o.Pool {
			heard = append(heard, f.Offset)
			panic("handler")
		}
	})
	tr.quarantine.count = 1
	putArrays(tr, o, 4)
	panics := 0
	for range 5 {
		func() {
			defer func() {
				if recover() != nil {
					panics++
				}
			}()
			tr.Sweep()
		}()
	}
	if want := []int{0, 1, 2}; !slices.Equal(heard, want) || panics != 3 {
		t.Errorf("writes to bytes %v are reported, with %d panics, want %v", heard, panics, want)
	}
}

// TestQuarantineEnds: a quarantine that has ended keeps nothing and reports nothing.
func TestQuarantineEnds(t *testing.T) {
	tr, o, told := begin(t, 1, true)
	tr.quarantine.count = 2
	putArrays(tr, o, 5)
	late := array(tr, o, 64)
	s := tr.table.shard(addr(late))
	r := s.records[addr(late)]
	stop(tr)
	if tr.Sweep(); told.take() != nil || tr.quarantine.held() != 0 || len(tr.quarantine.queue)+len(tr.quarantine.writes) != 0 {
		t.Error("after the end, there are findings or items")
	}
	r.state, r.contents = put, make([]byte, 64) // as if a Put had begun before the end
	tr.quarantine.hold(r, 64)
	if tr.quarantine.held() != 0 || len(tr.quarantine.queue) != 0 {
		t.Errorf("after the end, %d bytes are held", tr.quarantine.held())
	}
	if tr.Sweep(); told.take() != nil {
		t.Error("a record that ended with its tracker is verified")
	}
	runtime.KeepAlive(late)
}

// TestQuarantineAtOnce: goroutines put arrays that others have written to. Each write is found once.
func TestQuarantineAtOnce(t *testing.T) {
	const users, each = 4, 200
	tr, o, told := begin(t, 1, true)
	tr.quarantine.count = 20
	var all sync.WaitGroup
	for i := range users {
		all.Go(func() {
			for j := range each {
				tr.Sweep()
				size := 1000 + i*each + j
				x := array(tr, o, size)
				tr.Put(o, x, size)
			}
		})
	}
	all.Wait()
	if got := told.take(); got != nil {
		t.Fatalf("reported without a write: %+v", got)
	}
	n := 0
	var written []int
	for r := range tr.table.all {
		if n++; n%2 == 0 {
			r.contents[0] = 1
			written = append(written, r.size)
		}
	}
	for range users {
		all.Go(func() {
			for range 50 {
				tr.Sweep()
				tr.Put(o, array(tr, o, 64), 64)
				tr.Verify()
			}
		})
	}
	all.Wait()
	tr.Sweep()
	var found []int
	for _, f := range told.take() {
		found = append(found, f.Size)
	}
	slices.Sort(found)
	if slices.Sort(written); n != 20 || !slices.Equal(found, written) {
		t.Errorf("%d in quarantine; of the writes to arrays of %v bytes, %v are reported", n, written, found)
	}
}

// TestHeldObjects: quarantine counts the bytes that an object keeps alive.
func TestHeldObjects(t *testing.T) {
	type object struct {
		b []byte
		_ [40]byte
	}
	tr, o, _ := begin(t, 1, true)
	x := &object{b: make([]byte, 1000)}
	tr.Pay()
	Object(tr, o, x, 1000)
	Release(tr, o, x, Care[object]{Poison: func(*object) {}, Damage: func(*object) int { return -1 }, Held: 1000})
	if held := tr.quarantine.held(); held != 1000+int64(unsafe.Sizeof(*x)) {
		t.Errorf("%d bytes are held", held)
	}
}
