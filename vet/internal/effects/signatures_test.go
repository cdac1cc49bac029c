package effects

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestSignatures compares the rows of the standard library with the declarations: each names a function or a method that
// exists, and its roles are those that the types allow.
func TestSignatures(t *testing.T) {
	var paths []string
	for name := range rows.funcs {
		if path := PackageOf(name); !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile}, paths...)
	if err != nil {
		t.Skip(err) // there is no go command
	}
	byPath := map[string]*types.Package{}
	for _, p := range pkgs {
		byPath[p.PkgPath] = p.Types
	}
	checked := 0
	for name, e := range rows.funcs {
		if p := byPath[PackageOf(name)]; p != nil {
			checked++
			if reason := misfit(p, name, e); reason != "" {
				t.Errorf("%s %s", name, reason)
			}
		}
	}
	if checked < 250 {
		t.Errorf("only %d rows were compared", checked)
	}
}

// misfit says why a row does not fit the declarations of a package, or nothing.
func misfit(p *types.Package, name string, e *Effect) string {
	typ, method, isMethod := strings.Cut(strings.TrimLeft(name, "(*"), ").")
	if !isMethod {
		f, ok := p.Scope().Lookup(name[len(p.Path())+1:]).(*types.Func)
		if !ok {
			return "does not exist"
		}
		return e.misfit(f.Signature())
	}
	o, ok := p.Scope().Lookup(typ[len(p.Path())+1:]).(*types.TypeName)
	if !ok {
		return "has no type"
	}
	if method == "*" {
		return ""
	}
	m, _, _ := types.LookupFieldOrMethod(o.Type(), true, p, method)
	f, ok := m.(*types.Func)
	if !ok {
		return "does not exist"
	}
	if FullName(f) != name {
		return "is called " + FullName(f)
	}
	return e.misfit(f.Signature())
}

// misfit says why roles do not fit a signature, or nothing.
func (e *Effect) misfit(s *types.Signature) string {
	args := slices.Collect(s.Params().Variables())
	if s.Recv() != nil {
		args = append([]*types.Var{s.Recv()}, args...)
	}
	for role, n := range e.args() {
		if *n >= len(args) {
			return "has no argument for " + role
		}
		if *n >= 0 && !mayPoint(args[*n].Type()) {
			return "has an argument without memory for " + role
		}
	}
	results := s.Results()
	switch {
	case e.Prints >= 0 && (!s.Variadic() || e.Prints != len(args)-1):
		return "prints something else than its last, variadic argument"
	case (e.Get || e.View >= 0 || e.Part >= 0 || e.Holds >= 0 || e.Grow >= 0) && results.Len() == 0:
		return "has no result"
	case e.Joins && !s.Variadic():
		return "joins something else than its variadic arguments"
	case (e.Fails || e.Joins) && (results.Len() != 1 || results.At(0).Type().String() != "error"):
		return "does not return an error alone"
	case e.Writes >= 0 && !types.IsInterface(args[e.Writes].Type()):
		return "writes to something that is no interface"
	case (e.Keep >= 0 || e.Reset >= 0 || e.Forget) && s.Recv() == nil:
		return "has no receiver that keeps something"
	}
	return ""
}

// mayPoint reports whether a value of a type can lead to memory.
func mayPoint(t types.Type) bool {
	if _, ok := t.(*types.TypeParam); ok {
		return true
	}
	b, basic := t.Underlying().(*types.Basic)
	return !basic || b.Info()&types.IsString != 0
}
