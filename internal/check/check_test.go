//go:build go1.25

package check

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/misuse"
)

// TestStopped calls a tracker after Stop. It must report nothing about forgotten arrays.
func TestStopped(t *testing.T) {
	tr := New(1, true, false)
	misuse.Handle(tr.id, func(f *misuse.Finding) { t.Errorf("reported: %+v", f) })
	o := new(Owner)
	if !tr.Pick() {
		t.Fatal("full checks do not pick")
	}
	b := tr.Array(o, 128, func(n int) []byte { return make([]byte, n) })
	x := unsafe.SliceData(b)
	stop(tr)
	if v, f := tr.Put(o, x, 128); v != Unjudged {
		t.Errorf("Put of an outstanding array: verdict %d, %+v", v, f)
	}
	if !tr.Known(x) {
		t.Error("an outstanding array is foreign")
	}
	tr.Pick()
	c := tr.Array(o, 128, func(n int) []byte { return make([]byte, n) })
	if v, f := tr.Put(o, unsafe.SliceData(c), 128); v != Unjudged {
		t.Errorf("Put of an array handed out since: verdict %d, %+v", v, f)
	}
	if u := tr.Usage(); u.Bytes > 2*trackerSize {
		t.Errorf("%d bytes are held", u.Bytes)
	}
}

// TestLateLeak delays the leak report of a cleanup until other checks have begun.
func TestLateLeak(t *testing.T) {
	defer misuse.Handle(0, nil)
	before, after := New(1, true, false), New(1, true, false)
	defer stop(before)
	defer stop(after)
	o := new(Owner)
	told := func(tracker string) func(*misuse.Finding) {
		return func(f *misuse.Finding) {
			if f.Size != len(tracker) {
				t.Errorf("the handler of %s receives a leak of the other tracker", tracker)
			}
			f.Pool.Name = tracker
		}
	}
	misuse.Handle(before.id, told("before"))
	before.reportLeak(misuse.Finding{Pool: &o.Pool, Size: len("before")}, 1)
	misuse.Told()
	misuse.Handle(after.id, told("after"))
	before.reportLeak(misuse.Finding{Pool: &o.Pool, Size: len("before")}, 1)
	misuse.Told()
	if o.Name != "before" {
		t.Errorf("the last leak went to the handler of %q, want before", o.Name)
	}
	after.reportLeak(misuse.Finding{Pool: &o.Pool, Size: len("after")}, 1)
	misuse.Told()
	if n := o.Counts()[misuse.Leak]; o.Name != "after" || n != 2 {
		t.Errorf("%d leaks are counted, the last went to the handler of %q, want 2, after", n, o.Name)
	}
}

// TestLeakBeforeReuse puts another item at the address of a leaked one before its cleanup runs.
// The leak is found all the same, but not once the item may have been resurrected.
func TestLeakBeforeReuse(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection but those below
	gone := weak.Make(&make([]byte, 128)[0])
	runtime.GC()
	runtime.GC()
	kind := reflect.TypeFor[*[128]byte]()
	for _, collect := range []bool{false, true} {
		tr, o := New(4, false, false), NewOwner("leaks")
		misuse.Handle(tr.id, nil)
		tr.Pay()
		b := tr.Array(o, 128, func(n int) []byte { return make([]byte, n) })
		x := unsafe.SliceData(b)
		r := tr.table.shard(addr(x)).records[addr(x)]
		v := new([128]byte)
		tr.GetValue(o, unsafe.Pointer(v), kind, 128)
		w := tr.values.records[valueKey{uintptr(unsafe.Pointer(v)), kind}]
		for _, r := range []*record{r, &w.record} { // as if x and v were later items
			r.cleanup.Stop()
			r.object = gone
		}
		if got, _ := tr.Put(o, x, 128); got != Unjudged {
			t.Errorf("Put of the later array: verdict %d", got)
		}
		if got, _ := tr.PutValue(o, unsafe.Pointer(v), kind, 128); got != Unknown {
			t.Errorf("Put of the later value: verdict %d", got)
		}
		var want uint64
		if collect {
			runtime.GC()
		} else {
			want = 2
		}
		tr.table.died(r)
		tr.values.died(w)
		if n := o.Counts()[misuse.Leak]; n != 4*want {
			t.Errorf("collected before the cleanup is %t: %d leaks, want %d", collect, n, 4*want)
		}
		for _, s := range tr.Sites() {
			if s.Gets != s.Leaks || s.Puts != 0 || s.Items != 0 {
				t.Errorf("collected before the cleanup is %t: %+v", collect, s)
			}
		}
		stop(tr)
	}
	misuse.Handle(0, nil)
}

// stop ends tr as Switch does.
func stop(tr *Tracker) {
	tr.close()
	tr.end()
}

// TestNew: trackers have IDs of their own, and samples have a limit.
func TestNew(t *testing.T) {
	a, _, _ := begin(t, 1, true)
	b, _, _ := begin(t, 10, false)
	if IDOf(a) == 0 || IDOf(a) == IDOf(b) || IDOf(nil) != 0 {
		t.Errorf("IDs %d, %d and %d", IDOf(a), IDOf(b), IDOf(nil))
	}
	if u := a.Usage(); u.Limit != 0 || u.Bytes < trackerSize || u.Tracked+u.Untracked+u.Unguarded != 0 {
		t.Errorf("full: %+v", u)
	}
	if u := b.Usage(); u.Limit != Ceiling || u.Bytes < trackerSize || u.Bytes > Ceiling {
		t.Errorf("sampled: %+v", u)
	}
}

// TestSampleBounded: whatever users do, a sample keeps its limit, and finds misuse of the items that it tracks.
func TestSampleBounded(t *testing.T) {
	tr, o, told := begin(t, 1, false)
	var xs []*byte
	for i := 0; tr.Pay(); i++ {
		deep(i, 12, func() { xs = append(xs, unsafe.SliceData(tr.Array(o, 64, heapArray))) })
	}
	if u := tr.Usage(); u.Bytes > u.Limit || u.Tracked != uint64(len(xs)) || u.Untracked != 1 || len(xs) < 1000 {
		t.Errorf("%d arrays: %+v", len(xs), u)
	}
	for i, x := range xs {
		deep(i, 12, func() { tr.Put(o, x, 64) })
		if u := tr.Usage(); u.Bytes > u.Limit {
			t.Fatalf("after Put %d: %+v", i, u)
		}
		if v, f := tr.Put(o, x, 64); v != Rejected || f.Kind != misuse.DoublePut {
			t.Fatalf("second Put of array %d: verdict %d", i, v)
		}
	}
	if got := told.take(); got != nil {
		t.Errorf("reported: %+v", got[0])
	}
	var gets, puts uint64
	for _, s := range tr.Sites() {
		gets, puts = gets+s.Gets, puts+s.Puts
	}
	if n := uint64(len(xs)); gets != n || puts != n {
		t.Errorf("sites count %d Gets and %d Puts of %d", gets, puts, n)
	}
	stop(tr)
	balanced(t, tr)
}
