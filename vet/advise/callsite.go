package advise

import (
	"go/ast"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// A callSite is a call in the syntax.
type callSite struct {
	*sourceFile
	name string // of the file
	call *ast.CallExpr
	path []ast.Node // the nodes around it, from the inside
}

// callAt returns the call that an instruction is made of, or nil.
func (s *source) callAt(instr ssa.Instruction) *callSite {
	name := s.fset.PositionFor(instr.Pos(), false).Filename
	f := s.files[name]
	if f == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(f.File, instr.Pos(), instr.Pos())
	for i, n := range path {
		if call, ok := n.(*ast.CallExpr); ok && call.Lparen == instr.Pos() {
			return &callSite{f, name, call, path[i+1:]}
		}
	}
	return nil
}
