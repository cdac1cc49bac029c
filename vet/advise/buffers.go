package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// methods are those that both Buffers have, with the same meaning.
var methods = map[string]bool{"Bytes": true, "String": true, "Len": true, "Reset": true, "Truncate": true, "Grow": true,
	"Write": true, "WriteString": true, "WriteByte": true, "WriteRune": true, "ReadFrom": true, "WriteTo": true, "Read": true,
	"Next": true, "ReadByte": true, "ReadRune": true, "UnreadByte": true, "UnreadRune": true, "ReadBytes": true, "ReadString": true}

// buffer replaces a variable that is a bytes.Buffer, or a pointer to a new one.
func (m *mend) buffer() error {
	d := m.bufferDeclaration()
	info := m.file.pkg.TypesInfo
	if d.id == nil || info.Defs[d.id] == nil {
		return errUnreadable
	}
	if !m.a.real && m.hasStaleBytes() {
		return refusal("bytes that the Buffer returned are used after it may have grown, which its documentation forbids")
	}
	if err := m.showsMemory(); err != nil {
		return err
	}
	id, stmt := d.id, d.stmt
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return err
	}
	get, put := basin+".GetBuffer()", basin+".PutBuffer("
	if m.a.real {
		_, m.path = m.around(stmt)
		pool, err := m.declareText(id, func(name string) string { return "\nvar " + name + " " + basin + ".StdBufferPool\n" })
		if err != nil {
			return err
		}
		get, put = pool+".Get()", pool+".Put("
	}
	for _, use := range m.bufferUses(d) {
		if err := m.mendUse(use); err != nil {
			return err
		}
	}
	if m.a.loop {
		if isGroup(stmt) {
			return refusal("its round declares it among other variables: give it a statement of its own")
		}
		_, m.path = m.around(stmt)
		name := id.Name + "Buffer"
		if m.isTaken(name) || d.grow != "" {
			return refusal("the name " + name + " is taken, or it begins with memory of its own")
		}
		m.declared[name] = true
		m.replace(stmt.Pos(), stmt.End(), id.Name+" := "+name)
		if err := m.beforeLoop(name+" := "+get, "defer "+put+name+")"); err != nil {
			return err
		}
		return m.after(stmt, id.Name+".Reset()")
	}
	m.redeclare(stmt, id, get)
	lines := []string{"defer " + put + id.Name + ")"}
	if d.grow != "" {
		lines = append(lines, id.Name+".Grow("+d.grow+")")
	}
	return m.after(stmt, lines...)
}

// A bufferDeclaration is a statement that declares a variable with an empty Buffer.
type bufferDeclaration struct {
	id    *ast.Ident
	stmt  ast.Stmt
	value bool   // the variable is a Buffer, and no pointer
	grow  string // the capacity that it begins with
}

// bufferDeclaration returns the declaration of the site's Buffer, or an empty one if it is not declared so.
func (m *mend) bufferDeclaration() (found bufferDeclaration) {
	pos := m.a.instr.Pos()
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeclStmt:
			for _, spec := range n.Decl.(*ast.GenDecl).Specs {
				if s, ok := spec.(*ast.ValueSpec); ok && len(s.Names) == 1 && s.Names[0].Pos() == pos {
					found = m.bufferOf(s, n)
				}
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
				return true
			}
			if n.Lhs[0].Pos() == pos && m.isEmptyBuffer(n.Rhs[0]) {
				found = bufferDeclaration{n.Lhs[0].(*ast.Ident), n, true, ""}
			} else if n.Rhs[0].Pos() <= pos && pos < n.Rhs[0].End() {
				if grow, ok := m.isNewBuffer(n.Rhs[0]); ok {
					found = bufferDeclaration{n.Lhs[0].(*ast.Ident), n, false, grow}
				}
			}
		}
		return true
	})
	return found
}

// bufferOf returns the declaration of an empty Buffer by a part of a statement, or an empty one.
func (m *mend) bufferOf(s *ast.ValueSpec, stmt ast.Stmt) (found bufferDeclaration) {
	if len(s.Values) == 0 {
		m.forget(s.Type)
		return bufferDeclaration{s.Names[0], stmt, true, ""}
	}
	if s.Type == nil && m.isEmptyBuffer(s.Values[0]) {
		return bufferDeclaration{s.Names[0], stmt, true, ""}
	}
	return bufferDeclaration{}
}

