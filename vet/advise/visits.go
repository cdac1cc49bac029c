package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A slice may grow in a function literal that its function only calls, or that another calls, which walks a tree. The body of a range
// over a function is such a literal, too. If the variable alone has it, it can grow in memory of a pool, and callers get a copy.

// visitOf returns the visit in which a value is the result of an append, or nil.
func (s *source) visitOf(v ssa.Value) *visit {
	call, ok := v.(*ssa.Call)
	if !ok || !isAppend(call) {
		return nil
	}
	variable := s.setByLiterals(call.Call.Args[0])
	f, syntax, path := s.callAt(call)
	if variable == nil || syntax == nil {
		return nil
	}
	assign, ok := path[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 {
		return nil
	}
	list := f.variable(assign.Lhs[0])
	if list == nil {
		return nil
	}
	u := listUsesOf(f, list)
	if u == nil || !slices.Contains(u.appends, syntax) || (u.changed || u.cut) && (u.early || changesAtEnd(variable.Parent()) || isStaleIn(variable)) {
		return nil
	}
	return &visit{variable, list, u.decl, u.appends, u.results, u.cut || u.asked}
}

// setByLiterals returns the variable from which a slice is read, if function literals set it that run at most while its function does,
// or nil. It begins outside of loops, with no memory of others.
func (s *source) setByLiterals(v ssa.Value) *ssa.Alloc {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	variable, ok := captured(load.X).(*ssa.Alloc)
	if !ok || inLoop(variable) || isOfGeneric(variable) || variable.Parent().Origin() != nil {
		return nil
	}
	stored, known := storedIn(variable)
	if !known || len(stored) == len(storesTo(variable)) || slices.ContainsFunc(stored, isOfOthers) || !s.tracer.confines(variable) {
		return nil
	}
	return variable
}

// isOfOthers reports whether a variable that gets a value may begin with memory of others.
func isOfOthers(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.MakeSlice:
		return false
	case *ssa.Call:
		return !isAppend(v)
	case *ssa.Slice: // of an array, or of its own
		switch of := v.X.(type) {
		case *ssa.Alloc:
			return of.Comment != "makeslice" && of.Comment != "slicelit"
		case *ssa.UnOp:
			return false
		}
	}
	return true
}

// variable returns the one that an expression names, or nil.
func (f *sourceFile) variable(e ast.Expr) *types.Var {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := f.pkg.TypesInfo.ObjectOf(id).(*types.Var)
	return v
}

// isStaleIn reports whether a function that has a variable, or a literal in it, may use a slice of that when the variable has a longer
// one. It depends on the capacity whether they share an array, which matters if elements change.
func isStaleIn(variable ssa.Value) bool {
	var loads []*ssa.UnOp
	var grows []ssa.Instruction
	for _, b := range variable.Parent().Blocks {
		for _, i := range b.Instrs {
			if mayRunLiteral(i) {
				grows = append(grows, i)
			}
		}
	}
	for _, r := range *variable.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			loads = append(loads, r)
		case *ssa.Store:
			grows = append(grows, r)
		case *ssa.MakeClosure:
			if i := slices.Index(r.Bindings, variable); i >= 0 && isStaleIn(r.Fn.(*ssa.Function).FreeVars[i]) {
				return true
			}
		}
	}
	return slices.ContainsFunc(loads, func(load *ssa.UnOp) bool {
		return slices.ContainsFunc(usesBehind(load, nil), func(use ssa.Instruction) bool {
			return slices.ContainsFunc(grows, func(g ssa.Instruction) bool {
				return g == use && extendsWithin(g, variable) || g != use && comes(load, g, nil) && comes(g, use, load)
			})
		})
	})
}

// extendsWithin reports whether a call, which has the slice of a variable, also gets a function that may set the variable.
func extendsWithin(i ssa.Instruction, variable ssa.Value) bool {
	call, ok := i.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(call.Common().Args, func(arg ssa.Value) bool {
		for change, ok := arg.(*ssa.ChangeType); ok; change, ok = arg.(*ssa.ChangeType) {
			arg = change.X
		}
		switch f := arg.(type) {
		case *ssa.Function:
			return false
		case *ssa.MakeClosure:
			at := slices.Index(f.Bindings, variable)
			fn := f.Fn.(*ssa.Function)
			return at >= 0 && slices.ContainsFunc(*fn.FreeVars[at].Referrers(), func(r ssa.Instruction) bool { _, load := r.(*ssa.UnOp); return !load }) || runsLiterals(fn)
		}
		return isFunctionType(arg.Type())
	})
}

// runsLiterals reports whether a function may run a confined literal.
func runsLiterals(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, mayRunLiteral) })
}

// changesAtEnd reports whether a function defers a call that may run a literal. It runs behind the copy of a result.
func changesAtEnd(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok && mayRunLiteral(d) {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return isLoopBody(lit) && changesAtEnd(lit) })
}

// usesBehind adds the uses of a slice, and of parts and addresses of elements of it.
func usesBehind(v ssa.Value, uses []ssa.Instruction) []ssa.Instruction {
	for _, r := range *v.Referrers() {
		if uses = append(uses, r); slices.ContainsFunc(uses[:len(uses)-1], func(u ssa.Instruction) bool { return u == r }) {
			continue
		}
		switch r := r.(type) {
		case *ssa.IndexAddr, *ssa.FieldAddr, *ssa.Slice, *ssa.MakeInterface, *ssa.ChangeType, *ssa.Phi:
			uses = usesBehind(r.(ssa.Value), uses)
		}
	}
	return uses
}

// visits judges a slice that grows in a visit. It reports false if there is none.
func (s *source) visits(a *allocation, v ssa.Value) bool {
	visit := s.visitOf(v)
	if visit == nil {
		return false
	}
	a.visit, a.joins, a.fate = visit, visit.variable, &fate{hidden: true}
	a.freed = s.frees
	if len(visit.results) > 0 {
		a.fate.leave(isReturned, "is returned from %s", name(visit.variable.Parent()))
	}
	return true
}

// grower names the function that has the memory of a site. A literal in it may have the line.
func (s *Site) grower(a *allocation) string {
	if visit := a.visit; visit != nil {
		return name(visit.variable.Parent())
	}
	return s.short()
}

// visited has the slice of a visit begin with one of a pool, which gets the last array when the function returns.
func (m *mend) visited() error {
	visit := m.a.visit
	if _, _, isNil := m.typeOf(visit.decl, visit.list); isNil && visit.empty {
		return errNil
	}
	basin, err := m.basin(visit.decl.Pos())
	if err != nil {
		return err
	}
	m.variable, m.appends = visit.list, visit.appends
	return m.keptGrown(visit.decl, &web{v: visit.list, calls: visit.appends}, basin)
}
