package corpus

import "encoding/json"

// The slices here begin as nil, and are used before anything is appended to them.

// OrNothing returns it early, and a copy of it late.
func OrNothing(xs []int, k int) ([]int, error) {
	var v []int
	if k == 1 {
		return v, nil
	}
	for range 2 {
		for _, x := range xs {
			if x >= 0 {
				v = append(v, x) // want pool it; patch; 1024+4096+16384
			}
		}
	}
	return v, nil
}

// Owned does so for a caller that puts it.
func Owned(xs []int, k int) []int {
	var v []int
	if k == 1 || len(v) > k {
		return (v)
	}
	for range 2 {
		for _, x := range xs {
			if x >= 0 {
				v = append(v, x) // want pool it; patch; 1024+4096+16384
			}
		}
	}
	return v
}

func OwnedBy(xs []int) (n int, none bool) {
	a := Owned(xs, 0)
	b := Owned(xs, 1)
	for _, x := range a {
		n += x
	}
	return n, b == nil
}

// OrAny returns it as an interface, where nil is another.
func OrAny(xs []int, k int) (any, int) {
	var v []int
	if k == 1 {
		return v, 0
	}
	for _, x := range xs {
		if x >= 0 {
			v = append(v, x) // want pool it; no patch; 4096
		}
	}
	return nil, len(v)
}

type page struct {
	Items []int
	Total int
}

// OfPage has it in a struct.
func OfPage(xs []int, k int) page {
	var v []int
	if k == 1 {
		return page{Items: v}
	}
	for _, x := range xs {
		if x >= 0 {
			v = append(v, x) // want pool it; no patch; 4096
		}
	}
	return page{Total: len(v)}
}

// Twin has another variable for the nil.
func Twin(xs []int) (int, int) {
	var v []int
	w := v
	for _, x := range xs {
		if x >= 0 {
			v = append(v, x) // want pool it; no patch; 4096
		}
	}
	w = append(w, 7)
	return w[0], len(v)
}

// TwinRead has a literal that reads it, too.
func TwinRead(xs []int) (int, int) {
	var v []int
	w := v
	grown := func() int { return len(v) }
	for range 2 {
		for _, x := range xs {
			if x >= 0 {
				v = append(v, x) // want pool it; no patch; 4096
			}
		}
	}
	w = append(w, 7)
	return w[0], grown()
}

// Entries has a map whose entries would share the array.
func Entries(xs []int) (int, map[int][]int) {
	var v []int
	m := map[int][]int{}
	for i := range 3 {
		m[i] = v
	}
	for _, x := range xs {
		if x >= 0 {
			v = append(v, x) // want pool it; no patch; 4096
		}
	}
	for i := range 3 {
		m[i] = append(m[i], i)
	}
	return len(v), m
}

// SetAgain has it nil on both ways.
func SetAgain(xs []int, k int) (int, []int) {
	var v []int
	if k > 0 {
		for _, x := range xs {
			if x >= 0 {
				v = append(v, x) // want pool it; patch; 4096
			}
		}
		k = len(v)
		v = nil
	}
	return k, v
}

// Marshaled tells nil from an empty slice.
func Marshaled(xs []int) (string, int) {
	var v []int
	b, _ := json.Marshal(v)
	for _, x := range xs {
		if x >= 0 {
			v = append(v, x) // want pool it; no patch; 4096
		}
	}
	return string(b), len(v)
}

// Deferred has a deferred call get it.
func Deferred(xs []int, tell func([]int)) int {
	var v []int
	defer tell(v)
	for _, x := range xs {
		if x >= 0 {
			v = append(v, x) // want pool it; no patch; 4096
		}
	}
	return len(v)
}

// Harmless does what is the same for all slices without elements.
func Harmless(xs []int) (n int) {
	var v []int
	n = len(v) + copy(v, xs) + len(append([]int{1}, v...))
	for range v {
		n++
	}
	v = v[:0]
	for _, x := range xs {
		v = append(v[:0], v...)
		v = append(v, x) // want pool it; patch; 4096
	}
	return n + len(v)
}

// Nested has the nil slice as its first element.
func Nested(in []int) bool {
	var v []any
	v = append(v, v)
	for _, x := range in {
		v = append(v, x) // want pool it; no patch; 4096+8192
	}
	return v[0].([]any) == nil
}
