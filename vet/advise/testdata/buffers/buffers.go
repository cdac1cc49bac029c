// Package corpus has Buffers that reach their writes by another way than a variable of the function.
package corpus

import (
	"bytes"
	"fmt"
	"io"
)

func emit(w io.Writer, n ...int) {
	for _, i := range n {
		fmt.Fprintln(w, i) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	}
}

// Spread passes a Buffer beside a list.
func Spread(n ...int) string {
	var b bytes.Buffer
	emit(&b, n...)
	return b.String()
}

// Several passes it beside several numbers.
func Several(n int) string {
	var b bytes.Buffer
	emit(&b, n, n)
	return b.String()
}

func all(n int, to ...io.Writer) {
	for _, w := range to {
		fmt.Fprintln(w, n)
	}
}

// Listed passes it as one of several writers.
func Listed(w io.Writer, n int) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, n) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	all(n, w, &b)
	return b.String()
}
