package advise

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A copy of a slice needs memory of its own, as make with copy does: bytes.Clone(b), slices.Concat(a, b), append([]T{}, s...).

// isClone reports whether the call appends a slice to an empty one, and nothing else to the result.
func (m *mend) isClone() bool {
	a := m.a
	if m.call == nil || len(a.owners)+len(a.copies) > 0 || a.grown == nil || len(a.grown.appends) != 1 {
		return false
	}
	return m.isAppend(m.call) && m.call.Ellipsis.IsValid() && len(m.call.Args) == 2 && (m.isStart(m.call.Args[0], nil) || m.hasNoRoom(m.call.Args[0]))
}

// hasNoRoom reports whether an expression is an empty slice of a variable's array without capacity: b[:0:0]. It panics for no pointer.
func (m *mend) hasNoRoom(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SliceExpr)
	if !ok || !s.Slice3 || !isZeroConstant(m.file.pkg.TypesInfo, s.Max) || !isPath(s.X) {
		return false
	}
	_, variable := s.X.(*ast.Ident)
	_, pointer := m.file.pkg.TypesInfo.TypeOf(s.X).Underlying().(*types.Pointer)
	return variable && !pointer || m.text(s.X) == m.text(ast.Unparen(m.call.Args[1]))
}

// cloneEditor returns the function that makes the edits for a copy: one array for all rounds of a loop, or a slice of a pool. An
// append to bytes keeps the other editor.
func (m *mend) cloneEditor(other func() error) func() error {
	switch v := m.a.instr.(ssa.Value); {
	case m.a.loop:
		return m.clonedInRounds
	case m.a.kind == kindAppend && (!isBytes(v.Type()) || m.hasNoRoom(m.call.Args[0])):
		return m.cloned
	}
	return other
}

// sources returns the slices that the call copies.
func (m *mend) sources() ([]ast.Expr, error) {
	switch {
	case m.isAppend(m.call):
		return m.call.Args[1:], nil
	case m.call.Ellipsis.IsValid() || len(m.call.Args) == 0:
		return nil, refusal("it joins a list of slices, whose number is not known")
	}
	if len(m.call.Args) > 1 && slices.ContainsFunc(m.call.Args, func(e ast.Expr) bool { return !isPath(ast.Unparen(e)) }) {
		return nil, refusal("a slice that it joins is no variable, and may change another: give it a variable")
	}
	return m.call.Args, nil
}

// copiedTo returns an expression that appends the sources to a slice.
func (m *mend) copiedTo(slice string, sources []ast.Expr) string {
	for _, e := range sources {
		slice = "append(" + slice + ", " + m.text(e) + "...)"
	}
	return slice
}

// mayDuplicate returns nil if nobody may notice that a copy has a larger array, or that it is not nil.
func (m *mend) mayDuplicate() error {
	v := m.a.instr.(ssa.Value)
	if list, ok := v.Type().Underlying().(*types.Slice); m.a.fate.resliced && !(ok && clears(list) && !m.a.loop) {
		return refusal("a slice of it may end behind its length, where a pool has anything")
	}
	if m.a.fate.grows && !m.growsAlone(v) {
		return refusal("something is appended to it, and another slice may have its array")
	}
	for alias := range m.tracer.trailOf(v).seen {
		if _, list := alias.Type().Underlying().(*types.Slice); list && !isAlikeEmpty(alias, 0) {
			return errNil
		}
	}
	return nil
}

// growsAlone reports whether only the variable of the copy has its array when that grows. The copy may have had room or not.
func (m *mend) growsAlone(v ssa.Value) bool {
	if m.a.grown == nil {
		m.a.grown = &growth{seen: map[ssa.Value]bool{v: true}}
	}
	w, err := m.webOf()
	return err == nil && !w.isStale()
}

