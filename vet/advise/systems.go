package advise

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A function may be another one for other systems or build tags, in files that this build leaves out. So memory that it gets
// has no proof.

// variants returns the functions of a package that files which the build leaves out declare, too, with a body in Go.
func variants(p *packages.Package) map[types.Object]bool {
	ignored := map[string]bool{}
	for _, name := range p.IgnoredFiles {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil || strings.TrimSuffix(f.Name.Name, "_test") != p.Name || strings.HasSuffix(name, "_test.go") {
			continue // a program that makes files, or the like
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				ignored[declared(fn)] = true
			}
		}
	}
	all := map[types.Object]bool{}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && ignored[declared(fn)] {
				all[p.TypesInfo.Defs[fn.Name]] = true
			}
		}
	}
	return all
}

// declared returns the name of a function with that of its receiver's type.
func declared(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	typ := ast.Unparen(fn.Recv.List[0].Type)
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = ast.Unparen(t.X)
			continue
		case *ast.IndexExpr:
			typ = t.X
			continue
		case *ast.IndexListExpr:
			typ = t.X
			continue
		case *ast.Ident:
			return t.Name + "." + fn.Name.Name
		}
		return fn.Name.Name
	}
}
