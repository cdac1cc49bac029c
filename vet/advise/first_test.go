package advise

import (
	"slices"
	"testing"
)

// TestFirstArrays has Buffers whose first array is made on a line of its own, and grow on others.
func TestFirstArrays(t *testing.T) {
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import (
	"bytes"
	"io"
)

func write(w io.Writer, n int, s string) {
	array := make([]byte, 0, n) // : pool it
	b := bytes.NewBuffer(array)
	b.WriteString(s) // bytes.(*Buffer).WriteString: pool it
	w.Write(b.Bytes())
}

func appended(w io.Writer, s string) {
	array := append([]byte("text"), s...) // : pool it
	b := bytes.NewBuffer(array)
	b.WriteString(s) // bytes.(*Buffer).WriteString: pool it
	w.Write(b.Bytes())
}
`, nil)
	for _, s := range r.Sites {
		var first, lines []string
		switch s.Line {
		case 10:
			first, lines = []string{"p.go:9"}, []string{"p.go:11"}
		case 17:
			lines = []string{"p.go:16", "p.go:18"}
		}
		if !slices.Equal(s.First, first) || !slices.Equal(s.Lines, lines) {
			t.Errorf("line %d: first %v, lines %v", s.Line, s.First, s.Lines)
		}
	}
}
