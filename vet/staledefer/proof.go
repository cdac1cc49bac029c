package staledefer

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/pooled"
)

// A proof shows that a deferred Put may become a deferred function literal. Then nothing
// changes but which array of a growing slice is put. The proof is that
//
//   - the call is a Put of basin itself: a function of the program may recover,
//     and other pools hand out the length and the capacity that they were given;
//   - the called function and its receiver are the same when the Put runs;
//   - after the defer statement, the variable is set only to slices that basin's
//     Append has made of it, which put the outgrown array themselves;
//   - nothing else refers to the variable's array then: the variable is no result and
//     is not captured, its address is not taken, and every use of it is known to
//     keep nothing.
type proof struct {
	*finder
	d      *ast.DeferStmt
	v      *types.Var
	fn     ast.Node // that has the defer statement
	parent map[ast.Node]ast.Node
}

// A finder looks only at the uses of the variables that are put, so that its time does not depend on how large the
// functions are.
type finder struct {
	r     *pooled.Result
	info  *types.Info
	set   func() map[*types.Var]bool // variables of the package that are assigned
	jumps map[ast.Node]bool          // results of hasJumps
}

// fixable reports whether deferring a function literal instead surely keeps the
// program's behaviour. The stack leads to the defer statement.
func (s *finder) fixable(d *ast.DeferStmt, v *types.Var, stack []ast.Node) bool {
	fn, _, looped := enclosing(stack)
	p := &proof{s, d, v, fn, s.r.Syntax().Parent}
	if fn == nil || looped || !isBytes(v.Type()) || p.isResult(fn) || !p.putsBasin() || s.hasJumps(fn) {
		return false
	}
	for _, id := range s.r.Syntax().Idents[v] {
		if within(id, fn) && (p.inLiteral(id) || !p.harmless(id)) {
			return false
		}
	}
	return true
}

// hasJumps reports whether a function has labels or goto, with which later code in the
// source may run first.
func (s *finder) hasJumps(fn ast.Node) bool {
	jumps, ok := s.jumps[fn]
	if ok {
		return jumps
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			jumps = true
		case *ast.BranchStmt:
			jumps = jumps || n.Tok == token.GOTO
		}
		return !jumps
	})
	s.jumps[fn] = jumps
	return jumps
}

// inLiteral reports whether a function literal captures the variable.
func (p *proof) inLiteral(id *ast.Ident) bool {
	for n := ast.Node(id); n != p.fn && n != nil; n = p.parent[n] {
		if _, ok := n.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}

// moved reports whether a //line directive says that a position is in another file.
// The go command would edit that one.
func moved(fset *token.FileSet, pos token.Pos) bool {
	return fset.PositionFor(pos, true).Filename != fset.PositionFor(pos, false).Filename
}

func isBytes(t types.Type) bool {
	s, ok := types.Unalias(t).(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}

func (p *proof) isResult(fn ast.Node) bool {
	var typ *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncLit:
		typ = fn.Type
	case *ast.FuncDecl:
		typ = fn.Type
	}
	return typ.Results != nil && typ.Results.Pos() <= p.v.Pos() && p.v.Pos() < typ.Results.End()
}

const library = "github.com/basin-go/basin"

// putsBasin reports whether the deferred call is a Put of byte slices into a pool of
// basin that is still the same at the end of the function.
func (p *proof) putsBasin() bool {
	f, ok := typeutil.Callee(p.info, p.d.Call).(*types.Func)
	if !ok || len(p.d.Call.Args) != 1 {
		return false
	}
	if id, ok := ast.Unparen(p.d.Call.Args[0]).(*ast.Ident); !ok || p.info.Uses[id] != p.v {
		return false
	}
	switch f.FullName() {
	case library + ".Put":
		return true
	case "(*" + library + ".BytePool).Put":
	default:
		return false
	}
	pool := p.pool(p.d.Call)
	if pool == nil {
		return false
	}
	typ := types.Unalias(pool.Type())
	pointer, ok := typ.(*types.Pointer) // or else the deferred call has its address
	if ok {
		typ = types.Unalias(pointer.Elem())
	}
	if named, is := typ.(*types.Named); !is || named.Obj().Name() != "BytePool" || named.Obj().Pkg() != f.Pkg() {
		return false // the pool is a field of it, which may change
	}
	if len(p.r.Pass.IgnoredFiles) > 0 {
		return false // with other build tags it may be of another type, or set
	}
	return !ok || !pool.Exported() && !p.set()[pool]
}

// assigned returns the variables that are set, or may be by a pointer to them, other than where they are declared.
func assigned(r *pooled.Result) map[*types.Var]bool {
	set := map[*types.Var]bool{}
	add := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if id, ok := ast.Unparen(e).(*ast.Ident); ok {
				if v, ok := r.Pass.TypesInfo.Uses[id].(*types.Var); ok {
					set[v] = true
				}
			}
		}
	}
	for _, f := range r.Pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				add(n.Lhs...)
			case *ast.RangeStmt:
				add(n.Key, n.Value)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					add(n.X)
				}
			}
			return true
		})
	}
	return set
}

