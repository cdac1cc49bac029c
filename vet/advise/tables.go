package advise

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A map that does not leave its function can come from a pool, which empties it by clear. That keeps the tables of the map, and
// takes as long as these are large. So the pool keeps no large map, which it knows by its length: nothing may delete elements before.

// mostPairs returns how many pairs a map may have that goes back to its pool, or 0 if those of the profile have more: a
// table has 8 slots for 7 pairs, and up to 1024 slots.
func (a *allocation) mostPairs() int64 {
	const least, most = 256, 1024
	m := a.instr.(*ssa.MakeMap).Type().Underlying().(*types.Map)
	slot := sizeOfType(m.Key()) + sizeOfType(m.Elem()) + 1
	slots := int64(least)
	for slots < most && slots*slot < a.largest {
		slots *= 2
	}
	if slots == most {
		return 0
	}
	return slots / 8 * 7
}

// tabled has a map come from a pool of its own.
func (m *mend) tabled() error {
	typ, err := m.tableType()
	if err != nil {
		return err
	}
	most := m.a.mostPairs()
	if most == 0 {
		return refusal("the map grows large, and clear takes as long as the largest map of its pool is large")
	}
	stmt, v, basin, err := m.statement()
	part := isPart(err)
	if part {
		if stmt = m.liftable(nil); stmt == nil {
			return m.notFirst()
		}
		v = ast.NewIdent(m.newName("scratch"))
		basin, err = m.basin(stmt.Pos())
	} else if err == nil && !m.hasType(m.maker(), m.file.pkg.TypesInfo.ObjectOf(v).Type()) {
		err = refusal("its variable is of another type")
	}
	if err != nil {
		return err
	}
	t := m.text(typ)
	pool, err := m.declare(v, fmt.Sprintf("%s.Pool[%s]{\n\tNew: func() %s { return %s{} },\n\tReset: func(m %s) %s {\n\t\tif len(m) > %d { // whose tables are too large to clear\n\t\t\treturn %s{}\n\t\t}\n"+
		"\t\tclear(m)\n\t\treturn m\n\t},\n}", basin, t, t, t, t, t, most, t))
	if err != nil {
		return err
	}
	return m.take(stmt, v, pool, part)
}

// take has a variable, which a statement sets, get a value of a pool, for which these lines follow. If the value is a part of the
// statement, the variable is a new one.
func (m *mend) take(stmt ast.Stmt, v *ast.Ident, pool string, part bool, lines ...string) error {
	lines = append(m.put("defer "+pool+".Put("+v.Name+")"), lines...)
	if !part {
		m.replaceCall(pool + ".Get()")
		return m.after(stmt, lines...)
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	lines = append([]string{v.Name + " := " + pool + ".Get()"}, lines...)
	m.insert(stmt, strings.Join(lines, "\n"+indent)+"\n"+indent)
	m.replaceCall(v.Name)
	return nil
}

// tableType returns the type of the map as the expression names it that makes it empty, without effects.
func (m *mend) tableType() (typ ast.Expr, err error) {
	switch e := m.maker().(type) {
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		if !ok || id.Name != "make" || !m.file.pkg.TypesInfo.Types[id].IsBuiltin() {
			return nil, errUnreadable
		}
		typ = e.Args[0]
		if len(e.Args) > 1 && !m.isPure(e.Args[1]) {
			return nil, refusal("its size is computed by more than lengths of variables: give it a variable")
		}
	case *ast.CompositeLit:
		if typ = e.Type; typ == nil || len(e.Elts) > 0 {
			return nil, refusal("it is a literal with elements, or without a type: make it empty first")
		}
	default:
		return nil, errUnreadable
	}
	if !m.isOfPackage(typ) {
		return nil, refusal("its type is not known outside of the function")
	}
	return typ, nil
}

// isPure reports whether a number is computed from constants, variables and their lengths, so that nothing notices if it is not.
func (m *mend) isPure(e ast.Expr) bool {
	info := m.file.pkg.TypesInfo
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.ParenExpr, nil:
		case *ast.BinaryExpr:
			pure = pure && (isConstant(info, n) || slices.Contains([]string{"+", "-", "*"}, n.Op.String()))
		case *ast.CallExpr:
			id, ok := ast.Unparen(n.Fun).(*ast.Ident)
			pure = pure && ok && (info.Types[n.Fun].IsType() || info.Types[n.Fun].IsBuiltin() && slices.Contains([]string{"len", "cap", "min", "max"}, id.Name))
		case *ast.SelectorExpr: // of a struct, whose address might be nil
			_, isStruct := info.TypeOf(n.X).Underlying().(*types.Struct)
			pure = pure && isStruct
		default:
			pure = false
		}
		return pure
	})
	return pure
}
