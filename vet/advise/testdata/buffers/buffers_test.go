package corpus

import (
	"io"
	"testing"
)

func TestBuffers(t *testing.T) {
	for range 20 {
		if got := Spread(1, 2) + Several(3) + Listed(io.Discard, 4); got != "1\n2\n3\n3\n4\n4\n" {
			t.Errorf("%q", got)
		}
	}
}
