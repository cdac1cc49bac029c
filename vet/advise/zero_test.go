package advise

import "testing"

// TestReasonsOfComparisons makes memory where something equals a constant, which may be a string.
func TestReasonsOfComparisons(t *testing.T) {
	judged(t, `package p

type named struct {
	name string
	half float64
	buf  []byte
}

func (n *named) text(k int) {
	if n.name == "" {
		n.buf = make([]byte, k) // : needs an owner
	}
}

func (n *named) number(k int) {
	if n.half == 0.5 {
		n.buf = make([]byte, k) // : needs an owner
	}
}
`, nil)
}

// TestReasonsOfPieces has a Builder of which Grow makes most, and an image whose reader may be a bufio.Reader.
func TestReasonsOfPieces(t *testing.T) {
	judged(t, `package p

import (
	"image"
	"io"
	"strings"
)

func joined(parts []string) string {
	var b strings.Builder
	b.Grow(len(parts)) // strings.(*Builder).Grow, strings.(*Builder).grow: not judged; Its memory becomes the string, in one piece already, so nothing can reuse it.
	for _, p := range parts {
		b.WriteString(p) // strings.(*Builder).WriteString: not judged; Its memory becomes the string, in one piece already, so nothing can reuse it.
	}
	return b.String()
}

func config(r io.Reader) (image.Config, error) {
	c, _, err := image.DecodeConfig(r) // image.DecodeConfig, bufio.NewReaderSize: do not pool; image.DecodeConfig, or a function that it calls, makes this memory, unless its reader has a method Peek, as a bufio.Reader has.
	return c, err
}
`, func(i int, s *synthetic) {
		if i == 1 {
			s.objects, s.bytes = s.objects/10, s.bytes/10
		}
	})
}
