package advise

import "testing"

// TestReasonsOfLiteralLists has memory in slice literals. It stays if the literal does, and what is read from that.
func TestReasonsOfLiteralLists(t *testing.T) {
	judged(t, `package p

func halves(r []rune) [][]rune {
	if len(r) < 2 {
		return nil
	}
	return [][]rune{r[:len(r)/2], append(r[:0], r[1:]...)}
}

func lengths(s, t string) (n int) {
	for _, part := range halves([]rune(s)) { // : pool it; The memory does not leave lengths.$
		n += len(string(part))
	}
	parts := halves([]rune(t)) // : pool it; The memory does not leave lengths.$
	if parts == nil {
		return n
	}
	return n + len(string(parts[1]))
}

func first(s string) []rune {
	parts := halves([]rune(s)) // : needs an owner; The memory leaves first: it is returned from p.first.
	return parts[0]
}

var kept []rune

func keeps(s string) {
	for _, part := range halves([]rune(s)) { // : needs an owner; The memory leaves keeps: it is stored in the variable kept of the package.
		kept = part
	}
}

func listed(n int) [][]byte {
	b := make([]byte, n) // : needs an owner; The memory leaves listed: it is returned from p.listed to p.lists at p.go:39, its only caller. Its last user would have to put it back.
	return [][]byte{b}
}

func lists(n int) int { return len(listed(n)[0]) }

func nested(n int) []byte {
	b := make([]byte, n) // : needs an owner; The memory leaves nested: it is returned from p.nested.
	all := [][][]byte{{b}, nil}
	return all[0][0]
}

func rounds(n int) (last int) {
	var before [][]byte
	for i := range n {
		b := make([]byte, i) // : do not pool; A round of the loop may still use the memory of the round before
		last += len(before)
		before = [][]byte{b}
	}
	return last
}

func joined(n int) int {
	b := make([]byte, 2*n) // : could stay on the stack; It does not leave joined
	return use([][]byte{b, b[:n/2]})
}

func use(all [][]byte) (n int) {
	for _, b := range all {
		n += copy(b, "text")
	}
	return n
}
`, nil)
}
