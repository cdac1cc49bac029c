package corpus

import (
	"io"
	"iter"
	"mime/quotedprintable"
)

type badHead []byte

func (b badHead) Error() string { return string(b) }

func checkHead(b []byte) (n int, err error) {
	if b[0] == 0 {
		return 0, badHead(b)
	}
	return len(b), nil
}

var lastErr error

func ErrorOfCallee(n int) int {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	m, err := checkHead(b)
	lastErr = err
	return m
}

func ErrorInStruct(n int) error {
	var st struct {
		n   int
		err error
	}
	b := make([]byte, n) // want needs an owner; no patch; 4096
	st.n, st.err = checkHead(b)
	return st.err
}

// CountOfCallee does not have the error, which has the memory.
func CountOfCallee(w io.Writer, n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	m, _ := checkHead(b)
	w.Write(b)
	return m
}

func QuotedPrintable(r io.Reader, p []byte) (int, error) {
	q := quotedprintable.NewReader(r) // want pool it by mime/quotedprintable.NewReader, bufio.NewReader, bufio.NewReaderSize; patch; 4096
	return q.Read(p)
}

func Previous(r io.Reader, n int) (same int) {
	var before []byte
	for {
		b := make([]byte, n) // want do not pool; no patch; 4096
		if _, err := r.Read(b); err != nil {
			return same
		}
		if before != nil && before[0] == b[0] {
			same++
		}
		before = b
	}
}

func RangeOverFunc(w io.Writer, all iter.Seq[int]) {
	for n := range all {
		b := make([]byte, n) // want reuse a variable; patch; 4096
		w.Write(b)
	}
}

type shape interface{ area() float64 }

type square struct{ side [32]float64 }

func (s *square) area() float64 { return s.side[0] * s.side[0] }

func areaOf(s shape) float64 { return s.area() }

func Boxed2(x float64) float64 {
	s := &square{} // want could stay on the stack; no patch; 256
	s.side[0] = x
	return areaOf(s)
}
