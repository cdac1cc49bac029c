package advise

import "testing"

// TestReasonsOfBufferViews has slices of Buffers that may show whether their memory is new, and others that do not.
func TestReasonsOfBufferViews(t *testing.T) {
	const (
		write  = "// bytes.(*Buffer).WriteString, bytes.(*Buffer).WriteString: "
		behind = " There is no patch: a slice of its bytes may end behind their length, where a new Buffer has zeros, and that of a pool anything.$"
		isNil  = " There is no patch: it may matter whether it is nil or empty, and a slice of a pool is never nil.$"
	)
	judged(t, `package p

import (
	"bytes"
	"io"
)

func beyond(s string, n int) int {
	var buf bytes.Buffer
	buf.WriteString(s) `+write+`pool it; The memory does not leave beyond.`+behind+`
	return len(bytes.Trim(buf.Bytes()[:n], "\x00"))
}

func prefix(b []byte, n int) []byte { return b[:n] }

func beyondIn(s string, n int) int {
	var buf bytes.Buffer
	buf.WriteString(s) `+write+`pool it; The memory does not leave beyondIn.`+behind+`
	return len(bytes.Trim(prefix(buf.Bytes(), n), "\x00"))
}

func changed(s string) int {
	var buf bytes.Buffer
	buf.WriteString(s) `+write+`pool it; The memory does not leave changed.`+behind+`
	n := buf.Len()
	buf.Truncate(1)
	return len(bytes.Trim(buf.Bytes()[:n], "\x00"))
}

func shorter(s string) int {
	var buf bytes.Buffer
	buf.WriteString(s) `+write+`pool it; The memory does not leave shorter.$
	return len(bytes.Trim(buf.Bytes()[:buf.Len()-1], " "))
}

func compared(w io.Writer, s string) bool {
	var buf bytes.Buffer
	none := buf.Bytes() == nil
	buf.WriteString(s) `+write+`pool it; The memory does not leave compared.`+isNil+`
	w.Write(buf.Bytes())
	return none
}

func isNone(b []byte) bool { return b[:] == nil }

func comparedIn(w io.Writer, s string) bool {
	var buf bytes.Buffer
	none := isNone(buf.Bytes())
	buf.WriteString(s) `+write+`pool it; The memory does not leave comparedIn.`+isNil+`
	w.Write(buf.Bytes())
	return none
}

type indented struct{ buf bytes.Buffer }

func (e *indented) text(s string) {
	e.buf.WriteString(s) `+write+`pool it; It is scratch of indented, which does not leave p.writes: indented.buf can begin with memory of a pool there.$
}

func writes(w io.Writer, s string) {
	e := &indented{}
	e.text(s)
	w.Write(e.buf.Bytes()[:e.buf.Len()-1])
}

type roomy struct{ buf bytes.Buffer }

func (e *roomy) text(s string) {
	e.buf.WriteString(s) `+write+`needs an owner; It is scratch of roomy, which does not leave p.extends: put roomy.buf back there.$
}

func extends(s string) byte {
	e := &roomy{}
	e.text(s)
	x := append(e.buf.Bytes(), 'x')
	e.text("y")
	return x[len(s)]
}

type zeros struct{ buf bytes.Buffer }

func (e *zeros) text(s string) {
	e.buf.WriteString(s) `+write+`needs an owner; It is scratch of zeros, which does not leave p.trims: put zeros.buf back there.$
}

func trims(s string, n int) int {
	e := &zeros{}
	e.text(s)
	return len(bytes.Trim(e.buf.Bytes()[:n], "\x00"))
}

type twins struct{ buf bytes.Buffer }

func (e *twins) text(s string) {
	e.buf.WriteString(s) `+write+`needs an owner; It is scratch of twins, which does not leave p.forks: put twins.buf back there.$
}

func pair(b []byte) (byte, byte) {
	x := append(b, 'x')
	y := append(b, 'y')
	return x[len(b)], y[len(b)]
}

func forks(s string) bool {
	e := &twins{}
	e.text(s)
	x, y := pair(e.buf.Bytes())
	return x == y
}

type staleViews struct{ buf bytes.Buffer }

func (e *staleViews) text(s string) {
	e.buf.WriteString(s) `+write+`needs an owner; It is scratch of staleViews, which does not leave p.old: put staleViews.buf back there.$
}

func old(s string) byte {
	e := &staleViews{}
	e.text(s)
	v := e.buf.Bytes()
	e.buf.WriteByte('b')
	e.buf.Bytes()[0] = 'c'
	return v[0]
}
`, nil)
}

// TestReasonsOfNil has functions that tell nil from an empty slice by a part of it, a variable that may have it, or a function that returns it.
func TestReasonsOfNil(t *testing.T) {
	const isNil = " There is no patch: it may matter whether it is nil or empty, and a slice of a pool is never nil.$"
	judged(t, `package p

func isNone(s []int) bool { return s[:] == nil }

func isNoneOf(s, other []int, which bool) bool {
	if which {
		s = other
	}
	return s == nil
}

func same(s []int) []int { return s }

func isNoneOfSame(s []int) bool { return same(s) == nil }

func isEmpty(s []int) bool { return len(same(s[:])) == 0 }

func tells(xs []int) (n int, none bool) {
	var v []int
	for _, x := range xs {
		if x > 0 {
			v = append(v, x) // : pool it; The memory does not leave tells.`+isNil+`
		}
	}
	return len(v), isNone(v)
}

func tellsOne(xs []int) (n int, none bool) {
	var v []int
	for _, x := range xs {
		if x > 0 {
			v = append(v, x) // : pool it; The memory does not leave tellsOne.`+isNil+`
		}
	}
	return len(v), isNoneOf(v, xs, len(xs) > 7)
}

func tellsSame(xs []int) (n int, none bool) {
	var v []int
	for _, x := range xs {
		if x > 0 {
			v = append(v, x) // : pool it; The memory does not leave tellsSame.`+isNil+`
		}
	}
	return len(v), isNoneOfSame(v)
}

func counts(xs []int) (n int, none bool) {
	var v []int
	for _, x := range xs {
		if x > 0 {
			v = append(v, x) // : pool it; The memory does not leave counts.$
		}
	}
	return len(v), isEmpty(v)
}
`, nil)
}

// TestReasonsOfRowsForMethods has methods like that of io.Writer get a slice, or a list that has it.
func TestReasonsOfRowsForMethods(t *testing.T) {
	judged(t, `package p

type RowWriter interface {
	WriteRows([][]int) (int, error)
}

type NumberWriter interface {
	WriteNumbers([]int) (int, error)
}

type sums struct{}

func (sums) WriteRows(rows [][]int) (n int, err error) {
	for _, r := range rows {
		n += len(r)
	}
	return n, nil
}

func (sums) WriteNumbers(list []int) (n int, err error) {
	for _, x := range list {
		n += x
	}
	return n, nil
}

func calls() {
	Row(sums{}, 2)
	Numbers(sums{}, 3)
}

func Row(w RowWriter, n int) (int, error) {
	b := make([]int, n) // : needs an owner; The memory may leave Row: it is passed to method WriteRows of an interface, which may keep it.
	return w.WriteRows([][]int{b})
}

func Numbers(w NumberWriter, n int) (int, error) {
	b := make([]int, n) // : pool it; The memory does not leave Numbers.$
	return w.WriteNumbers(b)
}
`, nil)
}