// harmless reports whether a use of the variable sets it to its grown self, or keeps nothing of it.
// Code before the defer statement is harmless too, unless it may change the variable later.
func (p *proof) harmless(id *ast.Ident) bool {
	if p.info.Defs[id] != nil {
		return true
	}
	e, parent := p.up(id)
	if u, ok := parent.(*ast.UnaryExpr); ok && u.Op == token.AND {
		return false
	}
	before := id.Pos() < p.d.Pos()
	if s, ok := parent.(*ast.AssignStmt); ok && slices.Contains(s.Lhs, e) {
		return before || len(s.Lhs) == 1 && s.Tok == token.ASSIGN && p.growth(s.Rhs[0])
	}
	if s, ok := parent.(*ast.RangeStmt); ok && s.X != e {
		return before // it is the key or the value
	}
	return before || within(id, p.d) || p.read(e, parent)
}

// up returns an expression with the parentheses around it, and the node that these
// are in.
func (p *proof) up(e ast.Expr) (ast.Expr, ast.Node) {
	for {
		paren, ok := p.parent[e].(*ast.ParenExpr)
		if !ok {
			return e, p.parent[e]
		}
		e = paren
	}
}

// late reports whether a node is in a statement that runs something later.
func (p *proof) late(n ast.Node) bool {
	for ; n != nil && n != p.fn; n = p.parent[n] {
		switch n.(type) {
		case *ast.DeferStmt, *ast.GoStmt:
			return true
		}
	}
	return false
}

// growth reports whether an expression is the variable, or the beginning of it,
// with something appended, or cut.
func (p *proof) growth(e ast.Expr) bool {
	e = ast.Unparen(e)
	if s, ok := e.(*ast.SliceExpr); ok {
		return p.isBeginning(s)
	}
	call, ok := e.(*ast.CallExpr)
	return ok && p.appends(call)
}

// isBeginning reports whether an expression is the variable, or v[:n].
func (p *proof) isBeginning(e ast.Expr) bool {
	e = ast.Unparen(e)
	if s, ok := e.(*ast.SliceExpr); ok {
		if s.Max != nil || s.Low != nil && !p.isZero(s.Low) {
			return false
		}
		e = ast.Unparen(s.X)
	}
	id, ok := e.(*ast.Ident)
	return ok && p.info.Uses[id] == p.v
}

func (p *proof) isZero(e ast.Expr) bool {
	value := p.info.Types[e].Value
	return value != nil && value.ExactString() == "0"
}

