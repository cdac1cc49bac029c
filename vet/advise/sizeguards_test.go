package advise

import (
	"strings"
	"testing"
)

// TestSizeGuards has deferred functions that put memory, but some only of a size, and others for other reasons.
func TestSizeGuards(t *testing.T) {
	needGo(t)
	const code = `package p

import "sync"

type pair struct{ a, b any }

var bufs = sync.Pool{New: func() any { return new([]pair) }}

func read(r interface{ Range(func(a, b any) bool) }, use func(a, b any) bool, fail bool) {
	p := bufs.Get().(*[]pair)
	b := (*p)[:0]
	BEFORE
	defer func() { PUT }()
	r.Range(func(x, y any) bool {
		b = append(b, pair{x, y})
		return true
	})
	for _, e := range b {
		if !use(e.a, e.b) {
			return
		}
	}
}
`
	for _, tt := range []struct {
		name, before, put string
		uneven            bool
	}{
		{"small only", "", "if cap(b) < 1024 { *p = b; bufs.Put(p) }", false},
		{"large dropped", "", "if cap(b) > 1024 { return }; *p = b; bufs.Put(p)", false},
		{"between", "", "if cap(b) > 64 && cap(b) < 1024 { bufs.Put(p) }", false},
		{"failure", "", "if !fail { bufs.Put(p) }", true},
		{"size and failure", "", "if cap(b) < 1024 && !fail { bufs.Put(p) }", true},
		{"failure first", "", "if fail { return }; if cap(b) < 1024 { bufs.Put(p) }", true},
		{"return before", "if fail { return }", "if cap(b) < 1024 { bufs.Put(p) }", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": strings.NewReplacer("BEFORE", tt.before, "PUT", tt.put).Replace(code)})
			site := synthetic{"", "a.example/p.read", "/src/a.example/p/p.go", 15, 15, 100, 100 << 12, 0, 0}
			uneven := false
			for _, p := range pools(t, "-source", dir, heapProfile(t, 100, "a", site)) {
				uneven = uneven || p.Verdict == PoolUneven
			}
			if uneven != tt.uneven {
				t.Errorf("uneven is %v", uneven)
			}
		})
	}
}
