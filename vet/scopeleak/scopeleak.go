// Package scopeleak defines an analyzer that finds memory of a scope that outlives it.
//
// # Analyzer scopeleak
//
// scopeleak: find memory of a scope that outlives the function that ends the scope
//
// End gives all memory of a Scope back. If the function that calls it also returns such memory, stores it where it
// outlives the function, or sends it away, somebody uses it too late:
//
//	var s basinscope.Scope
//	defer s.End()
//	return s.String(b)
//
// Return a copy. Another goroutine needs a Child of the scope, not the scope itself.
package scopeleak

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed scopeleak.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("scopeleak", findings.Doc(source, "scopeleak"), find)

const scopePath = "github.com/basin-go/basin/basinscope"

func find(r *pooled.Result) (found []findings.Finding) {
	imports := false
	for _, p := range r.Pass.Pkg.Imports() {
		imports = imports || p.Path() == scopePath
	}
	if !imports {
		return nil
	}
	for _, file := range r.Pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch f := n.(type) {
			case *ast.FuncDecl:
				if f.Body != nil {
					found = append(found, judge(r.Pass.TypesInfo, f.Type, f.Body)...)
				}
			case *ast.FuncLit:
				found = append(found, judge(r.Pass.TypesInfo, f.Type, f.Body)...)
			}
			return true
		})
	}
	return found
}

// A function is the body of one that ends scopes.
type function struct {
	info    *types.Info
	body    *ast.BlockStmt
	own     *types.Scope              // of the parameters
	results map[*types.Var]bool       // with names
	scopes  map[*types.Var]bool       // local variables that the function ends
	memory  map[*types.Var]*types.Var // local variables with memory of a scope
	waits   bool                      // perhaps for the goroutines that it starts
	found   []findings.Finding
}

func judge(info *types.Info, sig *ast.FuncType, body *ast.BlockStmt) []findings.Finding {
	f := &function{info: info, body: body, own: info.Scopes[sig], results: map[*types.Var]bool{}, scopes: map[*types.Var]bool{}, memory: map[*types.Var]*types.Var{}}
	if sig.Results != nil {
		for _, field := range sig.Results.List {
			for _, name := range field.Names {
				if v, ok := info.Defs[name].(*types.Var); ok {
					f.results[v] = true
				}
			}
		}
	}
	f.ends()
	if len(f.scopes) == 0 {
		return nil
	}
	f.assignments()
	f.escapes(body, false)
	return f.found
}

// ends finds the scopes that the function declares and ends, and whether it waits for anything.
func (f *function) ends() {
	var literals []*ast.FuncLit
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
		case *ast.UnaryExpr:
			f.waits = f.waits || n.Op == token.ARROW
		case *ast.RangeStmt:
			if t := f.info.TypeOf(n.X); t != nil {
				_, isChan := t.Underlying().(*types.Chan)
				f.waits = f.waits || isChan
			}
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			f.waits = f.waits || sel.Sel.Name == "Wait"
			if v := f.local(sel.X); v != nil && sel.Sel.Name == "End" && isScope(v.Type()) {
				f.scopes[v] = true
			}
		}
		return true
	})
	for v := range f.scopes {
		if slices.ContainsFunc(literals, func(l *ast.FuncLit) bool { return l.Pos() <= v.Pos() && v.Pos() < l.End() }) {
			delete(f.scopes, v) // that of a function literal
		}
	}
}

// isScope reports whether t is a Scope or a pointer to one.
func isScope(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Scope" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == scopePath
}

// local returns the variable of the function that e names, or nil. A leading & does not matter.
func (f *function) local(e ast.Expr) *types.Var {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := f.info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || v.Pos() < f.body.Pos() || v.Pos() >= f.body.End() {
		return nil
	}
	return v
}

// assignments finds the variables with memory of a scope: those that are assigned nothing else.
func (f *function) assignments() {
	other := map[*types.Var]bool{}
	for range 3 { // variables of variables
		ast.Inspect(f.body, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != len(a.Rhs) {
				return true
			}
			for i, l := range a.Lhs {
				v := f.local(l)
				if _, isName := ast.Unparen(l).(*ast.Ident); v == nil || !isName {
					continue
				}
				if s := f.scopeOf(a.Rhs[i]); s != nil {
					f.memory[v] = s
				} else if !f.grows(v, a.Rhs[i]) {
					other[v] = true
				}
			}
			return true
		})
		for v := range other {
			delete(f.memory, v)
		}
		clear(other)
	}
}

// grows reports whether e is an append to v.
func (f *function) grows(v *types.Var, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && f.builtin(call.Fun, "append") && f.local(call.Args[0]) == v
}

func (f *function) builtin(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := f.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}

// scopeOf returns the scope whose memory e is, or nil.
func (f *function) scopeOf(e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := f.local(e); v != nil {
			return f.memory[v]
		}
	case *ast.SliceExpr:
		return f.scopeOf(e.X)
	case *ast.UnaryExpr:
		if index, ok := ast.Unparen(e.X).(*ast.IndexExpr); ok && e.Op == token.AND {
			return f.scopeOf(index.X)
		}
	case *ast.CallExpr:
		return f.scopeOfCall(e)
	}
	return nil
}

