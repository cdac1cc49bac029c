package migrate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// TestWork counts the nodes that are looked at. Their number must be linear in the package, whichever construct repeats.
func TestWork(t *testing.T) {
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("type-checks thousands of functions")
	}
	pool := func(i int) string {
		return fmt.Sprintf("var p%d = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 64)) }} // %d\n", i, i)
	}
	function := func(i, p int) string {
		return fmt.Sprintf("func f%d() string {\n\tb := p%d.Get().(*bytes.Buffer)\n\tb.Reset()\n\tdefer p%d.Put(b)\n\tb.WriteByte('x')\n\treturn b.String()\n}\n", i, p, p)
	}
	for name, write := range map[string]func(n int) string{
		"pools": func(n int) (s string) {
			for i := range n {
				s += pool(i) + function(i, i)
			}
			return s
		},
		"functions": func(n int) string {
			s := pool(0)
			for i := range n {
				s += function(i, 0)
			}
			return s
		},
		"values": func(n int) string {
			s := "var p0 = sync.Pool{New: func() any { return new([]byte) }}\n"
			for i := range n {
				s += fmt.Sprintf("func f%d() {\n\tb := p0.Get().(*[]byte)\n\t*b = append((*b)[:0], 'x')\n\tp0.Put(b)\n}\n", i)
			}
			return s
		},
		"statements": func(n int) string {
			s := pool(0) + "func f() {\n"
			for i := range n {
				s += fmt.Sprintf("\tb%d := p0.Get().(*bytes.Buffer)\n\tb%d.Reset()\n\tp0.Put(b%d)\n", i, i, i)
			}
			return s + "}\n"
		},
		"wrappers": func(n int) string {
			s := pool(0) + "func get() *bytes.Buffer { return p0.Get().(*bytes.Buffer) }\nfunc put(b *bytes.Buffer) { b.Reset(); p0.Put(b) }\n"
			for i := range n {
				s += fmt.Sprintf("func f%d() int {\n\tb := get()\n\tdefer put(b)\n\tfor i := range 3 {\n\t\tb.WriteByte(byte(i))\n\t}\n\treturn b.Len()\n}\n", i)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			few, many := workOf(t, write(50)), workOf(t, write(400))
			if many > 10*few {
				t.Errorf("%d nodes for 50, %d for 400", few, many)
			}
			t.Logf("%d nodes for 50, %d for 400", few, many)
		})
	}
}

// workOf returns how many nodes are looked at in a package, whose pools must all be replaced.
func workOf(t *testing.T, source string) (nodes int) {
	t.Helper()
	dir := t.TempDir()
	if !strings.Contains(source, "bytes.") {
		source = "var _ bytes.Buffer\n" + source
	}
	for name, text := range map[string]string{"go.mod": "module cli\n\ngo 1.25.0\n", "p.go": "package p\n\nimport (\n\t\"bytes\"\n\t\"sync\"\n)\n\n" + source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir, Env: append(os.Environ(), "GOWORK=off")}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatalf("%v, %v", pkgs[0].Errors, err)
	}
	counted = func(work int) { nodes += work }
	defer func() { counted = nil }()
	graph, err := checker.Analyze([]*analysis.Analyzer{Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range graph.Roots {
		for _, d := range a.Diagnostics {
			if d.Category != Moved {
				t.Errorf("%s: %s", a.Package.Fset.Position(d.Pos), d.Message)
			}
		}
	}
	return nodes
}
