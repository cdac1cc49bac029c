// Package migrate moves pools of buffers from sync.Pool to basin.
package migrate

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `replace sync.Pools of buffers by pools of basin

A sync.Pool becomes a pool of basin if that provably keeps what the program does:
a StdBufferPool or a BufferPool if it has *bytes.Buffers, a Pool[T] if it has
[]byte, *[]byte, or types made of these. Of each pool of buffers that
stays, the reason is reported.

The fix of all pools of a package is one, and it is that of the first.`

// Analyzer reports each pool of buffers, as one of two categories.
var Analyzer = &analysis.Analyzer{
	Name:     "migrate",
	Doc:      doc,
	URL:      "https://pkg.go.dev/github.com/basin-go/basin/vet/migrate",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// The categories of what is reported.
const (
	Moved = "moved" // a pool that the fix replaces
	Stays = "stays" // one that it does not
)

// What a fix imports, and the version of Go that this needs.
const (
	Path      = "github.com/basin-go/basin"
	GoVersion = "1.25.0"
)

// A pool is a variable or a field that is a sync.Pool, or a pointer to one.
type pool struct {
	v     *types.Var
	name  string     // for people, and for statistics
	types []ast.Expr // where its declaration says sync.Pool
	made  []*literal
	uses  []ast.Expr // of the variable, other than where it is declared and made
	owner *ast.ValueSpec
	size  string // of New's value, in the words of the program

	gets   []get
	puts   []*ast.CallExpr
	elem   types.Type
	values []types.Type // what is got, put and made, if it has to do with buffers
	reason string       // why it stays
	at     token.Pos
	target target
}

// A literal is an expression that makes a sync.Pool.
type literal struct {
	typ  ast.Expr          // sync.Pool
	lit  *ast.CompositeLit // nil for new(sync.Pool)
	pool *pool             // which it is for
	new  *ast.FuncLit
	kv   *ast.KeyValueExpr // New: new

	assigned bool // by a statement
	named    bool // new is a function of the package
}

// A get is a call of Get with all that depends on its type.
type get struct {
	call    *ast.CallExpr
	asserts []*ast.TypeAssertExpr
	ok      *okShape
	v       *types.Var // the variable that is declared with the value, if any

	compared bool // v is, with nil
}

type target int

const (
	generic target = iota // Pool[T]
	std                   // StdBufferPool
	handles               // BufferPool
)

// stay says why the pool stays a sync.Pool. The first reason counts.
func (p *pool) stay(at token.Pos, format string, args ...any) {
	if p.reason == "" {
		p.reason, p.at = fmt.Sprintf(format, args...), at
	}
}

// A migration is that of one package.
type migration struct {
	*analysis.Pass
	parent  map[ast.Node]ast.Node
	files   map[*token.File]*ast.File
	pools   []*pool
	byVar   map[*types.Var]*pool
	loose   []*literal          // of no variable's
	several map[*types.Var]bool // variables and fields that have some, of buffers
	asIs    map[*ast.File]string
}

func run(pass *analysis.Pass) (any, error) {
	if !mentions(pass) {
		return nil, nil
	}
	m := &migration{Pass: pass, parent: map[ast.Node]ast.Node{}, files: map[*token.File]*ast.File{}, byVar: map[*types.Var]*pool{}, several: map[*types.Var]bool{}, asIs: map[*ast.File]string{}}
	for _, f := range pass.Files {
		m.files[pass.Fset.File(f.FileStart)] = f
		m.asIs[f] = m.untouchable(f)
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				m.parent[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			return true
		})
	}
	m.find()
	for _, p := range m.pools {
		m.understand(p)
	}
	m.pools = slices.DeleteFunc(m.pools, func(p *pool) bool {
		return !slices.ContainsFunc(p.values, isBuffer) || m.isGenerated(p.v.Pos())
	})
	if len(m.pools) == 0 && len(m.loose) == 0 && len(m.several) == 0 {
		return nil, nil
	}
	m.elsewhere()
	m.copies()
	for _, p := range m.pools {
		if p.reason == "" {
			m.choose(p)
		}
		for _, l := range p.made {
			if l.named && p.target == generic {
				p.stay(l.kv.Pos(), "its New is not a function literal")
			}
		}
	}
	var fix *analysis.SuggestedFix
	if moved := m.moved(); len(moved) > 0 {
		edits, err := m.rewrite(moved)
		if err != nil {
			for _, p := range moved {
				p.stay(p.v.Pos(), "%v", err)
			}
		} else {
			fix = &analysis.SuggestedFix{Message: "Use pools of basin", TextEdits: edits}
		}
	}
	m.report(fix)
	return nil, nil
}

