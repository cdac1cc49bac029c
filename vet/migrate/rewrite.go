package migrate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A rewriting collects the changes of a package.
type rewriting struct {
	*migration
	edits map[*ast.File][]analysis.TextEdit
	names map[*ast.File]string          // of basin, in files that need it
	wrong map[*ast.File]string          // why that name cannot be used
	also  map[*ast.File]map[string]bool // imports that edits use
	err   error
	at    token.Pos // of the import that err is about, if it is
}

func (r *rewriting) edit(pos, end token.Pos, text string) {
	f := r.file(pos)
	if name := r.shadowed(pos, text); name != "" {
		r.fail("the change needs the name %s, which is in use", name)
	}
	r.edits[f] = append(r.edits[f], analysis.TextEdit{Pos: pos, End: end, NewText: []byte(text)})
}

func (r *rewriting) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *rewriting) failAt(n ast.Node, format string, args ...any) {
	if r.err == nil {
		r.at = n.Pos()
	}
	r.fail(format, args...)
}

func (m *migration) typeName(p *pool) string {
	if p.target == handles {
		return "BufferPool"
	}
	return "Pool[" + m.text(p.elem) + "]"
}

// rewrite returns the changes that replace the pools, once they are known to compile. Pools that cannot be replaced stay. An
// error means that none of the others can be replaced.
func (m *migration) rewrite(pools []*pool) ([]analysis.TextEdit, error) {
	r := &rewriting{migration: m, edits: map[*ast.File][]analysis.TextEdit{}, names: map[*ast.File]string{}, wrong: map[*ast.File]string{},
		also: map[*ast.File]map[string]bool{}}
	for _, p := range pools {
		r.err = nil
		r.pool(p)
		if r.err != nil {
			p.stay(p.v.Pos(), "%v", r.err)
		}
	}
	for _, f := range m.Files {
		r.err, r.at = nil, token.NoPos
		if len(r.edits[f]) > 0 {
			r.imports(f)
		}
		for _, p := range pools {
			if r.err != nil && r.changes(p, f) {
				p.stay(cmp.Or(r.at, p.v.Pos()), "%v", r.err)
			}
		}
	}
	if movable := m.moved(); len(movable) < len(pools) { // the edits are also of those that stay
		if len(movable) == 0 {
			return nil, nil
		}
		return m.rewrite(movable)
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

// changes reports whether the replacement of a pool changes a file.
func (r *rewriting) changes(p *pool, f *ast.File) bool {
	return r.file(p.v.Pos()) == f || slices.ContainsFunc(p.gets, func(g get) bool { return r.file(g.call.Pos()) == f })
}

// basin returns the name of the package in the file of pos.
func (r *rewriting) basin(pos token.Pos) string {
	f := r.file(pos)
	if r.names[f] == "" {
		r.names[f], r.wrong[f] = r.findName(f)
	}
	if r.wrong[f] != "" {
		r.fail("%s", r.wrong[f])
	}
	return r.names[f]
}

// findName returns the name of basin in a file, and why it cannot be used, or nothing.
func (r *rewriting) findName(f *ast.File) (name, wrong string) {
	name = "basin"
	for _, s := range f.Imports {
		if path, _ := strconv.Unquote(s.Path.Value); path == Path {
			if s.Name != nil {
				name = s.Name.Name
			}
			if name == "." || name == "_" {
				wrong = "the file imports basin with the name " + name
			}
			return name, wrong
		}
	}
	taken := r.Pkg.Scope().Lookup(name) != nil
	r.walk(f, func(n ast.Node) bool {
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
	for _, o := range r.others {
		taken = taken || o.declares[name]
	}
	if taken {
		wrong = "the change needs the name basin, which is in use"
	}
	return name, wrong
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
				r.keep(f, pn.Name())
				return pn.Name()
			}
		}
		r.fail("its type %s is of a package that the file does not import", r.text(t))
		return other.Name()
	})
}

func (r *rewriting) keep(f *ast.File, name string) {
	if r.also[f] == nil {
		r.also[f] = map[string]bool{}
	}
	r.also[f][name] = true
}

// targetAt writes the type of a pool in the words of the file of pos.
func (r *rewriting) targetAt(p *pool, pos token.Pos) string {
	if p.target == handles {
		return r.basin(pos) + ".BufferPool"
	}
	return r.basin(pos) + ".Pool[" + r.typeAt(pos, p.elem) + "]"
}

// shadowed returns a predeclared name in a text that means something else at pos, or in another build of the
// package.
func (r *rewriting) shadowed(pos token.Pos, text string) string {
	var words scanner.Scanner
	words.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), func(token.Position, string) {}, 0)
	for last := token.ILLEGAL; ; {
		_, tok, word := words.Scan()
		if tok == token.EOF {
			return ""
		}
		if tok == token.IDENT && last != token.PERIOD && types.Universe.Lookup(word) != nil {
			if scope, _ := r.Pkg.Scope().Innermost(pos).LookupParent(word, pos); scope != types.Universe ||
				r.Pkg.Scope().Lookup(word) != nil || slices.ContainsFunc(r.others, func(o other) bool { return o.declares[word] }) {
				return word
			}
		}
		last = tok
	}
}

