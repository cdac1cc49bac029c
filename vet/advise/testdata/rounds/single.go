package corpus

// Single is in a file with one import.
import "strings"

func Single(in []string) []string {
	var out []string
	for _, s := range in {
		out = append(out, strings.ToUpper(s)) // want preallocate; patch; 4096
	}
	return out
}

func SingleRows(n int) (sum int) {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want pool it; patch; 2400
		grid[i][0] = 1
	}
	for _, row := range grid {
		sum += row[0]
	}
	return sum
}
