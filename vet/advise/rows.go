package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
	if matrix == nil || inLoop(matrix) || !usesOnlyElements(matrix, matrix) {
		return nil
	}
	return matrix
}

// usesOnlyElements reports whether a value that is a matrix, or a variable that always has it, is only used for its elements.
// Literals may use them, too.
func usesOnlyElements(v ssa.Value, matrix *ssa.MakeSlice) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.IndexAddr:
			return !isElementOf(use, matrix)
		case *ssa.Call:
			b, ok := use.Call.Value.(*ssa.Builtin)
			return !ok || b.Name() != "len" && b.Name() != "cap"
		case *ssa.Store:
			if use.Addr == v {
				return use.Val != ssa.Value(matrix)
			}
			variable, ok := use.Addr.(*ssa.Alloc)
			return !ok || len(storesTo(variable)) != 1 || !usesOnlyElements(variable, matrix)
		case *ssa.UnOp:
			return use.Op != token.MUL || !usesOnlyElements(use, matrix)
		case *ssa.MakeClosure:
			for i, b := range use.Bindings {
				if b == v && !usesOnlyElements(use.Fn.(*ssa.Function).FreeVars[i], matrix) {
					return true
				}
			}
			return false
		}
		return true
	})
}

// isElementOf reports whether an element of a matrix is only read, or set to a row of it.
func isElementOf(element *ssa.IndexAddr, matrix *ssa.MakeSlice) bool {
	return !slices.ContainsFunc(*element.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.UnOp:
			return false
		case *ssa.Store:
			return r.Addr != ssa.Value(element) || storedInElement(r.Val) != matrix
		}
		return true
	})
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
			if matrix = madeSlice(at.X); matrix == nil {
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

// onlyDeclaration returns the statement that declares a variable, outside of loops, if nothing sets it again.
func (m *mend) onlyDeclaration(v *types.Var) (decl ast.Stmt, err error) {
	info := m.file.pkg.TypesInfo
	var stack []ast.Node
	set := false
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok {
			switch v {
			case info.Defs[id]:
				decl, _ = declaring(stack)
			case info.Uses[id]:
				set = set || isSet(id, stack[len(stack)-1])
			}
		}
		stack = append(stack, n)
		return true
	})
	if decl == nil || set {
		return nil, refusal("the slice that has it is declared within a loop, or set again")
	}
	return decl, nil
}
