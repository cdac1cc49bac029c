package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An append may make a new slice of two: msg := append(header, body...). If nothing uses the memory of the first one behind that, a slice
// of a pool can have copies of both.

// isPrefixed reports whether the call of append is one whose result another variable gets, or none.
func (m *mend) isPrefixed() bool {
	a := m.a
	if m.call == nil || len(a.owners)+len(a.copies) > 0 || a.exit != nil || !m.isAppend(m.call) || len(m.call.Args) < 2 || !types.Identical(a.instr.(ssa.Value).Type(), types.NewSlice(types.Typ[types.Byte])) {
		return false
	}
	return m.appendsTo(m.call, m.path) == nil
}

// prefixed has copies of the parts in a slice of a pool.
func (m *mend) prefixed() error {
	call := m.a.instr.(*ssa.Call)
	f := m.tracer.fateOf(call)
	switch {
	case f.way != stays:
		return refusal("it " + f.text())
	case f.resliced:
		return refusal("a slice of it may end behind its length, where a pool has anything")
	}
	if err := m.leavesFirst(call); err != nil {
		return err
	}
	parts := &joinedParts{mend: m}
	if !parts.add(m.call) {
		return refusal("a part of it is computed within the statement: give it a variable")
	}
	m.a.fate = f // of the new slice
	m.forget(m.call.Fun)
	if m.a.loop {
		return m.prefixedInRounds(parts)
	}
	if inLoop(call) {
		return refusal("it is made in a loop")
	}
	stmt, v, basin, err := m.statement()
	if isPart(err) && !f.grows {
		if m.evaluatedFirst() == nil { // an operand before it may write to a part
			return m.notFirst()
		}
		return m.liftJoined(parts)
	}
	if err != nil {
		return err
	}
	if err := m.setsBytes(stmt, v); err != nil {
		return err
	}
	m.replaceCall(parts.text(basin))
	lines := []string{"defer " + basin + ".Put(" + v.Name + ")"}
	if showsRoom(f) {
		lines = append(lines, v.Name+" = "+v.Name+"[:len("+v.Name+"):len("+v.Name+")]")
	}
	return m.after(stmt, lines...)
}

// showsRoom reports whether the room behind a slice's length may be seen, or extended into.
func showsRoom(f *fate) bool { return f.grows || f.asksRoom() }

// setsBytes returns nil if a statement sets nothing but a variable of bytes.
func (m *mend) setsBytes(stmt ast.Stmt, v *ast.Ident) error {
	switch {
	case !isAlone(stmt):
		return refusal("its statement sets more than its variable: give it one of its own")
	case !m.hasType(m.call, m.file.pkg.TypesInfo.ObjectOf(v).Type()):
		return refusal("its variable is of another type")
	}
	return nil
}

// liftJoined does so before the statement that has the call.
func (m *mend) liftJoined(parts *joinedParts) error {
	if m.a.fate.asksRoom() {
		return errPart
	}
	name, err := m.before(nil, func(basin string) (string, error) { return parts.text(basin), nil })
	if err == nil {
		m.replaceCall(name)
	}
	return err
}

