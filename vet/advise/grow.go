package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// appended has a slice of bytes grow by basin.Append, which puts each array that it outgrows. So nothing but the variable
// may refer to an array when it is outgrown. The last array is put when the function returns.
func (m *mend) appended() error {
	if m.a.fate.resliced {
		return refusal("a slice of it may end behind its length, where append leaves zeros and a pool anything")
	}
	w, err := m.webOf()
	if err != nil {
		return err
	}
	if w.isStale() {
		return refusal("a part of it is used after an append, which would put the outgrown array")
	}
	decl, err := m.declarationOf(w.v)
	if err != nil {
		return err
	}
	basin, err := m.basin(decl.Pos())
	if err != nil {
		return err
	}
	for _, call := range w.calls {
		name := ".Append"
		if call.Ellipsis.IsValid() && isString(m.file.pkg.TypesInfo.TypeOf(call.Args[1])) {
			name = ".AppendString"
			m.replace(call.Ellipsis, call.Ellipsis+token.Pos(len("...")), "")
		}
		m.forget(call.Fun)
		m.replace(call.Fun.Pos(), call.Fun.End(), basin+name)
	}
	if err := m.firstArray(decl, w, basin); err != nil {
		return err
	}
	return m.after(decl, m.put("defer func() { "+basin+".Put("+w.v.Name()+") }()")...)
}

// A web has the values of a slice that grows, and what else may refer to their arrays.
type web struct {
	v       *types.Var // that alone has the slice
	calls   []*ast.CallExpr
	appends []*ssa.Call
	all     map[ssa.Value]bool
}

// webOf returns the web of the site. Each append must be the built-in one, and set the variable that it extends.
func (m *mend) webOf() (*web, error) {
	w := &web{all: map[ssa.Value]bool{}}
	begin := map[ssa.Value]bool{m.a.root(): true}
	if m.a.grown != nil {
		begin = m.a.grown.seen
	}
	for v := range begin {
		switch v.(type) {
		case *ssa.Const, *ssa.Parameter, *ssa.FreeVar:
			continue
		}
		for alias := range m.tracer.trailOf(v).seen {
			w.all[alias] = true
		}
	}
	for v := range w.all {
		if call, ok := v.(*ssa.Call); ok {
			if to := extended(call); to != nil && (w.all[to] || isNil(to)) {
				w.appends = append(w.appends, call)
			}
		}
	}
	slices.SortFunc(w.appends, func(a, b *ssa.Call) int { return int(a.Pos() - b.Pos()) })
	for _, a := range w.appends {
		if _, ok := a.Call.Value.(*ssa.Builtin); !ok {
			return nil, refusal("it also grows by " + name(a.Call.StaticCallee()) + ", which takes no memory of a pool")
		}
		_, call, path := m.callAt(a)
		v := m.appendsTo(call, path)
		if v == nil || w.v != nil && v != w.v {
			return nil, refusal("it does not grow in one variable alone")
		}
		w.v, w.calls = v, append(w.calls, call)
	}
	if w.v == nil {
		return nil, errUnreadable
	}
	return w, nil
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// appendsTo returns the variable that a statement sets to a call of append, if the call extends that variable or nothing.
func (m *mend) appendsTo(call *ast.CallExpr, path []ast.Node) *types.Var {
	if call == nil || len(call.Args) < 2 || len(path) == 0 {
		return nil
	}
	if _, ok := path[0].(*ast.ReturnStmt); ok && len(m.a.owners) > 0 { // the callers have that array
		if id, ok := call.Args[0].(*ast.Ident); ok {
			v, _ := m.file.pkg.TypesInfo.Uses[id].(*types.Var)
			return v
		}
	}
	assign, ok := path[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil
	}
	info := m.file.pkg.TypesInfo
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok || !types.Identical(v.Type(), types.NewSlice(types.Typ[types.Byte])) {
		return nil
	}
	if m.isStart(call.Args[0], v) {
		return v
	}
	return nil
}

// isStart reports whether an expression is a variable, a part from its beginning, or a slice without an array.
func (m *mend) isStart(e ast.Expr, v *types.Var) bool {
	info := m.file.pkg.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.Uses[e] == v || info.Types[e].IsNil()
	case *ast.SliceExpr:
		return !e.Slice3 && (e.Low == nil || isZeroConstant(info, e.Low)) && m.isStart(e.X, v)
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr: // []byte(nil)
		return len(e.Args) == 1 && info.Types[e.Fun].IsType() && info.Types[e.Args[0]].IsNil()
	}
	return false
}

// declarationOf returns the statement that declares a variable, which a deferred Put may follow.
func (m *mend) declarationOf(v *types.Var) (decl ast.Stmt, err error) {
	err = refusal("its variable is not declared by a statement of its own, outside of loops")
	info := m.file.pkg.TypesInfo
	var stack []ast.Node
	var within *ast.FuncLit
	bad := false
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.Ident:
			switch {
			case info.Defs[n] == v:
				decl, within = declaring(stack)
			case info.Uses[n] == v:
				bad = bad || innerLiteral(stack) != within || m.misuses(n, stack, v)
			}
		}
		stack = append(stack, n)
		return true
	})
	switch {
	case decl == nil:
		return nil, err
	case bad:
		return nil, refusal("its variable is set to something else, too, or is used by a function literal")
	}
	return decl, nil
}

// declaring returns the statement that declares the last node of a stack of nodes, if it is in a block and runs once, and
// the function literal that has it.
func declaring(stack []ast.Node) (decl ast.Stmt, within *ast.FuncLit) {
	for i, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return nil, nil
		case *ast.FuncLit:
			return decl, n
		case *ast.FuncDecl:
			return decl, nil
		case ast.Stmt:
			if decl == nil && i > 0 && isList(stack[i-1]) {
				decl = n
			}
		case *ast.ValueSpec:
			if len(n.Names) != 1 {
				return nil, nil
			}
		}
	}
	return nil, nil
}

