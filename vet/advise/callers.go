package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Callers that put the memory of a function have it in a variable. They put it when they return, or at the end of the block of
// a loop that calls the function.

// owned has the callers put the memory of a site, which comes from this mend.
func (s *source) owned(a *allocation, by *mend) (mends []*mend, err error) {
	for i, call := range slices.Concat(a.owners, a.keeping) {
		m := &mend{source: s, a: &allocation{instr: call, fate: new(fate)}}
		_, m.call, m.path = s.callAt(call)
		m.name = s.fset.PositionFor(call.Pos(), false).Filename
		if m.file = s.files[m.name]; m.file == nil || m.call == nil {
			return nil, errUnreadable
		}
		own := m.own
		if i >= len(a.owners) {
			own = m.keeps
		}
		if err := own(a, by); err != nil {
			return nil, refusal("its caller " + name(call.Parent()) + " cannot put it: " + err.Error())
		}
		mends = append(mends, m)
	}
	return mends, nil
}

// own has the caller put the memory that it gets from a call.
func (m *mend) own(a *allocation, by *mend) error {
	stem := "buf"
	if by.variable != nil {
		stem = by.variable.Name()
	}
	if a.apart {
		stem = "scratch"
	}
	stmt, v, err := m.resultVariable(a.result, stem)
	part := isPart(err) && (a.apart || m.isPlainPart(a))
	if part {
		stmt, v, err = m.partVariable(stem)
	} else if err == nil && a.apart {
		err = m.mayPutStruct(a, v)
	}
	if err != nil {
		return err
	}
	put, err := m.putOf(a, by, stmt, v)
	switch {
	case err != nil:
		return err
	case part:
		return m.ownPart(a, stmt, v, put)
	case inLoop(m.a.instr):
		return m.putInRound(stmt, v, a.result, put)
	case a.apart:
		return m.ownStruct(a, stmt, v, put)
	}
	if got := resultOf(m.a.instr.(*ssa.Call), a.result); got != nil && a.kind != kindImage && by.pool == "" {
		m.a.fate.grows = m.tracer.fateOf(got).grows
	}
	return m.after(stmt, append([]string{"defer " + put}, m.clip(v)...)...)
}

// keeps has the caller put the memory that it gets from a call, and keep a copy.
func (m *mend) keeps(a *allocation, by *mend) error {
	stmt, v, err := m.resultVariable(a.result, "buf")
	assign, ok := m.path[0].(*ast.AssignStmt)
	part := isPart(err) || err == nil && (!ok || assign.Tok != token.DEFINE) // others may have the variable, too
	if part {
		stmt, v, err = m.partVariable("buf")
	} else if err == nil && !types.Identical(m.file.pkg.TypesInfo.ObjectOf(v).Type(), a.instr.Parent().Signature.Results().At(a.result).Type()) {
		err = refusal("its variable is of another type")
	}
	if err != nil {
		return err
	}
	put, err := m.putOf(a, by, stmt, v)
	if err != nil {
		return err
	}
	if err := m.needs("slices"); err != nil {
		return err
	}
	if !part {
		return m.after(stmt, "defer "+put, v.Name+" = "+cloned(v.Name))
	}
	if err := m.ownPart(a, stmt, v, put); err != nil {
		return err
	}
	m.edits[len(m.edits)-1].New = cloned(v.Name)
	return nil
}

// cloned returns the text of a copy without room behind its end, as make leaves none.
func cloned(name string) string { return "slices.Clip(slices.Clone(" + name + "))" }

// isPlainPart reports whether a call has a slice in an expression, in which nothing is appended to it.
func (m *mend) isPlainPart(a *allocation) bool {
	got := resultOf(m.a.instr.(*ssa.Call), a.result)
	return a.kind != kindImage && got != nil && !m.tracer.fateOf(got).grows
}

// putOf returns the call that puts the memory of a variable.
func (m *mend) putOf(a *allocation, by *mend, stmt ast.Stmt, v *ast.Ident) (put string, err error) {
	put = by.pool + ".Put(" + v.Name + ")"
	switch {
	case by.pool != "" && m.file.pkg != by.file.pkg:
		q, err := m.qualifier(by.file.pkg.Types)
		return q + "." + put, err
	case by.pool != "":
		if m.isNamed(by.pool) {
			return "", refusal("the name " + by.pool + " is taken in " + base(m.name))
		}
		return put, nil
	}
	basin, err := m.basin(stmt.Pos())
	what := v.Name
	if err == nil && a.kind == kindImage {
		what, err = m.pixels(v.Name, m.file.pkg.TypesInfo.ObjectOf(v), a.root())
	}
	return basin + ".Put(" + what + ")", err
}

