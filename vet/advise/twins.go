package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// A function of another system is not compiled, so that its syntax alone can show that it keeps no slice. Each use of the slice must
// be one that reads it, or writes numbers to it. Elements lead to no memory, so that one which is stored elsewhere is a copy.

// keptByTwin is how memory leaves with a function that is another one for other systems.
const keptByTwin = "may be kept by the function of that name for other systems"

// twinUses notes how a function of another system uses a slice that it does not keep.
type twinUses struct {
	sized    bool // its capacity is asked for
	resliced bool // a part of it may end behind its length
}

// with returns the fate of memory that functions of other systems use, too.
func (f *fate) with(uses twinUses) *fate {
	if uses == (twinUses{}) {
		return f
	}
	both := *f
	both.sized, both.resliced = f.sized || uses.sized, f.resliced || uses.resliced
	return &both
}

// staysElsewhere reports whether a function of assembly keeps its argument on no other system, if it is called with it.
func (t *trail) staysElsewhere(v ssa.Value, own bool, args []ssa.Value, fn *types.Func) bool {
	for i, arg := range args {
		if arg != v {
			continue
		}
		uses, ok := t.usesElsewhere(own, fn, i, v.Type())
		if !ok {
			return false
		}
		t.sized, t.resliced = t.sized || uses.sized, t.resliced || uses.resliced
	}
	return true
}

// usesElsewhere returns how functions of other systems use an argument of a number, with the receiver, which must be the memory itself. It
// reports false if one may keep it.
func (t *tracer) usesElsewhere(own bool, fn types.Object, i int, typ types.Type) (uses twinUses, ok bool) {
	all := t.variants[fn]
	if len(all) == 0 {
		return uses, true
	}
	list, isList := types.Unalias(typ).(*types.Slice)
	if !isList || !own {
		return uses, false
	}
	if fn.(*types.Func).Signature().Recv() != nil {
		i--
	}
	for _, other := range all {
		s := &twinScan{tracer: t, twin: other, elem: list.Elem(), uses: &uses}
		if other.decl == nil || !s.stays(i) {
			return uses, false
		}
	}
	return uses, true
}

// An object is the meaning of an identifier in a file. The name of a field in a literal may be taken for a variable: that is no known use of one.
type object = ast.Object //lint:ignore SA1019 a file that is not compiled has no types

// A twinScan looks at the uses of a parameter, and of variables that are set to it or to a part of it.
type twinScan struct {
	*tracer
	twin
	elem  types.Type
	held  map[*object]bool
	names map[string]bool // of those
	stack []ast.Node      // around the identifier that is looked at
	depth int
	uses  *twinUses
}

// stays reports whether the function surely does not keep its parameter of a number.
func (s *twinScan) stays(i int) bool {
	const most = 4
	if s.depth > most || s.broken || s.decl.Type.TypeParams != nil || s.decl.Recv != nil && !isPlainReceiver(s.decl) {
		return false
	}
	name, typ := twinParam(s.decl, i)
	if elem := s.elemOf(typ); elem == nil || !types.Identical(elem, s.elem) {
		return false
	}
	if s.decl.Body == nil {
		s.uses.sized = true
		return s.isSafeAssembly(s.decl)
	}
	if s.goesOn() {
		return false
	}
	if name == nil || name.Name == "_" {
		return true
	}
	if name.Obj == nil {
		return false
	}
	s.held, s.names = map[*object]bool{name.Obj: true}, map[string]bool{name.Name: true}
	for known := 0; known != len(s.held); {
		known = len(s.held)
		if !s.scan() {
			return false
		}
	}
	return true
}

// isPlainReceiver reports whether a receiver is not that of a generic type.
func isPlainReceiver(fn *ast.FuncDecl) bool {
	typ := ast.Unparen(fn.Recv.List[0].Type)
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = ast.Unparen(p.X)
	}
	_, ok := typ.(*ast.Ident)
	return ok
}

