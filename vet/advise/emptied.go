package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A variable may get a new slice in a loop, by v = nil or v = []T{}, when nothing needs the elements of the old one any more. Then v can be
// cut to length 0, and its array serves the next elements.

// An emptying is a statement that sets a variable to a new slice without elements.
type emptying struct {
	*ast.AssignStmt
	after ssa.Instruction // the last one before the variable is set
}

// findEmptied notes the statements in loops by which the variable of a growing slice gets a new one, if the old one can take its place.
func (s *source) findEmptied(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.kind != kindAppend || a.fate.way != stays || a.grown == nil || a.grown.shared != nil {
		return
	}
	e := &emptied{source: s, a: a, all: map[ssa.Value]bool{}}
	if !e.findVariable() || !e.mayStay() || slices.ContainsFunc(e.sets, func(set emptying) bool { return !e.isDoneAt(set) }) {
		return
	}
	for _, set := range e.sets {
		if inLoop(set.after) {
			a.emptied = append(a.emptied, set.AssignStmt)
		}
	}
}

// emptied is a variable that may be emptied, with the values that are its memory.
type emptied struct {
	*source
	a    *allocation
	f    *sourceFile
	v    *types.Var
	body *ast.BlockStmt // of the function
	sets []emptying
	all  map[ssa.Value]bool
}

// findVariable finds the one variable that each append extends and sets, and the statements that empty it. It reports false if others set it.
func (e *emptied) findVariable() bool {
	m := e.newMend(e.a)
	for _, grown := range e.a.grown.appends {
		f, call, path := e.callAt(grown)
		if f == nil {
			return false
		}
		v := m.appendsTo(call, path)
		if v == nil || e.v != nil && v != e.v || v.Parent() == v.Pkg().Scope() {
			return false
		}
		e.f, e.v, e.body = f, v, bodyAround(path)
	}
	return e.body != nil && e.v != nil && e.findSets()
}

// bodyAround returns the body of the innermost function of a path.
func bodyAround(path []ast.Node) *ast.BlockStmt {
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Body
		case *ast.FuncLit:
			return n.Body
		}
	}
	return nil
}

// findSets finds the statements that empty the variable.
func (e *emptied) findSets() bool {
	info, ok := e.f.pkg.TypesInfo, true
	before := map[ast.Stmt]ast.Stmt{} // in a list
	ast.Inspect(e.body, func(n ast.Node) bool {
		for i, stmt := range rewrite.Statements(n) {
			if i > 0 {
				before[stmt] = rewrite.Statements(n)[i-1]
			}
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			ast.Inspect(n, func(n ast.Node) bool {
				x, isExpr := n.(ast.Expr)
				ok = ok && !(isExpr && e.isVariable(x))
				return ok
			})
			return false
		case *ast.RangeStmt:
			ok = ok && !e.isVariable(n.Key) && !e.isVariable(n.Value)
		case *ast.AssignStmt:
			if i := slices.IndexFunc(n.Lhs, e.isVariable); i >= 0 && n.Tok == token.ASSIGN && !e.goesOn(n) {
				if ok = ok && len(n.Lhs) == 1 && isEmptyValue(info, n.Rhs[0]); ok {
					after := e.lastOf(n, before[n])
					e.sets = append(e.sets, emptying{n, after})
					ok = after != nil
				}
			}
		}
		return ok
	})
	return ok && len(e.sets) > 0
}

// isVariable reports whether an expression is the variable.
func (e *emptied) isVariable(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && e.f.pkg.TypesInfo.Uses[id] == e.v
}

// goesOn reports whether a statement sets the variable to one of the appends, or cuts it.
func (e *emptied) goesOn(set *ast.AssignStmt) bool {
	if len(set.Lhs) != 1 || len(set.Rhs) != 1 || !e.isVariable(set.Lhs[0]) {
		return false
	}
	switch x := ast.Unparen(set.Rhs[0]).(type) {
	case *ast.CallExpr:
		return e.isOwnAppend(x)
	case *ast.SliceExpr:
		return e.isVariable(x.X) && x.Low == nil && !x.Slice3
	}
	return false
}

// lastOf returns the last instruction that runs before a statement sets the variable: that which makes the new slice, or the last of the
// statement before, if that has no branches.
func (e *emptied) lastOf(set *ast.AssignStmt, before ast.Stmt) (last ssa.Instruction) {
	within := ast.Node(set.Rhs[0])
	if e.f.pkg.TypesInfo.Types[ast.Unparen(set.Rhs[0])].IsNil() {
		switch before.(type) {
		case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt:
			within = before
		default:
			return nil
		}
	}
	if branches(within) {
		return nil
	}
	for _, b := range e.a.instr.Parent().Blocks {
		for _, i := range b.Instrs {
			if i.Pos().IsValid() && within.Pos() <= i.Pos() && i.Pos() < within.End() {
				if _, ok := i.(*ssa.Phi); !ok {
					last = i
				}
			}
		}
	}
	return last
}

// branches reports whether control may take several ways in a statement.
func branches(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
		case *ast.BinaryExpr:
			found = found || n.Op == token.LAND || n.Op == token.LOR
		}
		return !found
	})
	return found
}

// mayStay collects the values that are the memory. It reports false if the memory is not the function's own, if it matters whether the
// slice is nil, or if elements behind its length would keep other memory.
func (e *emptied) mayStay() bool {
	g := e.a.grown
	if slices.ContainsFunc(g.bases, func(v ssa.Value) bool { return !isMadeEmpty(v) }) {
		return false
	}
	list, ok := e.v.Type().Underlying().(*types.Slice) // or it is of a type parameter
	if !ok || mayAlias(list.Elem()) && !isString(list.Elem()) {
		return false
	}
	for begin := range g.seen {
		if _, ok := begin.(*ssa.Const); ok {
			continue
		}
		tr := e.tracer.trailWithout(nil, begin, g.appends, nil)
		if tr.way != stays || tr.resliced || tr.sized || tr.forked || tr.several || tr.byDefer || tr.unsafe || len(tr.late) > 0 {
			return false
		}
		for v := range tr.seen {
			e.add(v)
		}
	}
	for v := range e.all {
		if isSliceType(v.Type()) && !isAlikeEmpty(v, 0) {
			return false
		}
	}
	return e.isUsedAlone()
}

