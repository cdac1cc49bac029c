package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A variable alone has its slice if each use of it extends or cuts the slice, reads or sets elements, or returns it. Then nothing
// but the variable leads to the array.

// listUses are the uses of a variable that alone has its slice.
type listUses struct {
	info    *types.Info
	v       *types.Var
	decl    ast.Stmt // that declares it
	within  *ast.FuncLit
	appends []*ast.CallExpr
	results []ast.Expr
	cut     bool // it is cut
	changed bool // elements are set or moved
	asked   bool // it is compared with nil
	early   bool // a loop over a function returns it, and the function runs on
	other   bool // there are other uses
}

// listUsesOf returns the uses of a variable in its file, or nil if there are others.
func listUsesOf(f *sourceFile, v *types.Var) *listUses {
	u := &listUses{info: f.pkg.TypesInfo, v: v}
	var stack []ast.Node
	ast.Inspect(f.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok {
			switch {
			case u.info.Defs[id] == v:
				u.decl, u.within = declaring(stack)
			case u.info.Uses[id] == v:
				u.other = u.other || u.decl == nil || !u.add(id, stack)
			}
		}
		stack = append(stack, n)
		return true
	})
	if u.other || u.decl == nil {
		return nil
	}
	return u
}

// add notes a use, and reports whether it is one of those that are known.
func (u *listUses) add(id *ast.Ident, stack []ast.Node) bool {
	around := stack[len(stack)-1]
	switch n := around.(type) {
	case *ast.AssignStmt:
		return u.addSet(id, n)
	case *ast.CallExpr:
		return u.addArgument(id, n, stack)
	case *ast.SliceExpr: // of the statement that cuts it, whose other side has been looked at
		a, ok := stack[len(stack)-2].(*ast.AssignStmt)
		return ok && n.X == ast.Expr(id) && u.isOnly(a.Lhs)
	case *ast.IndexExpr:
		return n.X == ast.Expr(id) && u.addElement(n, stack[:len(stack)-1])
	case *ast.RangeStmt:
		return n.X == ast.Expr(id)
	case *ast.ReturnStmt:
		return u.addResult(id, n, stack)
	case *ast.BinaryExpr:
		u.asked = true
		return u.info.Types[n.X].IsNil() || u.info.Types[n.Y].IsNil()
	}
	return false
}

// is reports whether an expression is the variable.
func (u *listUses) is(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && u.info.Uses[id] == u.v
}

// isOnly reports whether a list has the variable alone.
func (u *listUses) isOnly(list []ast.Expr) bool { return len(list) == 1 && u.is(list[0]) }

// addSet notes an assignment to the variable, of a longer slice or of its first elements.
func (u *listUses) addSet(id *ast.Ident, n *ast.AssignStmt) bool {
	if n.Tok != token.ASSIGN || !u.isOnly(n.Lhs) || len(n.Rhs) != 1 || n.Lhs[0] != ast.Expr(id) {
		return false
	}
	switch e := n.Rhs[0].(type) {
	case *ast.CallExpr:
		if u.builtin(e) != "append" || !u.is(e.Args[0]) {
			return false
		}
		u.appends = append(u.appends, e)
		return true
	case *ast.SliceExpr:
		u.cut = true
		return u.is(e.X) && !e.Slice3 && e.High != nil && (e.Low == nil || isZeroConstant(u.info, e.Low)) && (isZeroConstant(u.info, e.High) || u.isLess(e.High))
	}
	return false
}

// isLess reports whether a number is the length of the slice less a constant.
func (u *listUses) isLess(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.SUB || !isConstant(u.info, b.Y) {
		return false
	}
	call, ok := b.X.(*ast.CallExpr)
	return ok && u.builtin(call) == "len" && u.is(call.Args[0])
}

// builtin names the function of the language that a call calls, or is empty.
func (u *listUses) builtin(call *ast.CallExpr) string {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || !u.info.Types[call.Fun].IsBuiltin() {
		return ""
	}
	return id.Name
}

