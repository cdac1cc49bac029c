//go:build go1.25

// Package smallsort sorts some hundred elements at most, in little code.
//
// The sort of package slices is compiled for each type of elements, and takes 20 KB of a program then. That of package
// sort allocates.
//
// Touch it if there is a reason to sort otherwise. Longer lists are sorted by package sort.
package smallsort

// Sort sorts s by insertion. Elements that are equal keep their order.
func Sort[T any](s []T, less func(a, b *T) bool) {
	for i := range s {
		for ; i > 0 && less(&s[i], &s[i-1]); i-- {
			s[i], s[i-1] = s[i-1], s[i]
		}
	}
}
