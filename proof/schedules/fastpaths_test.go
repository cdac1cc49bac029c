//go:build go1.25

package schedules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The methods that contain the fast path inline, because a call would cost too much. All other
// methods call Engine.Pop and Engine.Push.
var fastPaths = []struct {
	file, of, method string
	copy             string // its copy in the scenarios
	apart            string // a call that only the copy makes
}{
	{"bytepool.go", "BytePool", "Get", "getFast", ""},
	{"bytepool.go", "BytePool", "Put", "putFast", ""},
	{"counted.go", "stock", "pop", "getFast", ""},
	{"counted.go", "stock", "push", "putFast", ""},
	{"counted.go", "stock", "popPaid", "getFast", ""},
	{"counted.go", "stock", "pushPaid", "putFast", ""},
	{"bufferpool.go", "BufferPool", "Get", "getFast", ""},
	{"bufferpool.go", "BufferPool", "Put", "putFast", "m.Top"}, // the states of handles replace it
	{"pool.go", "Pool", "Get", "getFastValue", ""},
	{"pool.go", "Pool", "Put", "putFastValue", ""},
	{"pool.go", "Pool", "putSized", "putFastValue", ""},
	{"stdbufferpool.go", "StdBufferPool", "Get", "getFast", ""},
	{"stdbufferpool.go", "StdBufferPool", "Put", "putFast", ""},
	{"sampled.go", "stock", "getSampled", "getFast", ""},
	{"sampled.go", "stock", "putSampled", "putFast", ""},
}

// TestFastPaths: the fast paths in the scenarios call the same methods, in the same order, as
// those of the pools.
func TestFastPaths(t *testing.T) {
	for _, path := range fastPaths {
		t.Run(path.of+"."+path.method, func(t *testing.T) {
			got := calls(t, filepath.Join("..", "..", path.file), path.of, path.method)
			got = slices.DeleteFunc(got, func(name string) bool { return name == "m.Due" || name == "m.Picks" }) // a wrong answer only leads to the slow path
			want := calls(t, "world.go", "user", path.copy)
			want = slices.DeleteFunc(want, func(name string) bool { return name == path.apart })
			if len(want) < 7 || !slices.Equal(got, want) {
				t.Errorf("the pool calls %v, %s calls %v", got, path.copy, want)
			}
		})
	}
}

// TestNoMoreFastPaths: no other method pins in order to use a magazine of a table.
func TestNoMoreFastPaths(t *testing.T) {
	const root = "../.."
	files, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	copies := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Entry" {
				copies++
			}
			return true
		})
	}
	if copies != len(fastPaths) {
		t.Errorf("%d methods look magazines up, want %d: others call Engine.Pop and Engine.Push", copies, len(fastPaths))
	}
}

// calls returns the methods of a magazine m, of a table and of package pin that a method calls.
func calls(t *testing.T, file, receiver, method string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Name.Name != method || d.Recv == nil || nameOf(d.Recv.List[0].Type) != receiver {
			continue
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of := nameOf(s.X); of == "m" || of == "pin" || s.Sel.Name == "Has" || s.Sel.Name == "Entry" {
				if s.Sel.Name == "Has" || s.Sel.Name == "Entry" { // of the table, or of the engine while the table is hidden
					of = ""
				}
				names = append(names, strings.TrimPrefix(of+".", ".")+s.Sel.Name)
			}
			return true
		})
	}
	return names
}

// nameOf returns the last name in a type or a selector.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return nameOf(x.X)
	case *ast.IndexExpr:
		return nameOf(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}
