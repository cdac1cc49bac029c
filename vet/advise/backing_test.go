package advise

import "testing"

// TestReasonsOfRows has loops that make the rows of a matrix. One array for all rows fits where each round makes one of the same length.
func TestReasonsOfRows(t *testing.T) {
	const one = "preallocate; Each round makes a row of the same length. Make one array for all rows before the loop, and cut it into rows: all[i*k:(i+1)*k:(i+1)*k]. That saves most of the "
	judged(t, `package p

func grid(n, k int) [][]int {
	m := make([][]int, n)
	for i := range m {
		m[i] = make([]int, k) // : `+one+`
	}
	return m
}

func counted(n int, first []int) int {
	m := make([][]int, n)
	for i := 0; i < n; i++ {
		m[i] = make([]int, len(first)+1) // : `+one+`
	}
	return len(m[0])
}

func constant(n int) [][]byte {
	m := make([][]byte, n)
	for i := range n {
		m[i] = make([]byte, 16) // : `+one+`
	}
	return m
}

func triangle(n int) [][]int {
	m := make([][]int, n)
	for i := range m {
		m[i] = make([]int, i) // : too small;
	}
	return m
}

func lengths(all [][]int) [][]int {
	m := make([][]int, len(all))
	for i, one := range all {
		m[i] = make([]int, len(one)) // : too small;
	}
	return m
}

func some(all []bool, k int) [][]int {
	m := make([][]int, len(all))
	for i, has := range all {
		if has {
			m[i] = make([]int, k) // : too small;
		}
	}
	return m
}

func spare(n, k int) [][]int {
	m := make([][]int, n)
	for i := range m {
		m[i] = make([]int, 0, k) // : too small;
	}
	return m
}

func changing(n, k int) [][]int {
	m := make([][]int, n)
	for i := range m {
		m[i] = make([]int, k) // : too small;
		k += len(m)
	}
	return m
}

func same(n, k, j int) [][]int {
	m := make([][]int, n)
	for i := range m {
		m[j] = make([]int, k+0*i) // : too small;
	}
	return m
}
`, func(_ int, s *synthetic) { s.objects = s.bytes / 64 })
}
