package corpus

const pairs = 2 + 1

// Pairs has rounds that append two elements each.
func Pairs(m map[string]int) []any {
	var out []any
	for k, v := range m {
		out = append(out, k, v) // want preallocate; patch; 4096
	}
	return out
}

func Triples(in []string) []string {
	var out []string
	for i := 0; i < len(in); i++ {
		out = append(out, in[i], "=", in[i]) // want preallocate; patch; 4096
	}
	return out
}

func CountedPairs(n int) []int {
	var out []int
	for i := range n {
		out = append(out, i, -i) // want preallocate; patch; 4096
	}
	return out
}

func ConstantPairs() []int {
	var out []int
	for i := 0; i < 2+pairs; i++ {
		out = append(out, i, -i) // want preallocate; patch; 4096
	}
	return out
}

// EmptyPairs has elements without memory, of which there may be more than an int can double.
func EmptyPairs(in []struct{}) []int {
	var out []int
	for i := range in {
		out = append(out, i, -i) // want preallocate; no patch; 4096
	}
	return out
}

// SomePairs has rounds without any.
func SomePairs(in []string) []string {
	var out []string
	for _, s := range in {
		if s == "" {
			continue
		}
		out = append(out, s, s) // want preallocate; no patch; 4096
	}
	return out
}

// AllOf has rounds that append as many as there are.
func AllOf(in [][]string) []string {
	var out []string
	for _, s := range in {
		out = append(out, s...) // want needs an owner; no patch; 4096
	}
	return out
}
