package corpus

// Bare is in a file without imports.
func Bare(in []string) []int {
	var out []int
	for _, s := range in {
		out = append(out, len(s)) // want preallocate; patch; 4096
	}
	return out
}