// mentions reports whether a package has a sync.Pool that may be replaced.
func mentions(pass *analysis.Pass) bool {
	path := pass.Pkg.Path()
	if path == Path || strings.HasPrefix(path, Path+"/") || len(pass.TypeErrors) > 0 ||
		len(pass.Files) == 0 || pooled.InStandardLibrary(pass.Fset.File(pass.Files[0].FileStart).Name()) {
		return false // what basin imports, or nothing that can be judged
	}
	for id, o := range pass.TypesInfo.Uses {
		if t, ok := o.(*types.TypeName); ok && isPool(t.Type()) && id.IsExported() {
			return true
		}
	}
	return false
}

func isPool(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Pool" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync"
}

// untouchable says why a file must not be changed, or nothing.
func (m *migration) untouchable(f *ast.File) string {
	name := m.Fset.File(f.FileStart).Name()
	switch {
	case ast.IsGenerated(f):
		return "in a generated file"
	case strings.Contains(filepath.ToSlash(name), "/vendor/"):
		return "in a vendored file"
	case m.Fset.PositionFor(f.Package, true).Filename != name || importsC(f):
		return "in a file with cgo"
	}
	return ""
}

func importsC(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

func (m *migration) file(pos token.Pos) *ast.File { return m.files[m.Fset.File(pos)] }

func (m *migration) isGenerated(pos token.Pos) bool {
	f := m.file(pos)
	return f != nil && (m.asIs[f] == "in a generated file" || m.asIs[f] == "in a vendored file")
}

// find collects the pools of the package, how they are made and where they are used.
func (m *migration) find() {
	add := func(v *types.Var, name string) {
		t := v.Type()
		if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if v = v.Origin(); isPool(t) && m.byVar[v] == nil {
			p := &pool{v: v, name: name}
			m.byVar[v] = p
			m.pools = append(m.pools, p)
		}
	}
	var literals []*literal
	for _, f := range m.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if v, ok := m.TypesInfo.Defs[n].(*types.Var); ok {
					add(v, m.nameOf(n, v))
				}
			case *ast.CompositeLit:
				if n.Type != nil && isPool(m.TypesInfo.TypeOf(n)) {
					literals = append(literals, &literal{typ: n.Type, lit: n})
				}
			case *ast.CallExpr:
				if m.isBuiltin(n, "new") && len(n.Args) == 1 && isPool(m.TypesInfo.TypeOf(n.Args[0])) {
					literals = append(literals, &literal{typ: n.Args[0]})
				}
				if v := m.container(n); v != nil {
					m.several[v.Origin()] = true
				}
			}
			return true
		})
	}
	for _, l := range literals {
		m.assign(l)
	}
	for _, f := range m.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := m.TypesInfo.ObjectOf(id).(*types.Var)
			if !ok || m.byVar[v.Origin()] == nil {
				return true
			}
			p := m.byVar[v.Origin()]
			if m.TypesInfo.Defs[id] != nil {
				m.declaration(p, id)
				return true
			}
			var e ast.Expr = id
			if s, ok := m.parent[id].(*ast.SelectorExpr); ok && s.Sel == id {
				e = s
			}
			for {
				paren, ok := m.parent[e].(*ast.ParenExpr)
				if !ok {
					break
				}
				e = paren
			}
			p.uses = append(p.uses, e)
			return true
		})
	}
}

// container returns the variable or field whose elements are sync.Pools, if a call is the Get of an
// element that is a buffer.
func (m *migration) container(c *ast.CallExpr) *types.Var {
	f := m.callee(c)
	if f == nil || f.FullName() != "(*sync.Pool).Get" {
		return nil
	}
	a, ok := m.parent[m.outer(c)].(*ast.TypeAssertExpr)
	if !ok || a.Type == nil || !isBuffer(m.TypesInfo.TypeOf(a.Type)) {
		return nil
	}
	x := ast.Unparen(ast.Unparen(c.Fun).(*ast.SelectorExpr).X)
	for {
		element, ok := x.(*ast.IndexExpr)
		if !ok {
			return nil
		}
		x = ast.Unparen(element.X)
		switch of := x.(type) {
		case *ast.Ident:
			v, _ := m.TypesInfo.Uses[of].(*types.Var)
			return v
		case *ast.SelectorExpr:
			v, _ := m.TypesInfo.Uses[of.Sel].(*types.Var)
			return v
		}
	}
}

