package advise

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function may return a struct to callers that are done with it: p := newParser(text). They put it, unless they get nil.

// mayPutStruct returns nil if a caller can put the struct of a variable.
func (m *mend) mayPutStruct(a *allocation, v *ast.Ident) error {
	obj := m.file.pkg.TypesInfo.ObjectOf(v)
	switch {
	case obj != nil && !types.Identical(obj.Type(), a.root().Type()):
		return refusal("its variable is of another type")
	case inLoop(m.a.instr) && a.nils != neverNil:
		return refusal("it calls in a loop, and may get nil")
	}
	return nil
}

// ownStruct has the caller put the struct of a variable, which a statement sets.
func (m *mend) ownStruct(a *allocation, stmt ast.Stmt, v *ast.Ident, put string) error {
	if a.nils == nilWithErrors {
		if check, err := m.errorCheck(stmt, v, ""); err == nil {
			return m.after(check, "defer "+put)
		}
	}
	return m.after(stmt, putUnlessNil(a, v.Name, put)...)
}

// putUnlessNil returns the lines that put a struct when the function returns.
func putUnlessNil(a *allocation, v, put string) []string {
	if a.nils == neverNil {
		return []string{"defer " + put}
	}
	return []string{"if " + v + " != nil {", "\tdefer " + put, "}"}
}

// partVariable returns the statement that calls the function first, as a part of an expression such as newParser(text).parse(), and
// a new variable.
func (m *mend) partVariable(stem string) (ast.Stmt, *ast.Ident, error) {
	stmt := m.evaluatedFirst()
	_, alone := m.path[0].(*ast.ExprStmt)
	_, several := m.a.instr.(*ssa.Call).Type().(*types.Tuple)
	switch {
	case stmt == nil || inLoop(m.a.instr):
		return nil, nil, m.notFirst()
	case alone || several || strings.Contains(m.text(m.call), "\n"):
		return nil, nil, errPart
	}
	return stmt, ast.NewIdent(m.newName(stem)), nil
}

// ownPart has the caller set that variable before the statement.
func (m *mend) ownPart(a *allocation, stmt ast.Stmt, v *ast.Ident, put string) error {
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	lines := append([]string{v.Name + " := " + m.text(m.call)}, putUnlessNil(a, v.Name, put)...)
	m.insert(stmt, strings.Join(lines, "\n"+indent)+"\n"+indent)
	m.replaceCall(v.Name)
	return nil
}
