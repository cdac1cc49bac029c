package rewrite

import (
	"go/ast"
	"go/token"
	"slices"
)

// Many init functions only fill tables of their package, which nobody else can read before. When they run does not matter.

// onlyFills reports whether a function only sets variables of its own or of its package, to values that depend on no other.
func (i *initialization) onlyFills(f *sourceFile, fn *ast.FuncDecl) bool {
	if fn.Body == nil {
		return false
	}
	ok := true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		id, isName := n.(*ast.Ident)
		if isName && (id.Name == "_" || slices.Contains(makers, id.Name)) {
			return true
		}
		ok = ok && !(isName && f.isHidden(id.Name, fn))
		return ok
	})
	return ok && i.fills(f, fn.Body)
}

// isHidden reports whether a function declares a name that has another meaning in its file, so that this cannot tell them apart.
func (f *sourceFile) isHidden(name string, fn *ast.FuncDecl) (hidden bool) {
	_, known := f.of.names[name]
	if p, standard := f.imported(ast.NewIdent(name)); !known && p == nil && !standard && !slices.Contains(makers, name) {
		return false
	}
	declares := func(e ast.Expr) {
		id, ok := e.(*ast.Ident)
		hidden = hidden || ok && id.Name == name
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if n.Tok == token.DEFINE {
					declares(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				declares(n.Key)
				declares(n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declares(id)
			}
		case *ast.TypeSpec:
			declares(n.Name)
		}
		return !hidden
	})
	return hidden
}

// fills does so for a statement, which may be nil.
func (i *initialization) fills(f *sourceFile, s ast.Stmt) bool {
	fixed := func(all ...ast.Expr) bool {
		return !slices.ContainsFunc(all, func(e ast.Expr) bool { return e != nil && i.dependsOn(f, e) })
	}
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.GOTO
	case *ast.BlockStmt:
		return s == nil || !slices.ContainsFunc(s.List, func(s ast.Stmt) bool { return !i.fills(f, s) })
	case *ast.AssignStmt:
		return fixed(s.Rhs...) && !slices.ContainsFunc(s.Rhs, isMember) && !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return !i.isOwn(f, e) })
	case *ast.ReturnStmt:
		return fixed(s.Results...)
	case *ast.ExprStmt: // a panic ends the program, whenever it comes
		call, ok := s.X.(*ast.CallExpr)
		return ok && f.calledName(call) == "panic"
	case *ast.SwitchStmt:
		return i.fills(f, s.Init) && fixed(s.Tag) && i.fills(f, s.Body)
	case *ast.CaseClause:
		return fixed(s.List...) && !slices.ContainsFunc(s.Body, func(s ast.Stmt) bool { return !i.fills(f, s) })
	case *ast.IncDecStmt:
		return i.isOwn(f, s.X)
	case *ast.DeclStmt:
		d := s.Decl.(*ast.GenDecl)
		return !slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
			v, ok := s.(*ast.ValueSpec)
			return !ok || !fixed(v.Values...)
		})
	case *ast.IfStmt:
		return i.fills(f, s.Init) && fixed(s.Cond) && i.fills(f, s.Body) && i.fills(f, s.Else)
	case *ast.ForStmt:
		return i.fills(f, s.Init) && fixed(s.Cond) && i.fills(f, s.Post) && i.fills(f, s.Body)
	case *ast.RangeStmt:
		own := s.Tok == token.DEFINE || (s.Key == nil || i.isOwn(f, s.Key)) && (s.Value == nil || i.isOwn(f, s.Value))
		return own && fixed(s.X) && f.isRanged(s.X) && i.fills(f, s.Body)
	}
	return false
}

// isMember reports whether an expression may be a variable of another package, whose memory is not that of this one.
func isMember(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok
}

// isOwn reports whether an expression that is set is a variable of the package or of the function, or an element of a table.
func (i *initialization) isOwn(f *sourceFile, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.IndexExpr:
		id, ok := ast.Unparen(e.X).(*ast.Ident)
		return (ok && f.isTable(id) || !ok && i.isOwn(f, e.X)) && !i.dependsOn(f, e.Index)
	}
	return false
}

// isTable reports whether a variable of the package begins with memory of its own, or none. So do those of functions.
func (f *sourceFile) isTable(id *ast.Ident) bool {
	d, ok := f.of.names[id.Name]
	return !ok || d.kind == token.VAR && (d.value == nil || makesTable(d.value))
}

// isRanged reports whether a range over an expression calls no function.
func (f *sourceFile) isRanged(e ast.Expr) bool {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		d, ok := f.of.names[id.Name]
		return ok && (d.kind == token.CONST || d.value != nil && makesTable(d.value) || isTableType(d.typ))
	}
	_, number := e.(*ast.BasicLit)
	return number || makesTable(e)
}

// makesTable reports whether an expression makes an array, a slice, a map or a struct, or is a length.
func makesTable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && (id.Name == "make" || id.Name == "len" || id.Name == "cap")
	}
	return false
}

func isTableType(e ast.Expr) bool {
	switch e.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	return false
}

// computes reports whether a function only fills variables of its own or of its package, and gets numbers and strings alone.
func (i *initialization) computes(f *sourceFile, fn *ast.FuncDecl) bool {
	return !slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
		id, ok := p.Type.(*ast.Ident)
		return !ok || !slices.Contains(basic, id.Name)
	}) && i.onlyFills(f, fn)
}

var basic = []string{"bool", "string", "byte", "rune", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "float32", "float64"}
