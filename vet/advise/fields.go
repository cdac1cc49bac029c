package advise

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// A slice in a field of scratch can begin with one of a pool, if it only grows by append: the functions that make the struct
// take it when they do so, and those that have the struct put it when they return.

// A fieldMend has functions take the slice of a field from a pool.
type fieldMend struct {
	*source
	a     *allocation
	field *types.Var
	pool  string // its name, once it is declared
	typ   string // of the field
	mends []*mend
}

// scratched has the functions that make a struct take the slice of its field from a pool.
func (s *source) scratched(a *allocation) (first *mend, others []*mend, err error) {
	f := &fieldMend{source: s, a: a, field: a.fate.field}
	for _, b := range a.beginnings {
		if err := f.begin(b); err != nil {
			return nil, nil, refusal("in " + name(b.local.Parent()) + ", " + err.Error())
		}
	}
	return f.mends[0], f.mends[1:], nil
}

// mendAt returns a mend for the file and the function of a position.
func (f *fieldMend) mendAt(pos token.Pos) (*mend, error) {
	m := &mend{source: f.source, a: f.a}
	m.name = f.fset.PositionFor(pos, false).Filename
	if m.file = f.files[m.name]; m.file == nil {
		return nil, errUnreadable
	}
	m.path, _ = astutil.PathEnclosingInterval(m.file.File, pos, pos)
	f.mends = append(f.mends, m)
	return m, nil
}

// begin does so for one struct.
func (f *fieldMend) begin(b *beginning) error {
	if b.after != nil {
		return f.beginAfter(b)
	}
	m, err := f.mendAt(b.local.Pos())
	if err != nil {
		return err
	}
	stmt, v, lit := m.declaredAt(b.local)
	if lit == nil && (stmt == nil || b.first != nil) {
		return refusal("its struct is not declared by a statement of its own")
	}
	basin, err := m.basin(b.local.Pos())
	if err == nil {
		err = f.declare(m, basin)
	}
	if err != nil {
		return err
	}
	if isBuffer(f.field.Type()) {
		return f.lend(m, stmt, v)
	}
	value, size, err := m.firstValue(b, lit)
	if err != nil {
		return err
	}
	get, err := f.first(m, size)
	if err != nil {
		return err
	}
	var lines []string
	switch {
	case value != nil:
		if size == nil {
			m.forget(value)
		}
		m.replace(value.Pos(), value.End(), get)
	case stmt != nil && len(b.calls) == 0:
		lines = append(lines, v.Name+"."+f.field.Name()+" = "+get)
	case len(lit.Elts) == 0:
		m.replace(lit.Rbrace, lit.Rbrace, f.field.Name()+": "+get+", ") // another field of it may begin here, too
	default:
		end := lit.Elts[len(lit.Elts)-1].End()
		m.replace(end, end, ", "+f.field.Name()+": "+get)
	}
	if len(b.calls) == 0 {
		if err := f.put(m, stmt, v, lines); err != nil {
			return err
		}
	}
	for _, call := range b.calls {
		if err := f.putIn(call); err != nil {
			return err
		}
	}
	return f.copyResults(b, size, m.file.pkg.TypesInfo.Types[size].Value)
}

// lend has the struct of a variable use the memory of a Buffer until the function returns.
func (f *fieldMend) lend(m *mend, stmt ast.Stmt, v *ast.Ident) error {
	buf, field := m.newName(v.Name+"Buf"), v.Name+"."+f.field.Name()
	return f.after(m, stmt, v, buf+" := "+f.pool+".Get()", field+" = *"+buf, "defer func() {", "\t*"+buf+" = "+field, "\t"+f.pool+".Put("+buf+")", "}()")
}

// put has a function put the slice when it returns, behind the statement that sets its variable to the struct.
func (f *fieldMend) put(m *mend, stmt ast.Stmt, v *ast.Ident, lines []string) error {
	return f.after(m, stmt, v, append(lines, "defer func() { "+f.pool+".Put("+v.Name+"."+f.field.Name()+") }()")...)
}

// after adds lines behind the statement that declares the variable of a struct.
func (f *fieldMend) after(m *mend, stmt ast.Stmt, v *ast.Ident, lines ...string) error {
	if stmt == nil {
		return refusal("its struct is not declared by a statement of its own")
	}
	_, around := m.around(stmt)
	block, ok := around[slices.IndexFunc(around, isList)].(*ast.BlockStmt)
	if !ok || m.setsAgain(block, m.file.objectOf(v)) {
		return refusal("its variable may be set again")
	}
	return m.after(stmt, lines...)
}

