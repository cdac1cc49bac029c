//go:build go1.25

package check

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/misuse"
)

// guardedArray returns a guarded array of tr.
func guardedArray(t *testing.T, tr *Tracker, o *Owner, size int) *byte {
	t.Helper()
	if !guard.Available {
		t.Skip("no guarded memory here")
	}
	tr.Pick()
	x := unsafe.SliceData(tr.Array(o, size, func(n int) []byte { t.Fatal("an array of the heap"); return nil }))
	return x
}

// TestPutGuarded: a guarded array is put once although its tracker has ended, and a later access is
// known.
func TestPutGuarded(t *testing.T) {
	tr, o := New(1, false, true), NewOwner("pool")
	x := guardedArray(t, tr, o, 144)
	stop(tr)
	if !PutGuarded(x) {
		t.Error("not put")
	}
	if PutGuarded(x) {
		t.Error("put twice")
	}
	f, ok := Fault(addr(x) + 9)
	if !ok || f.Kind != misuse.UseAfterPut || f.Pool != &o.Pool || f.Size != 144 || f.Offset != 9 || len(f.Acquired) == 0 || len(f.FirstPut) == 0 {
		t.Errorf("%+v, %v", f, ok)
	}
	if PutGuarded(unsafe.SliceData(make([]byte, 64))) {
		t.Error("an array of the heap was put")
	}
}

// TestGuardedRecords: late arrays do not keep their tracker, and its records do not outlive their slots.
func TestGuardedRecords(t *testing.T) {
	o := NewOwner("pool")
	var ended []weak.Pointer[Tracker]
	var xs []*byte
	for range 10 {
		tr := New(1, true, true)
		x := guardedArray(t, tr, o, 144)
		if v, f := tr.Put(o, x, 144); v != Accepted {
			t.Fatalf("verdict %d, %+v", v, f)
		}
		stop(tr)
		ended, xs = append(ended, weak.Make(tr)), append(xs, x)
	}
	runtime.GC()
	for i, w := range ended {
		if w.Value() != nil {
			t.Errorf("tracker %d is still in memory", i)
		}
		if f, ok := Fault(addr(xs[i])); !ok || len(f.FirstPut) == 0 {
			t.Errorf("array %d: %+v", i, f)
		}
	}
	tr := New(1, true, true)
	defer stop(tr)
	for range 1 << 15 {
		x := guardedArray(t, tr, o, 144)
		tr.Put(o, x, 144)
	}
	n := 0
	for range tr.table.all {
		n++
	}
	if n > 1<<14+100 {
		t.Errorf("%d records, although addresses were reused", n)
	}
}

// TestGuardedAfterEnd: a Get that goes on with a tracker that has ended gets no guarded memory, because the
// pools have returned to their fast paths, which do not know it.
func TestGuardedAfterEnd(t *testing.T) {
	tr, o := New(1, true, true), NewOwner("pool")
	tr.Put(o, guardedArray(t, tr, o, 144), 144) // there is guarded memory
	stop(tr)
	before := guard.Count()
	tr.Pick()
	if b := tr.Array(o, 144, func(n int) []byte { return make([]byte, n) }); len(b) != 144 || IsGuarded(unsafe.SliceData(b), 144) || guard.Count() != before {
		t.Errorf("%d bytes, %d guarded arrays, %d before", len(b), guard.Count(), before)
	}
}
