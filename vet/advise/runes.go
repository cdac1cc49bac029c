package advise

import "go/ast"

// liftedRunes has the runes of a string, which are made within a statement, decoded into a slice of a pool before that.
func (m *mend) liftedRunes(from ast.Expr) error {
	stmt := m.liftable([]ast.Expr{from})
	if stmt == nil {
		return m.notFirst()
	}
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	v := ast.NewIdent(m.newName("runes"))
	pool, _, err := m.listPool(v, basin, ast.Unparen(m.call.Fun))
	if err != nil {
		return err
	}
	r := "r"
	for mentionsName(from, r) {
		r += "r"
	}
	text := v.Name + " := " + pool + ".Get()[:0]\n" + indent +
		"for _, " + r + " := range " + m.text(from) + " {\n" + indent + "\t" + v.Name + " = append(" + v.Name + ", " + r + ")\n" + indent + "}\n" + indent +
		"defer " + pool + ".Put(" + v.Name + ")\n" + indent
	if f := m.a.fate; f.grows || f.forked || f.sized || f.resliced {
		text += v.Name + " = " + v.Name + "[:len(" + v.Name + "):len(" + v.Name + ")]\n" + indent
	}
	m.insert(stmt, text)
	m.replaceCall(v.Name)
	return nil
}
