package advise

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A loop often makes the rows of a matrix, which live as long as that: grid[i] = make([]int, n). The function that makes the
// matrix can take the rows from a pool, and put all of them when it returns.

// matrixOf returns the slice in whose element a round of a loop stores the slice that it makes. All elements must be such
// slices, and the function must do nothing else with the matrix than use its elements. Otherwise matrixOf returns nil.
func matrixOf(instr ssa.Instruction) *ssa.MakeSlice {
	var row ssa.Value
	switch made := instr.(type) {
	case *ssa.MakeSlice:
		row = made
	case *ssa.Alloc:
		row = wholeOf(made)
	}
	matrix := storedInElement(row)
	if matrix == nil || inLoop(matrix) {
		return nil
	}
	for _, use := range *matrix.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.IndexAddr:
			for _, r := range *use.Referrers() {
				switch r := r.(type) {
				case *ssa.DebugRef, *ssa.UnOp:
				case *ssa.Store:
					if r.Addr != ssa.Value(use) || storedInElement(r.Val) != matrix {
						return nil
					}
				default:
					return nil
				}
			}
		case *ssa.Call:
			if b, ok := use.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" && b.Name() != "cap" {
				return nil
			}
		default:
			return nil
		}
	}
	return matrix
}

// wholeOf returns the slice that make with a constant size makes of an array.
func wholeOf(array *ssa.Alloc) ssa.Value {
	if array.Comment != "makeslice" || len(*array.Referrers()) != 1 {
		return nil
	}
	s, _ := (*array.Referrers())[0].(*ssa.Slice)
	if s == nil {
		return nil
	}
	return s
}

// storedInElement returns the slice in whose element a function stores a slice that it has just made, and does nothing else
// with that.
func storedInElement(row ssa.Value) *ssa.MakeSlice {
	switch made := row.(type) {
	case *ssa.MakeSlice:
	case *ssa.Slice:
		if array, ok := made.X.(*ssa.Alloc); !ok || wholeOf(array) != row {
			return nil
		}
	default:
		return nil
	}
	var matrix *ssa.MakeSlice
	for _, r := range *row.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			at, ok := r.Addr.(*ssa.IndexAddr)
			if !ok || r.Val != row || matrix != nil {
				return nil
			}
			if matrix, ok = at.X.(*ssa.MakeSlice); !ok {
				return nil
			}
		default:
			return nil
		}
	}
	return matrix
}

// row takes a row of a matrix from a pool of its own, and has the function put all rows.
func (m *mend) row() error {
	if f := m.a.fate; f.sized || f.forked || f.grows || f.resliced {
		return refusal("a row may be extended, or asked for its capacity")
	}
	stmt, v, err := m.rowStatement()
	if err != nil {
		return err
	}
	decl, err := m.onlyDeclaration(v)
	if err != nil {
		return err
	}
	basin, err := m.basin(decl.Pos())
	if err != nil {
		return err
	}
	name := v.Name() + "Row"
	for n := 2; m.isTaken(name); n++ {
		name = fmt.Sprint(v.Name(), "Row", n)
	}
	_, size, err := m.bounds(stmt, ast.NewIdent(name))
	if err != nil {
		return err
	}
	if len(m.call.Args) > 2 {
		return refusal("its capacity is another than its length")
	}
	pool, t, err := m.listPool(ast.NewIdent(name), basin, m.call.Args[0])
	if err != nil {
		return err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	m.declared[name] = true
	lines := []string{name + " := " + pool + ".Get()", "if " + size.exceeds(name) + " {", "\t" + name + " = make(" + t + ", " + size.text + ")", "}",
		name + " = " + name + "[:" + size.text + "]", "clear(" + name + ")", ""}
	begin := m.offset(stmt.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: strings.Join(lines, "\n"+indent)})
	m.replaceCall(name)
	return m.after(decl, "defer func() {", fmt.Sprintf("\tfor _, %s := range %s {", name, v.Name()), "\t\t"+pool+".Put("+name+")", "\t}", "}()")
}

// rowStatement returns the statement that sets an element of a variable to the row, and the variable.
func (m *mend) rowStatement() (stmt *ast.AssignStmt, v *types.Var, err error) {
	info := m.file.pkg.TypesInfo
	stmt, ok := m.path[0].(*ast.AssignStmt)
	if !ok || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 || ast.Unparen(stmt.Rhs[0]) != ast.Expr(m.call) || !isList(m.path[1]) {
		return nil, nil, errPart
	}
	element, ok := stmt.Lhs[0].(*ast.IndexExpr)
	if !ok || !isPath(element.Index) && !isConstant(info, element.Index) {
		return nil, nil, refusal("its index is no variable")
	}
	id, ok := element.X.(*ast.Ident)
	if ok {
		v, ok = info.Uses[id].(*types.Var)
	}
	if !ok {
		return nil, nil, errPart
	}
	return stmt, v, nil
}

// onlyDeclaration returns the statement that declares a variable, outside of loops, if nothing sets it again, and no function
// literal uses it.
func (m *mend) onlyDeclaration(v *types.Var) (decl ast.Stmt, err error) {
	info := m.file.pkg.TypesInfo
	var stack []ast.Node
	var within *ast.FuncLit
	set := false
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok {
			switch v {
			case info.Defs[id]:
				decl, within = declaring(stack)
			case info.Uses[id]:
				set = set || innerLiteral(stack) != within || isSet(id, stack[len(stack)-1])
			}
		}
		stack = append(stack, n)
		return true
	})
	if decl == nil || set {
		return nil, refusal("the slice that has it is declared within a loop, set again or used by a function literal")
	}
	return decl, nil
}
