package advise

import "testing"

// TestReasonsOfComparisons makes memory where something equals a constant, which may be a string.
func TestReasonsOfComparisons(t *testing.T) {
	judged(t, `package p

type named struct {
	name string
	half float64
	buf  []byte
}

func (n *named) text(k int) {
	if n.name == "" {
		n.buf = make([]byte, k) // : needs an owner
	}
}

func (n *named) number(k int) {
	if n.half == 0.5 {
		n.buf = make([]byte, k) // : needs an owner
	}
}
`, nil)
}
