package advise

import "testing"

// TestReasonsOfMoved has variables of switches over types, which begin in a case, and variables that a literal sets.
func TestReasonsOfMoved(t *testing.T) {
	judged(t, `package p

import "io"

func taken(v any, f func(*int)) int {
	switch x := v.(type) {
	case string:
		return len(x)
	case int: // : not judged; This is the variable x of a switch over types, which is no buffer to reuse.$
		f(&x)
		return x
	}
	return 0
}

func several(v any) any {
	switch x := v.(type) {
	case int, string: // : not judged; This is the variable x of a switch over types, which is no buffer to reuse.$
		return &x
	}
	return nil
}

func unmoved(v any) int {
	switch x := v.(type) {
	case int: // : not judged; The profile does not say how this line allocates, and line 26 allocates nothing that can be seen.$
		return x
	}
	return 0
}

func set(w io.Writer, n int) {
	var buf []byte
	func() {
		buf = make([]byte, n) // : needs an owner; The memory leaves set: it is stored in a variable outside of the function literal, buf of p.set.
	}()
	w.Write(buf)
}
`, nil)
}
