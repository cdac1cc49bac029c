package migrate

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// elsewhere has pools stay that other files use, and those whose values and sizes may be different in another build.
func (m *migration) elsewhere() {
	for _, p := range m.moved() {
		for _, o := range m.others {
			if o.unread {
				p.stay(p.v.Pos(), "%s, which is not compiled here, cannot be read", o.file)
			}
			if o.names[p.v.Name()] {
				p.stay(p.v.Pos(), "%s, which is not compiled here, mentions %s too", o.file, p.v.Name())
			}
		}
		if p.reason != "" || !slices.ContainsFunc(m.others, func(o other) bool { return len(o.declares) > 0 }) {
			continue
		}
		seen := map[ast.Node]bool{}
		m.depends(p, p.made.kv, seen)
		for _, g := range p.gets {
			for _, a := range g.asserts {
				m.depends(p, a, seen)
			}
		}
		for _, put := range p.puts {
			m.depends(p, put, seen)
		}
	}
}

// depends has a pool stay if n mentions a name of the package that another file declares too. It
// also looks at the declarations of the names in n.
func (m *migration) depends(p *pool, n ast.Node, seen map[ast.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	m.walk(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		o := m.TypesInfo.Uses[id]
		for _, other := range m.others {
			if o != nil && o.Parent() == m.Pkg.Scope() && other.declares[id.Name] {
				p.stay(id.Pos(), "%s, which is not compiled here, declares %s too", other.file, id.Name)
			}
		}
		if len(m.decls[o]) == 0 {
			return true
		}
		switch d := m.parent[m.decls[o][0]].(type) {
		case *ast.TypeSpec, *ast.ValueSpec:
			m.depends(p, d, seen)
		case *ast.AssignStmt: // of a local variable
			m.depends(p, d, seen)
		case *ast.FuncDecl:
			m.depends(p, d.Type, seen)
		case *ast.Field:
			m.depends(p, d.Type, seen)
		}
		return true
	})
}

// notCompiled returns the other files.
func (m *migration) notCompiled() (others []other) {
	here, dirs := map[string]bool{}, map[string]bool{}
	for _, f := range m.Files {
		name := m.Fset.File(f.FileStart).Name()
		here[name] = true
		dirs[filepath.Dir(name)] = true
		source := m.Fset.PositionFor(f.Package, true).Filename
		dirs[filepath.Dir(source)] = true
		if byCgo(f) {
			here[source] = true
		}
	}
	for dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			assembly := strings.HasSuffix(name, ".s")
			if here[name] || e.IsDir() || !strings.HasSuffix(name, ".go") && !assembly {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) { // or it is a link to nothing
					others = append(others, other{file: e.Name(), unread: true})
				}
				continue
			}
			o := other{e.Name(), map[string]bool{}, map[string]bool{}, false}
			f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution|parser.ParseComments)
			switch {
			case assembly || err != nil:
				o.names = words(string(data))
				o.declares = o.names
			case f.Name.Name != m.Pkg.Name():
				continue
			default:
				m.walk(f, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						o.names[id.Name] = true
					}
					return true
				})
				for _, d := range f.Decls {
					declared(d, o.declares)
				}
			}
			others = append(others, o)
		}
		for _, link := range linknames(dir) {
			if here[link.file] || link.names[m.Pkg.Path()] {
				others = append(others, other{file: filepath.Base(link.file), names: link.names})
			}
		}
	}
	slices.SortFunc(others, func(a, b other) int { return strings.Compare(a.file, b.file) })
	return others
}

// declared adds the names that a declaration gives to the package.
func declared(d ast.Decl, names map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names[id.Name] = true
				}
			}
		}
	}
}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n·+()$,;.<>{}[]\"*&:=!", r) }) {
		all[w] = true
	}
	return all
}

// A link has the arguments of a file's go:linkname directives: words, and the paths of
// packages.
type link struct {
	file  string
	names map[string]bool
}

var linksOf sync.Map // func() []link, by the root of a module

// linknames returns the links of the module that a directory is in.
func linknames(dir string) []link {
	root := dir
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if up := filepath.Dir(root); up != root {
			root = up
			continue
		}
		root = dir // of no module
		break
	}
	once, _ := linksOf.LoadOrStore(root, sync.OnceValue(func() []link { return findLinks(root) }))
	return once.(func() []link)()
}

func findLinks(root string) (links []link) {
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("//go:linkname ")) {
			return nil
		}
		l := link{path, map[string]bool{}}
		for line := range strings.Lines(string(data)) {
			directive, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:linkname ")
			if !ok {
				continue
			}
			for _, w := range strings.Fields(directive) {
				l.names[w] = true
				if i := strings.LastIndexByte(w, '.'); i > strings.LastIndexByte(w, '/') {
					l.names[w[:i]], l.names[w[i+1:]] = true, true
				}
			}
		}
		links = append(links, l)
		return nil
	})
	return links
}

