package advise

import "testing"

// TestReasonsOfTypeParameters has memory whose type is that of a type parameter.
func TestReasonsOfTypeParameters(t *testing.T) {
	judged(t, `package p

func channel[C ~chan int](n int) C {
	return make(C, n) // : not judged
}

func list[S ~[]int](n int) S {
	return make(S, n) // : needs an owner
}

func table[M ~map[int]int](n int) M {
	return make(M, n) // : not judged
}

func extended[S ~[]E, E any](s S, e E) S {
	return append(s, e) // : needs an owner
}

func received[C ~chan []byte](c C) []byte {
	select {
	case b := <-c:
		return b
	default:
		return make([]byte, 4096) // : needs an owner
	}
}

func cloned[S ~[]E, E any](s S) S {
	return append(S(nil), s...) // : needs an owner
}

func text[B ~[]byte](b B) string {
	return string(b) // : not judged
}

func pointer[T any]() *T {
	return new(T) // : needs an owner
}

func emptied[S ~[]int](in S) (n int) {
	var row S
	for _, x := range in {
		row = append(row, x) // : pool it
		if len(row) == 5 {
			n += len(row)
			row = nil
		}
	}
	return n
}
`, nil)
}
