package advise

import (
	"strings"
	"testing"
)

// TestCallersPut has a function that returns two slices. Its callers use both or one, and one calls it in a loop.
func TestCallersPut(t *testing.T) {
	dir, profiles, _ := corpus(t, "dropped")
	stdout, stderr, status := advise(t, dir, profiles, "-diff")
	for _, want := range []string{
		"+\tlines := splitLines.Get()[:0]\n+\toffsets := append(splitOffsets.Get()[:0], 0)\n",
		"+\t\t\tif len(lines) == 0 {\n+\t\t\t\tsplitLines.Put(lines)\n+\t\t\t\tlines = nil\n+\t\t\t}\n \t\t\treturn lines, offsets\n",
		" \tlines, offsets := split(text)\n+\tdefer splitLines.Put(lines)\n+\tdefer splitOffsets.Put(offsets)\n",
		"+\tlines, offsets2 := split(text)\n+\tdefer splitLines.Put(lines)\n+\tdefer splitOffsets.Put(offsets2)\n",
		"+\tlines2, offsets := split(text)\n+\tdefer splitLines.Put(lines2)\n+\tdefer splitOffsets.Put(offsets)\n",
		" \tn := len(samples)\n-\tout := make([]int32, 0, n-order) // want pool it; patch; 4096\n+\toutSize := n - order\n+\tout := differencesOut.Get()[:0] // want pool it; patch; 4096\n" +
			"+\tif cap(out) < outSize || outSize < 0 {\n+\t\tout = make([]int32, 0, outSize)\n+\t}\n",
		" \t\tif len(all) == 0 {\n+\t\t\tsquaresAll.Put(all)\n \t\t\tcontinue\n",
		"+\t\t\tsquaresAll.Put(all)\n \t\t\treturn 0, fmt.Errorf(\"%d is too large\", n)\n",
		" \t\tif n == 5 {\n+\t\t\tsquaresAll.Put(all)\n \t\t\tbreak\n \t\t} else if n == 4 {\n+\t\t\tsquaresAll.Put(all)\n \t\t\treturn sum + n, err\n \t\t}\n" +
			"+\t\tsquaresAll.Put(all)\n \t}\n",
		" \t\t} else {\n+\t\t\tsquaresAll.Put(all)\n \t\t\tcontinue\n \t\t}\n \t}\n",
		" \t\t\t\tn += offsets[i]\n \t\t\t}\n+\t\t\tsplitLines.Put(lines)\n+\t\t\tsplitOffsets.Put(offsets)\n \t\t}\n",
	} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit status %d, %s lacks\n%s", status, stderr, want)
		}
	}
	printed := joined(stdout + stderr)
	for caller, why := range map[string]string{
		"HasEven":   "",
		"FirstCube": "it calls in a loop, and the round may end before the end of the block.",
		"Powers":    "it calls in a loop, and the round may end before the end of the block.",
		"Halves":    "it calls in a loop, and the round may end before the end of the block.",
		"Rests":     "it calls in a loop, and the round may end before the end of the block.",
		"Sevenths":  "it calls in a loop, and the round may end before the end of the block.",
		"Fourths":   "it calls in a loop, and sets the variable again.",
		"Records":   "",
	} {
		if want := "There is no patch: its caller corpus." + caller + " cannot put it: " + why; strings.Contains(printed, want) != (why != "") {
			t.Errorf("%s lacks, or has: %s", printed, want)
		}
	}
	if t.Failed() {
		t.Log(stdout)
	}
}

// TestCopyInstead has a caller that cannot be changed to put memory of several sizes. So it gets a copy.
func TestCopyInstead(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{
		"go.mod": goMod(t, "a.example"),
		"p/p.go": "package p\n\nfunc f(values []int) []int {\n\tvar out []int\n\tfor _, v := range values {\n\t\tif v > 0 {\n\t\t\tout = append(out, v)\n" +
			"\t\t}\n\t}\n\treturn out\n}\n\nfunc F(values []int) int { return len(f(values)) }\n",
	})
	var sites []synthetic
	for _, size := range []uint64{1 << 12, 1 << 13} {
		sites = append(sites, synthetic{"", "a.example/p.f", "/src/a.example/p/p.go", 3, 7, 100_000, 100_000 * size, 0, 0})
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-diff")
	if status != 0 || !strings.Contains(stdout, "\n+\treturn append([]int(nil), out...)\n") || !strings.Contains(joined(stderr), "It grows in f, which returns it:") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestNestedArrays has a part of an array in a struct that is an element of the memory. Its elements are of another type.
func TestNestedArrays(t *testing.T) {
	judged(t, `package p

type cell struct{ text [8]byte }

type holder struct{ b []byte }

var kept []byte

func keep(h holder) { kept = h.b }

func nested(n int) {
	cells := make([]cell, n) // : needs an owner; The memory leaves nested: it is passed to p.keep, where it is stored in the variable kept of the package.
	h := holder{cells[0].text[:]}
	keep(h)
}

func local(n int) {
	cells := make([]cell, n) // : needs an owner; The memory leaves local: it is stored in the variable kept of the package.
	h := holder{cells[0].text[:]}
	kept = h.b
}

type lists struct {
	names  []string
	counts []int
	rows   [][]int
}

func (l *lists) add(n int) {
	l.counts = append(l.counts, n)
	l.counts = append(l.counts[:1], n)
	l.rows = append(l.rows, l.counts)
	l.rows = append(l.rows[:1], l.counts)
}

func (l *lists) longest() (n int) {
	for _, name := range l.names {
		n = max(n, len(name))
	}
	return n
}

func beside(n int, name string) int {
	names := make([]string, n) // : pool it; The memory does not leave beside.
	l := lists{names: names}
	l.add(n)
	names[0] = name
	return l.longest()
}

func push[T any](s []T, x T) []T { return append(s, x) }

func generic(n int, next func() string) int {
	names := make([]string, n) // : pool it; The memory does not leave generic.$
	return len(push(names, next())) + len(push(names, next()))
}
`, nil)
}
