package advise

import "testing"

// TestReasonsOfSizeHints has maps that are made with a size: a constant, a number of elements, or those of a literal.
func TestReasonsOfSizeHints(t *testing.T) {
	const (
		isMap = "not judged; This is a map, and maps are judged only if they surely stay in the function that makes them."
		hint  = " Its size hint of 1000 makes all of this, however many elements come: without the hint, it grows as they do.$"
	)
	judged(t, `package p

func unique(next func() string) map[string]bool {
	seen := make(map[string]bool, 1000) // : `+isMap+hint+`
	for s := next(); s != ""; s = next() {
		seen[s] = true
	}
	return seen
}

func shared(next func() string, f func(func())) map[string]bool {
	seen := make(map[string]bool, 1000) // : `+isMap+hint+`
	f(func() { seen[next()] = true })
	return seen
}

func counted() map[int]bool {
	seen := make(map[int]bool, 1000) // : `+isMap+`$
	for i := 0; i < 1000; i++ {
		seen[i] = true
	}
	return seen
}

func ranged() map[int]bool {
	seen := make(map[int]bool, 1000) // : `+isMap+`$
	for i := range 1000 {
		seen[i*i] = true
	}
	return seen
}

func known(all []string) map[string]bool {
	seen := make(map[string]bool, len(all)) // : `+isMap+`$
	for _, s := range all {
		seen[s] = true
	}
	return seen
}

func small(next func() string) map[string]bool {
	seen := make(map[string]bool, 10) // : `+isMap+`$
	seen[next()] = true
	return seen
}

func literal(s string) map[string][512]int {
	return map[string][512]int{s: {1}} // : `+isMap+`$
}
`, func(i int, s *synthetic) {
		size := uint64(32 << 10)
		if i == 5 {
			size = 256
		}
		s.objects = s.bytes / size
	})
}
