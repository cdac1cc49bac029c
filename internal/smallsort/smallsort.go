//go:build go1.25

// Package smallsort sorts few elements.
//
// The sort of package slices is compiled for each type of elements, and takes 20 KB of a program then. That of package
// sort allocates. Touch it if lists are sorted that may have more than some hundred elements: use package sort for them.
package smallsort

// Sort sorts s by insertion. Elements that are equal keep their order.
func Sort[T any](s []T, less func(a, b *T) bool) {
	for i := range s {
		for ; i > 0 && less(&s[i], &s[i-1]); i-- {
			s[i], s[i-1] = s[i-1], s[i]
		}
	}
}