// twinParam returns the name, if it has one, and the type of a parameter.
func twinParam(fn *ast.FuncDecl, i int) (*ast.Ident, ast.Expr) {
	for _, f := range fn.Type.Params.List {
		switch n := max(len(f.Names), 1); {
		case i >= n:
			i -= n
		case i < 0:
			return nil, nil
		case len(f.Names) == 0:
			return nil, f.Type
		default:
			return f.Names[i], f.Type
		}
	}
	return nil, nil
}

// elemOf returns the type of the elements of a slice, or nil if it is not known, or may lead to memory or be another one elsewhere.
func (s *twinScan) elemOf(typ ast.Expr) types.Type {
	var elem ast.Expr
	switch typ := typ.(type) {
	case *ast.ArrayType:
		if typ.Len != nil {
			return nil
		}
		elem = typ.Elt
	case *ast.Ellipsis:
		elem = typ.Elt
	}
	id, ok := elem.(*ast.Ident)
	if !ok || s.left[id.Name] || s.hasDotImport() {
		return nil
	}
	if id.Obj != nil && s.in.Scope.Lookup(id.Name) != id.Obj {
		return nil // that of a type parameter
	}
	obj := s.pkg.Types.Scope().Lookup(id.Name)
	if obj == nil {
		obj = types.Universe.Lookup(id.Name)
	}
	if obj, ok := obj.(*types.TypeName); ok && s.isFixed(obj.Type()) {
		return obj.Type()
	}
	return nil
}

// isFixed reports whether a type leads to no memory but that of strings, and is the same for other systems.
func (s *twinScan) isFixed(typ types.Type) bool {
	switch typ := types.Unalias(typ).(type) {
	case *types.Basic:
		return typ.Kind() != types.UnsafePointer
	case *types.Named:
		return typ.Obj().Pkg() == s.pkg.Types && typ.TypeArgs().Len() == 0 && !s.left[typ.Obj().Name()] && s.isFixed(typ.Underlying())
	case *types.Array:
		return s.isFixed(typ.Elem())
	case *types.Struct:
		return !slices.ContainsFunc(slices.Collect(typ.Fields()), func(f *types.Var) bool { return !s.isFixed(f.Type()) })
	}
	return false
}

// hasDotImport reports whether names of the file may be those of another package.
func (s *twinScan) hasDotImport() bool {
	return slices.ContainsFunc(s.in.Imports, func(i *ast.ImportSpec) bool { return i.Name != nil && i.Name.Name == "." })
}

// goesOn reports whether the function may start a goroutine, or reach others.
func (s *twinScan) goesOn() bool {
	found := false
	ast.Inspect(s.decl.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
			found = true
		}
		return !found
	})
	return found
}

// scan looks at all identifiers that are the slice. It reports false if a use may keep it.
func (s *twinScan) scan() bool {
	ok := true
	s.stack = nil
	ast.Inspect(s.decl.Body, func(n ast.Node) bool {
		if n == nil {
			s.stack = s.stack[:len(s.stack)-1]
			return true
		}
		if id, isIdent := n.(*ast.Ident); ok && isIdent && s.names[id.Name] {
			ok = id.Obj == nil && s.isOtherName(id) || id.Obj != nil && (!s.held[id.Obj] || s.ident(id))
		}
		s.stack = append(s.stack, n)
		return true
	})
	return ok
}

// isOtherName reports whether an identifier is the name of a field, a method or a label.
func (s *twinScan) isOtherName(id *ast.Ident) bool {
	switch parent := s.stack[len(s.stack)-1].(type) {
	case *ast.SelectorExpr:
		return parent.Sel == id
	case *ast.Field:
		return slices.Contains(parent.Names, id)
	}
	return false
}

