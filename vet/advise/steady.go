package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// isSteady reports whether a variable of the function has its value before a statement, which does not change it.
func (m *mend) isSteady(v *types.Var, stmt ast.Stmt) bool {
	if v.Parent() == nil || v.Parent() == v.Pkg().Scope() || v.Pos() >= stmt.Pos() {
		return false
	}
	info := m.file.pkg.TypesInfo
	steady := true
	var stack []ast.Node
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == v && len(stack) > 0 {
			within := stmt.Pos() <= id.Pos() && id.Pos() < stmt.End() || innerLiteral(stack) != nil
			steady = steady && !(within && isSet(id, stack[len(stack)-1]))
		}
		stack = append(stack, n)
		return true
	})
	return steady
}

// isSet reports whether a node sets a variable, or takes its address.
func isSet(id *ast.Ident, by ast.Node) bool {
	switch n := by.(type) {
	case *ast.AssignStmt:
		return slices.Contains(n.Lhs, ast.Expr(id))
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.AND
	case *ast.RangeStmt:
		return n.Key == id || n.Value == id
	}
	return false
}

// isStill reports whether an expression is a variable, a field of one, or the address of such, whose value is the same
// wherever it is evaluated before its statement.
func isStill(e ast.Expr) bool {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op != token.ARROW {
		e = u.X
	}
	return isPath(ast.Unparen(e))
}

// isPath reports whether an expression is a variable or a field of one.
func isPath(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPath(e.X)
	}
	return false
}