// prefixedInRounds has the rounds of a loop join the parts in one array.
func (m *mend) prefixedInRounds(parts *joinedParts) error {
	stmt, v, err := m.setting()
	if err != nil {
		return err
	}
	if err := m.setsBytes(stmt, v); err != nil {
		return err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	array := m.newName(v.Name + "Array")
	if err := m.beforeLoop("var " + array + " []byte"); err != nil {
		return err
	}
	m.insert(stmt, array+" = "+parts.appended(array+"[:0]")+"\n"+indent)
	if showsRoom(m.a.fate) {
		array += "[:len(" + array + "):len(" + array + ")]"
	}
	m.replaceCall(array)
	return nil
}

// leavesFirst returns nil if the slice to which the call appends is of the function's own memory, and nothing uses that behind the call.
// The result would have the same memory if that had room, or if nothing were appended.
func (m *mend) leavesFirst(call *ssa.Call) error {
	g := &growth{seen: map[ssa.Value]bool{}}
	g.back(call.Call.Args[0])
	w := &web{appends: []*ssa.Call{call}, all: map[ssa.Value]bool{}}
	for _, base := range g.bases {
		own := base
		if s, ok := base.(*ssa.Slice); ok {
			own = s.X
		}
		switch own.(type) {
		case *ssa.MakeSlice, *ssa.Alloc, *ssa.Convert:
		default:
			return refusal("the slice before it is not of this function's own memory, which append may write to")
		}
		t := m.tracer.trailOf(own)
		if t.way != stays {
			return refusal("the memory before it " + t.text())
		}
		for v := range t.seen {
			w.all[v] = true
		}
	}
	for v := range m.tracer.trailOf(call).seen { // the new slice, and those of it
		delete(w.all, v)
	}
	if w.isStale() {
		return refusal("the memory before it is used later, and append may have written to that")
	}
	if len(g.bases) == 0 || g.phi != nil {
		for alias := range m.tracer.trailOf(call).seen {
			if _, list := alias.Type().Underlying().(*types.Slice); list && !isAlikeEmpty(alias, 0) {
				return errNil
			}
		}
	}
	return nil
}

// joinedParts are those of a new slice, in their order.
type joinedParts struct {
	*mend
	fixed   int      // bytes that are appended one by one
	lengths []string // of the others
	args    []string // of the calls of append
}

// add adds an expression that makes a slice, and reports whether all of it can be evaluated twice.
func (p *joinedParts) add(e ast.Expr) bool {
	info := p.file.pkg.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		switch {
		case p.isAppend(e) && len(e.Args) > 1:
			inner, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr)
			if ok && p.isAppend(inner) && !p.isFull(inner.Args[0]) {
				return false // the inner one may write behind its slice, where a part of the outer one is
			}
			return p.add(e.Args[0]) && p.addArguments(e)
		case info.Types[e.Fun].IsType() && len(e.Args) == 1 && info.Types[e.Args[0]].IsNil():
			p.forget(e.Fun)
			return true
		case info.Types[e.Fun].IsType() && len(e.Args) == 1 && isString(info.TypeOf(e.Args[0])):
			p.forget(e.Fun)
			return p.addSlice(e.Args[0])
		}
		return false
	case *ast.CompositeLit:
		if e.Type != nil {
			p.forget(e.Type)
		}
		for _, elt := range e.Elts {
			if !p.isPure(elt) {
				return false
			}
		}
		if len(e.Elts) > 0 {
			p.addElements(e.Elts)
		}
		return true
	}
	return p.addSlice(e)
}

// isFull reports whether a slice surely has no room behind its end: it is new, or nil.
func (p *joinedParts) isFull(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		if p.isAppend(e) {
			return p.isFull(e.Args[0]) // the memory is new
		}
		return p.file.pkg.TypesInfo.Types[e.Fun].IsType() && len(e.Args) == 1 && (p.file.pkg.TypesInfo.Types[e.Args[0]].IsNil() || isString(p.file.pkg.TypesInfo.TypeOf(e.Args[0])))
	}
	return false
}

// addArguments adds the arguments of a call of append behind its first one.
func (p *joinedParts) addArguments(call *ast.CallExpr) bool {
	if call.Ellipsis.IsValid() {
		return p.addSlice(call.Args[1])
	}
	for _, e := range call.Args[1:] {
		if !p.isPure(e) {
			return false
		}
	}
	p.addElements(call.Args[1:])
	return true
}

func (p *joinedParts) addElements(all []ast.Expr) {
	var texts []string
	for _, e := range all {
		texts = append(texts, p.mend.text(e))
	}
	p.fixed += len(all)
	p.args = append(p.args, strings.Join(texts, ", "))
}

// addSlice adds the elements of a slice, or the bytes of a string.
func (p *joinedParts) addSlice(e ast.Expr) bool {
	if !p.isPure(e) {
		return false
	}
	text := p.mend.text(e)
	p.lengths = append(p.lengths, "len("+text+")")
	p.args = append(p.args, text+"...")
	return true
}

// text returns the expression that joins the parts.
func (p *joinedParts) text(basin string) string {
	lengths := p.lengths
	if p.fixed > 0 {
		lengths = append([]string{strconv.Itoa(p.fixed)}, lengths...)
	}
	return p.appended(basin + ".Get(" + strings.Join(lengths, "+") + ")[:0]")
}

// appended returns the expression that appends the parts to a slice.
func (p *joinedParts) appended(slice string) string {
	for _, args := range p.args {
		slice = "append(" + slice + ", " + args + ")"
	}
	return slice
}

// isPure reports whether an expression calls no function, and so has the same value twice within a statement.
func (p *joinedParts) isPure(e ast.Expr) bool {
	info := p.file.pkg.TypesInfo
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr:
			pure = false
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.SelectorExpr:
			_, method := info.Uses[n.Sel].(*types.Func)
			pure = pure && !method
		case *ast.CallExpr: // a constant, or a conversion of a number
			_, basic := info.TypeOf(n).Underlying().(*types.Basic)
			pure = pure && (info.Types[n].Value != nil || basic && info.Types[n.Fun].IsType() && !isString(info.TypeOf(n)))
		}
		return pure
	})
	return pure
}
