package corpus

import "strings"

// CopiedMap makes its map right before the loop.
func CopiedMap(from map[string]int) map[string]int {
	to := map[string]int{} // want preallocate; patch; 4096
	for k, v := range from {
		to[k] = v
	}
	return to
}

type labels struct{ all map[string]string }

// Upper sets a field's elements, and the variable before.
func (l *labels) upper(prefix map[string]string) map[string]string {
	var out = make(map[string]string)
	for k, v := range l.all {
		out[strings.ToUpper(k)] = v // want preallocate; patch; 4096
	}
	for k, v := range prefix {
		out[k] = v
	}
	return out
}

// Inverted makes it elsewhere.
func Inverted(from map[string]int) map[int]string {
	to := make(map[int]string) // want preallocate; no patch; 4096
	if len(from) == 1 {
		from = nil
	}
	for k, v := range from {
		to[v] = k
	}
	return to
}

// Second is filled by another loop than the next one.
func Second(a, b map[string]int) (map[string]int, int) {
	n := 0
	to := make(map[string]int) // want preallocate; no patch; 4096
	for _, v := range a {
		n += v
	}
	for k, v := range b {
		to[k] = v
	}
	return to, n
}

// FilteredMap sets some elements only.
func FilteredMap(from map[string]int) map[string]int {
	to := make(map[string]int) // want not judged; no patch; 4096
	for k, v := range from {
		if v > 0 {
			to[k] = v
		}
	}
	return to
}

// GivenMap ranges over the result of a call.
func GivenMap(from func() map[string]int) map[string]int {
	to := make(map[string]int) // want preallocate; no patch; 4096
	for k, v := range from() {
		to[k] = v
	}
	return to
}
