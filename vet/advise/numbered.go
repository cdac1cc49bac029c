package advise

import (
	"fmt"
	"go/ast"
)

// The patch of a big.Int has the number come from a pool: see numbers.go.

// numbered has a number come from a pool of its own.
func (m *mend) numbered() error {
	pkg, value, err := m.numberType()
	if err != nil {
		return err
	}
	var args []ast.Expr
	if value != nil {
		args = []ast.Expr{value}
	}
	stmt, v, basin, err := m.statement()
	part := isPart(err)
	if part {
		if stmt = m.liftable(args); stmt == nil {
			return m.notFirst()
		}
		v = ast.NewIdent(m.newName("number"))
		basin, err = m.basin(stmt.Pos())
	}
	if err == nil && !part {
		err = m.setsOnly(stmt, v, args)
	}
	if err != nil {
		return err
	}
	t := "*" + pkg + ".Int"
	pool, err := m.declare(v, fmt.Sprintf("%s.Pool[%s]{\n\tNew: func() %s { return new(%s.Int) },\n\tSize: func(x %s) int { return 8 * cap(x.Bits()) },\n"+
		"\tReset: func(x %s) %s {\n\t\tclear(x.Bits()[:cap(x.Bits())])\n\t\treturn x.SetInt64(0)\n\t},\n}", basin, t, t, pkg, t, t, t))
	if err != nil {
		return err
	}
	if value == nil {
		return m.take(stmt, v, pool, part)
	}
	return m.take(stmt, v, pool, part, v.Name+".SetInt64("+m.text(value)+")")
}

// numberType returns the name of package big, and the value that the number begins with, or nil if that is zero.
func (m *mend) numberType() (pkg string, value ast.Expr, err error) {
	if m.call == nil {
		return "", nil, refusal("it is a variable: make it by new")
	}
	info := m.file.pkg.TypesInfo
	e := ast.Unparen(m.call.Fun)
	if id, ok := e.(*ast.Ident); ok && info.Types[id].IsBuiltin() {
		e = ast.Unparen(m.call.Args[0])
	} else if value = m.call.Args[0]; isZeroConstant(info, value) {
		value = nil
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", nil, errUnreadable
	}
	return m.text(sel.X), value, nil
}
