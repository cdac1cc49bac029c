package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// Memory may leave its function in one place only: a field gets it, or a function that may keep it. Then it can stay in the
// function if a copy leaves there. The function must not use its own memory after that: writes to it would not reach the copy.

// exitOf returns the last place where memory can leave its function as a copy, and the fate of the memory without that. It
// returns nil if the memory leaves in other places, too.
func (s *source) exitOf(root ssa.Value, g *growth) (last *exit, rest *trail) {
	made, ok := root.(ssa.Instruction)
	if !ok {
		return nil, nil
	}
	if g == nil {
		g = new(growth)
	}
	all := s.tracer.trailWithout(nil, root, g.appends, g.rounds())
	for _, b := range made.Parent().Blocks {
		for _, use := range b.Instrs {
			e := exitBy(use, all.seen)
			if e == nil || !all.isSlice(e.value) {
				continue
			}
			without := s.tracer.trailWithout(use, root, g.appends, g.rounds())
			if without.fate.way != stays || isUsedAfter(use, without.seen) {
				continue
			}
			if e.expr = s.unconverted(s.exprOf(e)); e.expr != nil && !s.isUsedBehind(e.expr, use, all.seen) {
				last, rest = e, without
			}
		}
	}
	return last, rest
}

// exitBy returns the exit by an instruction that may give one of some values to others, or nil.
func exitBy(use ssa.Instruction, seen map[ssa.Value]bool) *exit {
	switch u := use.(type) {
	case *ssa.Store:
		if _, local := u.Addr.(*ssa.Alloc); seen[u.Val] && !local {
			return &exit{use: u, value: u.Val, how: "stores it " + placeOf(u.Addr, "behind a pointer")}
		}
	case *ssa.MapUpdate:
		if seen[u.Value] && !seen[u.Key] {
			return &exit{use: u, value: u.Value, how: "stores it in a map"}
		}
	case *ssa.Send:
		if seen[u.X] {
			return &exit{use: u, value: u.X, how: "sends it on a channel"}
		}
	case *ssa.Call:
		return exitByCall(u, seen)
	}
	return nil
}

// exitByCall returns the exit by a call of which one argument is one of some values, or nil.
func exitByCall(call *ssa.Call, seen map[ssa.Value]bool) *exit {
	c := &call.Call
	if _, ok := c.Value.(*ssa.Builtin); ok || seen[c.Value] {
		return nil
	}
	e := &exit{use: call, how: "passes it to a function value"}
	for _, arg := range c.Args {
		if seen[arg] && e.value != nil {
			return nil
		} else if seen[arg] {
			e.value = arg
		}
	}
	if fn := c.StaticCallee(); fn != nil {
		e.how = "passes it to " + name(fn)
	} else if c.IsInvoke() {
		e.how = "passes it to method " + c.Method.Name() + " of an interface"
	}
	if e.value == nil {
		return nil
	}
	return e
}

// isSlice reports whether a value is the slice that the trail follows, or the bytes of its Buffer, even if it is converted, and
// never another one.
func (t *trail) isSlice(v ssa.Value) bool {
	v = unwrap(v)
	if isBufferPointer(t.root) {
		if change, ok := v.(*ssa.ChangeType); ok {
			v = change.X
		}
		call, ok := v.(*ssa.Call)
		return ok && isCalled(call, "bytes.(*Buffer).Bytes") && settled(call.Call.Args[0]) == t.root
	}
	_, ok := v.Type().Underlying().(*types.Slice)
	return ok && t.isList(v, map[ssa.Value]bool{})
}

// isUsedBehind reports whether the statement of an expression, whose value leaves by an instruction, may use the memory, or
// change it, after it has the value: return b, fill(b). The copy would be made before that.
func (s *source) isUsedBehind(e ast.Expr, exit ssa.Instruction, seen map[ssa.Value]bool) bool {
	stmt := s.statementOf(e)
	if stmt == nil {
		return true
	}
	shared := false // a literal or a goroutine has it
	var calls []ssa.CallInstruction
	for _, b := range exit.Parent().Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.MakeClosure, *ssa.Go:
				shared = shared || refersTo(i, seen)
			case *ssa.Call:
				if i != exit && e.End() < i.Pos() && i.Pos() < stmt.End() && !asksLength(i) {
					calls = append(calls, i)
				}
			}
		}
	}
	return slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool { return shared || refersTo(c, seen) })
}