// isGrowing reports whether a type is bytes.Buffer or strings.Builder.
func isGrowing(t types.Type) bool { return isBuffer(t) || isBuilder(t) }

// isEmptyBuffer reports whether an expression is the literal of an empty bytes.Buffer.
func (m *mend) isEmptyBuffer(e ast.Expr) bool {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok || len(lit.Elts) > 0 || !isGrowing(m.file.pkg.TypesInfo.TypeOf(lit)) {
		return false
	}
	m.forget(lit.Type)
	return true
}

// isNewBuffer reports whether an expression makes a pointer to an empty bytes.Buffer, and of which capacity.
func (m *mend) isNewBuffer(e ast.Expr) (grow string, ok bool) {
	info := m.file.pkg.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return "", m.isEmptyBuffer(e.X)
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "new" && info.Types[e.Fun].IsBuiltin() && isGrowing(info.TypeOf(e.Args[0])) {
			m.forget(e.Args[0])
			return "", true
		}
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if ok && m.funcName(sel) == "bytes.NewBufferString" && isEmptyText(info, e.Args[0]) {
			m.forget(sel)
			return "", true
		}
		if !ok || m.funcName(sel) != "bytes.NewBuffer" {
			return "", false
		}
		switch arg := ast.Unparen(e.Args[0]).(type) {
		case *ast.CompositeLit:
			ok = len(arg.Elts) == 0
		case *ast.CallExpr:
			id, isName := arg.Fun.(*ast.Ident)
			if ok = isName && id.Name == "make" && info.Types[arg.Fun].IsBuiltin() && len(arg.Args) == 3 &&
				isZeroConstant(info, arg.Args[1]); ok {
				var err error
				grow, err = m.size(arg.Args[2])
				ok = err == nil
			}
		default:
			ok = info.Types[arg].IsNil()
		}
		if ok {
			m.forget(sel)
		}
		return grow, ok
	}
	return "", false
}

// isEmptyText reports whether an expression is a constant without text.
func isEmptyText(info *types.Info, e ast.Expr) bool {
	value := info.Types[e].Value
	return value != nil && value.ExactString() == `""`
}

// A bufferUse is a use of a Buffer's variable.
type bufferUse struct {
	address  *ast.UnaryExpr // of the variable, if that is a Buffer and no pointer
	method   string         // that is used of the Buffer
	isMethod bool
	real     bool // only a bytes.Buffer, or a strings.Builder, fits there
	value    bool // it is no pointer
}

// bufferUses returns the uses of the variable that has the Buffer of a declaration.
func (m *mend) bufferUses(d bufferDeclaration) (uses []bufferUse) {
	info := m.file.pkg.TypesInfo
	v := info.Defs[d.id]
	var stack []ast.Node
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == v {
			uses = append(uses, m.bufferUse(id, stack, d.value))
		}
		stack = append(stack, n)
		return true
	})
	return uses
}

// bufferUse tells a use of the variable by the nodes around it.
func (m *mend) bufferUse(id *ast.Ident, stack []ast.Node, value bool) (use bufferUse) {
	var e ast.Expr = id
	for at := len(stack) - 1; at >= 0; at-- {
		switch n := stack[at].(type) {
		case *ast.ParenExpr:
			e = n
			continue
		case *ast.SelectorExpr:
			use.method, use.isMethod = n.Sel.Name, true
			return use
		case *ast.UnaryExpr:
			if value && use.address == nil && n.Op == token.AND {
				use.address, e = n, n
				continue
			}
		}
		use.value = value && use.address == nil
		use.real = !m.fitsInterface(e, stack[at])
		return use
	}
	return use
}

// fitsInterface reports whether an expression becomes the value of an interface that has methods, or is compared with nil.
func (m *mend) fitsInterface(e ast.Expr, parent ast.Node) bool {
	if b, ok := parent.(*ast.BinaryExpr); ok {
		info := m.file.pkg.TypesInfo
		return info.Types[b.X].IsNil() || info.Types[b.Y].IsNil()
	}
	typ := m.typeFor(e, parent)
	if typ == nil || !isPlainInterface(typ) {
		return false
	}
	return typ.Underlying().(*types.Interface).NumMethods() > 0
}

