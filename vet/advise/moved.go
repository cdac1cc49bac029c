package advise

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A variable of a switch over types begins in each case, where the compiler moves it to the heap.

// caseVariable returns the variable of a switch over types that begins in the case of a site, or nil.
func (s *source) caseVariable(site *Site) *allocation {
	f := s.files[s.names[site]]
	var v types.Object
	ast.Inspect(f.File, func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok && s.line(c.Pos()) == int(site.Line) && f.pkg.TypesInfo.Implicits[c] != nil {
			v = f.pkg.TypesInfo.Implicits[c]
		}
		return v == nil
	})
	if v == nil {
		return nil
	}
	for _, instr := range s.lines[fileLine{s.names[site], s.line(v.Pos())}] {
		moved, ok := instr.(*ssa.Alloc)
		if ok && moved.Heap && moved.Comment == v.Name() && types.Identical(moved.Type().Underlying().(*types.Pointer).Elem(), v.Type()) {
			return &allocation{kind: kindOther, instr: moved, other: "the variable " + v.Name() + " of a switch over types"}
		}
	}
	return nil
}

// dropsResults reports whether the call is a statement.
func (m *mend) dropsResults() bool {
	_, ok := m.path[0].(*ast.ExprStmt)
	return ok
}

// limited has io.CopyN copy from an io.LimitReader, as it does itself.
func (m *mend) limited(basinio string) error {
	sel, ok := ast.Unparen(m.call.Fun).(*ast.SelectorExpr)
	if !ok || len(m.call.Args) != 3 {
		return errUnreadable
	}
	from, n := m.call.Args[1], m.call.Args[2]
	m.replace(m.call.Fun.Pos(), m.call.Fun.End(), basinio+".Copy")
	m.replace(from.Pos(), from.Pos(), m.text(sel.X)+".LimitReader(")
	m.replace(n.End(), n.End(), ")")
	return nil
}
