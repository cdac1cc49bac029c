package advise

import (
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// An exported function of an internal package, or of a program, is called by its module alone. All calls are known if each file
// of the module that may have one is loaded. So it is with an exported method of a type that only its package has.

// isInner reports whether the loaded packages have all calls that an exported function or method may get by its name.
func (s *source) isInner(fn *types.Func, tests bool) bool {
	p := s.tracer.packages[fn.Pkg()]
	if fn.Signature().TypeParams() != nil || !s.isOfMain(p) {
		return false
	}
	key := innerFunc{fn, tests}
	known, ok := s.inner[key]
	if !ok {
		if recv := fn.Signature().Recv(); recv != nil {
			_, typ := namedType(recv.Type())
			known = s.isHidden(recv, p) && !s.mayCallElse(p, tests, fn.Name(), typ.Name())
		} else {
			known = (s.isProgram(p) || s.isInternal(p)) && !s.mayCallElse(p, tests, fn.Name())
		}
		s.inner[key] = known
	}
	return known
}

// isOfMain reports whether a package is of the module that the patch may change.
func (s *source) isOfMain(p *packages.Package) bool {
	return p != nil && p.Module != nil && isMain(p.Module, s.module)
}

// isProgram reports whether nobody but itself calls the functions of a package. Programs that load plugins may call those of
// another program, and a plugin has nothing to do in its main function.
func (s *source) isProgram(p *packages.Package) bool {
	if p.Name != "main" {
		return false
	}
	for _, all := range []map[string]*packages.Package{s.own, s.others} {
		for _, of := range all {
			if of.Imports["plugin"] != nil {
				return false
			}
		}
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" {
				return fn.Body != nil && len(fn.Body.List) > 0
			}
		}
	}
	return false
}

// isInternal reports whether packages of its own module alone may import a package.
func (s *source) isInternal(p *packages.Package) bool {
	folder := importersOf(p)
	if p.Name == "main" || folder == "" {
		return false
	}
	for path := range s.others { // such as those of a module with a path below
		if isBelow(path, folder) {
			return false
		}
	}
	for _, module := range s.tree().modules {
		if module == "" || isBelow(module, folder) {
			return false
		}
	}
	return true
}

// importersOf returns the import path below which packages may import an internal one, or nothing if other modules may. Those may if
// only the path of its module has an element that is "internal".
func importersOf(p *packages.Package) string {
	rest, ok := strings.CutPrefix(p.PkgPath, p.Module.Path+"/")
	i := strings.LastIndex("/"+rest+"/", "/internal/")
	if !ok || i < 0 {
		return ""
	}
	return p.Module.Path + ("/" + rest)[:i]
}

func isBelow(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// mayCallElse reports whether a file of the module that is not loaded may have one of these names of a package. So does a file
// that gives the function another name. Tests count if these are asked for.
func (s *source) mayCallElse(p *packages.Package, tests bool, names ...string) bool {
	mayHave := func(text []byte) bool {
		return slices.ContainsFunc(names, func(name string) bool { return hasWord(text, name) })
	}
	t := s.tree()
	if t.unknown {
		return true
	}
	folders := map[string]bool{}
	for _, name := range p.GoFiles {
		if t.files[name] == nil {
			return true
		}
		folders[filepath.Dir(name)] = true
	}
	path := strings.TrimPrefix(p.PkgPath, p.Module.Path+"/") // which a module that replaces this one may have, too
	for name, f := range t.files {
		if !tests && strings.HasSuffix(name, "_test.go") {
			continue
		}
		if mayHave(f.directives) {
			return true
		}
		near := folders[filepath.Dir(name)] || !strings.HasSuffix(name, ".go") // in assembly
		if s.files[name] == nil && (near || f.imports(path)) && mayHave(f.text) {
			return true
		}
	}
	return false
}

// maySetElse reports whether a file that is not loaded, such as a test, may set a field of a package that others cannot name.
func (s *source) maySetElse(p *packages.Package, field string) bool {
	return s.isOfMain(p) && s.mayCallElse(p, true, field)
}

// addCallers adds the packages of the module that may call the exported functions of internal packages that have sites.
func (s *source) addCallers(sites []*Site) {
	needed := maps.Clone(s.wanted)
	for _, site := range sites {
		p := s.own[s.packageOf(site)]
		if s.names[site] == "" || !s.isOfMain(p) || importersOf(p) == "" {
			continue
		}
		name, _, _ := strings.Cut(shortFunction(site.Function), ".")
		name, _, _ = strings.Cut(name, "[")
		if !ast.IsExported(name) { // or it is a method
			continue
		}
		for path, by := range s.own {
			s.wanted[path] = s.wanted[path] || by.Imports[p.PkgPath] != nil && slices.ContainsFunc(by.GoFiles, func(file string) bool {
				f := s.tree().files[file]
				return f != nil && hasWord(f.text, name)
			})
		}
	}
	maps.DeleteFunc(s.wanted, func(_ string, wanted bool) bool { return !wanted })
	s.addImports()
	for path := range s.wanted {
		s.optional[path] = !needed[path]
	}
}

// isCalledOnly reports whether all calls of a function are known: its package alone can name it, or its module, and calls it by
// its name. Tests may call it, too: memory that they get is garbage if they do not put it.
func (s *source) isCalledOnly(fn *ssa.Function) bool { return s.isKnown(fn, false) }

// isClosed reports whether all calls are known that may pass something to a function. Tests may pass other things than the program,
// such as a type of their own. Those of its package, which -verify runs, do not count if it is not exported.
func (s *source) isClosed(fn *ssa.Function) bool { return s.isKnown(fn, true) }

func (s *source) isKnown(fn *ssa.Function, tests bool) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && fn.Signature.TypeParams() == nil && fn.Signature.RecvTypeParams() == nil && !s.valued[obj] &&
		(obj.Signature().Recv() == nil || obj.Exported() || s.invoked[obj.Id()] == nil) && len(s.callers[fn]) > 0 && (!obj.Exported() || s.isInner(obj, tests))
}
