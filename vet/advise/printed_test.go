package advise

import "testing"

// TestReasonsOfPrinted has values that functions print by way of lists of interfaces, or of other functions. A method that prints them
// may keep them.
func TestReasonsOfPrinted(t *testing.T) {
	const keeper = " Its last user would have to put it back.$"
	judgedMaking(t, `package p

import (
	"fmt"
	"io"
)

var kept []byte

type keeps struct{ b []byte }

func (k keeps) String() string { kept = k.b; return "" }

type reads struct{ b []byte }

func (r reads) String() string { return string(r.b) }

func prints(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave prints: it is in a value whose method (p.keeps).String may keep it.`+keeper+`
	fmt.Fprintln(w, n, keeps{b})
}

func printsInner(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave printsInner: it is in a value whose method (p.keeps).String may keep it.`+keeper+`
	fmt.Fprintln(w, []any{n, struct{ K keeps }{keeps{b}}}...)
}

func print(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format, args...) }

func prints1(w io.Writer, x any) { print(w, "%v", x) }

func printsBy(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave printsBy: it is in a value whose method (p.keeps).String may keep it.`+keeper+`
	print(w, "%d, %v", n, keeps{b})
}

func printsThrough(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave printsThrough: it is in a value whose method (p.keeps).String may keep it.`+keeper+`
	prints1(w, keeps{b})
}

func printAny[X any](w io.Writer, x X) { fmt.Fprint(w, x) }

func printsOpen(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave printsOpen: it is passed to p.printAny, where it is in a value whose method (p.keeps).String may keep it.`+keeper+`
	printAny(w, keeps{b})
}

func printsCalm(w io.Writer, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave printsCalm.$
	fmt.Fprintln(w, n, reads{b})
	print(w, "%d, %s", n, b)
	prints1(w, reads{b})
	printAny(w, reads{b})
}
`)
}
