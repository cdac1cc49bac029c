package check

import (
	"testing"
	"unsafe"
)

// TestStopped has calls go on with a tracker that was stopped meanwhile. It must say nothing of
// what it has forgotten.
func TestStopped(t *testing.T) {
	Handle(func(f *Finding) { t.Errorf("reported: %+v", f) })
	tr := New(1, true, false)
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
