package advise

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// noteNested notes the line of the outermost loop, if several loops of the function repeat an allocation. Memory that does
// not outlive a round of one outlives no round of the others. So a patch has its variable before the outermost.
func (s *source) noteNested(a *allocation) {
	f := s.files[s.fset.PositionFor(a.instr.Pos(), false).Filename]
	if f == nil {
		return
	}
	loops := loopsAround(f.File, a.instr.Pos())
	if len(loops) > 1 {
		a.outer = s.line(loops[len(loops)-1].Pos())
	}
}

// loopsAround returns the loops of a function whose rounds come to a position, the innermost first.
func loopsAround(f *ast.File, pos token.Pos) (loops []ast.Node) {
	path, _ := astutil.PathEnclosingInterval(f, pos, pos)
	for _, n := range path {
		switch n := n.(type) {
		case *ast.ForStmt:
			if n.Init == nil || !isInside(pos, n.Init) {
				loops = append(loops, n)
			}
		case *ast.RangeStmt:
			if isInside(pos, n.Body) {
				loops = append(loops, n)
			}
		case *ast.FuncLit, *ast.FuncDecl:
			return loops
		}
	}
	return loops
}

func isInside(pos token.Pos, n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }

// beforeLoop says where a variable belongs that the rounds of loops share.
func (a *allocation) beforeLoop() string {
	if a.outer == 0 {
		return "before the loop"
	}
	return fmt.Sprintf("before the outermost loop, at line %d", a.outer)
}
