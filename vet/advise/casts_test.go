package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfCasts has memory that package unsafe makes a string of. Only strings that others cannot keep stay.
func TestReasonsOfCasts(t *testing.T) {
	const back = " Its last user would have to get the slice, too, and put that back.$"
	judged(t, strings.NewReplacer("STRING", "it becomes a string by package unsafe, which", "BACK", back).Replace(`package p

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unsafe"
)

func variable(n int) string {
	b := make([]byte, n) // : needs an owner; The memory leaves variable: STRING is returned from p.variable.BACK
	return *(*string)(unsafe.Pointer(&b))
}

func data(n int) string {
	b := make([]byte, n) // : needs an owner; The memory leaves data: STRING is returned from p.data.BACK
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func element(n int) string {
	b := make([]byte, n) // : needs an owner; The memory leaves element: STRING is returned from p.element.BACK
	return unsafe.String(&b[0], len(b))
}

func header(n int) []byte {
	b := make([]byte, n) // : needs an owner; The memory may leave header: it is in a variable whose address becomes an unsafe.Pointer. Its last user would have to put it back.$
	return (*(*struct{ b []byte })(unsafe.Pointer(&b))).b
}

func b2s(b []byte) string { return *(*string)(unsafe.Pointer(&b)) }

func grown(b []byte, n int) string {
	b = append(b, byte(n)) // : needs an owner; The memory leaves grown: STRING is returned from p.grown.BACK
	return b2s(b)
}

func caller(n int) string { return grown(nil, n) }

var counts = map[string]int{}

func counted(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves counted: STRING is stored in a map.BACK
	counts[b2s(b)]++
}

func count(s string) { counts[s]++ }

func passed(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves passed: STRING is passed to p.count, where it is stored in a map.BACK
	count(b2s(b))
}

func written(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave written: STRING is passed to io.WriteString, which may keep it.BACK
	io.WriteString(w, b2s(b))
}

func failed(n int) error {
	b := make([]byte, n) // : needs an owner; The memory may leave failed: STRING is passed to errors.New, which may keep it.BACK
	return errors.New(b2s(b))
}

func summed(n int) string {
	b := make([]byte, n) // : needs an owner; The memory leaves summed: STRING is returned from p.summed.BACK
	return b2s(b) + ""
}

func trimmed(n int) string {
	b := make([]byte, n) // : needs an owner; The memory may leave trimmed: STRING is passed to strings.TrimSpace, which may keep it.BACK
	return strings.TrimSpace(b2s(b))
}

func boxed(n int) string {
	b := make([]byte, n) // : needs an owner; The memory may leave boxed: STRING becomes the value of an interface.BACK
	v := any(b2s(b))
	s, _ := v.(string)
	return s
}

type text struct{ s string }

func field(n int) text {
	b := make([]byte, n) // : needs an owner; The memory leaves field: STRING is stored in field text.s.BACK
	return text{b2s(b)}
}

func literal(n int) func() int {
	b := make([]byte, n) // : needs an owner; The memory leaves literal: STRING is stored in a variable that a function literal or a pointer has.BACK
	s := b2s(b)
	return func() int { return len(s) }
}

type loud string

func (l loud) String() string { counts[string(l)]++; return "" }

func shouted(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave shouted: STRING becomes the value of an interface.BACK
	fmt.Fprint(w, loud(b2s(b)))
}

func printed(w io.Writer, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave printed.$
	w.Write(b)
	fmt.Fprint(w, b2s(b))
}

func parsed(w io.Writer, n int) (int, error) {
	b := make([]byte, n) // : pool it; The memory does not leave parsed.$
	w.Write(b)
	return strconv.Atoi(b2s(b)[1:])
}

func found(w io.Writer, n int) int {
	b := make([]byte, n) // : pool it; The memory does not leave found.$
	w.Write(b)
	return counts[b2s(b)] + strings.Count(b2s(b), "x")
}

func kind(v any, w io.Writer, n int) string {
	if n > 0 {
		b := make([]byte, n) // : pool it; The memory does not leave kind.$
		w.Write(b)
		v = b
	}
	return v.(string)
}
`), nil)
}

// TestReasonsOfC has the literal that cgo makes of a call of a function of C.
func TestReasonsOfC(t *testing.T) {
	judged(t, `package p

import "unsafe"

var last unsafe.Pointer

func _Cfunc_bind(p *byte, n int) int {
	last = unsafe.Pointer(p)
	return n
}

func bind(v string) int {
	b := []byte(v) // : needs an owner; The memory may leave bind: it is passed to C.bind, which may keep it. Its last user would have to put it back.$
	return func() int {
		_cgo0 := (*byte)(unsafe.Pointer(&b[0]))
		return _Cfunc_bind(_cgo0, len(b))
	}()
}
`, nil)
}
