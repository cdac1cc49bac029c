package corpus

// Slices here are extended twice, by ways that are hard to see.

// TwiceChosen extends two slices that a branch chose, and that are one.
func TwiceChosen(n int, c bool) (byte, byte) {
	a := make([]byte, n) // want pool it; patch; 4096+1024
	x, y := a, a
	if c {
		x, y = a[:n], a[:n]
	}
	p, q := append(x, 1), append(y, 2)
	return p[n], q[n]
}

// TwiceInRounds extends the same one in each round.
func TwiceInRounds(n int) byte {
	a := make([]byte, n) // want pool it; patch; 4096+1024
	x := a
	var one []byte
	for i := range 3 {
		y := append(x, byte(i+1))
		if i == 0 {
			one = y
		}
		x = a[:n]
	}
	return one[n]
}

// TwiceByPointer reads it by two pointers.
func TwiceByPointer(n int) (byte, byte) {
	a := make([]byte, n) // want pool it; patch; 4096+1024
	p := &a
	x := append(*p, 1)
	q := &a
	y := append(*q, 2)
	return x[n], y[n]
}

// TwiceByFunction has a function extend it.
func TwiceByFunction(n int) (byte, byte) {
	a := make([]byte, n) // want pool it; patch; 4096+1024
	x, y := extendedBy(a, 1), extendedBy(a, 2)
	return x[n], y[n]
}

func extendedBy(a []byte, v byte) []byte { return append(a, v) }
