// Package corpus has functions that return memory, which some callers keep.
package corpus

import "sort"

// Copied is the memory of most callers.
func copied(list []float64) []float64 {
	c := make([]float64, len(list)) // want pool it; patch; 4096
	copy(c, list)
	return c
}

func sorted(list []float64) []float64 {
	c := copied(list)
	sort.Float64s(c)
	return c
}

// Median is done with its copy.
func Median(list []float64) float64 {
	c := sorted(list)
	return c[len(c)/2]
}

// Least is done with its copy, too.
func Least(list []float64) float64 {
	c := sorted(list)
	return c[0]
}

// Limited keeps the memory, and changes it.
func Limited(list []float64, most float64) []float64 {
	out := copied(list)
	for i, v := range out {
		out[i] = min(v, most)
	}
	return out
}

// Kept keeps it without a variable.
func Kept(list []float64) [][]float64 {
	return pair(copied(list), list)
}

func pair(a, b []float64) [][]float64 { return [][]float64{b, a} }

// Extended appends to it.
func Extended(list []float64) []float64 {
	out := copied(list)
	out = append(out, 1)
	return out
}

func encoded(text string, fail bool) ([]byte, error) {
	b := make([]byte, len(text)) // want pool it; patch; 4096
	if fail {
		return nil, errFail
	}
	copy(b, text)
	return b, nil
}

// Sum is done with the bytes.
func Sum(text string, fail bool) (n int, err error) {
	b, err := encoded(text, fail)
	if err != nil {
		return 0, err
	}
	for _, x := range b {
		n += int(x)
	}
	return n, nil
}

// Bytes keeps them.
func Bytes(text string, fail bool) ([]byte, error) {
	b, err := encoded(text, fail)
	if err != nil {
		return nil, err
	}
	return b, nil
}

type errorText string

func (e errorText) Error() string { return string(e) }

const errFail = errorText("failed")

func made(n int) []int {
	list := make([]int, n) // want pool it; patch; 4096+1024
	list[0] = n
	return list
}

// passed passes it on by two calls, so that its callers are met twice.
func passed(n int, more bool) []int {
	if more {
		return made(n + 1)
	}
	return made(n)
}

// First is done with it.
func First(n int) int {
	list := passed(n, true)
	return list[0]
}

// All keeps it.
func All(n int) []int {
	list := passed(n, false)
	return list
}