// scopeOfCall returns the scope whose memory a call returns, or nil.
func (f *function) scopeOfCall(call *ast.CallExpr) *types.Var {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X // New[T]
	}
	var id *ast.Ident
	scope := call.Args
	switch fun := fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
		if f.info.Selections[fun] != nil {
			scope = []ast.Expr{fun.X}
		}
	default:
		return nil
	}
	callee, ok := f.info.Uses[id].(*types.Func)
	if !ok || callee.Pkg() == nil || callee.Pkg().Path() != scopePath || len(scope) == 0 {
		return nil
	}
	switch callee.Name() {
	case "Get", "Append", "String", "New", "Slice":
		if v := f.local(scope[0]); v != nil && f.scopes[v] {
			return v
		}
	}
	return nil
}

// within returns the scope whose memory is in e: e itself, an element of a composite literal, or an argument
// of append that becomes an element.
func (f *function) within(e ast.Expr) *types.Var {
	if s := f.scopeOf(e); s != nil {
		return s
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.within(e.X)
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			if s := f.within(x); s != nil {
				return s
			}
		}
	case *ast.CallExpr:
		if f.builtin(e.Fun, "append") && !e.Ellipsis.IsValid() {
			for _, x := range e.Args[1:] {
				if s := f.within(x); s != nil {
					return s
				}
			}
		}
	}
	return nil
}

// outlives reports whether l, the left side of an assignment, is there after the function has returned.
func (f *function) outlives(l ast.Expr) bool {
	deref := false
	for {
		switch e := ast.Unparen(l).(type) {
		case *ast.Ident:
			v, ok := f.info.ObjectOf(e).(*types.Var)
			switch {
			case !ok:
				return false
			case v.Parent() != nil && v.Pkg() != nil && v.Parent() == v.Pkg().Scope():
				return true // of the package
			case f.results[v]:
				return true
			case v.Pos() < f.body.Pos(): // a parameter, or a variable around a function literal
				return deref || v.Parent() != f.own
			}
			return false
		case *ast.SelectorExpr:
			if f.info.Selections[e] == nil { // of another package
				return true
			}
			deref = deref || isReference(f.info.TypeOf(e.X))
			l = e.X
		case *ast.IndexExpr:
			deref = deref || isReference(f.info.TypeOf(e.X))
			l = e.X
		case *ast.StarExpr:
			deref = true
			l = e.X
		default:
			return false
		}
	}
}

func isReference(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	}
	return false
}

// escapes finds memory that leaves the function. inner says that n is in a function literal, whose returns are its own.
func (f *function) escapes(n ast.Node, inner bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.escapes(n.Body, true)
			return false
		case *ast.GoStmt:
			f.goes(n)
			return true
		case *ast.ReturnStmt:
			if inner {
				return true
			}
			for _, x := range n.Results {
				if s := f.within(x); s != nil {
					f.report(x, s, "is returned")
				}
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if len(n.Lhs) != len(n.Rhs) || !f.outlives(l) {
					continue
				}
				if s := f.within(n.Rhs[i]); s != nil {
					f.report(n.Rhs[i], s, "is stored where it outlives the scope")
				}
			}
		case *ast.SendStmt:
			if s := f.within(n.Value); s != nil && (f.local(n.Chan) == nil || !f.waits) {
				f.report(n.Value, s, "is sent to another goroutine")
			}
		}
		return true
	})
}

// goes finds scopes, and if nobody waits also their memory, that a new goroutine uses.
func (f *function) goes(g *ast.GoStmt) {
	done := false
	ast.Inspect(g.Call, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || done {
			return !done
		}
		v := f.local(id)
		switch {
		case v == nil:
		case f.scopes[v] && !endedIn(f, g, v):
			f.found = append(f.found, findings.Finding{Pos: id.Pos(), End: id.End(),
				Message: fmt.Sprintf("%s is used by another goroutine, which needs a Child of it", v.Name())})
			done = true
		case f.memory[v] != nil && !f.waits && !endedIn(f, g, f.memory[v]):
			f.report(id, f.memory[v], "is used by a goroutine without a Child")
			done = true
		}
		return true
	})
}

// endedIn reports whether the goroutine itself ends the scope v, or one that was made for it.
func endedIn(f *function, g *ast.GoStmt, v *types.Var) (ends bool) {
	ast.Inspect(g.Call, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "End" {
				t := f.info.TypeOf(sel.X)
				ends = ends || f.local(sel.X) == v || t != nil && isScope(t)
			}
		}
		return true
	})
	return ends
}

func (f *function) report(x ast.Expr, s *types.Var, how string) {
	f.found = append(f.found, findings.Finding{Pos: x.Pos(), End: x.End(),
		Message: fmt.Sprintf("memory of the scope %s %s, but the scope ends in this function; make a copy", s.Name(), how)})
}