// putIn has the function that gets a struct from a call put its slice.
func (f *fieldMend) putIn(call *ssa.Call) error {
	m, stmt, v, err := f.set(call)
	if err != nil {
		return err
	}
	if m.isNamed(f.pool) {
		return refusal("the name " + f.pool + " is taken in " + base(m.name))
	}
	return f.put(m, stmt, v, nil)
}

// beginAfter has the caller that gets a struct without a slice take one.
func (f *fieldMend) beginAfter(b *beginning) error {
	m, stmt, v, err := f.set(b.after)
	if err != nil {
		return err
	}
	basin, err := m.basin(stmt.Pos())
	if err == nil {
		err = f.declare(m, basin)
	}
	get := f.pool + ".Get()[:0]"
	if isBufferField(f.field) {
		get = f.pool + ".Get()"
	}
	if err == nil && isBuffer(f.field.Type()) {
		return f.lend(m, stmt, v)
	}
	if err == nil {
		err = f.put(m, stmt, v, []string{v.Name + "." + f.field.Name() + " = " + get})
	}
	if err != nil {
		return err
	}
	return f.copyResults(b, nil, nil)
}

// set returns the statement that declares a variable for the struct of a call.
func (f *fieldMend) set(call *ssa.Call) (m *mend, stmt ast.Stmt, v *ast.Ident, err error) {
	if m, err = f.mendAt(call.Pos()); err != nil {
		return nil, nil, nil, err
	}
	if _, m.call, m.path = f.callAt(call); m.call == nil {
		return nil, nil, nil, errUnreadable
	}
	stmt, v, _, err = m.statement()
	if m.pools = false; err == nil && m.file.pkg.TypesInfo.Defs[v] == nil {
		err = refusal("its variable may be set again")
	}
	return m, stmt, v, err
}

// declare declares the pool, if that has no name yet.
func (f *fieldMend) declare(m *mend, basin string) (err error) {
	if f.pool != "" {
		m.pools = false // another file may import basin
		if m.isNamed(f.pool) {
			return refusal("the name " + f.pool + " is taken in " + base(m.name))
		}
		return nil
	}
	id := ast.NewIdent(f.field.Name())
	if isBufferField(f.field) {
		f.pool, err = m.declareText(id, func(name string) string { return "\nvar " + name + " " + basin + ".StdBufferPool\n" })
		return err
	}
	list := f.field.Type().Underlying().(*types.Slice)
	if typ := m.typeOfField(f.field); typ != nil {
		f.typ = m.text(typ)
		f.pool, _, err = m.listPool(id, basin, typ)
		return err
	}
	known := isSized(list.Elem())
	f.typ = types.TypeString(f.field.Type(), func(p *types.Package) string {
		known = known && p == m.file.pkg.Types
		return ""
	})
	if !known {
		return refusal("another file declares the struct")
	}
	f.pool, err = m.poolOfLists(id, basin, list, f.typ)
	return err
}

