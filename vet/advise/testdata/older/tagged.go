//go:build !nothing || linux

package corpus

import (
	"strings"
)

// Upper has a slice of runes.
func Upper(text string) (n int) {
	r := []rune(strings.ToUpper(text)) // want pool it; patch; 4096
	for _, c := range r {
		n += int(c)
	}
	return n
}
