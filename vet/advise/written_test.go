package advise

import "testing"

// TestReasonsOfWritten has strings and bytes that are made for one write, and others that are used for more.
func TestReasonsOfWritten(t *testing.T) {
	const text = "not judged; Strings cannot be written to, so nothing can reuse them."
	judged(t, `package p

import (
	"fmt"
	"io"
	"net"
	"os"
)

func text(w io.Writer, b []byte) {
	io.WriteString(w, string(b)) // : `+text+` It is only written: w.Write(b) does so without a string.$
}

func method(f *os.File, b []byte) {
	f.WriteString(string(b[1:])) // : `+text+` It is only written: f.Write(b[1:]) does so without a string.$
}

func printed(w io.Writer, b []byte) {
	fmt.Fprint(w, string(b)) // : `+text+` It is only written: w.Write(b) does so without a string.$
}

func two(w io.Writer, b []byte) {
	fmt.Fprint(w, string(b), 1) // : `+text+`$
}

func line(w io.Writer, b []byte) {
	fmt.Fprintln(w, string(b)) // : `+text+`$
}

func again(w io.Writer, b []byte) int {
	s := string(b) // : `+text+`$
	io.WriteString(w, s)
	return len(s)
}

type only interface{ WriteString(s string) (int, error) }

func lacking(w only, b []byte) {
	w.WriteString(string(b)) // : `+text+`$
}

func formatted(w io.Writer, n int) {
	s := fmt.Sprintf("%d\n", n) // fmt.Sprintf: `+text+` It is only written: fmt.Fprintf(w, "%d\n", …) does so without a string.$
	w.Write([]byte(s)) // : pool it; The memory does not leave formatted. It is only written: fmt.Fprintf(w, "%d\n", …) does so without a string and its bytes.$
}

func line2(w io.Writer, n int) {
	io.WriteString(w, fmt.Sprintln(n)) // fmt.Sprintln: `+text+` It is only written: fmt.Fprintln(w, …) does so without a string.$
}

func measured(w io.Writer, n int) int {
	s := fmt.Sprint(n) // fmt.Sprint: `+text+`$
	w.Write([]byte(s)) // : pool it; The memory does not leave measured. It is only written: io.WriteString(w, s) does so without a copy, if the writer has WriteString.$
	return len(s)
}

func bytes(w io.Writer, s string) {
	w.Write([]byte(s)) // : pool it; The memory does not leave bytes. It is only written: io.WriteString(w, s) does so without a copy, if the writer has WriteString.$
}

func connection(c *net.TCPConn, s string) {
	c.Write([]byte(s)) // : pool it; The memory does not leave connection.$
}

func used(w io.Writer, s string) int {
	b := []byte(s) // : pool it; The memory does not leave used.$
	w.Write(b)
	return len(b)
}
`, nil)
}