func (r *rewriting) pool(p *pool) {
	if p.typ != nil {
		r.edit(p.typ.Pos(), p.typ.End(), r.targetAt(p, p.typ.Pos()))
	}
	r.literal(p, p.made)
	for _, g := range p.gets {
		for _, a := range g.asserts {
			r.edit(a.X.End(), a.End(), "")
		}
	}
}

// settings writes the fields of the new literal, other than New, a line each.
func (r *rewriting) settings(p *pool, pos token.Pos) string {
	s := fmt.Sprintf("Name: %q,\n", p.name)
	if p.size != "" {
		s += "InitialSize: " + p.size + ",\n"
		if e, err := parser.ParseExpr(p.size); err == nil {
			r.walk(e, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					r.keep(r.file(pos), r.source(sel.X))
				}
				return true
			})
		}
	}
	if p.target != generic {
		if !p.limited {
			s += "// There was no limit. Where buffers are small, the default Bytes will do.\n" +
				fmt.Sprintf("Bytes: &%s.BytePool{Name: %q, %s},\n", r.basin(pos), p.name+".Bytes", strings.Join(limits(mostMaxSize, ""), ", "))
		}
		return s
	}
	size, isPointer := "cap(*b)", true
	switch {
	case isStdBuffer(p.elem):
		size = "b.Cap()"
	case isBytes(p.elem):
		size, isPointer = "cap(b)", false
	}
	body := " return " + size + " "
	if isPointer && r.mayHoldNil(p) {
		body = "\nif b == nil {\nreturn 0\n}\nreturn " + size + "\n"
	}
	s += "Size: func(b " + r.typeAt(pos, p.elem) + ") int {" + body + "},\n"
	switch {
	case r.largestMake(p.made.new) > mostMaxSize:
		r.fail("its New makes more than 2 GiB, which no pool of basin keeps")
	case !p.limited:
		s += "// There was no limit. Where values are small, the default ones will do.\n" + strings.Join(limits(mostMaxSize, ""), ",\n") + ",\n"
	case p.limit.at.IsValid() || p.limit.size > defaultMaxSize:
		s += strings.Join(limits(p.limit.size, p.limit.text), ",\n") + ",\n"
	}
	return s
}

// limits writes the fields of a pool that keeps values of up to so many bytes. text is that number in the words of the program, if
// any.
func limits(size int64, text string) []string {
	if size >= mostMaxSize || text == "" {
		size = min(size, mostMaxSize)
		text = sizeText(size)
	}
	fields := []string{"MaxSize: " + text}
	if size > defaultMaxSize { // or the default MaxIdle keeps as many
		if size == mostMaxSize {
			size++
		}
		fields = append(fields, "MaxIdle: "+sizeText(16*size))
	}
	return fields
}

// mayHoldNil reports whether nil pointers may be put, or made.
func (m *migration) mayHoldNil(p *pool) bool {
	return slices.ContainsFunc(p.puts, func(put *ast.CallExpr) bool { return !m.notNil(p, put.Args[0]) }) ||
		slices.ContainsFunc(returns(p.made.new.Body), func(r *ast.ReturnStmt) bool { return !m.notNil(p, r.Results[0]) })
}

// largestMake returns the largest constant capacity that a New makes.
func (r *rewriting) largestMake(fn *ast.FuncLit) (most int64) {
	r.walk(fn.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && r.isBuiltin(c, "make") {
			if size, ok := r.constSize(c.Args[len(c.Args)-1]); ok {
				most = max(most, size)
			}
		}
		return true
	})
	return most
}

// literal replaces the literal of a pool.
func (r *rewriting) literal(p *pool, l *literal) {
	pos := l.typ.Pos()
	r.edit(pos, l.typ.End(), r.targetAt(p, pos))
	settings := r.settings(p, pos)
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
	all := r.file(pos).Comments
	i, _ := slices.BinarySearchFunc(all, l.kv.Pos(), func(g *ast.CommentGroup, pos token.Pos) int { return int(g.Pos() - pos) })
	for _, g := range all[i:] {
		if !r.holds(l.kv, g) {
			break
		}
		for _, c := range g.List {
			comments += c.Text + "\n"
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
	src, ok := m.texts[f]
	if !ok {
		src, _ = m.ReadFile(m.Fset.File(f.FileStart).Name())
		m.texts[f] = src
	}
	return src
}

// imports adds basin to a file that needs it, and removes unused imports.
func (r *rewriting) imports(f *ast.File) {
	if r.contents(f) == nil {
		r.fail("%s cannot be read", filepath.Base(r.Fset.File(f.FileStart).Name()))
		return
	}
	isBasin := func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(Path) }
	if r.names[f] != "" && !slices.ContainsFunc(f.Imports, isBasin) {
		r.addImport(f) // first, because the next line may be removed
	}
	r.removeImports(f)
}

// removeImports removes the imports that are not used after the edits.
func (r *rewriting) removeImports(f *ast.File) {
	deleted := slices.Clone(r.edits[f])
	slices.SortFunc(deleted, func(a, b analysis.TextEdit) int { return int(a.Pos - b.Pos) })
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
			if path := pn.Imported().Path(); path != "sync" && path != "bytes" {
				r.failAt(s, "the change would remove the last use of package %s, whose import may have effects", path)
			}
			if g.Lparen.IsValid() {
				r.removeImport(f, s)
			} else {
				r.removeImport(f, g)
			}
		}
	}
}

