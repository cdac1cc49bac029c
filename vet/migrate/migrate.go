// Package migrate moves pools of buffers from sync.Pool to basin.
package migrate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `replace sync.Pools of buffers by pools of basin

A sync.Pool becomes a pool of basin if that provably keeps the program's behaviour:
a BufferPool if nobody can tell its buffers from *bytes.Buffers, or else a Pool[T] of
*bytes.Buffer, []byte, *[]byte, or types made of these. Of each pool of buffers that
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

func (m *migration) build() {
	m.uses, m.calls = map[types.Object][]*ast.Ident{}, map[*types.Func][]*ast.CallExpr{}
	m.funcs, m.direct = map[*types.Func]*ast.FuncDecl{}, map[*ast.TypeAssertExpr]*pool{}
	m.texts, m.decls, m.labels = map[*ast.File][]byte{}, map[types.Object][]*ast.Ident{}, map[ast.Node]bool{}
	for _, f := range m.Files {
		var stack []ast.Node
		m.walk(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				m.parent[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			switch n := n.(type) {
			case *ast.Ident:
				if o := m.TypesInfo.Uses[n]; o != nil {
					m.uses[o] = append(m.uses[o], n)
				}
				if o := m.TypesInfo.Defs[n]; o != nil {
					m.decls[o] = append(m.decls[o], n)
				}
			case *ast.CallExpr:
				if f := m.callee(n); f != nil {
					m.calls[f] = append(m.calls[f], n)
				}
			case *ast.FuncDecl:
				if f, ok := m.TypesInfo.Defs[n.Name].(*types.Func); ok && n.Body != nil {
					m.funcs[f] = n
				}
			}
			return true
		})
	}
}

// counted, if a test sets it, is called with the number of nodes looked at in each package.
var counted func(work int)

func run(pass *analysis.Pass) (any, error) {
	if !mentions(pass) {
		return nil, nil
	}
	m := &migration{Pass: pass, parent: map[ast.Node]ast.Node{}, files: map[*token.File]*ast.File{}, byVar: map[*types.Var]*pool{}, asIs: map[*ast.File]string{}}
	for _, f := range pass.Files {
		m.files[pass.Fset.File(f.FileStart)] = f
		m.asIs[f] = m.untouchable(f)
	}
	m.build()
	m.find()
	for _, p := range m.pools {
		m.understand(p)
	}
	m.pools = slices.DeleteFunc(m.pools, func(p *pool) bool { return !mayHoldBuffers(p.values) || m.isGenerated(p.v.Pos()) })
	if len(m.moved()) > 0 {
		m.collections()
		m.others = m.notCompiled()
		m.elsewhere()
	}
	for _, p := range m.pools {
		m.judge(p)
	}
	var fix *analysis.SuggestedFix
	if moved := m.moved(); len(moved) > 0 {
		edits, err := m.rewrite(moved)
		switch {
		case err != nil:
			for _, p := range m.moved() {
				p.stay(p.v.Pos(), "%v", err)
			}
		case len(edits) > 0:
			fix = &analysis.SuggestedFix{Message: "Use pools of basin", TextEdits: edits}
		}
	}
	m.report(fix)
	if counted != nil {
		counted(m.work)
	}
	return nil, nil
}

// judge decides whether a pool becomes one of basin, and which.
func (m *migration) judge(p *pool) {
	if p.reason == "" {
		m.judgePuts(p)
	}
	if p.reason == "" {
		m.choose(p)
		m.varies = ""
		p.limit, p.limited = m.limitOf(p)
		p.varies = m.varies
	}
	if p.reason == "" && p.made.named && p.target == generic {
		p.stay(p.made.kv.Pos(), "its New is not a function literal")
	}
	if v := m.Pkg.GoVersion(); p.reason == "" && p.target == generic && v != "" && version.Compare(v, "go1.18") < 0 {
		p.stay(p.v.Pos(), "the module's go line, %s, has no generic types", strings.TrimPrefix(v, "go"))
	}
}

// mentions reports whether a package has a sync.Pool that may be replaced.
func mentions(pass *analysis.Pass) bool {
	path := pass.Pkg.Path()
	if path == Path || strings.HasPrefix(path, Path+"/") || len(pass.TypeErrors) > 0 ||
		len(pass.Files) == 0 || pooled.InStandardLibrary(pass.Fset.File(pass.Files[0].FileStart).Name()) {
		return false // a package that basin imports, or none that can be judged
	}
	for _, o := range pass.TypesInfo.Uses {
		switch o := o.(type) {
		case *types.TypeName:
			if isPool(o.Type()) {
				return true
			}
		case *types.Func:
			if o.FullName() == getOfPool {
				return true
			}
		}
	}
	return false
}

// untouchable says why a file must not be changed, or nothing.
func (m *migration) untouchable(f *ast.File) string {
	name := m.Fset.File(f.FileStart).Name()
	switch {
	case byCgo(f):
		return "in a file with cgo"
	case ast.IsGenerated(f):
		return "in a generated file"
	case strings.Contains(filepath.ToSlash(name), "/vendor/"):
		return "in a vendored file"
	case m.Fset.PositionFor(f.Package, true).Filename != name || importsC(f):
		return "in a file with cgo"
	}
	return ""
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
		m.walk(f, func(n ast.Node) bool {
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
			}
			return true
		})
	}
	for _, l := range literals {
		m.assign(l)
	}
	for _, f := range m.Files {
		m.walk(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				m.noteUse(id)
			}
			return true
		})
	}
}

// noteUse notes where the variable of a pool is declared or used.
func (m *migration) noteUse(id *ast.Ident) {
	v, ok := m.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok || m.byVar[v.Origin()] == nil {
		return
	}
	p := m.byVar[v.Origin()]
	if m.TypesInfo.Defs[id] != nil {
		m.declaration(p, id)
		return
	}
	var e ast.Expr = id
	if s, ok := m.parent[id].(*ast.SelectorExpr); ok && s.Sel == id {
		e = s
	}
	p.uses = append(p.uses, m.outer(e).(ast.Expr))
}

// nameOf is the name of a pool in statistics.
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
		p.stay(id.Pos(), "it is embedded, and only variables of a package are replaced")
	} else if v.Exported() {
		p.stay(id.Pos(), "it is exported, so other packages may use it")
	} else if v.Name() == "_" {
		p.stay(id.Pos(), "it has no name")
	}
	if p.v.IsField() {
		p.stay(id.Pos(), "it is a field, and only variables of a package are replaced")
		return
	}
	d, ok := m.parent[id].(*ast.ValueSpec)
	switch {
	case ok && p.v.Parent() == m.Pkg.Scope():
	case m.isParameter(id):
		p.stay(id.Pos(), "it is a parameter, and only variables of a package are replaced")
		return
	default:
		p.stay(id.Pos(), "it is a local variable, and only variables of a package are replaced")
		return
	}
	switch i := slices.Index(d.Names, id); {
	case len(d.Names) > 1 && (d.Type != nil || len(d.Values) != len(d.Names)):
		p.stay(id.Pos(), "it is declared together with other variables")
	case i >= len(d.Values) && isPool(p.v.Type()):
		p.stay(id.Pos(), "it has no New, so that Get returns nil when nothing is idle")
	case p.made == nil:
		p.stay(id.Pos(), "it is not declared with a literal, such as sync.Pool{New: f}")
	}
	if typ := d.Type; typ != nil {
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		if !m.saysPool(typ) {
			p.stay(typ.Pos(), "its type is not written as sync.Pool")
		}
		p.typ = typ
	}
}

// isParameter reports whether an identifier declares a parameter, a result or a receiver.
func (m *migration) isParameter(id *ast.Ident) bool {
	_, ok := m.parent[id].(*ast.Field)
	return ok
}

// collects are functions whose users may see that a collection empties a sync.Pool.
var collects = []string{"runtime.GC", "runtime.SetFinalizer", "runtime.AddCleanup", "runtime/debug.FreeOSMemory", "weak.Make"}

// collections has pools stay if the package, other than its tests, may wait for a collection to empty them.
func (m *migration) collections() {
	for o, ids := range m.uses {
		f, ok := o.(*types.Func)
		if !ok || !slices.Contains(collects, f.FullName()) {
			continue
		}
		for _, id := range ids {
			if !strings.HasSuffix(m.Fset.File(id.Pos()).Name(), "_test.go") {
				for _, p := range m.pools {
					p.stay(id.Pos(), "the package uses %s, and a collection does not empty a pool of basin", f.FullName())
				}
			}
		}
	}
}

// assign finds the pool that is declared with a literal.
func (m *migration) assign(l *literal) {
	var e ast.Node = l.lit
	if l.lit == nil {
		e = m.parent[l.typ]
	} else {
		for _, elt := range l.lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				l.kv = kv
				if l.new, _ = ast.Unparen(kv.Value).(*ast.FuncLit); l.new == nil {
					l.new = m.function(kv.Value)
					l.named = l.new != nil
				}
			}
		}
	}
	for {
		if u, ok := m.parent[e].(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = u
			continue
		}
		if _, ok := m.parent[e].(*ast.ParenExpr); !ok {
			break
		}
		e = m.parent[e]
	}
	p := m.byVar[m.holder(e)]
	switch _, declared := m.parent[e].(*ast.ValueSpec); {
	case p == nil:
		m.loose = append(m.loose, l)
	case declared:
		p.made = l
	case l.new != nil:
		p.values = append(p.values, m.returned(l.new.Body)...)
	}
}

// holder returns the variable or field that e is directly assigned to, or nil.
func (m *migration) holder(e ast.Node) *types.Var {
	var to ast.Expr
	switch n := m.parent[e].(type) {
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			to = n.Names[slices.Index(n.Values, e.(ast.Expr))]
		}
	case *ast.AssignStmt:
		if i := slices.Index(n.Rhs, e.(ast.Expr)); i >= 0 && len(n.Lhs) == len(n.Rhs) {
			to = n.Lhs[i]
		}
	case *ast.CompositeLit: // of a struct, by position
		t := m.TypesInfo.TypeOf(n).Underlying()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem().Underlying()
		}
		if s, ok := t.(*types.Struct); ok {
			return s.Field(slices.Index(n.Elts, e.(ast.Expr))).Origin()
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && n.Value == e {
			if v, ok := m.TypesInfo.Uses[key].(*types.Var); ok && v.IsField() { // or it is the key of a map
				return v.Origin()
			}
		}
	}
	var v *types.Var
	switch to := to.(type) {
	case *ast.Ident:
		v, _ = m.TypesInfo.ObjectOf(to).(*types.Var)
	case *ast.SelectorExpr:
		v, _ = m.TypesInfo.Uses[to.Sel].(*types.Var)
	}
	if v == nil {
		return nil
	}
	return v.Origin()
}

func (m *migration) report(fix *analysis.SuggestedFix) {
	for _, p := range m.pools {
		d := analysis.Diagnostic{Pos: p.v.Pos(), End: p.v.Pos() + token.Pos(len(p.v.Name()))}
		if p.reason == "" {
			d.Category = Moved
			d.Message = fmt.Sprintf("%s becomes a basin.%s", p.v.Name(), m.typeName(p))
			switch {
			case !p.limited && p.varies != "":
				d.Message += "; its limit is a variable, " + p.varies + ", so it keeps values of up to 2 GiB, and 32 GiB in all"
			case !p.limited:
				d.Message += "; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all"
			case p.limit.at.IsValid():
				d.Related = []analysis.RelatedInformation{{Pos: p.limit.at, End: p.limit.at, Message: "this limit becomes its MaxSize"}}
			}
			if fix != nil {
				d.SuggestedFixes = []analysis.SuggestedFix{*fix}
				fix = nil
			}
		} else {
			d.Category = Stays
			d.Message = fmt.Sprintf("%s stays a sync.Pool: %s", p.v.Name(), p.reason)
			if at, pos := m.Fset.Position(p.at), m.Fset.Position(d.Pos); p.at.IsValid() && (at.Filename != pos.Filename || at.Line != pos.Line) {
				d.Related = []analysis.RelatedInformation{{Pos: p.at, End: p.at, Message: "here"}}
			}
		}
		m.Report(d)
	}
	m.reportOthers()
}
