package advise

import "testing"

// TestReasonsOfNestedLoops has memory that several loops make anew. The outermost of its function counts, but for loops that
// evaluate its line only once.
func TestReasonsOfNestedLoops(t *testing.T) {
	const cut = ", and cut it to length 0 in each round."
	judged(t, `package p

import (
	"bytes"
	"io"
)

func three(w io.Writer, all [][]string) {
	for {
		for len(all) > 0 {
			for _, s := range all[0] {
				w.Write([]byte(s)) // : reuse a variable; It does not leave the loop: declare it before the outermost loop, at line 9`+cut+`
			}
			all = all[1:]
		}
	}
}

func two(w io.Writer, n int) {
	for range n {
		for range 3 {
			b := make([]byte, n) // : reuse a variable; It does not leave the loop: declare it before the outermost loop, at line 20`+cut+`
			w.Write(b)
		}
	}
}

func buffers(w io.Writer, n int) {
	for range n {
		for range 3 {
			var b bytes.Buffer
			b.WriteString("number ") // bytes.(*Buffer).WriteString: reuse a variable; It does not leave the loop: make it before the outermost loop, at line 29, and Reset it in each round.
			w.Write(b.Bytes())
		}
	}
}

func grown(w io.Writer, n int) {
	for i := range n {
		var b []byte
		for range 3 {
			b = append(b, byte(i)) // : reuse a variable; It does not leave the loop: declare it before the outermost loop, at line 39`+cut+`
		}
		w.Write(b)
	}
}

func literal(w io.Writer, n int) {
	for range n {
		func() {
			for range 3 {
				b := make([]byte, n) // : reuse a variable; It does not leave the loop: declare it before the loop`+cut+`
				w.Write(b)
			}
		}()
	}
}

func ranged(w io.Writer, n int) {
	for range n {
		for _, c := range make([]byte, n) { // : reuse a variable; It does not leave the loop: declare it before the loop`+cut+`
			w.Write([]byte{c, c})
		}
	}
}

func begun(w io.Writer, n int) {
	for range n {
		for b := make([]byte, n); len(b) > 0; b = b[1:] { // : reuse a variable; It does not leave the loop: declare it before the loop`+cut+`
			w.Write(b)
		}
	}
}

func maps(keys [][]string) (n int) {
	for _, all := range keys {
		for range 3 {
			m := map[string]int{}
			for _, k := range all {
				m[k]++ // : reuse a variable; It does not leave the loop: make one map before the outermost loop, at line 76, and clear(m) in each round.
			}
			n += len(m)
		}
	}
	return n
}
`, nil)
}