// nameOf is what a pool is called in statistics.
func (m *migration) nameOf(id *ast.Ident, v *types.Var) string {
	name := m.Pkg.Name() + "."
	if v.IsField() {
		for n := m.parent[id]; n != nil; n = m.parent[n] {
			if t, ok := n.(*ast.TypeSpec); ok {
				name += t.Name.Name + "."
			}
		}
	}
	return name + v.Name()
}

// declaration looks at where a pool is declared.
func (m *migration) declaration(p *pool, id *ast.Ident) {
	if why := m.asIs[m.file(id.Pos())]; why != "" {
		p.stay(id.Pos(), "it is declared %s", why)
	}
	if v := p.v; v.Embedded() {
		p.stay(id.Pos(), "it is embedded")
	} else if v.Exported() {
		p.stay(id.Pos(), "it is exported")
	} else if v.Name() == "_" {
		p.stay(id.Pos(), "it is blank")
	}
	var typ ast.Expr
	switch d := m.parent[id].(type) {
	case *ast.ValueSpec:
		if p.v.Parent() != m.Pkg.Scope() {
			p.stay(id.Pos(), "it is a local variable: a pool of basin is made once and kept")
			return
		}
		if len(d.Names) > 1 && (d.Type != nil || len(d.Values) != len(d.Names)) {
			p.stay(id.Pos(), "it is declared together with others")
			return
		}
		typ, p.owner = d.Type, d
		i := slices.Index(d.Names, id)
		if i < len(d.Values) && !slices.ContainsFunc(p.made, func(l *literal) bool { return m.holds(d.Values[i], l.typ) }) {
			p.stay(id.Pos(), "what it is set to is not a literal")
		}
	case *ast.Field:
		if !p.v.IsField() {
			p.stay(id.Pos(), "it is a parameter")
			return
		}
		if len(d.Names) > 1 {
			p.stay(id.Pos(), "it is declared together with others")
			return
		}
		typ = d.Type
		if _, ok := m.parent[m.parent[m.parent[d]]].(*ast.TypeSpec); !ok {
			p.stay(id.Pos(), "it is the field of a type without a name")
			return
		}
		if m.parent[m.parent[m.parent[d]]].(*ast.TypeSpec).TypeParams != nil {
			p.stay(id.Pos(), "its type has type parameters")
			return
		}
	default:
		p.stay(id.Pos(), "it is a local variable: a pool of basin is made once and kept")
		return
	}
	if typ == nil {
		return
	}
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if !m.saysPool(typ) {
		p.stay(typ.Pos(), "its type is declared by another name")
		return
	}
	p.types = append(p.types, typ)
}

// saysPool reports whether an expression is sync.Pool, as that.
func (m *migration) saysPool(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	t, ok := m.TypesInfo.Uses[s.Sel].(*types.TypeName)
	return ok && !t.IsAlias() && isPool(t.Type())
}

func (m *migration) holds(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

// assign finds the variable that a literal is for.
func (m *migration) assign(l *literal) {
	var e ast.Node = l.lit
	if l.lit == nil {
		e = m.parent[l.typ]
	}
	for {
		switch n := m.parent[e].(type) {
		case *ast.ParenExpr:
			e = n
			continue
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				e = n
				continue
			}
		}
		break
	}
	var to ast.Expr
	switch n := m.parent[e].(type) {
	case *ast.ValueSpec:
		if i := slices.Index(n.Values, e.(ast.Expr)); i >= 0 && len(n.Names) == len(n.Values) {
			to = n.Names[i]
		}
	case *ast.AssignStmt:
		if i := slices.Index(n.Rhs, e.(ast.Expr)); i >= 0 && len(n.Lhs) == len(n.Rhs) {
			to, l.assigned = n.Lhs[i], true
		}
	case *ast.KeyValueExpr:
		to = n.Key
	}
	var v *types.Var
	if n, ok := m.parent[e].(*ast.CompositeLit); ok { // of a struct, by position
		if s, ok := m.TypesInfo.TypeOf(n).Underlying().(*types.Struct); ok {
			v = s.Field(slices.Index(n.Elts, e.(ast.Expr)))
		}
	}
	switch to := to.(type) {
	case *ast.Ident:
		v, _ = m.TypesInfo.ObjectOf(to).(*types.Var)
	case *ast.SelectorExpr:
		v, _ = m.TypesInfo.Uses[to.Sel].(*types.Var)
	}
	if l.lit != nil {
		for _, elt := range l.lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				l.kv = kv
				l.new, _ = ast.Unparen(kv.Value).(*ast.FuncLit)
			}
		}
	}
	if v == nil || m.byVar[v.Origin()] == nil {
		m.loose = append(m.loose, l)
		return
	}
	l.pool = m.byVar[v.Origin()]
	l.pool.made = append(l.pool.made, l)
}

