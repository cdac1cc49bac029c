package differs

import (
	"runtime"
	"testing"
)

func TestEmptied(t *testing.T) {
	b := get()
	b.WriteString("text")
	put(b)
	runtime.GC()
	runtime.GC()
	if got := get().String(); got != "" {
		t.Errorf("the buffer has %q", got)
	}
}
