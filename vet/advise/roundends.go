package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The block of a loop may end early, by return, break or continue. Memory of the round is put before such a statement, which must
// not use it. Behind the block, nothing may.

const errEndsEarly = refusal("it calls in a loop, and the round may end before the end of the block")

// putAtEnds puts the memory of a variable, which a statement of a block sets, before each statement by which the block may end early.
func (m *mend) putAtEnds(block *ast.BlockStmt, set ast.Stmt, v *ast.Ident, result int, put string) error {
	got := resultOf(m.a.instr.(*ssa.Call), result)
	for _, stmt := range block.List[slices.Index(block.List, set):] {
		ends, ok := m.earlyEnds(stmt)
		if !ok {
			return errEndsEarly
		}
		for _, end := range ends {
			if !m.means(v, end) || !m.isDoneBefore(got, end) || !m.staysWithin(got, block) {
				return errEndsEarly
			}
			indent, err := m.indentation(end)
			if err != nil {
				return err
			}
			m.insert(end, put+"\n"+indent)
		}
	}
	return nil
}

// endsRound reports whether nothing behind a statement of a block runs.
func (m *mend) endsRound(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.BranchStmt:
		return true
	case *ast.BlockStmt:
		return len(s.List) > 0 && m.endsRound(s.List[len(s.List)-1])
	case *ast.IfStmt:
		return s.Else != nil && m.endsRound(s.Body) && m.endsRound(s.Else)
	}
	return m.ends(stmt)
}

// earlyEnds returns the statements within one of a block that leave the block. It reports false if there may be others, or a loop
// that may never end.
func (m *mend) earlyEnds(stmt ast.Stmt) (ends []ast.Stmt, ok bool) {
	loops, selects, iterators := 0, 0, 0 // around a node, in the statement
	var stack []ast.Node
	ok = true
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			switch n := stack[len(stack)-1].(type) {
			case *ast.RangeStmt:
				if loops--; iterates(m.file.pkg.TypesInfo, n) {
					iterators--
				}
			case *ast.ForStmt:
				loops--
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				selects--
			}
			stack = stack[:len(stack)-1]
			return true
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			ok = ok && iterators == 0 // which the iterator notices, and goes on
			ends = append(ends, n)
		case *ast.BranchStmt:
			ok = ok && n.Label == nil
			if n.Tok == token.CONTINUE && loops == 0 || n.Tok == token.BREAK && loops+selects == 0 {
				ends = append(ends, n)
			}
		case *ast.ForStmt:
			ok = ok && n.Cond != nil // or it may never end
			loops++
		case *ast.RangeStmt:
			if loops++; iterates(m.file.pkg.TypesInfo, n) {
				iterators++
			}
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			selects++
		}
		stack = append(stack, n)
		return true
	})
	return ends, ok
}

// means reports whether the name of a variable means that at a statement, too.
func (m *mend) means(v *ast.Ident, at ast.Stmt) bool {
	obj := m.file.pkg.TypesInfo.ObjectOf(v)
	scope := m.file.pkg.Types.Scope().Innermost(at.Pos())
	if obj == nil || scope == nil { // or the patch declares it, by a new name
		return obj == nil
	}
	_, there := scope.LookupParent(v.Name, at.Pos())
	return there == obj
}

// isDoneBefore reports whether a statement uses no memory that the function has: it names no variable that may lead to memory, but
// for errors, and none of its instructions has the memory.
func (m *mend) isDoneBefore(got ssa.Value, stmt ast.Stmt) bool {
	if got == nil {
		return true
	}
	uses := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := m.file.pkg.TypesInfo.Uses[id].(*types.Var)
			uses = uses || ok && leads(v.Type())
		}
		return !uses
	})
	return !uses && !m.isUsed(got, func(at token.Pos) bool { return stmt.Pos() <= at && at < stmt.End() })
}

// staysWithin reports whether only a block uses memory that the function has.
func (m *mend) staysWithin(got ssa.Value, block *ast.BlockStmt) bool {
	return got == nil || !m.isUsed(got, func(at token.Pos) bool { return at < block.Pos() || block.End() <= at })
}

// isUsed reports whether an instruction at some places has memory.
func (m *mend) isUsed(got ssa.Value, at func(token.Pos) bool) bool {
	for v := range m.tracer.trailOf(got).seen {
		for _, r := range *v.Referrers() {
			if _, debug := r.(*ssa.DebugRef); !debug && r.Pos().IsValid() && at(r.Pos()) {
				return true
			}
		}
	}
	return false
}