// declaredAt returns the statement of a block that alone declares a struct, and the name. The struct may be that of a literal, which may
// also be in a return statement.
func (m *mend) declaredAt(local *ssa.Alloc) (stmt ast.Stmt, v *ast.Ident, lit *ast.CompositeLit) {
	var spec *ast.ValueSpec
	for i, n := range m.path {
		switch n := n.(type) {
		case *ast.ValueSpec:
			spec = n
		case *ast.CompositeLit:
			if n.Lbrace != local.Pos() {
				return nil, nil, nil
			}
			lit = n
		case *ast.DeclStmt, *ast.AssignStmt:
			v, value := declaredBy(n, spec)
			if v == nil || v.Name == "_" || !isList(m.path[i+1]) || value != nil && !m.isStruct(value) {
				return nil, nil, nil
			}
			if lit == nil {
				lit = structLiteral(value)
			}
			if value != nil && lit != structLiteral(value) {
				return nil, nil, nil
			}
			return n.(ast.Stmt), v, lit
		case *ast.ReturnStmt:
			if lit == nil || len(n.Results) != 1 || structLiteral(n.Results[0]) != lit {
				return nil, nil, nil
			}
			return nil, nil, lit
		case ast.Stmt:
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}

// structLiteral returns the literal that an expression is, or the address of, or nil.
func structLiteral(e ast.Expr) *ast.CompositeLit {
	if e == nil {
		return nil
	}
	if pointer, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && pointer.Op == token.AND {
		e = pointer.X
	}
	lit, _ := ast.Unparen(e).(*ast.CompositeLit)
	return lit
}

// isStruct reports whether an expression is a literal, or the address of one, or a call of new.
func (m *mend) isStruct(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && id.Name == "new" && m.file.pkg.TypesInfo.Types[id].IsBuiltin()
	}
	return structLiteral(e) != nil
}

// firstValue returns the expression by which a literal sets the field, if that alone sets it first, or nil. It also returns the size that
// the slice is made with, or nil.
func (m *mend) firstValue(b *beginning, lit *ast.CompositeLit) (value, size ast.Expr, err error) {
	if lit != nil {
		value = m.valueInLiteral(lit, b.field)
	}
	if (value == nil) != (b.first == nil) {
		return nil, nil, refusal("its field is set behind the literal of the struct")
	}
	info := m.file.pkg.TypesInfo
	switch e := ast.Unparen(value).(type) {
	case *ast.CallExpr:
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && id.Name == "make" && info.Types[id].IsBuiltin() {
			if size = e.Args[len(e.Args)-1]; len(e.Args) < 3 || isZeroConstant(info, size) {
				size = nil
			}
			return value, size, nil
		}
	case *ast.CompositeLit:
		return value, nil, nil
	case nil, *ast.Ident:
		if e == nil || info.Types[e.(*ast.Ident)].IsNil() {
			return value, nil, nil
		}
	}
	return nil, nil, refusal("its field begins with memory that is not made by make there")
}

// first returns the expression by which a field gets a slice of the pool, in which there is room as if it were new.
func (f *fieldMend) first(m *mend, size ast.Expr) (string, error) {
	get := f.pool + ".Get()[:0]"
	if size == nil {
		return get, nil
	}
	n, err := m.size(size)
	if err == nil {
		err = m.needs("slices")
	}
	return "slices.Grow(" + get + ", " + n + ")", err
}

// valueInLiteral returns the value of a field in a literal, or nil.
func (m *mend) valueInLiteral(lit *ast.CompositeLit, field *types.Var) ast.Expr {
	of, ok := m.file.pkg.TypesInfo.TypeOf(lit).Underlying().(*types.Struct)
	for i, e := range lit.Elts {
		pair, keyed := e.(*ast.KeyValueExpr)
		switch {
		case !keyed && ok && of.Field(i) == field:
			return e
		case keyed && m.file.pkg.TypesInfo.Uses[pair.Key.(*ast.Ident)] == field:
			return pair.Value
		}
	}
	return nil
}

// typeOfField returns the type of the field in the file, or nil.
func (m *mend) typeOfField(field *types.Var) (typ ast.Expr) {
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return m.file.pkg.TypesInfo.Defs[id] == field }) {
			typ = f.Type
		}
		return typ == nil
	})
	return typ
}

// copyResults has functions return copies of the slice, which have at least the capacity that it was made with, if any.
func (f *fieldMend) copyResults(b *beginning, size ast.Expr, capacity constant.Value) error {
	empty := f.typ + "{}"
	switch {
	case b.beginsNil():
		empty = f.typ + "(nil)"
	case capacity != nil:
		empty = "make(" + f.typ + ", 0, " + capacity.ExactString() + ")"
	}
	if size != nil && len(b.returns) > 0 && (capacity == nil || !b.returnsRoom()) {
		return refusal("a copy in a result would have another capacity")
	}
	if len(b.returns) > 0 && strings.Contains(f.typ, ".") {
		return refusal("its type may have another name where it is returned")
	}
	for _, r := range b.returns {
		var copies []ast.Expr
		for _, of := range r.of {
			if len(copies) == 0 {
				copies = f.copiesAt(r.ret, kindAppend, of)
			}
		}
		if len(copies) != 1 {
			return refusal("no copy can take its place in a result")
		}
		m, err := f.mendAt(r.ret.Pos())
		if err == nil {
			_, err = m.basin(r.ret.Pos())
			m.pools = false
		}
		if err != nil {
			return err
		}
		e := copies[0]
		m.replace(e.Pos(), e.Pos(), "append("+empty+", ")
		m.replace(e.End(), e.End(), "...)")
	}
	return nil
}
