package rewrite

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestHasEffects(t *testing.T) {
	for text, want := range map[string]bool{
		"func f() { println() }":                            false,
		"func (t T) init() {}":                              false,
		"func init() {}":                                    true,
		"var x = 1 + len(y)":                                false,
		"var x = []T{{1, \"a\"}, {2, \"b\"}}":               false,
		"var x = map[string]*other.T{\"a\": {}}":            false,
		"var x = &other.T{Name: \"a\"}":                     false,
		"var x = make(map[string][]byte, 10)":               false,
		"var x = make(T, f())":                              true,
		"var x = errors.New(\"text\")":                      false,
		"var x = errors.New(f())":                           true,
		"var x = strings.Repeat(\"-\", 10)":                 true, // another package of that name
		"var x = func() { f() }":                            false,
		"var x = func() int { return f() }()":               true,
		"var x = other.Counter":                             true,
		"var x = errors.ErrUnsupported":                     false,
		"var x = <-c":                                       true,
		"var x = f()":                                       true,
		"var x = T{f()}":                                    true,
		"var x, y = 1, t.method()":                          true,
		"const x = len(\"abc\")":                            false,
		"var x int":                                         false,
		"var x = sync.Pool{New: func() any { return f() }}": false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n\nimport (\n\t\"errors\"\n\t\"sync\"\n\n\tstrings \"example.org/strings\"\n\t\"example.org/other\"\n)\n\n"+text+"\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := fileHasEffects(f); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestInitOrder(t *testing.T) {
	all := map[string]*listed{}
	add := func(path string, imports ...string) { all[path] = &listed{ImportPath: path, Imports: imports} }
	add("std/late")
	add("z", "std/late")
	add(Library, "std/late", "z")
	add("a", "std/late")
	add("b", "std/late")
	add("c", "a")
	add("main", "a", "b", "c")
	for adds, want := range map[string]string{"": "std/late a b c main ", "a": "std/late b z " + Library + " a c main ", "c": "std/late a b z " + Library + " c main "} {
		got := ""
		for _, p := range initOrder(all, all["main"], func(p *listed) bool { return p.ImportPath == adds }) {
			got += p.ImportPath + " "
		}
		if got != want {
			t.Errorf("with the library in %q %s, want %s", adds, got, want)
		}
	}
}