// ident looks at a use of a variable that is the slice.
func (s *twinScan) ident(id *ast.Ident) bool {
	if slices.ContainsFunc(s.stack, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok }) {
		return false
	}
	var whole ast.Expr = id
	i := len(s.stack) - 1
	for ; ; i-- {
		if part, ok := s.stack[i].(*ast.SliceExpr); ok && part.X == whole {
			s.uses.resliced = s.uses.resliced || !endsWithin(part, s)
			whole = part
			continue
		}
		paren, ok := s.stack[i].(*ast.ParenExpr)
		if !ok {
			break
		}
		whole = paren
	}
	switch parent := s.stack[i].(type) {
	case *ast.IndexExpr:
		return parent.X == whole && s.element(i, s.elem)
	case *ast.RangeStmt:
		return parent.X == whole
	case *ast.CallExpr:
		return s.call(parent, slices.Index(parent.Args, whole))
	case *ast.AssignStmt:
		if slices.Contains(parent.Lhs, whole) {
			return parent.Tok == token.ASSIGN || parent.Tok == token.DEFINE
		}
		at := slices.Index(parent.Rhs, whole)
		return len(parent.Lhs) == len(parent.Rhs) && s.hold(parent.Lhs[at])
	case *ast.ValueSpec:
		at := slices.Index(parent.Values, whole)
		return at < 0 || parent.Type == nil && len(parent.Names) == len(parent.Values) && s.hold(parent.Names[at])
	}
	return false
}

// endsWithin reports whether a part surely ends at the length of a slice or before.
func endsWithin(part *ast.SliceExpr, s *twinScan) bool {
	id, ok := ast.Unparen(part.X).(*ast.Ident)
	isLen := func(end ast.Expr) bool {
		call, isCall := end.(*ast.CallExpr)
		if !ok || !isCall || len(call.Args) != 1 || !s.isBuiltin(call.Fun, "len") {
			return false
		}
		of, isIdent := call.Args[0].(*ast.Ident)
		return isIdent && of.Obj == id.Obj
	}
	return part.High == nil || part.Max == nil && isLen(part.High) || part.Max != nil && isLen(part.Max)
}

// hold adds a variable that is set to the slice. It reports false if that is not one of the function alone.
func (s *twinScan) hold(to ast.Expr) bool {
	id, ok := to.(*ast.Ident)
	switch {
	case !ok:
		return false
	case id.Name == "_":
		return true
	case id.Obj == nil || id.Obj.Kind != ast.Var:
		return false
	case id.Obj.Pos() < s.decl.Body.Pos() || id.Obj.Pos() >= s.decl.Body.End():
		return s.held[id.Obj]
	}
	s.held[id.Obj], s.names[id.Name] = true, true
	return true
}

// element looks at a use of an element, or of a field in it.
func (s *twinScan) element(i int, typ types.Type) bool {
	node, parent := s.stack[i].(ast.Expr), s.stack[i-1]
	switch parent := parent.(type) {
	case *ast.ParenExpr:
		return s.element(i-1, typ)
	case *ast.SelectorExpr:
		field, _, indirect := types.LookupFieldOrMethod(typ, true, s.pkg.Types, parent.Sel.Name)
		v, ok := field.(*types.Var)
		return ok && !indirect && s.element(i-1, v.Type())
	case *ast.IndexExpr:
		if list, ok := typ.Underlying().(*types.Array); ok && parent.X == node {
			return s.element(i-1, list.Elem())
		}
		return true
	case *ast.SliceExpr:
		_, isText := typ.Underlying().(*types.Basic)
		return parent.X != node || isText
	case *ast.UnaryExpr:
		return parent.Op != token.AND
	case *ast.RangeStmt:
		return parent.X == node
	case *ast.AssignStmt:
		return !slices.Contains(parent.Lhs, node) || isPlain(typ)
	}
	return true
}

// isBuiltin reports whether an expression is a predeclared name.
func (s *twinScan) isBuiltin(fun ast.Expr, name string) bool {
	id, ok := fun.(*ast.Ident)
	return ok && id.Name == name && id.Obj == nil && !s.others[name] && len(s.funcs[name]) == 0 && !s.hasDotImport()
}

// call looks at a call that has the slice as an argument of a number.
func (s *twinScan) call(call *ast.CallExpr, i int) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		return i >= 0 && s.callLibrary(fun, i)
	case *ast.Ident:
		switch {
		case i < 0 || fun.Obj != nil && fun.Obj.Kind != ast.Fun || s.hasDotImport():
			return false
		case s.isBuiltin(fun, "len"), s.isBuiltin(fun, "string"):
			return true
		case s.isBuiltin(fun, "cap"):
			s.uses.sized = true
			return true
		case s.isBuiltin(fun, "append"):
			return i == 1 && call.Ellipsis.IsValid()
		case s.isBuiltin(fun, "copy"):
			return i == 1 || isPlain(s.elem)
		}
		return s.callOwn(fun.Name, call, i)
	}
	return false
}

