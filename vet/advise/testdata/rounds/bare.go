package corpus

// Bare is in a file without imports.
func Bare(in []string) []int {
	var out []int
	for _, s := range in {
		out = append(out, len(s)) // want preallocate; patch; 4096
	}
	return out
}

// Made begins with a literal, and Remade with make.
func Made(in []string) []int {
	out := []int{}
	for _, s := range in {
		out = append(out, len(s)) // want preallocate; patch; 4096
	}
	return out
}

func Remade(in map[string]int) []int {
	out := make([]int, 0)
	for _, n := range in {
		out = append(out, n) // want preallocate; patch; 4096
	}
	return out
}
