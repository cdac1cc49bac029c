package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A rewriting collects the changes of a package.
type rewriting struct {
	*migration
	edits map[*ast.File][]analysis.TextEdit
	names map[*ast.File]string // of basin, in files that need it
	also  map[*ast.File]map[string]bool
	err   error
}

func (r *rewriting) edit(pos, end token.Pos, text string) {
	f := r.file(pos)
	r.edits[f] = append(r.edits[f], analysis.TextEdit{Pos: pos, End: end, NewText: []byte(text)})
}

func (r *rewriting) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// source returns the words of the program for a node.
func (m *migration) source(n ast.Node) string {
	var out bytes.Buffer
	if err := format.Node(&out, m.Fset, n); err != nil {
		return ""
	}
	return out.String()
}

func (m *migration) typeName(p *pool) string {
	switch p.target {
	case std:
		return "StdBufferPool"
	case handles:
		return "BufferPool"
	}
	return "Pool[" + m.text(p.elem) + "]"
}

// rewrite returns the changes that replace the pools, once they are known to compile.
func (m *migration) rewrite(pools []*pool) ([]analysis.TextEdit, error) {
	r := &rewriting{migration: m, edits: map[*ast.File][]analysis.TextEdit{}, names: map[*ast.File]string{}, also: map[*ast.File]map[string]bool{}}
	for _, p := range pools {
		r.pool(p)
	}
	for f := range r.edits {
		r.imports(f)
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := r.compiles(); err != nil {
		return nil, err
	}
	var all []analysis.TextEdit
	for _, f := range m.Files {
		all = append(all, r.edits[f]...)
	}
	return all, nil
}

// basin returns the name of the package in the file of pos.
func (r *rewriting) basin(pos token.Pos) string {
	f := r.file(pos)
	if r.names[f] != "" {
		return r.names[f]
	}
	name := "basin"
	for _, s := range f.Imports {
		if path, _ := strconv.Unquote(s.Path.Value); path == Path {
			if s.Name != nil {
				name = s.Name.Name
			}
			r.names[f] = name
			return name
		}
	}
	taken := r.Pkg.Scope().Lookup(name) != nil
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			taken = true
		}
		return true
	})
	for _, s := range f.Imports {
		if pn := r.importName(s); pn != nil && pn.Name() == name {
			taken = true
		}
	}
	if taken {
		r.fail("the name basin is in use")
	}
	r.names[f] = name
	return name
}

func (m *migration) importName(s *ast.ImportSpec) *types.PkgName {
	if s.Name != nil {
		pn, _ := m.TypesInfo.Defs[s.Name].(*types.PkgName)
		return pn
	}
	pn, _ := m.TypesInfo.Implicits[s].(*types.PkgName)
	return pn
}

// typeAt writes a type in the words of the file of pos.
func (r *rewriting) typeAt(pos token.Pos, t types.Type) string {
	f := r.file(pos)
	return types.TypeString(t, func(other *types.Package) string {
		if other == r.Pkg {
			return ""
		}
		for _, s := range f.Imports {
			if pn := r.importName(s); pn != nil && pn.Imported() == other && pn.Name() != "_" {
				if pn.Name() == "." {
					return ""
				}
				if r.also[f] == nil {
					r.also[f] = map[string]bool{}
				}
				r.also[f][pn.Name()] = true
				return pn.Name()
			}
		}
		r.fail("its type %s is of a package that the file does not import", r.text(t))
		return other.Name()
	})
}

// targetAt writes the type of a pool in the words of the file of pos.
func (r *rewriting) targetAt(p *pool, pos token.Pos) string {
	name := ""
	if b := r.basin(pos); b != "." {
		name = b + "."
	}
	if p.target != generic {
		return name + r.typeName(p)
	}
	return name + "Pool[" + r.typeAt(pos, p.elem) + "]"
}