// appends reports whether a call returns the variable, with something appended, and
// takes a new array from the pool of the deferred Put. The built-in append takes none
// from a pool.
func (p *proof) appends(call *ast.CallExpr) bool {
	if len(call.Args) == 0 || !p.isBeginning(call.Args[0]) {
		return false
	}
	f, ok := typeutil.Callee(p.info, call).(*types.Func)
	if !ok || p.pool(call) != p.pool(p.d.Call) {
		return false
	}
	switch f.FullName() {
	case library + ".Append", library + ".AppendString", library + ".Grow":
		return true
	case "(*" + library + ".BytePool).Append", "(*" + library + ".BytePool).AppendString", "(*" + library + ".BytePool).Grow":
		return p.pool(call) != nil
	}
	return false
}

// pool returns the variable of the package whose method is called, or nil.
func (p *proof) pool(call *ast.CallExpr) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := p.info.Uses[id].(*types.Var)
	if !ok || v.Parent() != p.r.Pass.Pkg.Scope() {
		return nil
	}
	return v
}

// onlyReads reports whether a function keeps nothing of its arguments, returns nothing that points into them, and passes
// them to no function of the program. Any other function may keep them.
func onlyReads(f *types.Func) bool {
	e := effects.Of(f)
	return e != nil && e.Fresh && !e.Back && e.Decode == effects.None && !e.Keeps()
}

// read reports whether an expression is only read, and nothing refers to it
// afterwards.
func (p *proof) read(e ast.Expr, parent ast.Node) bool {
	if p.late(parent) {
		return false
	}
	switch n := parent.(type) {
	case *ast.IndexExpr: // v[i], if not its address
		if n.X != e {
			return true
		}
		_, above := p.up(n)
		u, ok := above.(*ast.UnaryExpr)
		return !ok || u.Op != token.AND
	case *ast.SliceExpr:
		if n.X != e {
			return true
		}
		if e, above := p.up(n); p.assignsGrowth(above, e) {
			return true
		}
		return p.read(p.up(n))
	case *ast.RangeStmt:
		return n.X == e
	case *ast.BinaryExpr:
		return true // compared with nil
	case *ast.AssignStmt: // v = v[:n]
		return p.assignsGrowth(n, e)
	case *ast.CallExpr:
		if p.info.Types[n.Fun].IsType() {
			b, ok := p.info.TypeOf(n).Underlying().(*types.Basic)
			return ok && b.Info()&types.IsString != 0
		}
		if p.readBy(n, e) {
			return true
		}
		if n.Args[0] != e || !p.appends(n) {
			return false
		}
		grown, above := p.up(n)
		return p.assignsGrowth(above, grown)
	}
	return false
}

// readBy reports whether a call only reads an argument.
func (p *proof) readBy(c *ast.CallExpr, e ast.Expr) bool {
	switch f := typeutil.Callee(p.info, c).(type) {
	case *types.Builtin:
		switch f.Name() {
		case "len", "cap", "copy", "print", "println":
			return true
		case "append":
			return c.Ellipsis.IsValid() && len(c.Args) == 2 && c.Args[1] == e
		}
	case *types.Func:
		return onlyReads(f) && slices.Contains(c.Args, e)
	}
	return false
}

// assignsGrowth reports whether a statement sets the variable alone, to an expression
// that is a growth of it.
func (p *proof) assignsGrowth(n ast.Node, e ast.Expr) bool {
	s, ok := n.(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Rhs[0] != e || p.late(s) {
		return false
	}
	id, ok := ast.Unparen(s.Lhs[0]).(*ast.Ident)
	return ok && p.info.Uses[id] == p.v && p.growth(e)
}

func within(n, in ast.Node) bool { return in.Pos() <= n.Pos() && n.End() <= in.End() }

// enclosing returns the innermost function of stack, its body, and whether a loop is between it and
// the end of stack.
func enclosing(stack []ast.Node) (fn ast.Node, body *ast.BlockStmt, inLoop bool) {
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			inLoop = true
		case *ast.FuncLit:
			return n, n.Body, inLoop
		case *ast.FuncDecl:
			return n, n.Body, inLoop
		}
	}
	return nil, nil, false
}
