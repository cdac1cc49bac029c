//go:build go1.25

package check

import (
	"testing"

	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/testenv"
)

// A thing is an object as basin makes them.
type thing struct {
	poisoned, touched bool
	written           int // offset of a write, or -1
	pad               [8]uint64
}

var careful = Care[thing]{
	Poison: func(x *thing) { x.poisoned = true },
	Damage: func(x *thing) int { return x.written },
	Used:   func(x *thing) bool { return x.touched },
	Held:   100,
}

//go:noinline
func makes(tr *Tracker, o *Owner) *thing {
	x := &thing{written: -1}
	if !tr.Pay() {
		panic("the budget has too little left")
	}
	Object(tr, o, x, 77)
	return x
}

//go:noinline
func releases(tr *Tracker, o *Owner, x *thing) (Verdict, misuse.Finding) {
	return Release(tr, o, x, careful)
}

// TestRelease: the verdicts on Puts of an object, and the state that they leave.
func TestRelease(t *testing.T) {
	tr, o, told := begin(t, 1, true)
	other := NewOwner("other")
	x, y := makes(tr, o), makes(tr, o)
	if f, ok := Used(tr, x); ok || x.poisoned {
		t.Errorf("used after a Put that never was: %+v", f)
	}
	if v, f := releases(tr, o, x); v != Accepted || f.Kind != 0 || !x.poisoned || y.poisoned {
		t.Errorf("Put: verdict %d, %+v, poisoned %t", v, f, x.poisoned)
	}
	x.poisoned = false
	v, f := Release(tr, other, x, careful)
	if v != Rejected || f.Kind != misuse.DoublePut || f.Size != 77 || f.Pool != &o.Pool || x.poisoned ||
		innermost(f.Acquired) != "makes" || innermost(f.FirstPut) != "releases" || innermost(f.Here) != "TestRelease" {
		t.Errorf("second Put: verdict %d, %+v", v, f)
	}
	v, f = Release(tr, other, y, careful)
	if v != Rejected || f.Kind != misuse.WrongPool || f.Into != "other" || f.Pool != &o.Pool || f.FirstPut != nil || len(f.Here) == 0 || !y.poisoned {
		t.Errorf("Put into another pool: verdict %d, %+v", v, f)
	}
	if v, f = releases(tr, o, y); f.Kind != misuse.DoublePut {
		t.Errorf("Put into its own pool after another: verdict %d, %+v", v, f)
	}
	if v, f = releases(tr, o, new(thing)); v != Unknown || f.Kind != 0 {
		t.Errorf("Put of an untracked object: verdict %d, %+v", v, f)
	}
	z := array(tr, o, 64)
	if v, f = Release(tr, o, z, Care[byte]{}); v != Unknown {
		t.Errorf("Put of an array as an object: verdict %d, %+v", v, f)
	}
	if v, f = Release(tr, o, (*thing)(nil), careful); v != Unknown {
		t.Errorf("Put of nil: verdict %d, %+v", v, f)
	}
	if _, ok := Used(tr, new(thing)); ok {
		t.Error("an untracked object was used after its Put")
	}
	if tr.Verify(); told.take() != nil {
		t.Error("reported although nobody has used an object")
	}
	if v, f := tr.Put(o, z, 64); v != Accepted {
		t.Errorf("Put of the array: verdict %d, %+v", v, f)
	}
}

// TestObjectUsed: uses of an object after its Put are found by its functions, once.
func TestObjectUsed(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  func(*thing)
		want misuse.Kind
	}{
		{"not at all", func(*thing) {}, 0},
		{"by a write", func(x *thing) { x.written = 12 }, misuse.WriteAfterPut},
		{"by a call", func(x *thing) { x.touched = true }, misuse.UseAfterRelease},
	} {
		for _, leaves := range []bool{false, true} {
			tr, o, told := begin(t, 1, true)
			tr.quarantine.count = 1
			x := makes(tr, o)
			releases(tr, o, x)
			tt.use(x)
			if leaves {
				releases(tr, o, makes(tr, o))
				tr.Sweep()
			} else {
				tr.Verify()
			}
			got := told.take()
			if tt.want == 0 && got != nil || tt.want != 0 && (len(got) != 1 || got[0].Kind != tt.want || got[0].Size != 77 || innermost(got[0].FirstPut) != "releases") {
				t.Errorf("%s: %+v, want %s", tt.name, got, tt.want.Words())
			}
			if tt.want == misuse.WriteAfterPut && got[0].Offset != 12 {
				t.Errorf("written at byte %d", got[0].Offset)
			}
			tr.Verify()
			if got := told.take(); got != nil {
				t.Errorf("%s: reported again: %+v", tt.name, got)
			}
		}
	}
	tr, o, told := begin(t, 1, true)
	x := makes(tr, o)
	Release(tr, o, x, Care[thing]{Poison: careful.Poison, Damage: careful.Damage})
	x.touched = true
	if tr.Verify(); told.take() != nil {
		t.Error("a use is found that nobody looks for")
	}
}

// TestReportUse: a call on an object that is put is reported by the current tracker, with the call.
func TestReportUse(t *testing.T) {
	tr, o, told := begin(t, 1, true)
	x, y := makes(tr, o), makes(tr, o)
	releases(tr, o, x)
	restore(t)
	Current.Store(nil)
	ReportUse(x)
	ReportCall(x, misuse.Retain)
	if got := told.take(); got != nil {
		t.Errorf("reported without a current tracker: %+v", got)
	}
	Current.Store(tr)
	ReportUse(y)
	ReportCall(y, misuse.Retain)
	if got := told.take(); got != nil {
		t.Errorf("an outstanding object is reported: %+v", got)
	}
	ReportUse(x)
	ReportCall(x, misuse.Retain)
	got := told.take()
	if len(got) != 2 || got[0].Kind != misuse.UseAfterRelease || got[0].Call != misuse.Use || got[1].Kind != misuse.UseAfterRelease || got[1].Call != misuse.Retain {
		t.Fatalf("%+v", got)
	}
	for _, f := range got {
		if innermost(f.Acquired) != "makes" || innermost(f.FirstPut) != "releases" || len(f.Here) == 0 {
			t.Errorf("%+v", f)
		}
	}
	releases(tr, o, y)
}

// restore makes the current tracker current again at the end of the test.
func restore(t *testing.T) {
	now := Current.Load()
	t.Cleanup(func() { Current.Store(now) })
}

// TestLostObject: an object that is garbage without a Put is a leak; one that is put is kept alive.
func TestLostObject(t *testing.T) {
	tr, o, told := begin(t, 1, true)
	releases(tr, o, makes(tr, o))
	makes(tr, o)
	testenv.CollectUntil(func() bool { return present(tr) == 1 })
	testenv.RunCleanups()
	if got := told.take(); len(got) != 1 || got[0].Kind != misuse.Leak || got[0].Size != 77 || innermost(got[0].Acquired) != "makes" {
		t.Errorf("%+v", got)
	}
	for r := range tr.table.all {
		if r.object.Value() == nil {
			t.Error("an object in quarantine is garbage")
		}
	}
}
