// Package printable makes of text from elsewhere what is safe to send to a terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how many characters of a text from elsewhere are shown at most.
const maxText = 200

// Text returns s as it may be sent to a terminal: one line, with whatever could move the
// cursor, change colours or the direction of writing as an escape sequence of Go.
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