// innerLiteral returns the innermost function literal of a stack of nodes, or nil.
func innerLiteral(stack []ast.Node) *ast.FuncLit {
	for _, n := range slices.Backward(stack) {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// misuses reports whether a use of a variable sets it to other memory than a part of its own from the beginning, or takes
// its address.
func (m *mend) misuses(use *ast.Ident, stack []ast.Node, v *types.Var) bool {
	switch n := stack[len(stack)-1].(type) {
	case *ast.UnaryExpr:
		return n.Op == token.AND
	case *ast.RangeStmt:
		return n.Key == use || n.Value == use
	case *ast.AssignStmt:
		i := slices.Index(n.Lhs, ast.Expr(use))
		if i < 0 {
			return false
		}
		if len(n.Lhs) != len(n.Rhs) {
			return true
		}
		if call, ok := ast.Unparen(n.Rhs[i]).(*ast.CallExpr); ok && m.isAppend(call) {
			return !m.isStart(call.Args[0], v)
		}
		return !m.isStart(n.Rhs[i], v)
	}
	return false
}

func (m *mend) isAppend(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "append" && m.file.pkg.TypesInfo.Types[call.Fun].IsBuiltin()
}

// firstArray has the array that the slice begins with come from basin, if it has one.
func (m *mend) firstArray(decl ast.Stmt, w *web, basin string) error {
	value := m.valueOf(decl, w.v)
	if value == nil || m.isStart(value, w.v) {
		return nil
	}
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok {
		return refusal("it begins with memory that is not made by make")
	}
	if m.isAppend(call) {
		return nil
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != "make" || !m.file.pkg.TypesInfo.Types[call.Fun].IsBuiltin() {
		return refusal("it begins with memory that is not made by make")
	}
	info := m.file.pkg.TypesInfo
	length, capacity := call.Args[1], call.Args[len(call.Args)-1]
	empty := isZeroConstant(info, length)
	if len(call.Args) == 3 && !empty && !(isConstant(info, length) && isConstant(info, capacity)) {
		return refusal("make panics if its length exceeds its capacity, and neither is constant")
	}
	size, err := m.once(decl, capacity, w.v.Name()+"Size")
	if err != nil {
		return err
	}
	text := basin + ".GetZeroed(" + size + ")"
	if len(call.Args) == 3 && empty {
		text = basin + ".Make(" + size + ")"
	}
	if !isConstant(info, capacity) { // make panics if the size is negative; so does a slice expression
		text += "[:" + size + "]"
	}
	if len(call.Args) == 3 {
		text += "[:" + m.text(length) + "]"
	}
	m.replace(call.Pos(), call.End(), text)
	return nil
}

// valueOf returns the expression that a declaration sets a variable to, or nil.
func (m *mend) valueOf(decl ast.Stmt, v *types.Var) ast.Expr {
	info := m.file.pkg.TypesInfo
	switch d := decl.(type) {
	case *ast.DeclStmt:
		if spec := d.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec); len(spec.Values) == 1 {
			return spec.Values[0]
		}
	case *ast.AssignStmt:
		for i, e := range d.Lhs {
			if id, ok := e.(*ast.Ident); ok && info.Defs[id] == v && len(d.Lhs) == len(d.Rhs) {
				return d.Rhs[i]
			}
		}
	}
	return nil
}

// isStale reports whether something that refers to an array may be used after an append that outgrows the array.
func (w *web) isStale() bool {
	for _, grow := range w.appends {
		for v := range w.all {
			made, ok := v.(ssa.Instruction)
			if !ok || v.Referrers() == nil {
				return true
			}
			if made == ssa.Instruction(grow) || !comes(made, grow, nil) {
				continue
			}
			for _, use := range *v.Referrers() {
				if w.isUsedAfter(grow, made, v, use) {
					return true
				}
			}
		}
	}
	return false
}

// isUsedAfter reports whether a use of a value may come after an append, and before the value is made anew.
func (w *web) isUsedAfter(grow *ssa.Call, made ssa.Instruction, v ssa.Value, use ssa.Instruction) bool {
	switch use := use.(type) {
	case *ssa.DebugRef:
		return false
	case *ssa.Defer, *ssa.Go, *ssa.MakeClosure:
		return true
	case *ssa.Store:
		if use.Val == v {
			element, ok := use.Addr.(*ssa.IndexAddr)
			if !ok {
				return true // a variable or a field has it, which this does not follow
			}
			list, ok := element.X.(*ssa.Alloc)
			return !ok || list.Comment != "varargs"
		}
	case *ssa.Phi:
		for i, e := range use.Edges {
			if e != v {
				continue
			}
			from := use.Block().Preds[i]
			if last := from.Instrs[len(from.Instrs)-1]; comes(grow, last, made) {
				return true
			}
		}
		return false
	}
	return use != ssa.Instruction(grow) && comes(grow, use, made) || use == ssa.Instruction(grow) && comes(grow, grow, made)
}

// comes reports whether an instruction may run after another without a third that runs between them.
func comes(from, to, without ssa.Instruction) bool {
	at := func(i ssa.Instruction) int { return slices.Index(i.Block().Instrs, i) }
	begin := at(from) + 1
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock, begin int) bool
	visit = func(b *ssa.BasicBlock, begin int) bool {
		for _, i := range b.Instrs[begin:] {
			switch i {
			case without: // also if it is to
				return false
			case to:
				return true
			}
		}
		for _, next := range b.Succs {
			if !seen[next] {
				seen[next] = true
				if visit(next, 0) {
					return true
				}
			}
		}
		return false
	}
	return visit(from.Block(), begin)
}
