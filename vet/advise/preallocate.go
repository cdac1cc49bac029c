package advise

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// preallocated has a slice grow once, to the length of the range that fills it, by slices.Grow. A slice that is nil stays nil
// if the range is empty. So nobody can notice but by the capacity, or by an array that several slices share: the slice
// must have none before the loop, and each round must append to it, and do nothing else with it.
func (m *mend) preallocated() error {
	loop, v, err := m.filled()
	if err != nil {
		return err
	}
	if m.a.fate.sized || m.a.fate.forked || m.a.fate.resliced {
		return refusal("its capacity or elements behind its length may be used")
	}
	for _, base := range m.a.grown.bases {
		if s, ok := base.(*ssa.Slice); !ok || !isEmptyArray(s.X.Type()) {
			return refusal("it may have an array before the loop, which others may have too")
		}
	}
	if err := m.needs("slices"); err != nil {
		return err
	}
	indent, err := m.indentation(loop)
	if err != nil {
		return err
	}
	begin := m.offset(loop.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin,
		New: v.Name() + " = slices.Grow(" + v.Name() + ", len(" + m.text(loop.X) + "))\n" + indent})
	return nil
}

// filled returns the loop that fills a slice, in which each round that comes to its end appends one element to the variable.
func (m *mend) filled() (loop *ast.RangeStmt, v *types.Var, err error) {
	if len(m.path) < 4 {
		return nil, nil, errUnreadable
	}
	body, _ := m.path[1].(*ast.BlockStmt)
	loop, ok := m.path[2].(*ast.RangeStmt)
	switch {
	case !ok || body == nil || loop.Body != body:
		return nil, nil, refusal("not each round of the loop appends to it, so its capacity might be too large")
	case !isList(m.path[3]):
		return nil, nil, refusal("its loop has a label")
	case !isPath(loop.X):
		return nil, nil, refusal("its loop ranges over an expression that is no variable: give it one")
	}
	if v = m.appendsTo(m.call, m.path); v == nil || v.Parent() == v.Pkg().Scope() {
		return nil, nil, refusal("it does not grow in one variable of the function")
	}
	for _, n := range m.path[3:] {
		if n.Pos() <= v.Pos() && v.Pos() < n.End() {
			return loop, v, m.fillsOnly(loop, v)
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return nil, nil, refusal("its variable is declared outside of another loop or function literal")
		}
	}
	return nil, nil, errUnreadable
}

// isPath reports whether an expression is a variable or a field of one.
func isPath(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPath(e.X)
	}
	return false
}

// fillsOnly says why a loop may end a round early, or uses a variable for more than the append and its length.
func (m *mend) fillsOnly(loop *ast.RangeStmt, v *types.Var) (err error) {
	info := m.file.pkg.TypesInfo
	var stack []ast.Node
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.BranchStmt:
			if n.Tok != token.FALLTHROUGH {
				err = refusal("a round of its loop may end early, so its capacity might be too large")
			}
		case *ast.Ident:
			if info.Uses[n] != v {
				break
			}
			switch in := stack[len(stack)-1].(type) {
			case *ast.AssignStmt:
				if in == m.path[0] {
					break
				}
				err = refusal("its loop uses it for more than the append")
			case *ast.CallExpr:
				if id, ok := in.Fun.(*ast.Ident); in != m.call && (!ok || id.Name != "len" || !info.Types[in.Fun].IsBuiltin()) {
					err = refusal("its loop uses it for more than the append")
				}
			default:
				err = refusal("its loop uses it for more than the append")
			}
		}
		stack = append(stack, n)
		return true
	})
	return err
}

// isEmptyArray reports whether a type is that of a pointer to an array without elements.
func isEmptyArray(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	a, ok := p.Elem().Underlying().(*types.Array)
	return ok && a.Len() == 0
}