// reportOthers reports sync.Pools that are no variables or fields, if their values are
// buffers or unknown. These are elements of arrays, slices and maps, other types made of
// sync.Pool, and pools that another package declares.
func (m *migration) reportOthers() {
	report := func(n ast.Node, format string, args ...any) {
		if f := m.file(n.Pos()); f != nil && !m.isGenerated(n.Pos()) {
			m.stays(n, format, args...)
		}
	}
	held := map[*types.Var][]types.Type{} // known types in elements of a variable
	said := map[types.Object]bool{}
	for o, ids := range m.uses {
		if f, ok := o.(*types.Func); !ok || f.FullName() != getOfPool {
			continue
		}
		for _, id := range ids {
			s, ok := m.parent[id].(*ast.SelectorExpr)
			if !ok {
				continue
			}
			v, element, asserted := m.gotFrom(s)
			switch {
			case v != nil && element:
				held[v] = append(held[v], asserted...)
			case v != nil && m.byVar[v] != nil || !mayHoldBuffers(asserted):
			case v == nil:
				report(s, "%s stays a sync.Pool: it is not a variable", m.source(s.X))
			case !said[v]:
				said[v] = true
				report(s.X, "%s stays a sync.Pool: it is declared in %s", m.source(s.X), v.Pkg().Path())
			}
		}
	}
	m.reportElements(held, report)
	for _, l := range m.loose {
		var made []types.Type
		if l.new != nil {
			made = slices.DeleteFunc(m.returned(l.new.Body), func(t types.Type) bool { return t == nil })
		}
		if mayHoldBuffers(made) {
			report(l.typ, "this stays a sync.Pool: it is not the value of a variable or field of that type")
		}
	}
}

// gotFrom returns the variable or field of the pool whose Get is selected, and whether the pool is an element of that. It
// also returns the types that the result is asserted to have.
func (m *migration) gotFrom(s *ast.SelectorExpr) (v *types.Var, element bool, asserted []types.Type) {
	if a, ok := m.parent[m.outer(m.parent[s])].(*ast.TypeAssertExpr); ok {
		asserted = m.asserted(a)
	}
	if f := m.embedded(s); f != nil {
		return f, false, asserted
	}
	v, element = m.variableOf(s.X)
	return v, element, asserted
}

// reportElements reports types that are pools, and variables whose elements are. The known types in these are held.
func (m *migration) reportElements(held map[*types.Var][]types.Type, report func(ast.Node, string, ...any)) {
	for v, p := range m.byVar { // p := pools[i]
		if len(m.decls[v]) == 0 {
			continue
		}
		a, ok := m.parent[m.decls[v][0]].(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			continue
		}
		if of, element := m.variableOf(a.Rhs[slices.Index(a.Lhs, ast.Expr(m.decls[v][0]))]); of != nil && element {
			held[of] = append(held[of], p.values...)
		}
	}
	for _, f := range m.Files {
		m.walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if v, ok := m.TypesInfo.Defs[n].(*types.Var); ok && hasElements(v.Type()) && mayHoldBuffers(held[v.Origin()]) {
					report(n, "%s keeps its sync.Pools: they are elements, and only variables of a package are replaced", v.Name())
				}
			case *ast.TypeSpec:
				if t := m.TypesInfo.TypeOf(n.Type); t != nil && !n.Assign.IsValid() && (isPoolOrPointer(t) || hasElements(t)) {
					report(n.Name, "%s stays a sync.Pool: it is a type, and only variables of a package are replaced", n.Name.Name)
				}
			}
			return true
		})
	}
}

// variableOf returns the variable that an expression is, or is an element of.
func (m *migration) variableOf(e ast.Expr) (v *types.Var, element bool) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			e, element = x.X, true
			continue
		case *ast.StarExpr:
			e = x.X
			continue
		case *ast.UnaryExpr:
			e = x.X
			continue
		case *ast.Ident:
			v, _ = m.TypesInfo.Uses[x].(*types.Var)
		case *ast.SelectorExpr:
			v, _ = m.TypesInfo.Uses[x.Sel].(*types.Var)
		}
		if v != nil {
			v = v.Origin()
		}
		return v, element
	}
}

func isPoolOrPointer(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return isPool(t)
}

// embedded returns the field that a method is promoted from, or nil.
func (m *migration) embedded(s *ast.SelectorExpr) (field *types.Var) {
	selection := m.TypesInfo.Selections[s]
	if selection == nil {
		return nil
	}
	t := selection.Recv()
	for _, i := range selection.Index()[:len(selection.Index())-1] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		field = t.Underlying().(*types.Struct).Field(i).Origin()
		t = field.Type()
	}
	return field
}

// hasElements reports whether a type is an array, slice, map or channel of sync.Pools.
func hasElements(t types.Type) bool {
	for elements := false; ; elements = true {
		if isPoolOrPointer(t) {
			return elements
		}
		switch u := t.Underlying().(type) {
		case *types.Array:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Chan:
			t = u.Elem()
		default:
			return false
		}
	}
}
