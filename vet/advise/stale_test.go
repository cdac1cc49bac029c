package advise

import "testing"

// TestReasonsOfStaleBytes has Buffers that grow while something has their bytes, and others whose bytes are returned again after that.
func TestReasonsOfStaleBytes(t *testing.T) {
	const stale = ` There is no patch: bytes that the Buffer returned are used after it may have grown, which its documentation forbids.$`
	judged(t, `package p

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unsafe"
)

func writes(w io.Writer, x, y string) int {
	var buf bytes.Buffer
	buf.WriteString(x) // bytes.(*Buffer).WriteString: pool it; The memory does not leave writes.`+stale+`
	b := buf.Bytes()
	buf.WriteString(y)
	w.Write(buf.Bytes())
	return bytes.Count(b, []byte("x"))
}

func prints(w io.Writer, x, y string) int {
	var buf bytes.Buffer
	buf.WriteString(x) // bytes.(*Buffer).WriteString: pool it; The memory does not leave prints.`+stale+`
	s := unsafe.String(unsafe.SliceData(buf.Bytes()), buf.Len())
	for range 3 {
		fmt.Fprintln(&buf, y)
	}
	w.Write(buf.Bytes())
	return strings.Count(s, "x")
}

func again(w io.Writer, x []string) (n int) {
	var buf bytes.Buffer
	for _, s := range x {
		buf.WriteString(s) // bytes.(*Buffer).WriteString: pool it; The memory does not leave again.$
		b := buf.Bytes()
		w.Write(b)
		n += len(b)
	}
	return n
}

func reads(w io.Writer, x string) int {
	var buf bytes.Buffer
	buf.WriteString(x) // bytes.(*Buffer).WriteString: pool it; The memory does not leave reads.$
	b := buf.Bytes()
	buf.WriteTo(w)
	return len(b)
}
`, nil)
}
