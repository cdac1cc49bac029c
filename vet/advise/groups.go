package advise

import (
	"go/ast"
	"go/types"
)

// A statement such as var ( … ) may declare several variables, each by a part of its own. The part of one can be changed alone.

// specOf returns the part of a statement that declares a variable, and no other, or nil.
func (m *mend) specOf(decl *ast.DeclStmt, v types.Object) *ast.ValueSpec {
	for _, spec := range decl.Decl.(*ast.GenDecl).Specs {
		if spec, ok := spec.(*ast.ValueSpec); ok && len(spec.Names) == 1 && v != nil && m.file.pkg.TypesInfo.Defs[spec.Names[0]] == v {
			return spec
		}
	}
	return nil
}

// isGroup reports whether a statement may declare more variables.
func isGroup(stmt ast.Stmt) bool {
	decl, ok := stmt.(*ast.DeclStmt)
	return ok && decl.Decl.(*ast.GenDecl).Lparen.IsValid()
}

const errInGroup = refusal("its capacity is computed among other variables: give it a statement of its own")

// inGroup returns an error if a statement declares several variables, and the slice of one has a capacity that is computed before them,
// or that others may see.
func (m *mend) inGroup(stmt ast.Stmt, v *types.Var, size ast.Expr, before string) error {
	if isGroup(stmt) && (before != "" || size != nil && m.isInGroup(stmt, v)) {
		return errInGroup
	}
	return nil
}

// isInGroup reports whether a value of a statement, which may declare several variables, reads one of these.
func (m *mend) isInGroup(stmt ast.Stmt, v types.Object) (found bool) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && m.file.pkg.TypesInfo.Uses[id] == v
		return !found
	})
	return found
}

// redeclare has a statement declare a variable with another value. Its type is that of the value.
func (m *mend) redeclare(stmt ast.Stmt, id *ast.Ident, value string) {
	if isGroup(stmt) {
		if spec := m.specOf(stmt.(*ast.DeclStmt), m.file.pkg.TypesInfo.Defs[id]); spec != nil {
			m.replace(spec.Pos(), spec.End(), id.Name+" = "+value)
			return
		}
	}
	m.replace(stmt.Pos(), stmt.End(), id.Name+" := "+value)
}
