package advise

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// A variable that begins as nil may be used where nothing has been appended to it yet. Its value there is nil, which leads nowhere. With
// memory of a pool, such a use would have that. So it must be one that cannot tell, or a return statement, which then returns nil.

const errNil = refusal("it may matter whether it is nil or empty, and a slice of a pool is never nil")

// early finds the uses of a variable before anything is appended to it.
type early struct {
	*mend
	v       *types.Var
	calls   []*ast.CallExpr // that append to it
	results *types.Tuple    // of the function
	reached map[*ast.Ident]bool
	others  bool // it is set to more than appends, parts of its own, and nil
	inner   bool // a function literal has it, too
	returns []earlyReturn
	bad     []*ast.Ident
}

// An earlyReturn returns the variable.
type earlyReturn struct {
	stmt *ast.ReturnStmt
	use  *ast.Ident
}

// returnNilEarly has return statements return nil that have the variable before one of these calls appends to it. They do these lines
// before. It refuses other uses there. A variable that a function literal has is no value but memory, whose uses the web has.
func (m *mend) returnNilEarly(decl ast.Stmt, v *types.Var, calls []*ast.CallExpr, lines ...string) error {
	e := &early{mend: m, v: v, calls: calls, reached: map[*ast.Ident]bool{}}
	_, path := m.around(decl)
	body := e.functionOf(path)
	if body == nil {
		return errUnreadable
	}
	e.reach(body)
	e.findUses(body)
	switch {
	case e.inner:
		return nil
	case len(e.bad) > 0:
		return refusal(fmt.Sprintf("it is used at line %d before anything is appended to it, where it is nil, and would no longer be", m.fset.Position(e.bad[0].Pos()).Line))
	case e.others && len(e.returns) > 0:
		return errNil
	}
	for _, r := range e.returns {
		m.replace(r.use.Pos(), r.use.End(), "nil")
		if len(lines) == 0 {
			continue
		}
		indent, err := m.indentation(r.stmt)
		if err != nil {
			return err
		}
		for _, line := range lines {
			m.insert(r.stmt, line+"\n"+indent)
		}
	}
	return nil
}

// functionOf notes the results of the innermost function of a path, and returns its body.
func (e *early) functionOf(path []ast.Node) *ast.BlockStmt {
	info := e.file.pkg.TypesInfo
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			e.results = info.Defs[n.Name].Type().(*types.Signature).Results()
			return n.Body
		case *ast.FuncLit:
			e.results = info.TypeOf(n).(*types.Signature).Results()
			return n.Body
		}
	}
	return nil
}

// reach notes the uses that an append may come before, without another value between them. Another value, or surely
// none, is not told apart from nil.
func (e *early) reach(body *ast.BlockStmt) {
	graph := cfg.New(body, func(call *ast.CallExpr) bool {
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return !ok || id.Name != "panic" || !e.file.pkg.TypesInfo.Types[id].IsBuiltin()
	})
	seen := map[*cfg.Block]bool{}
	var visit func(b *cfg.Block, has bool)
	visit = func(b *cfg.Block, has bool) {
		for _, n := range b.Nodes {
			if has {
				ast.Inspect(n, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						e.reached[id] = true
					}
					return true
				})
			}
			has = e.hasAfter(n, has)
		}
		for _, next := range b.Succs {
			if has && !seen[next] {
				seen[next] = true
				visit(next, true)
			}
		}
	}
	for _, b := range graph.Blocks {
		visit(b, false)
	}
}

// hasAfter reports whether the variable may have an appended array behind a statement, or another node of the graph.
func (e *early) hasAfter(n ast.Node, had bool) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		return had && !slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return e.isVariable(id) })
	case *ast.AssignStmt:
		i := slices.IndexFunc(n.Lhs, e.isVariable)
		switch {
		case i < 0:
			return had
		case len(n.Lhs) != len(n.Rhs):
			return false
		}
		switch rhs := ast.Unparen(n.Rhs[i]).(type) {
		case *ast.CallExpr:
			return slices.Contains(e.calls, rhs)
		case *ast.SliceExpr:
			return had && e.isVariable(rhs.X)
		}
		return false
	}
	return had
}

// isVariable reports whether an expression is the variable.
func (e *early) isVariable(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && e.file.pkg.TypesInfo.ObjectOf(id) == e.v
}

