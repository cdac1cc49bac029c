package advise

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// A deferred function may put only memory of some sizes: it drops large or small ones. The path without a Put is its limit then.

// dropsBySize reports whether the function that gets a value from a pool surely defers a Put, which only conditions on a size leave out.
func dropsBySize(files []*ast.File, get token.Pos, puts []token.Pos) bool {
	for _, f := range files {
		if get < f.Pos() || f.End() <= get {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(f, get, get)
		for i, n := range path {
			if block, ok := n.(*ast.BlockStmt); ok && i > 0 {
				at := slices.IndexFunc(block.List, func(s ast.Stmt) bool { return s == path[i-1] })
				return at >= 0 && defersPut(block.List[at+1:], puts)
			}
		}
	}
	return false
}

// defersPut reports whether one of some statements defers a function literal with such a Put, and none before it may leave the block.
func defersPut(list []ast.Stmt, puts []token.Pos) bool {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.DeferStmt:
			if lit, ok := stmt.Call.Fun.(*ast.FuncLit); ok && putsIn(lit.Body.List, puts) {
				return true
			}
		case *ast.AssignStmt, *ast.DeclStmt, *ast.IncDecStmt:
		default:
			return false
		}
	}
	return false
}

// putsIn reports whether statements put a value, unless it has another size.
func putsIn(list []ast.Stmt, puts []token.Pos) bool {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.ExprStmt:
			if slices.ContainsFunc(puts, func(pos token.Pos) bool { return stmt.Pos() <= pos && pos < stmt.End() }) {
				return true
			}
		case *ast.IfStmt:
			if !comparesSize(stmt.Cond) || stmt.Init != nil || stmt.Else != nil {
				return false
			}
			if putsIn(stmt.Body.List, puts) {
				return true
			}
		case *ast.AssignStmt:
		default:
			return false
		}
	}
	return false
}

// comparesSize reports whether a condition compares nothing but lengths or capacities.
func comparesSize(cond ast.Expr) bool {
	c, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	switch c.Op {
	case token.LAND, token.LOR:
		return comparesSize(c.X) && comparesSize(c.Y)
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return isSize(c.X) || isSize(c.Y)
	}
	return false
}

// isSize reports whether an expression is the length or the capacity of something.
func isSize(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return len(call.Args) == 1 && (f.Name == "len" || f.Name == "cap")
	case *ast.SelectorExpr:
		return len(call.Args) == 0 && (f.Sel.Name == "Len" || f.Sel.Name == "Cap" || f.Sel.Name == "Size")
	}
	return false
}