// elsewhere finds pools that files use which are not compiled here: those of other
// platforms and tags, tests if they are not read, and files with cgo.
func (m *migration) elsewhere() {
	names := map[string][]*pool{}
	for _, p := range m.pools {
		names[p.v.Name()] = append(names[p.v.Name()], p)
	}
	for _, other := range m.others() {
		for name := range other.names {
			for _, p := range names[name] {
				p.stay(p.v.Pos(), "%s, which is not compiled here, has the name too", other.file)
			}
		}
	}
}

// copies finds pools that are copied, which go vet would report.
func (m *migration) copies() {
	pass := *m.Pass
	pass.Report = func(d analysis.Diagnostic) {
		if !strings.Contains(d.Message, "sync.Pool") {
			return
		}
		for _, p := range m.pools {
			if isPool(p.v.Type()) {
				p.stay(d.Pos, "a sync.Pool is copied")
			}
		}
	}
	if _, err := copylock.Analyzer.Run(&pass); err != nil {
		for _, p := range m.pools {
			p.stay(p.v.Pos(), "whether it is copied could not be found out: %v", err)
		}
	}
}

func (m *migration) moved() []*pool {
	var moved []*pool
	for _, p := range m.pools {
		if p.reason == "" {
			moved = append(moved, p)
		}
	}
	return moved
}

func (m *migration) report(fix *analysis.SuggestedFix) {
	for _, p := range m.pools {
		d := analysis.Diagnostic{Pos: p.v.Pos(), End: p.v.Pos() + token.Pos(len(p.v.Name()))}
		if p.reason == "" {
			d.Category = Moved
			d.Message = fmt.Sprintf("%s becomes a basin.%s", p.v.Name(), m.typeName(p))
			if fix != nil {
				d.SuggestedFixes = []analysis.SuggestedFix{*fix}
				fix = nil
			}
		} else {
			d.Category = Stays
			d.Message = fmt.Sprintf("%s stays a sync.Pool: %s", p.v.Name(), p.reason)
			if p.at.IsValid() && m.Fset.Position(p.at).Line != m.Fset.Position(d.Pos).Line {
				d.Related = []analysis.RelatedInformation{{Pos: p.at, End: p.at, Message: "here"}}
			}
		}
		m.Report(d)
	}
	for _, v := range slices.SortedFunc(maps.Keys(m.several), func(a, b *types.Var) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
		if m.file(v.Pos()) == nil || m.isGenerated(v.Pos()) {
			continue
		}
		m.Report(analysis.Diagnostic{Pos: v.Pos(), End: v.Pos() + token.Pos(len(v.Name())), Category: Stays,
			Message: v.Name() + " keeps its sync.Pools: they are elements of an array, a slice or a map"})
	}
	for _, l := range m.loose {
		if m.isGenerated(l.typ.Pos()) || l.new == nil || !slices.ContainsFunc(m.results(l.new), isBuffer) {
			continue
		}
		m.Report(analysis.Diagnostic{Pos: l.typ.Pos(), End: l.typ.End(), Category: Stays,
			Message: "this stays a sync.Pool: it is not the value of a variable or field of that type"})
	}
}

// isBuffer reports whether a type is a buffer: *bytes.Buffer, or bytes, or a pointer
// to these.
func isBuffer(t types.Type) bool {
	t = types.Unalias(t)
	if isBytes(t) || isStdBuffer(t) {
		return true
	}
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	if a, ok := p.Elem().Underlying().(*types.Array); ok {
		return isByte(a.Elem())
	}
	return isBytes(p.Elem())
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

func isBytes(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	s, ok := t.Underlying().(*types.Slice)
	return ok && isByte(s.Elem())
}

// isStdBuffer reports whether a type is *bytes.Buffer.
func isStdBuffer(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Buffer" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "bytes"
}

func (m *migration) isBuiltin(c *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := m.TypesInfo.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}
