package corpus

func RunesWithoutImports(s string) int {
	a := []rune(s) // want pool it; patch; 4096
	return len(a)
}
