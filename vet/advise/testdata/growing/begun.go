package corpus

import "bytes"

// The slices here begin with one of several results, which is memory of others.

// CutHead extends a part of its argument.
func CutHead(p []byte) int {
	head, _, _ := bytes.Cut(p, []byte{7})
	head = append(head, 2) // want pool it; no patch; 4096
	return len(head)
}

// OfMap extends an element.
func OfMap(m map[int][]byte, k int) int {
	v, ok := m[k]
	if !ok {
		return 0
	}
	v = append(v, 2) // want pool it; no patch; 4096
	return len(v)
}

// OfChannel extends one from a channel.
func OfChannel(c chan []byte) int {
	v, ok := <-c
	if !ok {
		return 0
	}
	v = append(v, 2) // want pool it; no patch; 4096
	return len(v)
}

// OfAny extends the value of an interface.
func OfAny(x any) int {
	v, ok := x.([]byte)
	if !ok {
		return 0
	}
	v = append(v, 2) // want pool it; no patch; 4096
	return len(v)
}

// InInit declares it in an init statement, and has another of the name.
func InInit(m map[int][]byte, k int, v []byte) int {
	if v, ok := m[k]; ok {
		v = append(v, 2) // want pool it; no patch; 4096
		return len(v)
	}
	return len(v)
}

// InInitMade does so with a slice of its own.
func InInitMade(n int, v []byte) int {
	if v := make([]byte, 0, n); n > 2 {
		v = append(v, 2) // want pool it; no patch; 4096
		return len(v)
	}
	return len(v)
}
