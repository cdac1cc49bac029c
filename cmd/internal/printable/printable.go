// Package printable makes untrusted text safe to print on a terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is the most characters of a text that Text keeps.
const maxText = 200

// Text returns s in a form that is safe on a terminal: one line of at most 200 characters of s, with
// Go's escape sequences for all characters that are not printable.
func Text(s string) string {
	var b strings.Builder
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if n++; n > maxText {
			b.WriteString("…")
			break
		}
		if unicode.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteRune(r)
		} else {
			q := strconv.Quote(s[:size])
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[size:]
	}
	return b.String()
}
