package advise

import "testing"

// TestReasonsOfElements has copies of slices, which have the elements of the slices: memory leaves with a copy of its list.
func TestReasonsOfElements(t *testing.T) {
	judged(t, `package p

import (
	"io"
	"slices"
)

func cloned(n int) [][]byte {
	b := make([]byte, n) // : needs an owner; The memory leaves cloned: it is returned from p.cloned.
	all := make([][]byte, 1)
	all[0] = b
	return slices.Clone(all)
}

func read(w io.Writer, n int) []byte {
	b := make([]byte, n) // : pool it; The memory does not leave read.$
	w.Write(b)
	return slices.Clone(b)
}

func sorted(in []string) string {
	all := slices.Clone(in) // slices.Clone: pool it; The memory does not leave sorted.$
	slices.Sort(all)
	return all[0]
}

func started(w io.Writer, b []byte) {
	x := slices.Clone(b) // slices.Clone: needs an owner; The memory leaves started: it goes to a goroutine.
	go w.Write(x)
}
`, nil)
}

// TestReasonsOfJoined has slices that are joined after a call that may change one of them, words of edits with another meaning,
// and a pointer that may be nil.
func TestReasonsOfJoined(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"slices"
)

func plain(s, o []int) int {
	x := slices.Concat(s, o) // slices.Concat: pool it; The memory does not leave plain.$
	return x[0]
}

func order(s []int) int {
	x := slices.Concat(s, set(s)) // slices.Concat: pool it; The memory does not leave order. There is no patch: a slice that it joins is no variable, and may change another: give it a variable.
	return x[0]
}

func rounds(all [][]int) (n int) {
	for _, s := range all {
		x := slices.Concat(s, set(s)) // slices.Concat: reuse a variable; It does not leave the loop: declare it before the loop, and cut it to length 0 in each round. There is no patch: a slice that it joins is no variable, and may change another: give it a variable.
		n += x[0]
	}
	return n
}

func set(s []int) []int {
	s[0] = 42
	return s[1:]
}

func shadowed(a []byte) byte {
	nil := []byte("xyz")
	x := bytes.Clone(a) // bytes.Clone: pool it; The memory does not leave shadowed. There is no patch: the name nil means something else there: rename that.
	x[0] += nil[0]
	return x[0]
}

func shadowedInLoop(all [][]int) (n int) {
	append := func(s []int, more ...int) []int { return nil }
	for _, s := range all {
		x := slices.Clone(s) // slices.Clone: reuse a variable; It does not leave the loop: declare it before the loop, and cut it to length 0 in each round. There is no patch: the name append means something else there: rename that.
		n += x[0] + len(append(nil))
	}
	return n
}

func room(o, b []byte) byte {
	x := append(o[:0:0], b...) // : pool it; The memory does not leave room.$
	return x[0]
}

func pointer(p *[4]byte, b []byte) byte {
	x := append(p[:0:0], b...) // : pool it; The memory does not leave pointer.$
	return x[0]
}
`, nil)
}
