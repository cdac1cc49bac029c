package advise

import (
	"strings"
	"testing"
)

// TestPreallocated has slices that grow in a loop of known length: make gets the capacity where it stands before the loop, and an older
// version of Go has no package slices.
func TestPreallocated(t *testing.T) {
	needGo(t)
	const loop = "\n\tfor _, v := range values {\n\t\tout = append(out, v*2)\n\t}\n\treturn out\n}\n"
	for _, c := range []struct{ version, begin, want string }{
		{"1.25", "var out []int", "+\tout = slices.Grow(out, len(values))\n"},
		{"1.25", "out := []int{}", "-\tout := []int{}\n+\tout := make([]int, 0, len(values))\n"},
		{"1.25", "out := make([]int, 0)", "-\tout := make([]int, 0)\n+\tout := make([]int, 0, len(values))\n"},
		{"1.25", "out := make([]int, 0)\n\tprintln(len(values))", "+\tout = slices.Grow(out, len(values))\n"},
		{"1.25", "var out []int\n\tout = []int{}", "-\tout = []int{}\n+\tout = make([]int, 0, len(values))\n"},
		{"1.25", "out, _ := []int{}, len(values)", "+\tout = slices.Grow(out, len(values))\n"},
		{"1.17", "var out []int", "+\tif len(values) > 0 {\n+\t\tout = make([]int, 0, len(values))\n+\t}\n"},
		{"1.17", "var out []int\n\tprintln(len(values))", "+\tout = slices.Grow(out, len(values))\n"},
	} {
		dir := writeFiles(t, map[string]string{
			"go.mod": strings.Replace(goMod(t, "a.example"), "go 1.25", "go "+c.version, 1),
			"p/p.go": "package p\n\nfunc F(values []int) []int {\n\t" + c.begin + loop,
		})
		at := uint64(strings.Count(c.begin, "\n"))
		stdout, stderr, status := advise(t, dir, twoProfiles(t, synthetic{"", "a.example/p.F", "/src/a.example/p/p.go", 3, 6 + at, 100_000, 100_000 << 12, 0, 0}), "-diff")
		if status != 0 || !strings.Contains(stdout, c.want) || c.version == "1.17" && strings.Contains(c.want, "make") && strings.Contains(stdout, "go:build") || !strings.Contains(strings.Join(strings.Fields(stderr), " "), "The patch gives the memory of 1 site its size at once") {
			t.Errorf("%s, %s: exit status %d, %s%s", c.version, c.begin, status, stdout, stderr)
		}
	}
}