func (r *rewriting) pool(p *pool) {
	sized := p.target == generic && r.sizeOK(p)
	for _, e := range p.types {
		if p.owner != nil && p.owner.Type == e && len(p.owner.Values) == 0 && sized {
			// var p sync.Pool: it gets its settings here.
			r.edit(e.Pos()-1, e.End(), " = "+r.targetAt(p, e.Pos())+"{\n"+r.settings(p, e.Pos(), true)+"}")
			continue
		}
		r.edit(e.Pos(), e.End(), r.targetAt(p, e.Pos()))
	}
	for _, l := range p.made {
		r.literal(p, l, sized)
	}
	for _, g := range p.gets {
		for _, a := range g.asserts {
			r.edit(a.X.End(), a.End(), "")
		}
		if g.ok != nil {
			value := g.ok.assign.Lhs[0].(*ast.Ident)
			r.edit(value.End(), g.ok.assign.Lhs[1].End(), "")
			op := " != nil"
			if g.ok.not {
				op = " == nil"
			}
			r.edit(g.ok.cond.Pos(), g.ok.cond.End(), value.Name+op)
		}
	}
}

// sizeOK reports whether the pool may be told how large its values are: none is a nil
// pointer when it is put.
func (r *rewriting) sizeOK(p *pool) bool {
	if _, ok := p.elem.Underlying().(*types.Pointer); !ok {
		return true
	}
	for _, l := range p.made {
		if l.new == nil {
			continue
		}
		for _, ret := range returns(l.new.Body) {
			e := ast.Unparen(ret.Results[0])
			if !r.made(p, e) && !r.madeBefore(p, l.new, e) {
				return false
			}
		}
	}
	for _, put := range p.puts {
		if !r.nonNil(p, put) {
			return false
		}
	}
	return true
}

// madeBefore reports whether an expression is a variable of fn that is set once, to
// a pointer that is not nil.
func (r *rewriting) madeBefore(p *pool, fn *ast.FuncLit, e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	sets, good := 0, true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch a := n.(type) {
		case *ast.AssignStmt:
			for i, l := range a.Lhs {
				if x, ok := l.(*ast.Ident); ok && r.TypesInfo.ObjectOf(x) == r.TypesInfo.Uses[id] {
					sets++
					good = good && len(a.Lhs) == len(a.Rhs) && r.made(p, ast.Unparen(a.Rhs[i]))
				}
			}
		case *ast.ValueSpec:
			for i, x := range a.Names {
				if r.TypesInfo.Defs[x] == r.TypesInfo.Uses[id] {
					sets++
					good = good && len(a.Names) == len(a.Values) && r.made(p, ast.Unparen(a.Values[i]))
				}
			}
		}
		return true
	})
	return sets > 0 && good
}

func isArray(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Array)
	return ok
}

// settings writes the fields of the new literal, other than New, a line each.
func (r *rewriting) settings(p *pool, pos token.Pos, sized bool) string {
	s := fmt.Sprintf("Name: %q,\n", p.name)
	if p.size != "" {
		s += "InitialSize: " + p.size + ",\n"
	}
	if !sized || p.target != generic {
		return s
	}
	size := "cap(*b)"
	switch {
	case isStdBuffer(p.elem):
		size = "b.Cap()"
	case isBytes(p.elem):
		size = "cap(b)"
	}
	s += "Size: func(b " + r.typeAt(pos, p.elem) + ") int { return " + size + " },\n"
	most := int64(0)
	for _, l := range p.made {
		if l.new != nil {
			most = max(most, r.largestMake(l.new))
		}
	}
	if most > defaultMaxSize {
		s += fmt.Sprintf("MaxSize: %d,\n", most)
	}
	return s
}

// largestMake returns the largest constant capacity that a New makes.
func (r *rewriting) largestMake(fn *ast.FuncLit) (most int64) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && r.isBuiltin(c, "make") {
			if size, ok := r.constSize(c.Args[len(c.Args)-1]); ok {
				most = max(most, size)
			}
		}
		return true
	})
	return most
}

