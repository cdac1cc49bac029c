package advise

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// borrowed gives a function such as csv.NewReader a bufio.Reader or Writer of a pool around its argument. The function takes
// that as it is, so it does the same as before with one of its own.
func (m *mend) borrowed() error {
	maker, ok := m.a.instr.(*ssa.Call)
	if !ok {
		return errUnreadable
	}
	fn, takes := maker.Call.StaticCallee(), takesBufio[runtimeName(maker.Call.StaticCallee())]
	arg := m.call.Args[0]
	needs := m.needsBufio(maker.Call.Args[0], takes) || m.neverBufio(arg, takes)
	if !needs && !asksOnce[runtimeName(fn)] {
		return refusal("its argument may be of a type that " + name(fn) + " takes as it is")
	}
	if k := m.handsOut(maker); k != "" {
		return refusal("method " + k + " of the program may keep it")
	}
	typ := "Reader"
	if strings.HasSuffix(maker.Call.Args[0].Type().String(), "Writer") {
		typ = "Writer"
	}
	stmt, _, err := m.setting()
	if !isStill(arg) {
		return refusal("its argument is no variable: give it one")
	}
	if assign, ok := stmt.(*ast.AssignStmt); err != nil || ok && len(assign.Rhs) > 1 {
		if stmt = m.liftable(nil); stmt == nil || !m.isSteadyPath(arg, stmt) {
			return m.notFirst()
		}
	}
	if err := m.needs("bufio"); err != nil {
		return err
	}
	v := "buffered"
	for m.isTaken(v) {
		v += typ
	}
	m.declared[v] = true
	pool, err := m.bufioPool(stmt, typ)
	if err != nil {
		return err
	}
	if !needs {
		return m.lendUnlessGiven(stmt, pool, v, typ, takes)
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	m.insert(stmt, strings.Join([]string{v + " := " + pool + ".Get()", "defer " + pool + ".Put(" + v + ")", v + ".Reset(" + m.text(arg) + ")", ""}, "\n"+indent))
	m.replace(arg.Pos(), arg.End(), v)
	return nil
}

// bufioPool declares a pool of Readers or Writers, and returns its name.
func (m *mend) bufioPool(stmt ast.Stmt, typ string) (pool string, err error) {
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return "", err
	}
	t := "*bufio." + typ
	return m.declare(ast.NewIdent(typ), basin+".Pool["+t+"]{\n\tNew: func() "+t+" { return bufio.New"+typ+"(nil) },\n\tReset: func(z "+t+") "+t+
		" {\n\t\tz.Reset(nil)\n\t\treturn z\n\t},\n}")
}

// isSteadyPath reports whether a statement leaves the variable alone that an expression names.
func (m *mend) isSteadyPath(e ast.Expr, stmt ast.Stmt) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := m.file.pkg.TypesInfo.Uses[id].(*types.Var)
	return ok && m.isSteady(v, stmt)
}

// needsBufio reports whether a reader or writer is none of those that the function takes as they are: all types that it may
// have are known, and none is that of package bufio or has the method.
func (s *source) needsBufio(v ssa.Value, unless string) bool {
	all := map[types.Type]bool{}
	if !s.typesOf(v, all, map[ssa.Value]bool{}) || len(all) == 0 {
		return false
	}
	for t := range all {
		if p, ok := t.(*types.Pointer); ok && types.TypeString(p.Elem(), nil) == unless {
			return false
		}
		if m, _, _ := types.LookupFieldOrMethod(t, true, nil, unless); m != nil {
			return false
		}
	}
	return true
}

// typesOf collects the types that an interface's value may have. It reports false if there may be others.
func (s *source) typesOf(v ssa.Value, all map[types.Type]bool, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.MakeInterface:
		all[v.X.Type()] = true
		return true
	case *ssa.ChangeInterface:
		return s.typesOf(v.X, all, seen)
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !s.typesOf(e, all, seen) })
	case *ssa.Parameter:
		fn := v.Parent()
		i := slices.Index(fn.Params, v)
		return fn.Parent() == nil && s.closed(fn) && !slices.ContainsFunc(s.callers[fn], func(c calledIn) bool {
			return c.IsInvoke() || i >= len(c.Args) || !s.typesOf(c.Args[i], all, seen)
		})
	}
	return false
}

// handsOut returns a method of the program by which an encoder or decoder might stay, or be taken apart: package encoding/xml
// passes them to the values that they write or read.
func (s *source) handsOut(maker *ssa.Call) string {
	if packageOf(runtimeName(maker.Call.StaticCallee())) != "encoding/xml" {
		return ""
	}
	for v := range s.tracer.trailOf(maker).seen {
		for _, r := range *v.Referrers() {
			if f, ok := r.(*ssa.FieldAddr); ok && strings.HasSuffix(fieldName(f), ".CharsetReader") {
				return "CharsetReader"
			}
		}
	}
	for _, fn := range s.tracer.methods {
		switch fn.Name() {
		case "MarshalXML", "UnmarshalXML":
			if len(fn.Params) > 1 && types.Identical(fn.Params[1].Type(), maker.Type()) && s.tracer.fateOfParam(fn.Params[1]).way != stays {
				return name(fn)
			}
		}
	}
	return ""
}