// cloned has the copy made in a slice of a pool.
func (m *mend) cloned() error {
	if err := m.mayDuplicate(); err != nil {
		return err
	}
	sources, err := m.sources()
	if err != nil {
		return err
	}
	list := m.a.instr.(ssa.Value).Type()
	stmt, v, basin, err := m.statement()
	if isPart(err) && !m.a.fate.grows && isBytes(list) {
		if m.evaluatedFirst() == nil { // an operand before it may write to the source
			return m.notFirst()
		}
		m.forget(m.call.Fun)
		return m.lift(func(basin string) (string, error) { return m.pooledBytes(basin, sources) })
	}
	if err != nil {
		return err
	}
	pool, text := basin, ""
	if isBytes(list) {
		text, err = m.pooledBytes(basin, sources)
	} else if pool, err = m.poolOfCopies(v, basin, list); err == nil {
		text = m.copiedTo(pool+".Get()[:0]", sources)
	}
	if err != nil {
		return err
	}
	m.forget(m.call.Fun)
	m.replaceCall(text)
	lines := []string{"defer " + pool + ".Put(" + v.Name + ")"}
	if m.a.fate.grows { // beyond the array that the deferred Put has
		lines = append(lines, v.Name+" = "+v.Name+"[:len("+v.Name+"):len("+v.Name+")]")
	}
	return m.after(stmt, lines...)
}

// pooledBytes returns an expression of bytes from basin that are a copy.
func (m *mend) pooledBytes(basin string, sources []ast.Expr) (string, error) {
	if len(sources) == 1 && isString(m.file.pkg.TypesInfo.TypeOf(sources[0])) {
		return basin + ".AppendString(nil, " + m.text(sources[0]) + ")", nil
	}
	if len(sources) == 1 {
		return basin + ".Append(nil, " + m.text(sources[0]) + "...)", nil
	}
	var lengths []string
	for _, e := range sources {
		lengths = append(lengths, "len("+m.text(e)+")")
	}
	return m.copiedTo(basin+".Get("+strings.Join(lengths, "+")+")[:0]", sources), nil
}

// poolOfCopies declares a pool for slices of a type.
func (m *mend) poolOfCopies(v *ast.Ident, basin string, typ types.Type) (string, error) {
	list, ok := typ.Underlying().(*types.Slice)
	text := m.typeName(typ)
	if !ok || text == "" || !isSized(list.Elem()) {
		return "", refusal("its type is not known outside of the function")
	}
	return m.poolOfLists(v, basin, list, text)
}

// clonedInRounds has the rounds of a loop copy to one array.
func (m *mend) clonedInRounds() error {
	if err := m.mayDuplicate(); err != nil {
		return err
	}
	sources, err := m.sources()
	if err != nil {
		return err
	}
	typ := m.a.instr.(ssa.Value).Type()
	list, ok := typ.Underlying().(*types.Slice)
	text := m.typeName(typ)
	if !ok || clears(list) || text == "" {
		return errElements
	}
	stmt, v, err := m.setting()
	if err != nil {
		return err
	}
	if !isAlone(stmt) {
		return refusal("its statement sets more than its variable: give it one of its own")
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	array := m.newName(v.Name + "Array")
	if err := m.beforeLoop("var " + array + " " + text); err != nil {
		return err
	}
	m.insert(stmt, array+" = "+m.copiedTo(array+"[:0]", sources)+"\n"+indent)
	if m.forget(m.call.Fun); m.a.fate.grows {
		array += "[:len(" + array + "):len(" + array + ")]"
	}
	m.replaceCall(array)
	return nil
}

// typeName returns the text of a type that the whole file knows, or nothing.
func (m *mend) typeName(t types.Type) string {
	prefixed := func(prefix string, elem types.Type) string {
		if name := m.typeName(elem); name != "" {
			return prefix + name
		}
		return ""
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() != types.UnsafePointer && m.file.pkg.Types.Scope().Lookup(t.Name()) == nil {
			return t.Name()
		}
	case *types.Slice:
		return prefixed("[]", t.Elem())
	case *types.Pointer:
		return prefixed("*", t.Elem())
	case *types.Named:
		return m.nameOfNamed(t.Obj(), t.TypeArgs().Len() > 0)
	}
	return ""
}

// nameOfNamed does the same for a type with a name, unless it is an instance of a generic one.
func (m *mend) nameOfNamed(obj *types.TypeName, instance bool) string {
	pkg := obj.Pkg()
	switch {
	case pkg == nil || instance || obj.Parent() != pkg.Scope():
		return ""
	case pkg == m.file.pkg.Types:
		return obj.Name()
	}
	i := slices.IndexFunc(m.file.Imports, func(spec *ast.ImportSpec) bool {
		name, ok := m.file.pkg.TypesInfo.Implicits[spec].(*types.PkgName)
		return ok && name.Imported() == pkg
	})
	if i < 0 || !obj.Exported() {
		return ""
	}
	return m.file.pkg.TypesInfo.Implicits[m.file.Imports[i]].Name() + "." + obj.Name()
}
