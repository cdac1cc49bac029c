package pooled

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// generator writes functions at random that use a pool in every way that compiles.
type generator struct {
	strings.Builder
	r     *rand.Rand
	depth int
	loops int
	lits  int // function literals around
}

func (g *generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *generator) bytes() string {
	return g.pick("b", "c", "*p", "x.buf", "b[:0]", "b[1:]", "c[:1:2]", "buf.Bytes()", "append(b, c...)", "append(c, 1)",
		"[]byte(s)", "nil", "make([]byte, n)", "pool.Get().([]byte)", "f(b)", "m[n]", "arr[:]", "g(c, x)", "list[0]",
		"unsafe.Slice(unsafe.StringData(s), len(s))", "bytes.TrimSpace(c)", "func() []byte { return b }()")
}

func (g *generator) cond() string {
	return g.pick("b == nil", "n > 3", "len(b) == cap(c)", "ok", "!ok", "err != nil", "x != nil && x.buf == nil", "s == \"\"", "n < len(c) || ok")
}

func (g *generator) statement() {
	if g.depth > 4 {
		g.WriteString("n++\n")
		return
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.r.IntN(26) {
	case 0:
		fmt.Fprintf(g, "if %s {\n", g.cond())
		g.block()
		if g.r.IntN(2) == 0 {
			g.WriteString("} else {\n")
			g.block()
		}
		g.WriteString("}\n")
	case 1:
		fmt.Fprintf(g, "for i := 0; i < n; i++ {\nn += i\n")
		g.loops++
		g.block()
		g.loops--
		g.WriteString("}\n")
	case 2:
		fmt.Fprintf(g, "for _, e := range %s {\nn += int(e)\n", g.pick("b", "c", "x.buf"))
		g.loops++
		g.block()
		g.loops--
		g.WriteString("}\n")
	case 3:
		fmt.Fprintf(g, "switch n {\ncase 1:\n")
		g.block()
		g.WriteString("case 2, 3:\n")
		g.block()
		g.WriteString("default:\n")
		g.block()
		g.WriteString("}\n")
	case 4:
		g.WriteString("select {\ncase v := <-ch:\nb = v\n")
		g.block()
		fmt.Fprintf(g, "case ch <- %s:\ndefault:\n}\n", g.bytes())
	case 5:
		g.WriteString("func() {\n")
		g.literal()
		g.WriteString("}()\n")
	case 6:
		fmt.Fprintf(g, "%s func() {\n", g.pick("defer", "go"))
		g.literal()
		g.WriteString("}()\n")
	case 7:
		fmt.Fprintf(g, "%spool.Put(%s)\n", g.pick("", "defer ", "go "), g.pick("b", "c", "p", "&b", "x", "buf", "x.buf", "*p", "&x.buf", "b[:cap(b)]", "list"))
	case 8, 9, 10:
		fmt.Fprintf(g, "%s = %s\n", g.pick("b", "c", "*p", "x.buf", "m[n]", "list[n]", "kept"), g.bytes())
	case 11:
		fmt.Fprintf(g, "list = append(list, %s)\n", g.bytes())
	case 12:
		fmt.Fprintf(g, "x = %s\n", g.pick("&T{buf: b}", "pool.Get().(*T)", "x.next", "&T{next: x, buf: c}", "nil"))
	case 13:
		fmt.Fprintf(g, "ch <- %s\n", g.bytes())
	case 14:
		if g.lits > 0 {
			g.WriteString("return\n")
			return
		}
		g.WriteString(g.pick("return b\n", "return x.buf\n", "return buf.Bytes()\n", "return nil\n", "panic(n)\n"))
	case 15:
		fmt.Fprintf(g, "n += copy(b, c)\n")
	case 16:
		fmt.Fprintf(g, "x.next = x\n")
	case 17:
		fmt.Fprintf(g, "%srelease(x)\n", g.pick("", "defer "))
	case 18:
		fmt.Fprintf(g, "err = %s\n", g.pick("send(b)", "nil", "send(x.buf)"))
	case 19:
		fmt.Fprintf(g, "buf.Write(%s)\n", g.bytes())
	case 20:
		g.WriteString(g.pick("ok = !ok\n", "ok = n > 2\n", "_, ok = any(x).(interface{ M() })\n", "s = string(b)\n", "s = unsafe.String(&c[0], n)\n"))
	case 21:
		if g.loops > 0 {
			g.WriteString(g.pick("continue\n", "break\n"))
		}
	case 22:
		fmt.Fprintf(g, "v := *x\nx = &v\n")
	case 23:
		fmt.Fprintf(g, "h := func(d []byte) { pool.Put(d) }\nh(%s)\n", g.bytes())
	case 24:
		fmt.Fprintf(g, "w := x.free\ndefer w()\n")
	case 25:
		fmt.Fprintf(g, "func(p *[]byte) { *p = (*p)[:0]; pool.Put(p) }(p)\n")
	}
}

func (g *generator) literal() {
	loops := g.loops
	g.loops = 0
	g.lits++
	g.block()
	g.lits--
	g.loops = loops
}

func (g *generator) block() {
	for range 1 + g.r.IntN(4) {
		g.statement()
	}
}

func (g *generator) file() string {
	g.WriteString(`package a

import ("bytes"; "sync"; "unsafe")

type T struct { buf []byte; next *T }

func (x *T) free() { x.buf = x.buf[:0]; pool.Put(x) }

var pool sync.Pool
var kept []byte
var m map[int][]byte

func f(b []byte) []byte { return b[:1] }
func g(b []byte, x *T) []byte { if x == nil { return nil }; return x.buf }
func release(x *T) { if x == nil { return }; pool.Put(x.buf); x.free() }
func send(b []byte) error { if len(b) > 3 { pool.Put(b); return nil }; return err() }
func err() error

`)
	for i := range 3 {
		fmt.Fprintf(g, "func f%d(b, c []byte, p *[]byte, x *T, buf *bytes.Buffer, ch chan []byte, n int, s string, ok bool, list [][]byte) (kept2 []byte) {\nvar arr [8]byte\nvar err error\n_, _, _ = arr, err, unsafe.Sizeof(n)\n", i)
		for range 6 {
			g.block()
		}
		g.WriteString("return c\n}\n\n")
	}
	return g.String()
}

var fuzzImporter = importer.ForCompiler(token.NewFileSet(), "source", nil)

// analyzeSource analyzes a file, unless it does not compile, and returns the
// functions in which the analysis failed.
func analyzeSource(t testing.TB, src string) (failures int, compiled bool) {
	r, _ := resultOf(t, src)
	if r == nil {
		return 0, false
	}
	return r.Failures, true
}

// resultOf analyzes a file. If the file does not compile, there is no result.
func resultOf(t testing.TB, src string) (r *Result, facts []string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	hard := false
	cfg := types.Config{Importer: fuzzImporter, Error: func(err error) {
		e, ok := err.(types.Error)
		hard = hard || !ok || !e.Soft
	}}
	pkg, _ := cfg.Check("a", fset, []*ast.File{file}, info)
	if hard {
		return nil, nil
	}
	pass := &analysis.Pass{Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info, ResultOf: map[*analysis.Analyzer]any{},
		Report:            func(analysis.Diagnostic) {},
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(o types.Object, f analysis.Fact) { facts = append(facts, fmt.Sprintf("%s: %#v", o.Name(), f)) },
		ExportPackageFact: func(analysis.Fact) {}}
	pass.Analyzer = Analyzer
	result, err := Analyzer.Run(pass)
	if err != nil {
		t.Fatal(err)
	}
	return result.(*Result), facts
}

// FuzzFunctions analyzes functions made at random. The analysis must not fail, and
// must end.
func FuzzFunctions(f *testing.F) {
	debugPanics = true
	defer func() { debugPanics = false }()
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := &generator{r: rand.New(rand.NewPCG(seed, 1))}
		src := g.file()
		failures, compiled := analyzeSource(t, src)
		if failures > 0 {
			t.Errorf("failed in %d functions of\n%s", failures, src)
		}
		if !compiled && seed < 20 {
			t.Logf("does not compile")
		}
	})
}

// TestGenerator: most generated programs compile, so that the fuzz test tests.
func TestGenerator(t *testing.T) {
	compiled := 0
	for seed := range uint64(20) {
		g := &generator{r: rand.New(rand.NewPCG(seed, 1))}
		if _, ok := analyzeSource(t, g.file()); ok {
			compiled++
		}
	}
	if compiled < 10 {
		t.Errorf("%d of 20 files compile", compiled)
	}
}
