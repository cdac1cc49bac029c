package corpus

import (
	"io"
	"testing"
)

var w io.Writer = io.Discard // a variable, so that the memory escapes

func BenchmarkWrite(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Write(w, 64<<10)
	}
}
