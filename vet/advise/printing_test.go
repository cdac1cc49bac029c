package advise

import "testing"

// TestReasonsOfPrinting has large texts that are printed, and other things.
func TestReasonsOfPrinting(t *testing.T) {
	const (
		inside = "do not pool; fmt.Fprintf, or a function that it calls, makes this memory, and has no argument for it."
		copies = " It copies the text into a buffer, which it drops if that is larger than 64 KiB: "
		std    = "fmt.Fprintf, fmt.(*buffer).write: "
	)
	judged(t, `package p

import (
	"bytes"
	"fmt"
	"io"
)

type named []byte

func (n named) String() string { return "x" }

func line(w io.Writer, b []byte) {
	fmt.Fprintf(w, "%s\n", b) // `+std+inside+copies+`w.Write(b), then io.WriteString(w, "\n") do so without a copy.$
}

func alone(w io.Writer, b []byte) {
	fmt.Fprintf(w, "%s", b) // `+std+inside+copies+`w.Write(b) does so without a copy.$
}

func around(w io.Writer, s string) {
	fmt.Fprintf(w, "<%v>", s) // `+std+inside+copies+`io.WriteString(w, "<"), then io.WriteString(w, s), then io.WriteString(w, ">") do so without a copy.$
}

func buffered(w io.Writer, b *bytes.Buffer) {
	fmt.Fprintf(w, "%s", b.String()) // `+std+inside+copies+`w.Write(b.Bytes()) does so without a copy.$
}

func println(w io.Writer, b []byte) {
	fmt.Fprintln(w, string(b)) // fmt.Fprintln, fmt.(*buffer).write: do not pool; fmt.Fprintln, or a function that it calls, makes this memory, and has no argument for it.`+copies+`w.Write(b), then io.WriteString(w, "\n") do so without a copy.$
}

func print(w io.Writer, s string) {
	fmt.Fprint(w, s) // fmt.Fprint, fmt.(*buffer).write: do not pool; fmt.Fprint, or a function that it calls, makes this memory, and has no argument for it.`+copies+`io.WriteString(w, s) does so without a copy.$
}

func numbers(w io.Writer, b []byte) {
	fmt.Fprintln(w, b) // fmt.Fprintln, fmt.(*buffer).write: do not pool; fmt.Fprintln, or a function that it calls, makes this memory, and has no argument for it.$
}

func two(w io.Writer, b []byte, n int) {
	fmt.Fprintf(w, "%d %s", n, b) // `+std+inside+`$
}

func quoted(w io.Writer, b []byte) {
	fmt.Fprintf(w, "%q", b) // `+std+inside+`$
}

func methods(w io.Writer, b named) {
	fmt.Fprintf(w, "%s", b) // `+std+inside+`$
}

func variable(w io.Writer, format string, b []byte) {
	fmt.Fprintf(w, format, b) // `+std+inside+`$
}

func small(w io.Writer, b []byte) {
	fmt.Fprintf(w, "%s", b) // `+std+inside+`$
}

func ofWriter(w io.Writer, b []byte) {
	fmt.Fprintf(w, "%s", b) // fmt.Fprintf, net/http.(*response).Write: `+inside+`$
}
`, func(i int, s *synthetic) {
		size := uint64(400 << 10)
		if i == 11 {
			size = 32 << 10
		}
		s.objects = s.bytes / size
	})
}