// literal replaces what makes a pool.
func (r *rewriting) literal(p *pool, l *literal, sized bool) {
	pos := l.typ.Pos()
	r.edit(pos, l.typ.End(), r.targetAt(p, pos))
	if l.lit == nil {
		return
	}
	settings := r.settings(p, pos, sized)
	if l.kv == nil {
		if p.target == generic && sized && len(l.lit.Elts) == 0 {
			r.edit(l.lit.Lbrace+1, l.lit.Lbrace+1, "\n"+settings)
		}
		return
	}
	line := func(pos token.Pos) int { return r.Fset.PositionFor(pos, false).Line }
	first, last := "", ""
	if line(l.lit.Lbrace) == line(l.kv.Pos()) {
		first = "\n"
	}
	if p.target == generic {
		if line(l.lit.Rbrace) == line(l.kv.End()) && len(l.lit.Elts) == 1 {
			last = ",\n"
			if r.hasComma(l) {
				last = "\n"
			}
		}
		r.edit(l.kv.Pos(), l.kv.Pos(), first+settings)
		result := l.new.Type.Results.List[0].Type
		r.edit(result.Pos(), result.End(), r.typeAt(pos, p.elem))
		if last != "" {
			r.edit(l.lit.Rbrace, l.lit.Rbrace, last)
		}
		return
	}
	// Comments in New are kept.
	comments := ""
	for _, g := range r.file(pos).Comments {
		if r.holds(l.kv, g) {
			for _, c := range g.List {
				comments += c.Text + "\n"
			}
		}
	}
	settings = strings.TrimSuffix(settings, ",\n")
	if first == "\n" && comments == "" && !strings.Contains(settings, "\n") {
		first = "" // on one line
	} else if line(l.lit.Rbrace) == line(l.kv.End()) && !r.hasComma(l) {
		settings += ",\n"
	}
	r.edit(l.kv.Pos(), l.kv.End(), first+comments+settings)
}

// hasComma reports whether a comma follows the last element of a literal.
func (r *rewriting) hasComma(l *literal) bool {
	src := r.contents(r.file(l.lit.Pos()))
	return bytes.Contains(src[r.offset(l.kv.End()):r.offset(l.lit.Rbrace)], []byte(","))
}

func (m *migration) offset(pos token.Pos) int { return m.Fset.File(pos).Offset(pos) }

func (m *migration) contents(f *ast.File) []byte {
	src, err := m.ReadFile(m.Fset.File(f.FileStart).Name())
	if err != nil {
		return nil
	}
	return src
}

// imports adds basin to a file if it needs it, and removes what it needs no more.
func (r *rewriting) imports(f *ast.File) {
	src := r.contents(f)
	if src == nil {
		r.fail("a file cannot be read")
		return
	}
	tf := r.Fset.File(f.FileStart)
	lineStart := func(pos token.Pos) token.Pos { return tf.LineStart(tf.Line(pos)) }
	nextLine := func(pos token.Pos) token.Pos {
		if tf.Line(pos) == tf.LineCount() {
			return token.Pos(tf.Base() + tf.Size())
		}
		return tf.LineStart(tf.Line(pos) + 1)
	}
	deleted := slices.Clone(r.edits[f])
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			s := s.(*ast.ImportSpec)
			pn := r.importName(s)
			if pn == nil || pn.Name() == "_" || pn.Name() == "." || r.needed(f, pn, deleted) {
				continue
			}
			if !g.Lparen.IsValid() {
				r.edit(lineStart(g.Pos()), nextLine(g.End()), "")
				continue
			}
			if strings.TrimSpace(string(src[r.offset(lineStart(s.Pos())):r.offset(s.Pos())])) != "" {
				r.fail("the imports are written in a way that is not known")
			}
			r.edit(lineStart(s.Pos()), nextLine(s.End()), "")
		}
	}
	name := r.names[f]
	if name == "" || slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(Path) }) {
		return
	}
	spec := strconv.Quote(Path) + "\n"
	// Behind the first import of another module, or else behind the last of all.
	var block *ast.GenDecl
	var after *ast.ImportSpec
	foreign := false
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			s := s.(*ast.ImportSpec)
			path, _ := strconv.Unquote(s.Path.Value)
			if path == "C" || foreign {
				continue
			}
			first, _, _ := strings.Cut(path, "/")
			block, after = g, s
			foreign = strings.Contains(first, ".") && g.Lparen.IsValid()
		}
	}
	switch {
	case block == nil:
		r.fail("a file imports nothing")
	case !block.Lparen.IsValid():
		at := nextLine(block.End())
		r.edit(at, at, "import "+spec)
	case tf.Line(after.End()) == tf.Line(block.Rparen):
		r.fail("the imports are written in a way that is not known")
	case foreign:
		at := nextLine(after.End())
		r.edit(at, at, "\t"+spec)
	default:
		at := nextLine(after.End())
		r.edit(at, at, "\n\t"+spec)
	}
}