// findUses sorts the uses that no append comes before.
func (e *early) findUses(body *ast.BlockStmt) {
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && e.file.pkg.TypesInfo.Uses[id] == e.v {
			e.inner = e.inner || innerLiteral(stack) != nil
			e.note(id, stack)
		}
		stack = append(stack, n)
		return true
	})
}

// note sorts a use by the nodes around it.
func (e *early) note(id *ast.Ident, stack []ast.Node) {
	use := ast.Expr(id)
	i := len(stack) - 1
	for ; i > 0; i-- {
		paren, ok := stack[i].(*ast.ParenExpr)
		if !ok {
			break
		}
		use = paren
	}
	if set, ok := stack[i].(*ast.AssignStmt); ok && slices.Contains(set.Lhs, use) {
		e.others = e.others || len(set.Lhs) != len(set.Rhs) || !e.setsOwn(ast.Unparen(set.Rhs[slices.Index(set.Lhs, use)]))
		return
	}
	ret, ok := stack[i].(*ast.ReturnStmt)
	switch {
	case e.reached[id]:
	case ok && e.returnsSlice(ret, use):
		e.returns = append(e.returns, earlyReturn{ret, id})
	case ok || !e.isAlikeHere(use, stack[:i+1]):
		e.bad = append(e.bad, id)
	}
}

// setsOwn reports whether a statement that sets the variable to this appends to it, cuts it, or sets it to nil.
func (e *early) setsOwn(rhs ast.Expr) bool {
	switch rhs := rhs.(type) {
	case *ast.CallExpr:
		return slices.Contains(e.calls, rhs)
	case *ast.SliceExpr:
		return e.isVariable(rhs.X)
	}
	return e.file.pkg.TypesInfo.Types[rhs].IsNil()
}

// returnsSlice reports whether a statement returns a use as a slice, so that it can return nil instead.
func (e *early) returnsSlice(ret *ast.ReturnStmt, use ast.Expr) bool {
	i := slices.Index(ret.Results, use)
	if i < 0 || e.results.Len() != len(ret.Results) {
		return false
	}
	_, ok := e.results.At(i).Type().Underlying().(*types.Slice)
	return ok
}

// isAlikeHere reports whether a use does the same with an empty slice as with nil, and hands out no memory.
func (e *early) isAlikeHere(use ast.Expr, stack []ast.Node) bool {
	switch n := stack[len(stack)-1].(type) {
	case *ast.IndexExpr: // which panics
		return n.X == use
	case *ast.RangeStmt:
		return n.X == use
	case *ast.SliceExpr:
		return e.cutsItself(n, stack[:len(stack)-1])
	case *ast.CallExpr:
		return e.takesAlike(n, use)
	}
	return false
}

// cutsItself reports whether a slice expression is the empty part of the variable that the variable is set to, or that an append extends.
func (e *early) cutsItself(part *ast.SliceExpr, stack []ast.Node) bool {
	info := e.file.pkg.TypesInfo
	if part.Slice3 || part.Low != nil && !isZeroConstant(info, part.Low) || part.High != nil && !isZeroConstant(info, part.High) {
		return false
	}
	switch n := stack[len(stack)-1].(type) {
	case *ast.AssignStmt:
		i := slices.Index(n.Rhs, ast.Expr(part))
		return i >= 0 && len(n.Lhs) == len(n.Rhs) && e.isVariable(n.Lhs[i])
	case *ast.CallExpr:
		return e.takesAlike(n, part)
	}
	return false
}

// takesAlike reports whether a call appends to the variable, or only reads elements, of which there are none.
func (e *early) takesAlike(call *ast.CallExpr, use ast.Expr) bool {
	info := e.file.pkg.TypesInfo
	if slices.Contains(e.calls, call) {
		own := slices.IndexFunc(call.Args, func(arg ast.Expr) bool { return types.Identical(info.TypeOf(arg), e.v.Type()) })
		return own >= 0 && call.Args[own] == use || e.isAppend(call) && (call.Args[0] == use || call.Ellipsis.IsValid())
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || !info.Types[call.Fun].IsBuiltin() {
		return false
	}
	switch id.Name {
	case "len", "copy", "clear":
		return true
	case "append":
		return call.Args[0] != use && call.Ellipsis.IsValid()
	}
	return false
}
