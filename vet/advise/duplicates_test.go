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
