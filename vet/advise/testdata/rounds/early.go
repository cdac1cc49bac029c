package corpus

// The slices here are declared in the rounds of a loop, and used there before anything is appended to them.

// RowsBefore has a list get the nil of each round.
func RowsBefore(n int, xs []int) (rows [][]int, sum int) {
	for range n {
		var v []int
		rows = append(rows, v)
		for _, x := range xs {
			if x >= 0 {
				v = append(v, x) // want reuse a variable; no patch; 4096
			}
		}
		sum += len(v)
	}
	for i := range rows {
		rows[i] = append(rows[i], i)
	}
	return rows, sum
}

// Otherwise has it only in rounds that append nothing.
func Otherwise(n int, xs []int) (m map[int][]int, sum int) {
	m = map[int][]int{}
	for i := range n {
		var v []int
		if i%2 == 0 {
			for _, x := range xs {
				if x >= 0 {
					v = append(v, x) // want reuse a variable; no patch; 4096
				}
			}
			sum += len(v)
			continue
		}
		m[i] = v
	}
	for i := range m {
		m[i] = append(m[i], i)
	}
	return m, sum
}

// TwinBefore has another variable for the nil.
func TwinBefore(n int, xs []int) (sum int) {
	for i := range n {
		var v []int
		w := v
		for _, x := range xs {
			if x >= 0 {
				v = append(v, x) // want reuse a variable; no patch; 4096
			}
		}
		w = append(w, 1000)
		sum += v[0] + w[0]*i
	}
	return sum
}

// NothingLeft returns it in a round that has appended nothing.
func NothingLeft(n int, xs []int) ([]int, int) {
	sum := 0
	for i := range n {
		var v []int
		if i == 3 {
			return v, sum
		}
		for _, x := range xs {
			if x >= 0 {
				v = append(v, x) // want reuse a variable; patch; 4096
			}
		}
		sum += len(v)
	}
	return []int{}, sum
}
