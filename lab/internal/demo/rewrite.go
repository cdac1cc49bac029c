package demo

import "bytes"

// The gateway puts a banner before each body and sends readers to a mirror.
const (
	banner     = "// Served by the gateway of basin's demo.\n"
	origin     = "golang.org"
	mirrorHost = "mirror.example.org"
)

var originBytes = []byte(origin)

// RewrittenLen returns the number of bytes that AppendRewritten appends for body.
func RewrittenLen(body []byte) int {
	return len(banner) + len(body) + bytes.Count(body, originBytes)*(len(mirrorHost)-len(origin))
}

// AppendRewritten appends the rewritten body to dst. All ways share it: they differ only in the
// memory of dst and body.
func AppendRewritten(dst, body []byte) []byte {
	dst = append(dst, banner...)
	for {
		i := bytes.Index(body, originBytes)
		if i < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		dst = append(dst, mirrorHost...)
		body = body[i+len(origin):]
	}
}
