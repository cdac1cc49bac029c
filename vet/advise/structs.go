package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A struct that does not leave its function can come from a pool, which sets it to its zero value when it is put. So the pool keeps
// no memory that the struct leads to, and the next user has one like a new one.

// pointed has a struct come from a pool of its own.
func (m *mend) pointed() error {
	typ, elems, err := m.structType()
	if err != nil {
		return err
	}
	stmt, v, basin, err := m.statement()
	part := isPart(err)
	if part {
		if stmt = m.liftable(elems); stmt == nil {
			return m.notFirst()
		}
		v = ast.NewIdent(m.newName("scratch"))
		basin, err = m.basin(stmt.Pos())
	}
	if err == nil && !part {
		err = m.setsOnly(stmt, v, elems)
	}
	if err != nil {
		return err
	}
	t := m.text(typ)
	pool, err := m.declare(v, fmt.Sprintf("%s.Pool[*%s]{\n\tNew: func() *%s { return new(%s) },\n\tReset: func(p *%s) *%s {\n\t\t*p = %s\n\t\treturn p\n\t},\n}",
		basin, t, t, t, t, t, m.zeroOf(typ, t)))
	if err != nil {
		return err
	}
	m.pool = pool
	if len(elems) == 0 {
		return m.take(stmt, v, pool, part)
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	lines := strings.Join(slices.Concat([]string{pool + ".Get()"}, m.put("defer "+pool+".Put("+v.Name+")"), []string{"*" + v.Name + " = "}), "\n"+indent)
	address := m.lit.(*ast.UnaryExpr)
	if part {
		m.insert(stmt, v.Name+" := "+lines+m.text(address.X)+"\n"+indent)
		m.forget(address)
		m.replaceCall(v.Name)
		return nil
	}
	m.replace(address.Pos(), address.X.Pos(), lines)
	return nil
}

// zeroOf returns the zero value of a type that is a struct or another, whose text is t.
func (m *mend) zeroOf(typ ast.Expr, t string) string {
	if _, ok := m.file.pkg.TypesInfo.TypeOf(typ).Underlying().(*types.Struct); ok {
		return t + "{}"
	}
	return "*new(" + t + ")"
}

// structType returns the type of the struct as the expression names it that makes it, and the values of its fields.
func (m *mend) structType() (typ ast.Expr, elems []ast.Expr, err error) {
	switch e := m.maker().(type) {
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		if !ok || id.Name != "new" || !m.file.pkg.TypesInfo.Types[id].IsBuiltin() {
			return nil, nil, refusal("it is made by a function of the program")
		}
		typ = e.Args[0]
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.CompositeLit)
		if !ok || lit.Type == nil {
			return nil, nil, errUnreadable
		}
		typ = lit.Type
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			elems = append(elems, e)
		}
	default:
		return nil, nil, refusal("it is the variable of a struct: make it by new, and set it by its address")
	}
	of := m.file.pkg.TypesInfo.Types[typ]
	switch {
	case !of.IsType() || !m.isOfPackage(typ) || !isSized(of.Type):
		return nil, nil, refusal("its type is not known outside of the function")
	case hasLock(of.Type):
		return nil, nil, refusal("it has a lock, which must not be set to another value")
	}
	return typ, elems, nil
}

// setsOnly returns an error unless a statement sets a variable, of the type of the struct's address, to a literal of these values.
// The statement must evaluate nothing that depends on the variable, or comes behind the literal.
func (m *mend) setsOnly(stmt ast.Stmt, v *ast.Ident, elems []ast.Expr) error {
	switch {
	case !m.hasType(m.maker(), m.file.pkg.TypesInfo.ObjectOf(v).Type()):
		return refusal("its variable is of another type")
	case len(elems) > 0 && !isAlone(stmt):
		return refusal("its value must not be computed behind the other values of the statement")
	case len(elems) > 0 && m.maker().End() != stmt.End():
		return refusal("there are parentheses around it: take them away")
	case len(elems) > 0 && m.isReadElsewhere(v):
		return refusal("its values may be computed by code that reads its variable")
	case slices.ContainsFunc(elems, func(e ast.Expr) bool { return mentionsName(e, v.Name) }):
		return refusal("its variable is in the literal, too")
	}
	return nil
}

// isReadElsewhere reports whether a variable, which a statement sets anew, is in a function literal or the like, or has its address
// taken. Values of the literal may be computed there, before the variable is set.
func (m *mend) isReadElsewhere(v *ast.Ident) (read bool) {
	info := m.file.pkg.TypesInfo
	if info.Defs[v] != nil {
		return false
	}
	here := m.literal()
	var stack []ast.Node
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == info.Uses[v] {
			address, ok := stack[len(stack)-1].(*ast.UnaryExpr)
			read = read || innerLiteral(stack) != here || ok && address.Op == token.AND
		}
		stack = append(stack, n)
		return true
	})
	return read
}

// literal returns the function literal that has the allocation, or nil.
func (m *mend) literal() *ast.FuncLit {
	for _, n := range m.path {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// hasLock reports whether a type is that of a lock or has one in it, or a value of package sync/atomic.
func hasLock(t types.Type) bool {
	if pkg, _ := named(t); pkg == "sync" || strings.HasPrefix(pkg, "sync/") {
		return true
	}
	if lock, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, "Lock"); lock != nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return hasLock(u.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return hasLock(f.Type()) })
	}
	return false
}