// asksLength reports whether a call is one of len or cap.
func asksLength(call *ssa.Call) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && (b.Name() == "len" || b.Name() == "cap")
}

// statementOf returns the innermost statement that has an expression, or nil.
func (s *source) statementOf(e ast.Expr) ast.Stmt {
	f := s.files[s.fset.PositionFor(e.Pos(), false).Filename]
	if f == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(f.File, e.Pos(), e.End())
	for _, n := range path {
		if stmt, ok := n.(ast.Stmt); ok {
			return stmt
		}
	}
	return nil
}

// isUsedAfter reports whether something that refers to memory may be used after an instruction, which may run again, too.
func isUsedAfter(exit ssa.Instruction, seen map[ssa.Value]bool) bool {
	for _, b := range exit.Parent().Blocks {
		for _, use := range b.Instrs {
			if !refersTo(use, seen) {
				continue
			}
			switch u := use.(type) {
			case *ssa.DebugRef, *ssa.BinOp:
				continue
			case *ssa.MakeClosure, *ssa.Defer, *ssa.Go:
				return true
			case *ssa.Call:
				if b, ok := u.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
					continue
				}
			}
			if comes(exit, use, nil) {
				return true
			}
		}
	}
	return false
}

// refersTo reports whether an instruction has one of some values as an operand.
func refersTo(use ssa.Instruction, seen map[ssa.Value]bool) bool {
	for _, v := range use.Operands(nil) {
		if seen[*v] {
			return true
		}
	}
	return false
}

// exprOf returns the expression of the value that leaves, or nil.
func (s *source) exprOf(e *exit) (found ast.Expr) {
	if call, ok := e.use.(*ssa.Call); ok {
		return s.argumentAt(call, e.value)
	}
	f := s.files[s.fset.PositionFor(e.use.Pos(), false).Filename]
	if f == nil || !e.use.Pos().IsValid() {
		return nil
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if placeAt(to) == e.use.Pos() && n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
					found = n.Rhs[i]
				}
			}
		case *ast.KeyValueExpr:
			if n.Colon == e.use.Pos() {
				found = n.Value
			}
		case *ast.CompositeLit:
			for _, element := range n.Elts {
				if _, pair := element.(*ast.KeyValueExpr); !pair && element.Pos() == e.use.Pos() {
					found = element
				}
			}
		case *ast.SendStmt:
			if n.Arrow == e.use.Pos() {
				found = n.Value
			}
		}
		return found == nil
	})
	return found
}

// unconverted returns the operand of an expression that converts a slice, or the expression. A copy of the operand leaves the
// type as it is.
func (s *source) unconverted(e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return e
	}
	f := s.files[s.fset.PositionFor(e.Pos(), false).Filename]
	if f == nil || !f.pkg.TypesInfo.Types[call.Fun].IsType() {
		return e
	}
	if _, ok := f.pkg.TypesInfo.TypeOf(call.Args[0]).Underlying().(*types.Slice); !ok {
		return e
	}
	return s.unconverted(call.Args[0])
}

// placeAt returns the position that the store of an assignment to a place has in SSA.
func placeAt(to ast.Expr) token.Pos {
	switch to := ast.Unparen(to).(type) {
	case *ast.SelectorExpr:
		return to.Sel.Pos()
	case *ast.IndexExpr:
		return to.Lbrack
	case *ast.StarExpr:
		return to.Star
	default:
		return to.Pos()
	}
}

// argumentAt returns the expression of an argument of a call, or nil if it is one of a list.
func (s *source) argumentAt(call *ssa.Call, arg ssa.Value) ast.Expr {
	f, syntax, _ := s.callAt(call)
	if syntax == nil {
		return nil
	}
	params := call.Call.Signature().Params().Len()
	if sel, ok := ast.Unparen(syntax.Fun).(*ast.SelectorExpr); ok {
		if of := f.pkg.TypesInfo.Selections[sel]; of != nil && of.Kind() == types.MethodExpr {
			return nil
		}
	}
	if call.Call.Signature().Variadic() {
		params--
	}
	for i, a := range call.Call.Args[len(call.Call.Args)-call.Call.Signature().Params().Len():] {
		if a == arg && i < params && i < len(syntax.Args) && len(syntax.Args) >= params {
			return syntax.Args[i]
		}
	}
	return nil
}
