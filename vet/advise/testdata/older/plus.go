//go:build !nothing
// +build !nothing

package corpus

// Plus has a build constraint of the old form, too.
func Plus(values []int) (sum int) {
	s := make([]int, len(values)) // want pool it; no patch; 4096
	copy(s, values)
	for _, v := range s {
		sum += v
	}
	return sum
}
