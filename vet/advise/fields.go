package advise

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// A slice in a field of scratch can begin with one of a pool, if it only grows by append: the functions that have the struct
// take it when they declare that, and put it when they return.

// scratched has the functions that have a struct take the slice of its field from a pool.
func (s *source) scratched(a *allocation) (first *mend, others []*mend, err error) {
	pool := ""
	for _, local := range a.grownIn {
		m := &mend{source: s, a: a}
		m.name = s.fset.PositionFor(local.Pos(), false).Filename
		if m.file = s.files[m.name]; m.file == nil {
			return nil, nil, errUnreadable
		}
		if pool, err = m.scratch(local, pool); err != nil {
			return nil, nil, refusal("in " + name(local.Parent()) + ", " + err.Error())
		}
		if first == nil {
			first = m
		} else {
			others = append(others, m)
		}
	}
	return first, others, nil
}

// scratch does so for one function. It declares the pool if that has no name yet.
func (m *mend) scratch(local *ssa.Alloc, pool string) (string, error) {
	stmt, v := m.declaredAt(local)
	if stmt == nil {
		return "", refusal("its struct is not declared by a statement of its own, without values")
	}
	_, m.path = m.around(stmt)
	block, ok := m.path[slices.IndexFunc(m.path, isList)].(*ast.BlockStmt)
	if !ok || m.setsAgain(block, m.file.pkg.TypesInfo.Defs[v]) {
		return "", refusal("its variable may be set again")
	}
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return "", err
	}
	field := m.a.fate.field.Name()
	if pool == "" {
		typ := m.typeOfField()
		if typ == nil {
			return "", refusal("another file declares the struct")
		}
		if pool, _, err = m.listPool(ast.NewIdent(field), basin, typ); err != nil {
			return "", err
		}
	} else if m.isNamed(pool) {
		return "", refusal("the name " + pool + " is taken in " + base(m.name))
	}
	slice := v.Name + "." + field
	return pool, m.after(stmt, slice+" = "+pool+".Get()[:0]", "defer func() { "+pool+".Put("+slice+") }()")
}

// declaredAt returns the statement of a block that alone declares a struct, and the name.
func (m *mend) declaredAt(local *ssa.Alloc) (stmt ast.Stmt, v *ast.Ident) {
	path, _ := astutil.PathEnclosingInterval(m.file.File, local.Pos(), local.Pos())
	for i, n := range path {
		switch n := n.(type) {
		case *ast.DeclStmt:
			spec, ok := n.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
			if ok && len(n.Decl.(*ast.GenDecl).Specs) == 1 && len(spec.Names) == 1 && len(spec.Values) == 0 {
				v = spec.Names[0]
			}
			stmt = n
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Tok == token.DEFINE && isZeroStruct(n.Rhs[0]) {
				v, _ = n.Lhs[0].(*ast.Ident)
			}
			stmt = n
		case ast.Stmt:
			return nil, nil
		}
		if stmt != nil {
			if v == nil || v.Name == "_" || !isList(path[i+1]) {
				return nil, nil
			}
			return stmt, v
		}
	}
	return nil, nil
}

// isZeroStruct reports whether an expression is a literal without values, or a pointer to one.
func isZeroStruct(e ast.Expr) bool {
	if pointer, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && pointer.Op == token.AND {
		e = pointer.X
	}
	list, ok := ast.Unparen(e).(*ast.CompositeLit)
	return ok && len(list.Elts) == 0
}

// typeOfField returns the type of the field in the file, or nil.
func (m *mend) typeOfField() (typ ast.Expr) {
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return m.file.pkg.TypesInfo.Defs[id] == m.a.fate.field }) {
			typ = f.Type
		}
		return typ == nil
	})
	return typ
}
