package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
	id, stmt, v := d.id, d.stmt, info.Defs[d.id]
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return err
	}
	var stack []ast.Node
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if use, ok := n.(*ast.Ident); ok && info.Uses[use] == v && !m.bufferUse(use, stack, d.value) {
			err = refusal("it is used in a way that only a bytes.Buffer allows")
		}
		stack = append(stack, n)
		return true
	})
	if err != nil {
		return err
	}
	if m.a.loop {
		_, m.path = m.around(stmt)
		name := id.Name + "Buffer"
		if m.isTaken(name) || d.grow != "" {
			return refusal("the name " + name + " is taken, or it begins with memory of its own")
		}
		m.declared[name] = true
		m.replace(stmt.Pos(), stmt.End(), id.Name+" := "+name)
		if err := m.beforeLoop(name+" := "+basin+".GetBuffer()", "defer "+basin+".PutBuffer("+name+")"); err != nil {
			return err
		}
		return m.after(stmt, id.Name+".Reset()")
	}
	m.replace(stmt.Pos(), stmt.End(), id.Name+" := "+basin+".GetBuffer()")
	lines := []string{"defer " + basin + ".PutBuffer(" + id.Name + ")"}
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
			d := n.Decl.(*ast.GenDecl)
			if len(d.Specs) != 1 {
				return true
			}
			if s, ok := d.Specs[0].(*ast.ValueSpec); ok && len(s.Names) == 1 && s.Names[0].Pos() == pos {
				if len(s.Values) == 0 {
					found = bufferDeclaration{s.Names[0], n, true, ""}
					m.forget(s.Type)
				} else if s.Type == nil && m.isEmptyBuffer(s.Values[0]) {
					found = bufferDeclaration{s.Names[0], n, true, ""}
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

// bufferUse reports whether a use of the variable means the same with basin's Buffer. It removes an & before the
// variable.
func (m *mend) bufferUse(use *ast.Ident, stack []ast.Node, value bool) bool {
	parent := stack[len(stack)-1]
	if sel, ok := parent.(*ast.SelectorExpr); ok {
		call, ok := stack[len(stack)-2].(*ast.CallExpr)
		return ok && call.Fun == sel && methods[sel.Sel.Name] && (m.a.kind != kindBuilder || sel.Sel.Name != "Reset")
	}
	var arg ast.Expr = use
	if value {
		u, ok := parent.(*ast.UnaryExpr)
		if !ok || u.Op != token.AND {
			return false
		}
		arg, parent = u, stack[len(stack)-2]
	}
	call, ok := parent.(*ast.CallExpr)
	if !ok {
		return false
	}
	sig, ok := m.file.pkg.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return false
	}
	i := slices.Index(call.Args, arg)
	if i < 0 {
		return false
	}
	face, ok := paramAt(sig, i).Underlying().(*types.Interface)
	if !ok || face.NumMethods() == 0 {
		return false
	}
	if value {
		m.replace(arg.Pos(), use.Pos(), "")
	}
	return true
}

// paramAt returns the type that a call gives to its argument of a number, which is no list that is spread.
func paramAt(sig *types.Signature, i int) types.Type {
	if last := sig.Params().Len() - 1; sig.Variadic() && i >= last {
		return sig.Params().At(last).Type().Underlying().(*types.Slice).Elem()
	}
	return sig.Params().At(i).Type()
}
