package advise

import "testing"

// TestReasonsOfFilledMaps has maps that leave their functions, or that are only encoded.
func TestReasonsOfFilledMaps(t *testing.T) {
	const (
		maps   = "not judged; This is a map, and maps are judged only if they surely stay in the function that makes them."
		filled = "preallocate; It is made without a size, and each round of a loop over another map sets an element: make it with the length of that, so that it need not grow.$"
		stays  = ". There is no patch: it is a literal with elements, or without a type: make it empty first."
		fields = " keys, and it is only encoded: a struct with tags of these names needs no map"
	)
	judged(t, `package p

import (
	"encoding/json"
	"io"
)

func copied(from map[string]int) map[string]int {
	to := map[string]int{}
	for k, v := range from {
		to[k] = v // : `+filled+`
	}
	return to
}

func generic[M ~map[int]int](from M) M {
	to := M{}
	for k, v := range from {
		to[k] = v // : preallocate
	}
	return to
}

func staying[M ~map[int]int](from M) int {
	to := M{}
	for k := range from {
		to[k%7] = k // : preallocate
	}
	return len(to)
}

func indexed(all []string) map[string]int {
	to := make(map[string]int) // : `+maps+`$
	for i, s := range all {
		to[s] = i
	}
	return to
}

func sized(all []string) map[string]int {
	to := make(map[string]int, len(all))
	for i, s := range all {
		to[s] = i // : `+maps+`$
	}
	return to
}

func some(all []string) map[string]int {
	to := map[string]int{}
	for i, s := range all {
		if s != "" {
			to[s] = i // : `+maps+`$
		}
	}
	return to
}

func nested(lists [][]string) map[string]int {
	to := map[string]int{}
	for _, all := range lists {
		for i, s := range all {
			to[s] = i // : `+maps+`$
		}
	}
	return to
}

func waits(c chan string) map[string]int {
	to := map[string]int{}
	for s := range c {
		to[s] = 1 // : `+maps+`$
	}
	return to
}

func letters(text string) map[rune]int {
	to := map[rune]int{}
	for i, r := range text {
		to[r] = i // : `+maps+`$
	}
	return to
}

func encoded(name string, n int) ([]byte, error) {
	m := map[string]any{"name": name, "n": n, "kind": "x"} // : pool it; The memory does not leave encoded. The source names its 3`+fields+`
	return json.Marshal(m)
}

func given(name string, n int) map[string]any {
	m := map[string]any{"name": name, "n": n} // : `+maps+` The source names its 3`+fields+`
	return m
}

func encodes(w io.Writer, name string) error {
	m := given(name, 1)
	m["more"] = true
	return json.NewEncoder(w).Encode(m)
}

func two(name string, n int) ([]byte, error) {
	m := map[string]any{"name": name, "n": n} // : pool it; The memory does not leave two`+stays+`$
	return json.Marshal(m)
}

func variable(name string, n int) ([]byte, error) {
	m := map[string]any{"name": name, "n": n, "kind": "x"} // : pool it; The memory does not leave variable`+stays+`$
	m[name] = n
	return json.Marshal(m)
}

func kept(name string, n int) ([]byte, error) {
	m := map[string]any{"name": name, "n": n, "kind": "x"} // : `+maps+`$
	last = m
	return json.Marshal(m)
}

var last map[string]any

func Exported(name string, n int) map[string]any {
	m := map[string]any{"name": name, "n": n, "kind": "x"} // : `+maps+`$
	return m
}

func uses(name string) ([]byte, error) { return json.Marshal(Exported(name, 1)) }

func asked(name string, n int) int {
	m := other(name)
	return len(m)
}

func other(name string) map[string]any {
	return map[string]any{"name": name, "n": 1, "kind": "x"} // : `+maps+`$
}
`, func(i int, s *synthetic) { s.objects = s.bytes / 1152 })
}
