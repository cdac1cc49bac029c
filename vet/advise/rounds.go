package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A slice that grows by one element in each round of a loop has a capacity that is known before. It may be in a variable, or in
// a field of a struct that a variable has.

// grownIn returns the variable that an append extends, or that of the struct whose field it extends.
func (f *sourceFile) grownIn(e ast.Expr) (v types.Object, field string) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.pkg.TypesInfo.Uses[e], ""
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if sel := f.pkg.TypesInfo.Selections[e]; !ok || sel == nil || sel.Kind() != types.FieldVal {
			return nil, ""
		}
		typ := f.pkg.TypesInfo.TypeOf(id)
		if p, ok := typ.Underlying().(*types.Pointer); ok {
			typ = p.Elem()
		}
		if _, name := named(typ); name != "" {
			return f.pkg.TypesInfo.Uses[id], name + "." + e.Sel.Name
		}
		return f.pkg.TypesInfo.Uses[id], types.ExprString(e)
	}
	return nil, ""
}

// keepsField reports whether a loop leaves a struct alone but for its fields, and sets one of these by an append alone. A method
// of the struct, or a function that gets it, might empty the slice when it is long enough.
func (f *sourceFile) keepsField(loop ast.Node, v types.Object, grown *ast.CallExpr) bool {
	info := f.pkg.TypesInfo
	target := types.ExprString(ast.Unparen(grown.Args[0]))
	keeps, grows := true, false
	var stack []ast.Node
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == v {
			sel, ok := stack[len(stack)-1].(*ast.SelectorExpr)
			keeps = keeps && ok && info.Selections[sel] != nil && info.Selections[sel].Kind() == types.FieldVal
			if keeps && types.ExprString(sel) == target {
				to, set := fieldSetBy(sel, stack[len(stack)-2])
				keeps = !set || to == ast.Expr(grown)
				grows = grows || set
			}
		}
		stack = append(stack, n)
		return true
	})
	return keeps && grows
}

// setsOtherwise reports whether a loop sets a variable to anything but the result of an append to it.
func (f *sourceFile) setsOtherwise(loop ast.Node, v types.Object) (other bool) {
	info := f.pkg.TypesInfo
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && info.ObjectOf(id) == v
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, to := range a.Lhs {
			if !is(to) {
				continue
			}
			call, ok := ast.Unparen(a.Rhs[min(i, len(a.Rhs)-1)]).(*ast.CallExpr)
			other = other || !ok || len(a.Rhs) != len(a.Lhs) || !info.Types[call.Fun].IsBuiltin() || !is(call.Args[0])
		}
		return true
	})
	return other
}

// isParameterOf reports whether a variable is a parameter of a function among some nodes.
func isParameterOf(path []ast.Node, v types.Object) bool {
	return slices.ContainsFunc(path, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Type.Params.Pos() <= v.Pos() && v.Pos() < n.Type.Params.End()
		case *ast.FuncLit:
			return n.Type.Params.Pos() <= v.Pos() && v.Pos() < n.Type.Params.End()
		}
		return false
	})
}

// fieldSetBy reports whether a node sets a field or takes its address, and returns the value that it gets, if that is known.
func fieldSetBy(sel *ast.SelectorExpr, by ast.Node) (value ast.Expr, set bool) {
	switch by := by.(type) {
	case *ast.AssignStmt:
		i := slices.Index(by.Lhs, ast.Expr(sel))
		if i >= 0 && len(by.Lhs) == len(by.Rhs) {
			return by.Rhs[i], true
		}
		return nil, i >= 0
	case *ast.UnaryExpr:
		return nil, by.Op == token.AND
	case *ast.RangeStmt:
		return nil, by.X != ast.Expr(sel)
	}
	return nil, false
}

// capacityText says which capacity a slice can have before the loop that fills it.
func (a *allocation) capacityText() string {
	it, give, number, in := "It", "make it with "+a.timesText()+"that capacity before the loop", "one element", " in"
	if a.inField != "" {
		it = "Field " + a.inField
	}
	if a.inField != "" || a.begun {
		give = "call slices.Grow before the loop"
		if a.perRound > 1 {
			give += ", for " + a.timesText() + "that"
		}
	}
	if a.perRound > 1 {
		number = plural(a.perRound, "element")
		in = " by " + number + " in each round of"
	}
	if a.atMost {
		return it + " grows by at most " + number + " in each round of a loop over " + a.knownEnd + ": if most rounds append, " + give + "."
	}
	return it + " grows" + in + " a loop over " + a.knownEnd + ", whose length is known: " + give + "."
}

// timesText says how many elements a round appends, if several.
func (a *allocation) timesText() string {
	if a.perRound > 1 {
		return fmt.Sprintf("%d times ", a.perRound)
	}
	return ""
}

// appendsSeveral reports whether a call is an append of several elements.
func (f *sourceFile) appendsSeveral(call *ast.CallExpr) bool {
	return len(call.Args) > 2 && f.pkg.TypesInfo.Types[call.Fun].IsBuiltin()
}

// endsRounds reports whether a statement of a loop may end one of its rounds early, or all.
func endsRounds(loop ast.Node) (ends bool) {
	var visit func(n ast.Node, inner, innerLoop bool)
	visit = func(root ast.Node, inner, innerLoop bool) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				own := n.Tok == token.BREAK && !inner || n.Tok == token.CONTINUE && !innerLoop
				ends = ends || own || n.Tok == token.GOTO || n.Label != nil
			case *ast.ForStmt, *ast.RangeStmt:
				if n != root {
					visit(n, true, true)
					return false
				}
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if n != root {
					visit(n, true, innerLoop)
					return false
				}
			}
			return true
		})
	}
	visit(loop, false, false)
	return ends
}