// typeFor returns the type that the place of an expression gives to its value, or nil.
func (m *mend) typeFor(e ast.Expr, parent ast.Node) types.Type {
	info := m.file.pkg.TypesInfo
	switch n := parent.(type) {
	case *ast.CallExpr:
		return typeOfArgument(info, n, e)
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		if field, isVar := info.Uses[key].(*types.Var); ok && isVar && field.IsField() && n.Value == e {
			return field.Type()
		}
	case *ast.CompositeLit:
		i := slices.Index(n.Elts, e)
		switch t := info.TypeOf(n).Underlying().(type) {
		case *types.Struct:
			return t.Field(i).Type()
		case *types.Slice:
			return t.Elem()
		case *types.Array:
			return t.Elem()
		}
	case *ast.AssignStmt:
		if i := slices.Index(n.Rhs, e); i >= 0 && n.Tok == token.ASSIGN {
			return info.TypeOf(n.Lhs[i])
		}
	case *ast.ValueSpec:
		if n.Type != nil {
			return info.TypeOf(n.Type)
		}
	}
	return nil
}

// typeOfArgument does so for an argument of a call or a conversion.
func typeOfArgument(info *types.Info, call *ast.CallExpr, e ast.Expr) types.Type {
	i := slices.Index(call.Args, e)
	switch sig, ok := info.TypeOf(call.Fun).Underlying().(*types.Signature); {
	case i < 0 || info.Types[call.Fun].IsBuiltin():
	case info.Types[call.Fun].IsType():
		return info.TypeOf(call.Fun)
	case ok:
		return paramAt(sig, i)
	}
	return nil
}

// paramAt returns the type that a call gives to its argument of a number, which is no list that is spread.
func paramAt(sig *types.Signature, i int) types.Type {
	if last := sig.Params().Len() - 1; sig.Variadic() && i >= last {
		return sig.Params().At(last).Type().Underlying().(*types.Slice).Elem()
	}
	return sig.Params().At(i).Type()
}

// mendUse removes the & of a use, which means the same with the Buffer of the pool.
func (m *mend) mendUse(use bufferUse) error {
	switch builder := m.a.kind == kindBuilder; {
	case use.method == "Cap" || use.method == "Available":
		return refusal("its capacity is asked for, which is another in a pool")
	case use.value:
		return refusal("its variable is set again, or copied")
	case builder && (use.real || use.isMethod && !methods[use.method] || use.method == "Reset"):
		return refusal("it is used in a way that only a strings.Builder allows")
	case use.address != nil:
		m.replace(use.address.Pos(), use.address.X.Pos(), "")
	}
	return nil
}

// findReal notes that a Buffer of a site must be a bytes.Buffer, and not one of package basin.
func (s *source) findReal(site *Site) {
	if a := site.found; a != nil && a.kind == kindBuffer {
		for _, one := range append([]*allocation{a}, a.more...) {
			one.real = s.needsReal(one)
		}
	}
}

// needsReal reports whether a Buffer is asked for its type, or used where only a bytes.Buffer fits.
func (s *source) needsReal(a *allocation) bool {
	m := s.newMend(a)
	if m.file == nil || a.fate == nil {
		return false
	}
	d := m.bufferDeclaration()
	if d.id == nil || m.file.pkg.TypesInfo.Defs[d.id] == nil {
		made, ok := a.instr.(ssa.Value)
		return ok && isPassedAsBuffer(made)
	}
	return a.fate.asserted || slices.ContainsFunc(m.bufferUses(d), func(use bufferUse) bool {
		return use.real || use.isMethod && !methods[use.method]
	})
}

// isPassedAsBuffer reports whether a value is passed to another function than a method of bytes.Buffer.
func isPassedAsBuffer(made ssa.Value) bool {
	return slices.ContainsFunc(*made.Referrers(), func(r ssa.Instruction) bool {
		call, ok := r.(ssa.CallInstruction)
		if !ok {
			return false
		}
		fn := call.Common().StaticCallee()
		return fn == nil || !strings.HasPrefix(runtimeName(fn), "bytes.(*Buffer).")
	})
}
