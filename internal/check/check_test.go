//go:build go1.25

package check

import (
	"testing"
	"unsafe"
)

// TestStopped calls a tracker after Stop. It must report nothing about forgotten arrays.
func TestStopped(t *testing.T) {
	tr := New(1, true, false)
	Handle(tr, func(f *Finding) { t.Errorf("reported: %+v", f) })
	o := new(Owner)
	if !tr.Pick() {
		t.Fatal("full checks do not pick")
	}
	b := tr.Array(o, 128, func(n int) []byte { return make([]byte, n) })
	x := unsafe.SliceData(b)
	tr.Stop()
	if v, f := tr.Put(o, x, 128); v != Unjudged {
		t.Errorf("Put of what was out: verdict %d, %+v", v, f)
	}
	if !tr.Known(x) {
		t.Error("what was out is foreign")
	}
	tr.Pick()
	c := tr.Array(o, 128, func(n int) []byte { return make([]byte, n) })
	if v, f := tr.Put(o, unsafe.SliceData(c), 128); v != Unjudged {
		t.Errorf("Put of what was handed out since: verdict %d, %+v", v, f)
	}
	if u := tr.Usage(); u.Bytes > 2*trackerSize {
		t.Errorf("%d bytes are held", u.Bytes)
	}
}

// TestLateLeak delays the leak report of a cleanup until other checks have begun.
func TestLateLeak(t *testing.T) {
	defer Handle(nil, nil)
	before, after := New(1, true, false), New(1, true, false)
	defer before.Stop()
	defer after.Stop()
	o := new(Owner)
	told := func(h string) func(*Finding) {
		return func(f *Finding) {
			if f.Size != len(h) {
				t.Errorf("%s is told of what it does not track", h)
			}
			f.Owner.Name = h
		}
	}
	Handle(before, told("before"))
	before.reportLeak(Finding{Owner: o, Size: len("before")}, 1)
	Told()
	Handle(after, told("after"))
	before.reportLeak(Finding{Owner: o, Size: len("before")}, 1)
	Told()
	if o.Name != "before" {
		t.Errorf("the last one told: %q", o.Name)
	}
	after.reportLeak(Finding{Owner: o, Size: len("after")}, 1)
	Told()
	if n := o.counts[Leak].Load(); o.Name != "after" || n != 2 {
		t.Errorf("%d leaks are counted, %q was told last", n, o.Name)
	}
}
