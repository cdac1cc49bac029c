package corpus

import (
	"strings"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	for range 3 {
		for _, c := range []struct{ in, out string }{{"aaa b cc ", "bccaaa"}, {"", ""}, {"abc de ", "deabc"}} {
			var out strings.Builder
			if Sorted(&out, c.in); out.String() != c.out {
				t.Error("Sorted", c.in, out.String())
			}
		}
		if n := Numbers(1000); n != 1023-10 {
			t.Error("Numbers", n)
		}
		var out strings.Builder
		if err := Bytes(&out, []string{"ab", strings.Repeat("c", 5000)}); err != nil || out.String() != "ab\n"+strings.Repeat("c", 5000)+"\n" {
			t.Error("Bytes", err, out.Len())
		}
		if err := Bytes(nil, nil); err != nil {
			t.Error(err)
		}
		if n := Picked([]int{3, 2, 1, 9}); n != 139 {
			t.Error("Picked", n)
		}
		out.Reset()
		if Deferred(&out, 10); out.String() != "\x01\x02\x04\x08" {
			t.Errorf("Deferred %q", out.String())
		}
		out.Reset()
		if Buffered(&out, []string{"a", "bc"}); out.String() != "abc" {
			t.Errorf("Buffered %q", out.String())
		}
	}
}