// addArgument notes a call that has the slice as an argument.
func (u *listUses) addArgument(id *ast.Ident, call *ast.CallExpr, stack []ast.Node) bool {
	at := slices.Index(call.Args, ast.Expr(id))
	switch name := u.builtin(call); {
	case at < 0:
		return false
	case name == "len":
		return true
	case name == "append" && at == 0:
		a, ok := stack[len(stack)-2].(*ast.AssignStmt)
		return ok && u.isOnly(a.Lhs)
	case name == "append":
		return call.Ellipsis.IsValid()
	case name == "copy":
		u.changed = u.changed || at == 0
		return true
	case name != "":
		return false
	case u.info.Types[call.Fun].IsType():
		return isString(u.info.TypeOf(call))
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := u.info.Uses[sel.Sel].(*types.Func)
	if !ok || !borrowers[fn.FullName()] {
		return false
	}
	u.changed = true
	return true
}

// borrowers are functions of the standard library that read or move the elements of a slice, and keep nothing of it.
var borrowers = map[string]bool{"sort.Slice": true, "sort.SliceStable": true, "sort.Strings": true, "sort.Ints": true, "sort.Float64s": true,
	"slices.Sort": true, "slices.SortFunc": true, "slices.SortStableFunc": true, "slices.Reverse": true, "slices.Contains": true,
	"slices.ContainsFunc": true, "slices.Index": true, "slices.IndexFunc": true, "slices.BinarySearch": true, "strings.Join": true}

// addResult notes a return statement of the variable's function. Nothing in it may change the slice behind the copy.
func (u *listUses) addResult(id *ast.Ident, n *ast.ReturnStmt, stack []ast.Node) bool {
	if innerLiteral(stack) != u.within {
		return false
	}
	for _, e := range n.Results {
		if u.is(e) && e != ast.Expr(id) || u.calls(e) {
			return false
		}
	}
	u.results = append(u.results, id)
	u.early = u.early || slices.ContainsFunc(stack, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		return ok && loop.Pos() > u.decl.Pos() && iterates(u.info, loop)
	})
	return true
}

// calls reports whether an expression may call a function value, or passes one.
func (u *listUses) calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		var fn types.Object
		switch fun := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			fn = u.info.Uses[fun]
		case *ast.SelectorExpr:
			fn = u.info.Uses[fun.Sel]
		}
		switch fn.(type) {
		case *types.Func, *types.Builtin, *types.TypeName:
		default:
			found = true
		}
		found = found || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return isFunctionType(u.info.TypeOf(arg)) })
		return !found
	})
	return found
}

// addElement notes a use of an element, or of a field of it. The address of neither may be taken.
func (u *listUses) addElement(e ast.Expr, stack []ast.Node) bool {
	for _, n := range slices.Backward(stack) {
		typ := u.info.TypeOf(e).Underlying()
		_, array := typ.(*types.Array)
		switch n := n.(type) {
		case *ast.ParenExpr:
			e = n
			continue
		case *ast.SelectorExpr:
			sel := u.info.Selections[n]
			if _, ok := typ.(*types.Pointer); ok {
				return true
			}
			if sel == nil || sel.Kind() != types.FieldVal {
				return sel != nil && !hasPointerReceiver(sel.Obj())
			}
			if sel.Indirect() { // it is behind a pointer
				return true
			}
			e = n
			continue
		case *ast.IndexExpr:
			if array && n.X == e {
				e = n
				continue
			}
		case *ast.SliceExpr:
			return !array || n.X != e
		case *ast.UnaryExpr:
			return n.Op != token.AND
		case *ast.RangeStmt:
			u.changed = true
			return !array
		case *ast.AssignStmt:
			u.changed = u.changed || slices.Contains(n.Lhs, e)
		case *ast.IncDecStmt:
			u.changed = true
		}
		return true
	}
	return false
}

// hasPointerReceiver reports whether a method takes the address of its receiver.
func hasPointerReceiver(method types.Object) bool {
	fn, ok := method.(*types.Func)
	if !ok {
		return true
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return true
	}
	_, pointer := recv.Type().Underlying().(*types.Pointer)
	return pointer
}
