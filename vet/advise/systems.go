package advise

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A function may be another one for other systems or build tags, in files that this build leaves out. So memory that it gets
// has no proof.

// variants returns the functions of a package that files which the build leaves out declare, too, with a body in Go. So are methods
// that a type has from another one, if it may have them from elsewhere there.
func variants(p *packages.Package) map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, name := range p.IgnoredFiles {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil || strings.TrimSuffix(f.Name.Name, "_test") != p.Name || strings.HasSuffix(name, "_test.go") {
			continue // a program that makes files, or the like
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if obj := namedAs(p.Types, declared(d)); d.Body != nil && obj != nil {
					all[obj] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						addBorrowed(p.Types, spec.Name.Name, all)
					}
				}
			}
		}
	}
	return all
}

// declareElsewhere reports whether files of a package which the build leaves out may declare a method of a name.
func declareElsewhere(p *packages.Package, method string) bool {
	return slices.ContainsFunc(p.IgnoredFiles, func(name string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		return err != nil || f.Name.Name == p.Name && slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			return ok && fn.Recv != nil && fn.Name.Name == method
		})
	})
}

// namedAs returns the function of a package that has a name, or the method that a type has by itself or from another, or nil.
func namedAs(p *types.Package, name string) types.Object {
	recv, method, ok := strings.Cut(name, ".")
	obj := p.Scope().Lookup(recv)
	if _, isType := obj.(*types.TypeName); ok && isType {
		obj, _, _ = types.LookupFieldOrMethod(obj.Type(), true, p, method)
	}
	if f, ok := obj.(*types.Func); ok {
		return f.Origin()
	}
	return nil
}

// addBorrowed adds the methods that a type has from others: one that it embeds, or for which it is another name.
func addBorrowed(p *types.Package, name string, all map[types.Object]bool) {
	obj, ok := p.Scope().Lookup(name).(*types.TypeName)
	if !ok || types.IsInterface(obj.Type()) {
		return
	}
	methods := types.NewMethodSet(types.NewPointer(types.Unalias(obj.Type())))
	for m := range methods.Methods() {
		if f := m.Obj().(*types.Func); obj.IsAlias() || len(m.Index()) > 1 {
			all[f.Origin()] = true
		}
	}
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
