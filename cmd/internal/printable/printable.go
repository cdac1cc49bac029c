// Package printable makes untrusted text safe to print on a terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is the most characters of an untrusted text that are shown.
const maxText = 200

// Text returns s in a form that is safe on a terminal: one line, with escape sequences of Go
// for all characters that could move the cursor, or change colours or the direction of writing.
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