// removeImport removes the lines of a node, or if it shares them, the node up to the next semicolon.
func (r *rewriting) removeImport(f *ast.File, n ast.Node) {
	src := r.contents(f)
	from, to := r.lines(f, n)
	before := strings.TrimSpace(string(src[r.offset(from):r.offset(n.Pos())]))
	after := strings.TrimSpace(string(src[r.offset(n.End()):r.offset(to)]))
	switch {
	case before == "" && (after == "" || strings.HasPrefix(after, "//")):
		r.edit(from, to, "")
	case strings.HasPrefix(after, ";"):
		r.edit(n.Pos(), n.End()+token.Pos(bytes.IndexByte(src[r.offset(n.End()):], ';')+1), "")
	case after == "" && strings.HasSuffix(before, ";"):
		r.edit(n.Pos(), n.End(), "")
	default:
		r.failAt(n, "an import shares its line: put it on a line of its own")
	}
}

// lines returns where the lines of a node begin, and where the next line does, whatever //line says.
func (r *rewriting) lines(f *ast.File, n ast.Node) (from, to token.Pos) {
	tf := r.Fset.File(f.FileStart)
	from = tf.LineStart(tf.PositionFor(n.Pos(), false).Line)
	last := tf.PositionFor(n.End(), false).Line
	if last == tf.LineCount() {
		return from, token.Pos(tf.Base() + tf.Size())
	}
	return from, tf.LineStart(last + 1)
}

// addImport imports basin.
func (r *rewriting) addImport(f *ast.File) {
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
	spec := strconv.Quote(Path) + "\n"
	rest := "" // of the last line of the import
	if block != nil {
		_, to := r.lines(f, after)
		rest = strings.Trim(string(r.contents(f)[r.offset(after.End()):r.offset(to)]), "; \t\r\n")
	}
	switch {
	case block == nil:
		r.fail("a file imports nothing")
	case strings.LastIndex(rest, "/*") > strings.LastIndex(rest, "*/") || !block.Lparen.IsValid() && rest != "" && !strings.HasPrefix(rest, "//"):
		r.failAt(after, "an import shares its line: put it on a line of its own")
	case !block.Lparen.IsValid():
		_, at := r.lines(f, block)
		r.edit(at, at, "import "+spec)
	case r.Fset.PositionFor(after.End(), false).Line == r.Fset.PositionFor(block.Rparen, false).Line:
		r.failAt(after, "an import shares its line: put it on a line of its own")
	case foreign:
		_, at := r.lines(f, after)
		r.edit(at, at, "\t"+spec)
	default:
		_, at := r.lines(f, after)
		r.edit(at, at, "\n\t"+spec)
	}
}

// needed reports whether a file uses an import after the edits, which are sorted.
func (r *rewriting) needed(f *ast.File, pn *types.PkgName, edits []analysis.TextEdit) bool {
	if r.also[f][pn.Name()] {
		return true
	}
	used, any := false, false
	for _, id := range r.uses[pn] {
		if r.file(id.Pos()) != f {
			continue
		}
		any = true
		i, exact := slices.BinarySearchFunc(edits, id.Pos(), func(e analysis.TextEdit, pos token.Pos) int { return int(e.Pos - pos) })
		for exact && i+1 < len(edits) && edits[i+1].Pos == id.Pos() {
			i++ // the last of those that begin there
		}
		if !exact {
			i--
		}
		used = used || i < 0 || id.End() > edits[i].End
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
		stub, err := stubOf(known, slices.ContainsFunc(r.moved(), func(p *pool) bool { return p.target == handles }))
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

// The names of basin that fixes use. A Buffer has the methods of a bytes.Buffer.
const (
	stub = `package basin

type Pool[T any] struct {
	New     func() T
	Size    func(T) int
	MaxSize int
	MaxIdle int64
	Name    string
}

func (*Pool[T]) Get() (x T) { return }
func (*Pool[T]) Put(T)      {}
`
	stubOfBuffers = `
type BufferPool struct {
	Name        string
	InitialSize int
	Bytes       *BytePool
}

type BytePool struct {
	Name    string
	MaxSize int
	MaxIdle int64
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