// resultVariable returns the statement of a block that sets a variable to the result of the call that is the memory. If that
// is dropped, the variable is a new one.
func (m *mend) resultVariable(result int, stem string) (stmt ast.Stmt, v *ast.Ident, err error) {
	assign, ok := m.path[0].(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 || len(assign.Lhs) <= result || !isList(m.path[1]) {
		if stmt, v, err = m.setting(); result > 0 && err == nil {
			err = errPart
		}
		return stmt, v, err
	}
	v, ok = assign.Lhs[result].(*ast.Ident)
	if !ok || v.Name == "_" && assign.Tok != token.DEFINE {
		return nil, nil, errPart
	}
	if v.Name == "_" {
		name := m.newName(stem)
		m.replace(v.Pos(), v.End(), name)
		v = ast.NewIdent(name)
	}
	return assign, v, nil
}

// putInRound puts memory where the block of a loop ends that declares its variable. If the round panics, the memory is
// garbage.
func (m *mend) putInRound(stmt ast.Stmt, v *ast.Ident, result int, put string) error {
	info := m.file.pkg.TypesInfo
	i := slices.IndexFunc(m.path, isList)
	block, ok := m.path[i].(*ast.BlockStmt)
	if !ok || !isRoundOrBranch(block, m.path[i+1]) || m.jumps() {
		return refusal("it calls in a loop, but not in the block of an if, a for or a range")
	}
	if obj := info.Defs[v]; obj != nil && m.setsAgain(block, obj) {
		return refusal("it calls in a loop, and sets the variable again")
	} else if obj == nil && info.Uses[v] != nil {
		return refusal("it calls in a loop, and sets a variable from before the block")
	}
	if err := m.putAtEnds(block, stmt, v, result, put); err != nil {
		return err
	}
	if last := block.List[len(block.List)-1]; !m.endsRound(last) {
		return m.after(last, put)
	}
	return nil
}

// isRoundOrBranch reports whether a block is the body of a loop, or of an if without an else. Behind such a block, a variable
// from before merges its values.
func isRoundOrBranch(block *ast.BlockStmt, around ast.Node) bool {
	switch n := around.(type) {
	case *ast.IfStmt:
		return n.Body == block && n.Else == nil
	case *ast.ForStmt:
		return n.Body == block
	case *ast.RangeStmt:
		return n.Body == block
	}
	return false
}

// setsAgain reports whether a block may set a variable after it declares it.
func (m *mend) setsAgain(block *ast.BlockStmt, v types.Object) (again bool) {
	uses := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && m.file.pkg.TypesInfo.Uses[id] == v
	}
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			again = again || slices.ContainsFunc(n.Lhs, uses)
		case *ast.UnaryExpr:
			again = again || n.Op == token.AND && uses(n.X)
		case *ast.RangeStmt:
			again = again || n.Key != nil && uses(n.Key) || n.Value != nil && uses(n.Value)
		}
		return !again
	})
	return again
}

// qualifier returns the name by which the call of a function of another package names that, if nothing else in the file has
// the name.
func (m *mend) qualifier(of *types.Package) (string, error) {
	info := m.file.pkg.TypesInfo
	sel, ok := ast.Unparen(m.call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", errUnreadable
	}
	id, ok := sel.X.(*ast.Ident)
	pkg, isPackage := info.Uses[id].(*types.PkgName)
	if !ok || !isPackage || pkg.Imported() != of {
		return "", errUnreadable
	}
	taken := false
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		other, ok := n.(*ast.Ident)
		if !ok || other.Name != id.Name || other == m.file.Name {
			return !taken
		}
		obj := info.ObjectOf(other)
		isMember := obj != nil && obj.Parent() == nil
		taken = taken || obj != types.Object(pkg) && !isMember
		return !taken
	})
	if taken {
		return "", refusal("the name " + id.Name + " means something else, too, in " + base(m.name))
	}
	return id.Name, nil
}