// callOwn looks at a call of a function of the package, which any of its files may declare.
func (s *twinScan) callOwn(name string, call *ast.CallExpr, i int) bool {
	all := s.funcs[name]
	return len(all) > 0 && !s.others[name] && !slices.ContainsFunc(all, func(fn twin) bool {
		params := fn.decl.Type.Params.List
		last := fn.decl.Type.Params.NumFields() - 1
		if last < 0 {
			return true
		}
		_, variadic := params[len(params)-1].Type.(*ast.Ellipsis)
		if variadic && i >= last && !(i == last && call.Ellipsis.IsValid()) {
			return true // it is an element
		}
		inner := &twinScan{tracer: s.tracer, twin: fn, elem: s.elem, depth: s.depth + 1, uses: s.uses}
		return !inner.stays(i)
	})
}

// calmReaders are packages of the standard library whose functions keep nothing, unless a row of the table of effects says so.
var calmReaders = map[string]bool{"bytes": true, "encoding/binary": true, "slices": true, "sort": true, "strings": true}

// callLibrary looks at a call of a function of the standard library, or of a method of a variable such as binary.LittleEndian. Its
// results must lead to no memory.
func (s *twinScan) callLibrary(fun *ast.SelectorExpr, i int) bool {
	x, method := fun.X, ""
	name := fun.Sel.Name
	if of, ok := x.(*ast.SelectorExpr); ok {
		x, name, method = of.X, of.Sel.Name, fun.Sel.Name
	}
	id, ok := x.(*ast.Ident)
	if !ok || id.Obj != nil {
		return false
	}
	lib := s.prog.ImportedPackage(s.importedAs(id.Name))
	if lib == nil || !calmReaders[lib.Pkg.Path()] {
		return false
	}
	obj := lib.Pkg.Scope().Lookup(name)
	if v, ok := obj.(*types.Var); ok && method != "" {
		if _, isStruct := v.Type().Underlying().(*types.Struct); !isStruct {
			return false
		}
		obj, _, _ = types.LookupFieldOrMethod(v.Type(), false, lib.Pkg, method)
	} else if method != "" {
		return false
	}
	fn, ok := obj.(*types.Func)
	return ok && onlyReads(fn, i)
}

// onlyReads reports whether a function of these packages keeps none of its arguments, of which one of a number is a slice, and gives
// none to a function.
func onlyReads(fn *types.Func, i int) bool {
	if m, ok := modelOfRow(fn); ok && (m == nil || m.keeps || m.decodes) || !effects.Lends(fn.Pkg()) {
		return false
	}
	sig := fn.Signature()
	for r := range sig.Results().Variables() {
		if mayAlias(r.Type()) {
			return false
		}
	}
	for p := range sig.Params().Variables() {
		if _, generic := types.Unalias(p.Type()).(*types.TypeParam); !generic && types.IsInterface(p.Type()) {
			return false // its methods get the slice
		}
	}
	return i < sig.Params().Len() && isListParam(sig.Params().At(i).Type())
}

// isListParam reports whether a parameter's type is a slice, or a type parameter for slices.
func isListParam(typ types.Type) bool {
	p, ok := types.Unalias(typ).(*types.TypeParam)
	if !ok {
		_, ok = typ.Underlying().(*types.Slice)
		return ok
	}
	face := p.Constraint().Underlying().(*types.Interface)
	if face.NumEmbeddeds() != 1 {
		return false
	}
	union, ok := face.EmbeddedType(0).(*types.Union)
	if !ok || union.Len() != 1 {
		return false
	}
	_, ok = union.Term(0).Type().Underlying().(*types.Slice)
	return ok
}

// importedAs returns the path of the package that a name of the file is, if its path ends with its name.
func (s *twinScan) importedAs(name string) string {
	for _, i := range s.in.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return ""
		}
		if i.Name != nil && i.Name.Name == name || i.Name == nil && path.Base(p) == name {
			return p
		}
	}
	return ""
}
