package advise

import (
	"strings"
	"testing"
)

// TestFixedSizes has pools of pointers to slices behind functions that put them. Only where a slice is set again, or made with
// different sizes, a limit is missing.
func TestFixedSizes(t *testing.T) {
	needGo(t)
	const pool = `package p

import (
	"fmt"
	"io"
	"sync"
)

var bufs = sync.Pool{New: func() any {
	b := make([]byte, SIZE)
	return &b
}}

var size = 4096

var global []byte

func get() *[]byte  { return bufs.Get().(*[]byte) }
func put(b *[]byte) { bufs.Put(b) }

func read(r io.Reader) (int, error) {
	b := get()
	defer put(b)
	USE
	return r.Read(*b)
}

func print(v ...any) { fmt.Print(len(v)) }
`
	for _, tt := range []struct {
		name, size, use string
		limited         bool
	}{
		{"read only", "4096", "(*b)[0] = 1", true},
		{"append to another", "4096", "print(len(append(*b, 1)))", true},
		{"any size", "size", "", false},
		{"set", "4096", "*b = append(*b, 1)", false},
		{"given away", "4096", "print(b)", false},
		{"a variable of the package", "4096", "put(&global)", false},
		{"in a literal", "4096", "c := make([]byte, 10); func() { c = append(c, *b...) }(); put(&c)", false},
		{"another one", "4096", "c := append(*b, 1); put(&c)", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code := strings.NewReplacer("SIZE", tt.size, "USE", tt.use).Replace(pool)
			dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
			site := synthetic{"", "a.example/p.read", "/src/a.example/p/p.go", 22, 24, 100, 100 << 12, 0, 0}
			limited := true
			for _, p := range pools(t, "-source", dir, heapProfile(t, 100, "a", site)) {
				limited = limited && p.Verdict != PoolUnlimited
			}
			if limited != tt.limited {
				t.Errorf("limited is %v", limited)
			}
		})
	}
}
