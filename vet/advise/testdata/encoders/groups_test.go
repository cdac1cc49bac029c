package corpus

import (
	"strings"
	"testing"
)

// TestGroups has variables that are declared together.
func TestGroups(t *testing.T) {
	all := []string{"a", "", "bcd", "b"}
	for range 3 {
		if s := Group(all) + Group(nil); s != "a,bcd<nil>EOF" {
			t.Error("Group", s)
		}
		first, n := Grouped(all)
		if second, none := Grouped(all[:1]); string(first) != "abcdb" || n != 4 || string(second) != "a" || none != 1 {
			t.Error("Grouped", string(first), n, string(second), none)
		}
		if out, _ := Grouped(nil); out != nil {
			t.Error("Grouped", out)
		}
		if n := Begun(all); n != 8 {
			t.Error("Begun", n)
		}
		if n := Later(all); n != 7 {
			t.Error("Later", n)
		}
		var b strings.Builder
		if err := Both(&b, 3); err != nil || b.String() != "0\n1\n2\n" {
			t.Error("Both", b.String(), err)
		}
		if s := Joined(all); s != "4abcdb" {
			t.Error("Joined", s)
		}
	}
}