// isUsedAlone reports whether each use of the variable in the source is one of its elements, or of a value that is known. A slice that is
// nil, or that nothing extends, has no such value: others could have it, too.
func (e *emptied) isUsedAlone() bool {
	alone := true
	var stack []ast.Node
	ast.Inspect(e.body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if x, ok := n.(ast.Expr); ok && e.isVariable(x) {
			alone = alone && e.isKnownUse(x, stack)
		}
		stack = append(stack, n)
		return true
	})
	return alone
}

// isKnownUse reports whether an expression of the memory has no more than its elements, or is an argument that is known to be of them.
func (e *emptied) isKnownUse(x ast.Expr, stack []ast.Node) bool {
	switch in := stack[len(stack)-1].(type) {
	case *ast.SliceExpr:
		return in.X != x || e.isKnownUse(in, stack[:len(stack)-1])
	case *ast.ParenExpr:
		return e.isKnownUse(in, stack[:len(stack)-1])
	case *ast.IndexExpr:
		_, taken := stack[len(stack)-2].(*ast.UnaryExpr)
		return in.X != x || !taken
	case *ast.RangeStmt:
		return in.X == x
	case *ast.AssignStmt:
		return slices.Contains(in.Lhs, x) || e.goesOn(in) // which sets it, or cuts it
	case *ast.CallExpr:
		return e.isKnownArgument(x, in)
	}
	return false
}

// isKnownArgument reports whether a call only reads elements, extends the variable, or gets a value that is known.
func (e *emptied) isKnownArgument(x ast.Expr, call *ast.CallExpr) bool {
	info := e.f.pkg.TypesInfo
	if info.Types[call.Fun].IsType() {
		return isString(info.TypeOf(call))
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && info.Types[id].IsBuiltin() {
		last := call.Args[len(call.Args)-1] == x
		return id.Name == "len" || id.Name == "copy" || id.Name == "append" && (last && call.Ellipsis.IsValid() || call.Args[0] == x && e.isOwnAppend(call))
	}
	return slices.ContainsFunc(e.a.instr.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
			c, ok := i.(*ssa.Call)
			return ok && c.Pos() == call.Lparen && (e.isOwnAppend(call) || slices.ContainsFunc(c.Call.Args, func(arg ssa.Value) bool { return e.all[arg] }))
		})
	})
}

// isOwnAppend reports whether a call is one by which the variable grows.
func (e *emptied) isOwnAppend(call *ast.CallExpr) bool {
	return slices.ContainsFunc(e.a.grown.appends, func(c *ssa.Call) bool { return c.Pos() == call.Lparen })
}

// isMadeEmpty reports whether a value is a slice that the function makes without elements.
func isMadeEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return isZero(v.Len)
	case *ssa.Slice:
		_, made := v.X.(*ssa.Alloc)
		return made && (isEmptyArray(v.X.Type()) || v.High != nil && isZero(v.High))
	}
	return false
}

// add adds a value of the function, and those that lead to elements or parts of it.
func (e *emptied) add(v ssa.Value) {
	if _, ok := v.(*ssa.Const); ok || e.all[v] || v.Referrers() == nil || v.Parent() != e.a.instr.Parent() {
		return
	}
	e.all[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr, *ssa.FieldAddr, *ssa.Slice, *ssa.Phi, *ssa.ChangeType, *ssa.MakeInterface, *ssa.MakeClosure:
			e.add(r.(ssa.Value))
		}
	}
}

// isDoneAt reports whether nothing uses the memory after a statement that empties the variable, but for the new slice.
func (e *emptied) isDoneAt(set emptying) bool {
	for v := range e.all {
		made, ok := v.(ssa.Instruction)
		if fresh := set.Rhs[0]; ok && made.Pos().IsValid() && fresh.Pos() <= made.Pos() && made.Pos() < fresh.End() {
			continue
		}
		if !ok || isLive(v, made, set.after) {
			return false
		}
	}
	return true
}

// isLive reports whether a value may be used after an instruction, and has not been made anew then.
func isLive(v ssa.Value, made, after ssa.Instruction) (live bool) {
	uses := map[ssa.Instruction]bool{}
	edges := map[*ssa.BasicBlock]bool{} // whose end a phi has the value from
	for _, r := range *v.Referrers() {
		phi, ok := r.(*ssa.Phi)
		if !ok {
			uses[r] = true
			continue
		}
		for i, edge := range phi.Edges {
			if edge == v {
				edges[phi.Block().Preds[i]] = true
			}
		}
	}
	from(after, func(i ssa.Instruction) bool {
		if i == made {
			return true
		}
		live = live || uses[i] || i == lastOf(i.Block()) && edges[i.Block()]
		return live
	})
	return live
}

// recut has the statements cut the variable, whose array then serves the next elements.
func (m *mend) recut() error {
	w, err := m.webOf()
	if err != nil {
		return err
	}
	if w.isStale() {
		return refusal("a part of it is used after an append, which may write to the same array where a new one was made")
	}
	for _, set := range m.a.emptied {
		value := set.Rhs[0]
		m.forget(value)
		m.replace(value.Pos(), value.End(), m.text(set.Lhs[0])+"[:0]")
	}
	return nil
}
