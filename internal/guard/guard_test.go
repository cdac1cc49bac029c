//go:build go1.25

package guard

import (
	"testing"
)

func BenchmarkAllocFree(b *testing.B) {
	SetLimit(1 << 30)
	for _, size := range []int{528, 4112, 65552} {
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				x, _ := Alloc(size, nil)
				x[0] = 1
				Free(&x[0], nil)
			}
		})
	}
}
