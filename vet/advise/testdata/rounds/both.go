package corpus

func Both(in []string) ([]int, int) {
	var out []int
	for _, s := range in {
		out = append(out, len(s)) // want preallocate; patch; 4096
	}
	sum := 0
	table := make([][]int, len(in))
	for i := range table {
		table[i] = make([]int, 100) // want pool it; patch; 2400
		sum += len(table[i])
	}
	return out, sum
}
