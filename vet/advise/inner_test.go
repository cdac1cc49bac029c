package advise

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// calledOnly returns the functions of a package all of whose calls are known, and those of which no test has the name, either. The
// module has these files, and some for links.
func calledOnly(t *testing.T, pkg string, files map[string]string, links ...string) (known, closed []string) {
	t.Helper()
	needGo(t)
	dir := writeFiles(t, files)
	for _, link := range links {
		if err := os.Symlink(t.TempDir(), filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	at := "main.go"
	if strings.Contains(pkg, "/") {
		_, path, _ := strings.Cut(pkg, "/")
		at = path + "/p.go"
	}
	site := &Site{Function: pkg + ".Plain", File: "/src/a.example/" + at, Line: 3}
	s, err := loadSource(t.Context(), dir, "", []*Site{site})
	if err != nil {
		t.Fatal(err)
	}
	for fn := range s.callers {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Origin() != nil || obj.Pkg() == nil || s.own[obj.Pkg().Path()] == nil {
			continue
		}
		if s.isCalledOnly(fn) {
			known = append(known, obj.Name())
		}
		if s.isClosed(fn) {
			closed = append(closed, obj.Name())
		}
	}
	slices.Sort(known)
	slices.Sort(closed)
	return slices.Compact(known), slices.Compact(closed)
}

const innerCode = "package p\n\nfunc Plain(n int) []byte { return make([]byte, n) }\n"

// innerModule has a module with an internal package, and one that calls its function Plain.
func innerModule(more map[string]string) map[string]string {
	files := map[string]string{
		"go.mod":          "module a.example\n\ngo 1.25\n",
		"internal/p/p.go": innerCode,
		"q/q.go":          "package q\n\nimport \"a.example/internal/p\"\n\nfunc Use() int { return len(p.Plain(1)) }\n",
	}
	maps.Copy(files, more)
	return files
}

// TestInnerFiles has functions that a file which is not loaded may call, each in a way of its own, and some that tests or none does.
func TestInnerFiles(t *testing.T) {
	var code, uses strings.Builder
	code.WriteString(innerCode)
	for _, name := range []string{"Test", "External", "Elsewhere", "Hidden", "Dotted", "Data", "Vendored", "Escaped", "Linked", "Pushed", "C", "Assembly", "Nested", "Broken", "Pulled",
		"BrokenImport", "Value", "Other", "Near"} {
		code.WriteString("\nfunc " + name + "() {}\n")
		uses.WriteString("\tp." + name + "()\n")
	}
	code.WriteString("\nfunc Generic[T any]() {}\n\nfunc Idle() {}\n")
	caller := func(pkg, imported, body string) string {
		return "package " + pkg + "\n\nimport \"" + imported + "\"\n\nfunc use() { " + body + " }\n"
	}
	const path = "a.example/internal/p"
	known, closed := calledOnly(t, path, innerModule(map[string]string{
		"internal/p/p.go":       code.String(),
		"internal/p/in_test.go": "package p\n\nfunc use() { Test() }\n",
		"internal/p/ex_test.go": strings.Replace(caller("p_test", path, "p.External()"), "Plain", "", 1),
		"q/q.go":                "package q\n\nimport \"" + path + "\"\n\nvar Kept = p.Value\n\nfunc Use() {\n\tp.Plain(1)\n\tp.Value()\n\tp.Generic[int]()\n" + uses.String() + "}\n",
		"q/none_test.go":        "package q\n\nfunc Other() {} // of this package; it imports nothing\n",
		"q/near_test.go":        caller("q", path, "p.NearNot()"),
		"q/q_plan9.go":          caller("q", path, "p.Elsewhere()"),
		"_x/x.go":               caller("x", path, "p.Hidden()"),
		".x/x.go":               caller("x", path, "p.Dotted()"),
		"testdata/x/x.go":       caller("x", path, "p.Data()"),
		"vendor/v.example/x.go": caller("x", path, "p.Vendored()"),
		"_y/y.go":               caller("y", `a.example\x2finternal\x2fp`, "p.Escaped()"),
		"r/r.go":                "package r\n\nimport _ \"unsafe\"\n\n//go:linkname linked a.example/internal/p.Linked\nfunc linked()\n",
		"r/r_test.go":           "package r\n\nimport _ \"unsafe\"\n\n//go:linkname pulled a.example/internal/p.Pulled\nfunc pulled()\n",
		"r/r.s":                 "TEXT ·other(SB), 4, $0\n\tCALL a·example∕internal∕p·Assembly(SB)\n",
		"internal/p/push.go":    "package p\n\nimport _ \"unsafe\"\n\n//go:linkname Pushed\n",
		"internal/p/c.go":       "package p\n\n//export C\n",
		"nested/go.mod":         "module b.example\n",
		"nested/x.go":           caller("x", "other.example/internal/p", "p.Nested()"),
		"broken/x.go":           caller("x", path, "p.Broken(1)"),
		"syntax/_x/x.go":        "package x\n\nimport (\n\tp.BrokenImport()",
		"go.sum":                "",
	}))
	if want := []string{"External", "Near", "Other", "Plain", "Pulled", "Test"}; !slices.Equal(known, want) {
		t.Errorf("%q, want %q", known, want)
	}
	if want := []string{"Near", "Other", "Plain"}; !slices.Equal(closed, want) {
		t.Errorf("%q with tests, want %q", closed, want)
	}
}

// TestInnerMethods has methods of types that only their package has, and of some that others may have, or interfaces.
func TestInnerMethods(t *testing.T) {
	var code, uses strings.Builder
	code.WriteString("package p\n\nimport (\n\t\"fmt\"\n\t\"slices\"\n)\n\nfunc Plain(n int) []byte {\n\treturn make([]byte, n)\n}\n")
	for i, name := range []string{"alone", "field", "sorted", "shown", "deep", "embedded", "public", "result", "variable", "constant", "passed", "generic", "other", "alias",
		"expression", "bound", "tested", "given"} {
		fmt.Fprintf(&code, "\ntype %s int\n\nfunc (x *%[1]s) M%[1]s() {}\n", name)
		fmt.Fprintf(&uses, "\tvar x%d %s\n\tx%[1]d.M%s()\n", i, name, name)
	}
	code.WriteString(`
type Holder struct {
	in   *field
	list []sorted
}

func (h *Holder) sort() { slices.SortFunc(h.list, func(a, b sorted) int { return int(a - b) }) }

func show() { fmt.Println(new(shown), inner{list: map[int]*deep{}}) }

type inner struct{ list map[int]*deep }

type outer struct{ embedded }

type open struct{ X *public }

func New() (int, []*result) { return 0, nil }

var V variable

const C constant = 1

func Each(f func(passed)) {}

func print[T any](x T) { fmt.Println(x) }

type list[T any] []T

func more() {
	print(new(generic))
	var l list[other]
	_ = l
	var e expression
	(*expression).Mexpression(&e)
	(*expression).hidden(&e)
	e.hidden()
	var b bound
	f := b.Mbound
	f()
}

func (e *expression) hidden() {}

type Alias = alias

func use() {
` + uses.String() + "}\n")
	known, closed := calledOnly(t, "a.example/p", innerModule(map[string]string{
		"p/p.go":      code.String(),
		"p/p_test.go": "package p\n\nfunc f(x *tested) { x.Mtested() }\n\nvar x given\n",
	}))
	if want := []string{"Malone", "Mfield", "Mgiven", "Msorted", "Mtested"}; !slices.Equal(known, want) {
		t.Errorf("%q, want %q", known, want)
	}
	if want := []string{"Malone", "Mfield", "Msorted"}; !slices.Equal(closed, want) {
		t.Errorf("%q with tests, want %q", closed, want)
	}
	known, _ = calledOnly(t, "a.example/p", innerModule(map[string]string{
		"p/p.go":       code.String(),
		"p/p_plan9.go": "package p\n\nfunc init() { show() }\n",
	}))
	if len(known) > 0 {
		t.Errorf("%q for files that are for other systems", known)
	}
}

// TestInnerModules has other modules that may import an internal package, and some that may not.
func TestInnerModules(t *testing.T) {
	const path = "a.example/internal/p"
	work := "go 1.25\n\nuse (\n\t.\n\t./b\n)\n"
	for _, tt := range []struct {
		name, pkg string
		files     map[string]string
		link      bool
		known     bool
	}{
		{name: "alone", pkg: path, known: true},
		{name: "below", pkg: path, files: map[string]string{"b/go.mod": "module a.example/b\n"}},
		{name: "beside", pkg: path, files: map[string]string{"b/go.mod": "module a.examples/b\n"}, known: true},
		{name: "unreadable", pkg: path, files: map[string]string{"b/go.mod": "modul a.example/b\n"}},
		{name: "broken caller", pkg: path, files: map[string]string{"r/r.go": "package r\n\nimport \"a.example/internal/p\"\n\nvar n = p.Plain(1, 2)\n"}},
		{name: "link", pkg: path, link: true},
		{name: "deeper", pkg: "a.example/q/internal/p", files: map[string]string{"q/internal/p/p.go": innerCode, "q/r/r.go": "package r\n\nimport \"a.example/q/internal/p\"\n\nvar n = len(p.Plain(1))\n",
			"b/go.mod": "module a.example/b\n", "q/q.go": "package q\n"}, known: true},
		{name: "workspace", pkg: path, files: map[string]string{"go.work": strings.Replace(work, "./b", "./_b", 1), "_b/go.mod": "module a.example/b\n"}},
		{name: "workspace beside", pkg: path, files: map[string]string{"go.work": work, "b/go.mod": "module b.example\n\ngo 1.25\n"}, known: true},
		{name: "broken workspace", pkg: path, files: map[string]string{"go.work": "use use use\n"}},
		{name: "public", pkg: "a.example/p", files: map[string]string{"p/p.go": innerCode, "q/q.go": "package q\n\nimport \"a.example/p\"\n\nvar n = len(p.Plain(1))\n"}},
		{name: "only the module", pkg: "a.example/internal/m/p", files: map[string]string{"go.mod": "module a.example/internal/m\n\ngo 1.25\n", "p/p.go": innerCode, "internal/p/p.go": "package p\n",
			"q/q.go": "package q\n\nimport \"a.example/internal/m/p\"\n\nvar n = len(p.Plain(1))\n"}},
		{name: "program", pkg: "main", files: map[string]string{"main.go": "package main\n\nfunc Plain(n int) []byte { return make([]byte, n) }\n\nfunc main() {\n\tprintln(len(Plain(1)))\n}\n"}, known: true},
		{name: "plugin", pkg: "main", files: map[string]string{"main.go": "package main\n\nfunc Plain(n int) []byte { return make([]byte, n) }\n\nvar n = len(Plain(1))\n\nfunc main() {}\n"}},
		{name: "plugins", pkg: "main", files: map[string]string{"main.go": "package main\n\nfunc Plain(n int) []byte { return make([]byte, n) }\n\nfunc main() {\n\tprintln(len(Plain(1)))\n}\n",
			"q/q.go": "package q\n\nimport _ \"plugin\"\n"}},
	} {
		var links []string
		if tt.link {
			links = []string{"linked"}
		}
		if known, _ := calledOnly(t, tt.pkg, innerModule(tt.files), links...); slices.Contains(known, "Plain") != tt.known {
			t.Errorf("%s: %q", tt.name, known)
		}
	}
}

// TestInnerCallersPut has exported functions of an internal package. Callers in other packages put their memory, some of it in a
// pool of the function. A file that has the package's name for something else has no patch.
func TestInnerCallersPut(t *testing.T) {
	needGo(t)
	const code = "package p\n\nfunc Make(n int) []byte {\n\tb := make([]byte, n)\n\tb[0] = 1\n\treturn b\n}\n\n" +
		"func List(n int) []int {\n\tvar list []int\n\tfor i := range n {\n\t\tif i%3 > 0 {\n\t\t\tlist = append(list, i)\n\t\t}\n\t}\n\treturn list\n}\n\n" +
		"func Taken(n int) []int {\n\tlist := make([]int, n)\n\tlist[0] = 1\n\treturn list\n}\n\n" +
		"func Generated(n int) []byte {\n\tb := make([]byte, n)\n\tb[0] = 1\n\treturn b\n}\n"
	dir := writeFiles(t, map[string]string{
		"go.mod":          goMod(t, "a.example"),
		"internal/p/p.go": code,
		"q/q.go":          "package q\n\nimport (\n\t\"io\"\n\n\t\"a.example/internal/p\"\n)\n\nfunc Write(w io.Writer, n int) {\n\tb := p.Make(n)\n\tw.Write(b)\n}\n",
		"q/q_test.go":     "package q\n\nimport \"testing\"\n\nfunc TestWrite(t *testing.T) {}\n",
		"r/r.go": "package r\n\nimport other \"a.example/internal/p\"\n\nfunc First(n int) byte {\n\tmade := other.Make(n)\n\treturn made[0]\n}\n\n" +
			"func Sum(n int) (sum int) {\n\tlist := other.List(n)\n\tfor _, i := range list {\n\t\tsum += i\n\t}\n\treturn sum\n}\n",
		"g/g.go": "// Code generated by x. DO NOT EDIT.\n\npackage g\n\nimport \"a.example/internal/p\"\n\nfunc First(n int) byte {\n\tb := p.Generated(n)\n\treturn b[0]\n}\n",
		"s/s.go": "package s\n\nimport \"a.example/internal/p\"\n\ntype point struct{ p int }\n\nfunc Get(p int) int { return p }\n\n" +
			"func First(n int) int {\n\tlist := p.Taken(n)\n\treturn list[0]\n}\n",
	})
	at := func(name string, start, line uint64) synthetic {
		return synthetic{"", "a.example/internal/p." + name, "/src/a.example/internal/p/p.go", start, line, 100_000, 100_000<<12 + line<<20, 0, 0}
	}
	profiles := twoProfiles(t, at("Make", 3, 4), at("List", 9, 13), at("Taken", 19, 20), at("Generated", 25, 26))
	stdout, stderr, status := advise(t, dir, profiles, "-diff")
	for _, want := range []string{
		"-\tb := make([]byte, n)\n+\tb := basin.GetZeroed(n)[:n]\n",
		" \t\"a.example/internal/p\"\n+\t\"github.com/basin-go/basin\"\n )\n",
		" \tb := p.Make(n)\n+\tdefer basin.Put(b)\n",
		" \tmade := other.Make(n)\n+\tdefer basin.Put(made)\n",
		" \tlist := other.List(n)\n+\tdefer other.ListList.Put(list)\n",
	} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit status %d, %s%s lacks\n%s", status, stderr, stdout, want)
		}
	}
	const taken = "There is no patch: its caller s.First cannot put it: the name p means something else, too, in s.go."
	if !strings.Contains(joined(stderr), taken) || strings.Contains(stdout, "s/s.go") {
		t.Errorf("%s%s lacks %s", stderr, stdout, taken)
	}
	const generated = "Generated returns the memory, but only to g.First at g.go:8, which can put it back. There is no patch: g.go "
	if !strings.Contains(joined(stderr), generated) || strings.Contains(stdout, "@@ -22") {
		t.Errorf("%s%s lacks %s", stderr, stdout, generated)
	}
	const callers = "Make returns the memory, but only to q.Write at q.go:10 and r.First at r.go:6, which can put it back."
	if !strings.Contains(joined(stderr), callers) {
		t.Errorf("%s lacks %s", stderr, callers)
	}
	stdout, stderr, status = advise(t, dir, profiles, "-verify")
	for _, want := range []string{"This saves allocations at 2 sites.", "go test` of a.example/internal/p a.example/r a.example/q pass.", "Package a.example/r has no tests."} {
		if status != 0 || !strings.Contains(joined(stdout), want) {
			t.Errorf("exit status %d, %s%s lacks %s", status, stderr, stdout, want)
		}
	}
	if _, stderr, status = advise(t, dir, profiles, "-write", "-force"); status != 0 {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	goIn(t, dir, "vet", "./...")
}

// TestInnerCallersPutStructs has a function of an internal package that returns a struct to callers in other packages. So does a method,
// of a type that other packages get: they might call it through an interface.
func TestInnerCallersPutStructs(t *testing.T) {
	needGo(t)
	const code = "package p\n\ntype Large struct{ values [80]int }\n\nfunc (l *Large) Sum() int { return l.values[0] + l.values[1] }\n\n" +
		"func New(n int) *Large {\n\tl := &Large{}\n\tl.values[1] = n\n\treturn l\n}\n\n" +
		"type source struct{ n int }\n\nfunc Source(n int) source { return source{n} }\n\n" +
		"func (s source) Large() *Large {\n\tl := &Large{}\n\tl.values[1] = s.n\n\treturn l\n}\n"
	dir := writeFiles(t, map[string]string{
		"go.mod":          goMod(t, "a.example"),
		"internal/p/p.go": code,
		"q/q.go": "package q\n\nimport \"a.example/internal/p\"\n\nfunc Sum(n int) int {\n\tl := p.New(n)\n\treturn l.Sum()\n}\n\n" +
			"func Once(n int) int {\n\treturn p.New(n).Sum()\n}\n\nfunc Of(n int) int {\n\ts := p.Source(n)\n\tl := s.Large()\n\treturn l.Sum()\n}\n",
		"q/q_test.go": "package q\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tfor n := range 3 {\n\t\tif Sum(n) != n || Once(n) != n || Of(n) != n {\n\t\t\tt.Error(n)\n\t\t}\n\t}\n}\n",
	})
	at := func(name string, start, line uint64) synthetic {
		return synthetic{"", "a.example/internal/p." + name, "/src/a.example/internal/p/p.go", start, line, 100_000, 100_000*640 + line<<20, 0, 0}
	}
	profiles := twoProfiles(t, at("New", 7, 8), at("source.Large", 17, 18))
	stdout, stderr, status := advise(t, dir, profiles, "-diff")
	for _, want := range []string{
		"-\tl := &Large{}\n+\tl := NewL.Get()\n",
		" \tl := p.New(n)\n+\tdefer p.NewL.Put(l)\n",
		"-\treturn p.New(n).Sum()\n+\tscratch := p.New(n)\n+\tdefer p.NewL.Put(scratch)\n+\treturn scratch.Sum()\n",
	} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit status %d, %s%s lacks\n%s", status, stderr, stdout, want)
		}
	}
	if strings.Contains(stdout, "LargeL") || !strings.Contains(joined(stderr), "The memory leaves source.Large: it is returned from (p.source).Large.") {
		t.Errorf("%s%s", stderr, stdout)
	}
	if _, stderr, status = advise(t, dir, profiles, "-write", "-force"); status != 0 {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	t.Setenv("BASIN_CHECK", "full")
	goIn(t, dir, "test", "-count=1", "./...")
}
