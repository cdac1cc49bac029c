//go:build go1.25

package check

import (
	"bytes"
	"fmt"
	"testing"
	"unicode/utf8"
)

// TestPoison: the bytes of a slice are filled and no others, and the first byte that was written since is found.
func TestPoison(t *testing.T) {
	const margin = 3
	for _, c := range []byte{Poison, 0} {
		for _, size := range []int{0, 1, 2, 63, 4095, 4096, 4097, 8192, 3*4096 + 5, 1<<20 + 1} {
			t.Run(fmt.Sprintf("%d bytes of %#x", size, c), func(t *testing.T) {
				whole := bytes.Repeat([]byte{0x5A}, margin+size+margin)
				b := whole[margin : margin+size]
				if at := differs(b, c); at != min(size, 1)-1 {
					t.Errorf("before fill byte %d differs", at)
				}
				fill(b, c)
				if n := bytes.Count(whole, []byte{c}); n != size {
					t.Errorf("%d bytes are filled", n)
				}
				last := size
				for _, i := range []int{size - 1, size - 2, 12288, 8192, 8191, 4097, 4096, 4095, 1, 0} { // from the end
					if at := differs(b, c); last == size && at != -1 || last < size && at != last {
						t.Fatalf("byte %d differs, the first that was written is %d", at, last)
					}
					if 0 <= i && i < last {
						b[i], last = c^1, i
					}
				}
				if at := differs(b, c); at != min(size, 1)-1 {
					t.Errorf("byte %d differs, the first was written", at)
				}
			})
		}
	}
	b := make([]byte, 100)
	if at := Damage(b); at != 0 {
		t.Errorf("zeros are damaged at byte %d", at)
	}
	Fill(b)
	if at := Damage(b); at != -1 || b[99] != Poison || utf8.Valid(b) || Damage(nil) != -1 {
		t.Errorf("after Fill, byte %d is damaged: %x", at, b)
	}
}
