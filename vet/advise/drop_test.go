package advise

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// TestDropOfClosers: the pool that is proposed for a value with a method Close has a Drop.
func TestDropOfClosers(t *testing.T) {
	const source = `package p

type conn struct{ n int }

func (*conn) Close() error { return nil }

type door struct{ n int }

func (*door) Close(slowly bool) {}

type plain struct{ n int }

func make() (any, any, any) { return &conn{1}, &door{2}, &plain{3} }
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.Default()}, fset, types.NewPackage("p", ""), []*ast.File{f}, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, b := range pkg.Func("make").Blocks {
		for _, i := range b.Instrs {
			if v, ok := i.(*ssa.Alloc); ok {
				got[v.Type().String()] = (&allocation{kind: kindPointer, instr: v}).call()
			}
		}
	}
	const without = "a basin.Pool of the type"
	for of, want := range map[string]string{"*p.conn": without + ", with Drop to close it", "*p.door": without, "*p.plain": without} {
		if got[of] != want {
			t.Errorf("%s: %q, want %q", of, got[of], want)
		}
	}
}

// TestDropOfPatches: the patch of a zstd encoder closes it, and that of a gzip writer does not: its Close writes.
func TestDropOfPatches(t *testing.T) {
	for name, want := range map[string]string{"zstd.NewWriter": "z.Close()", "gzip.NewWriter": "", "gzip.NewReader": ""} {
		if got := resettables[name].drop; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
