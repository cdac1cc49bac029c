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

// A function may be another one for other systems or build tags, in files that this build leaves out. Memory that it gets has a
// proof only if the syntax of the other one shows that it keeps nothing (twins.go).

// A twin is a function that a file which the build leaves out declares, too. A method that a type may have from elsewhere there
// has no declaration.
type twin struct {
	*otherFiles
	in   *ast.File
	decl *ast.FuncDecl
}

// otherFiles are the files of a package, with those that the build leaves out. Their identifiers are resolved, each file by itself.
type otherFiles struct {
	pkg    *packages.Package
	out    map[*ast.File]bool
	funcs  map[string][]twin // by name, of all files
	others map[string]bool   // all else that a file declares, by name
	left   map[string]bool   // names that the files declare which the build leaves out
	linked map[string]bool   // names that a //go:linkname has
	broken bool              // a file cannot be read
}

// variants returns the functions of a package that files which the build leaves out declare, too, unless they are in assembly and keep
// nothing. So are methods that a type has from another one, if it may have them from elsewhere there.
func variants(p *packages.Package) map[types.Object][]twin {
	all := map[types.Object][]twin{}
	if len(p.IgnoredFiles) == 0 {
		return all
	}
	o := readOtherFiles(p)
	for f := range o.out {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if obj := namedAs(p.Types, declared(d)); obj != nil && (d.Body != nil || !o.isSafeAssembly(d)) {
					all[obj] = append(all[obj], twin{o, f, d})
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

// readOtherFiles parses the files of a package, and notes their declarations.
func readOtherFiles(p *packages.Package) *otherFiles {
	o := &otherFiles{pkg: p, out: map[*ast.File]bool{}, funcs: map[string][]twin{}, others: map[string]bool{}, left: map[string]bool{}, linked: map[string]bool{}}
	fset := token.NewFileSet()
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			o.broken = true
			continue
		}
		if f.Name.Name == p.Name { // or it is a program that makes files, or the like
			if o.out[f] = true; slices.Contains(p.GoFiles, name) {
				delete(o.out, f)
			}
			o.note(f)
		}
	}
	return o
}

// note notes the declarations of a file.
func (o *otherFiles) note(f *ast.File) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" {
				o.linked[words[1]] = true // it may have a body in Go elsewhere
			}
		}
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			o.funcs[fn.Name.Name] = append(o.funcs[fn.Name.Name], twin{o, f, fn})
			o.left[fn.Name.Name] = o.left[fn.Name.Name] || o.out[f]
		}
	}
	for name, obj := range f.Scope.Objects {
		if obj.Kind != ast.Fun {
			o.others[name] = true
			o.left[name] = o.left[name] || o.out[f]
		}
	}
}

// isSafeAssembly reports whether a function is in assembly, and promises to keep nothing.
func (o *otherFiles) isSafeAssembly(fn *ast.FuncDecl) bool {
	return fn.Body == nil && !o.linked[fn.Name.Name] && isNoescape(fn) &&
		slices.ContainsFunc(slices.Concat(o.pkg.OtherFiles, o.pkg.IgnoredFiles), func(name string) bool { return strings.HasSuffix(name, ".s") })
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
func addBorrowed(p *types.Package, name string, all map[types.Object][]twin) {
	obj, ok := p.Scope().Lookup(name).(*types.TypeName)
	if !ok || types.IsInterface(obj.Type()) {
		return
	}
	methods := types.NewMethodSet(types.NewPointer(types.Unalias(obj.Type())))
	for m := range methods.Methods() {
		if f := m.Obj().(*types.Func); obj.IsAlias() || len(m.Index()) > 1 {
			all[f.Origin()] = append(all[f.Origin()], twin{})
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