// needed reports whether a file uses an import after the edits.
func (r *rewriting) needed(f *ast.File, pn *types.PkgName, edits []analysis.TextEdit) bool {
	if r.also[f][pn.Name()] {
		return true
	}
	used, any := false, false
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || r.TypesInfo.Uses[id] != pn {
			return true
		}
		any = true
		if !slices.ContainsFunc(edits, func(e analysis.TextEdit) bool { return e.Pos <= id.Pos() && id.End() <= e.End }) {
			used = true
		}
		return true
	})
	for _, p := range r.pools {
		if p.reason == "" && p.size != "" && strings.HasPrefix(p.size, pn.Name()+".") {
			used = true
		}
	}
	return used || !any
}

// compiles type-checks the package with the changes.
func (r *rewriting) compiles() error {
	var files []*ast.File
	for _, f := range r.Files {
		if len(r.edits[f]) == 0 {
			files = append(files, f)
			continue
		}
		src := r.contents(f)
		edits := slices.Clone(r.edits[f])
		slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int { return int(a.Pos - b.Pos) })
		var out bytes.Buffer
		at := 0
		for _, e := range edits {
			if r.offset(e.Pos) < at {
				return errors.New("changes overlap")
			}
			out.Write(src[at:r.offset(e.Pos)])
			out.Write(e.NewText)
			at = r.offset(e.End)
		}
		out.Write(src[at:])
		name := r.Fset.File(f.FileStart).Name()
		parsed, err := parser.ParseFile(r.Fset, name, out.Bytes(), parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("the change would not compile: %v", err)
		}
		files = append(files, parsed)
	}
	known := map[string]*types.Package{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		for _, i := range p.Imports() {
			if known[i.Path()] == nil {
				known[i.Path()] = i
				visit(i)
			}
		}
	}
	visit(r.Pkg)
	direct := map[string]*types.Package{} // as files write them; vendoring changes paths
	for _, f := range r.Files {
		for _, s := range f.Imports {
			if pn := r.importName(s); pn != nil {
				path, _ := strconv.Unquote(s.Path.Value)
				direct[path] = pn.Imported()
			}
		}
	}
	if direct[Path] == nil {
		stub, err := stubOf(known, slices.ContainsFunc(r.moved(), func(p *pool) bool { return p.target != generic }))
		if err != nil {
			return err
		}
		direct[Path] = stub
	}
	config := types.Config{
		Sizes: r.TypesSizes,
		Importer: importer(func(path string) (*types.Package, error) {
			if path == "unsafe" {
				return types.Unsafe, nil
			}
			if p := direct[path]; p != nil {
				return p, nil
			}
			return nil, fmt.Errorf("%s is not known", path)
		}),
		FakeImportC: true,
	}
	if _, err := config.Check(r.Pkg.Path(), r.Fset, files, nil); err != nil {
		return fmt.Errorf("the change would not compile: %v", err)
	}
	return nil
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

// What fixes use of basin. A Buffer has the methods of a bytes.Buffer.
const (
	stub = `package basin

type Pool[T any] struct {
	New     func() T
	Size    func(T) int
	MaxSize int
	Name    string
}

func (*Pool[T]) Get() (x T) { return }
func (*Pool[T]) Put(T)      {}
`
	stubOfBuffers = `
type StdBufferPool struct {
	Name        string
	InitialSize int
}

func (*StdBufferPool) Get() *bytes.Buffer { return nil }
func (*StdBufferPool) Put(*bytes.Buffer)  {}

type BufferPool struct {
	Name        string
	InitialSize int
}

func (*BufferPool) Get() *Buffer { return nil }
func (*BufferPool) Put(*Buffer)  {}

type Buffer struct{ bytes.Buffer }
`
)

// stubOf type-checks the stub with the packages that the program has.
func stubOf(known map[string]*types.Package, buffers bool) (*types.Package, error) {
	fset := token.NewFileSet()
	src := stub
	if buffers {
		src = strings.Replace(stub, "\n", "\nimport \"bytes\"\n", 1) + stubOfBuffers
	}
	f, err := parser.ParseFile(fset, "basin.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: importer(func(path string) (*types.Package, error) {
		if p := known[path]; p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("%s is not known", path)
	})}
	return config.Check(Path, fset, []*ast.File{f}, nil)
}
