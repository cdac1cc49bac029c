package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// appended has a slice of bytes grow by basin.Append, which puts each array that it outgrows. So nothing but the variable
// may refer to an array when it is outgrown. The last array is put when the function returns.
func (m *mend) appended() error {
	w, err := m.webOf()
	if err != nil {
		return err
	}
	if list, ok := w.v.Type().Underlying().(*types.Slice); m.a.fate.resliced && !(ok && clears(list)) {
		return refusal("a slice of it may end behind its length, where append leaves zeros and a pool anything")
	}
	m.variable, m.appends = w.v, w.calls
	decl, err := m.declarationOf(w.v)
	if err != nil {
		return err
	}
	basin, err := m.basin(decl.Pos())
	if err != nil {
		return err
	}
	if w.isStale() {
		return refusal("a part of it is used after an append, which may write to the same array where a new one was made")
	}
	if !types.Identical(w.v.Type(), types.NewSlice(types.Typ[types.Byte])) || w.foreign {
		return m.keptGrown(decl, w, basin)
	}
	for _, call := range w.calls {
		name := ".Append"
		if call.Ellipsis.IsValid() && isString(m.file.pkg.TypesInfo.TypeOf(call.Args[1])) {
			name = ".AppendString"
			m.replace(call.Ellipsis, call.Ellipsis+token.Pos(len("...")), "")
		}
		m.forget(call.Fun)
		m.replace(call.Fun.Pos(), call.Fun.End(), basin+name)
	}
	if err := m.firstArray(decl, w, basin); err != nil {
		return err
	}
	return m.after(decl, m.put("defer func() { "+basin+".Put("+w.v.Name()+") }()")...)
}

// keptGrown has a slice begin with one of a pool of its own. The pool gets the last array when the function returns.
// Outgrown arrays stay unchanged.
func (m *mend) keptGrown(decl ast.Stmt, w *web, basin string) error {
	typ, size, isNil := m.typeOf(decl, w.v)
	elements := ""
	if typ == nil {
		typ, elements = m.elementsOf(decl, w.v)
	}
	if typ == nil || !m.hasType(typ, w.v.Type()) {
		return refusal("it begins with memory that is not made by make, or with a length")
	}
	if isNil && !w.isAlikeEmpty() {
		return errNil
	}
	id := m.nameOf(decl, w.v)
	pool, t, err := m.listPool(id, basin, typ)
	if err != nil {
		return err
	}
	if isNil {
		err = m.beginsNil(decl, w, pool)
	} else if elements == "" && !m.isAlikeToOwners() {
		err = errNil
	}
	if err != nil {
		return err
	}
	m.pool = pool
	lines, before := m.put("defer func() { "+pool+".Put("+id.Name+") }()"), ""
	switch {
	case size != nil:
		first, err := m.firstCapacity(decl, size, id.Name)
		if err != nil {
			return err
		}
		before = first.before
		lines = append([]string{"if cap(" + id.Name + ") < " + first.text + first.negative + " {", "\t" + id.Name + " = make(" + t + ", 0, " + first.text + ")", "}"}, lines...)
		m.clone = "append(make(" + t + ", 0, " + first.text + "), " // others may rely on that capacity
	case isNil && len(m.a.copies) > 0 && m.mayCopyEmpty(w.v):
		return errNil
	case isNil:
		m.clone = "append(" + t + "(nil), "
	default:
		m.clone = "append(" + t + "{}, "
	}
	if err := m.inGroup(decl, w.v, size, before); err != nil {
		return err
	}
	begin := pool + ".Get()[:0]"
	if elements != "" {
		begin = "append(" + begin + ", " + elements + ")"
	}
	m.insert(decl, before)
	m.redeclare(decl, id, begin)
	return m.after(decl, lines...)
}

// beginsNil has the function return nil where the variable that begins as nil still is. Callers that put the slice get none then.
func (m *mend) beginsNil(decl ast.Stmt, w *web, pool string) error {
	var lines []string
	if len(m.a.owners) > 0 {
		lines = []string{pool + ".Put(" + w.v.Name() + ")"}
	}
	if err := m.returnNilEarly(decl, w.v, w.calls, lines...); err != nil || m.isAlikeToOwners() {
		return err
	}
	return m.returnNil(w, pool)
}

// mayCopyEmpty reports whether a copy may be of a slice that is empty, and not nil, as it has been cut.
func (m *mend) mayCopyEmpty(v *types.Var) bool {
	return m.isCut(v) || slices.ContainsFunc(m.a.copies, func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return !ok || m.file.pkg.TypesInfo.Uses[id] != v
	})
}

// A firstCapacity is that of a slice as make makes it.
type firstCapacity struct {
	text     string
	before   string // a statement that sets the text, or nothing
	negative string // for a number that may be negative, so that make panics: a condition that it is
}

// firstCapacity returns the capacity that the statement of a variable gives to a slice. Other than a constant, it has a variable.
func (m *mend) firstCapacity(decl ast.Stmt, size ast.Expr, variable string) (c firstCapacity, err error) {
	if isConstant(m.file.pkg.TypesInfo, size) {
		return firstCapacity{text: m.text(size)}, nil
	}
	n, err := m.sizeOf(size)
	if err != nil {
		return c, err
	}
	if n.wide != "" {
		return c, refusal("its capacity may not fit an int")
	}
	indent, err := m.indentation(decl)
	if err != nil {
		return c, err
	}
	c.text = m.newName(variable + "Size")
	c.before = c.text + " := " + n.text + "\n" + indent
	if made, ok := m.a.root().(*ssa.MakeSlice); !ok || !isNatural(made.Cap, map[ssa.Value]bool{}) {
		c.negative = " || " + c.text + " < 0"
	}
	return c, nil
}

// isAlikeToOwners reports whether none of the callers that put the slice tells nil from an empty slice.
func (m *mend) isAlikeToOwners() bool {
	return !slices.ContainsFunc(slices.Concat(m.a.owners, m.a.keeping), func(call *ssa.Call) bool {
		v := resultOf(call, m.a.result)
		return v != nil && !isAlikeEmpty(v, 0)
	})
}

// returnNil has the function return nil where it did, which is if it has appended nothing.
func (m *mend) returnNil(w *web, pool string) error {
	info := m.file.pkg.TypesInfo
	isVariable := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && info.Uses[id] == w.v
	}
	if w.foreign || slices.ContainsFunc(w.calls, func(call *ast.CallExpr) bool { return !isVariable(call.Args[0]) }) || m.isCut(w.v) {
		return errNil
	}
	for _, ret := range m.a.fate.returns {
		stmt := m.returnAt(ret)
		if stmt == nil || len(stmt.Results) <= m.a.result || !isVariable(stmt.Results[m.a.result]) {
			return errNil
		}
		indent, err := m.indentation(stmt)
		if err != nil {
			return err
		}
		name := w.v.Name()
		m.insert(stmt, strings.Join([]string{"if len(" + name + ") == 0 {", "\t" + pool + ".Put(" + name + ")", "\t" + name + " = nil", "}", ""}, "\n"+indent))
	}
	return nil
}

// isCut reports whether a variable is set by more than appends.
func (m *mend) isCut(v *types.Var) (cut bool) {
	info := m.file.pkg.TypesInfo
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
			for i, e := range a.Lhs {
				id, ok := ast.Unparen(e).(*ast.Ident)
				if ok && info.Uses[id] == v {
					call, ok := ast.Unparen(a.Rhs[min(i, len(a.Rhs)-1)]).(*ast.CallExpr)
					cut = cut || !ok || !m.isAppend(call)
				}
			}
		}
		return !cut
	})
	return cut
}

// elementsOf returns the type and the text of the elements of a literal that a statement alone sets a variable to, if append
// can have them as arguments.
func (m *mend) elementsOf(decl ast.Stmt, v *types.Var) (typ ast.Expr, elements string) {
	list, ok := ast.Unparen(m.valueOf(decl, v)).(*ast.CompositeLit)
	if !ok || !isAlone(decl) || len(list.Elts) == 0 || slices.ContainsFunc(list.Elts, func(e ast.Expr) bool {
		inner, isLit := ast.Unparen(e).(*ast.CompositeLit)
		_, keyed := e.(*ast.KeyValueExpr)
		return keyed || isLit && inner.Type == nil
	}) {
		return nil, ""
	}
	src := m.contents[m.name]
	return list.Type, string(src[m.offset(list.Elts[0].Pos()):m.offset(list.Elts[len(list.Elts)-1].End())])
}

// isAlikeEmpty reports whether no use of the slice tells nil from an empty slice. A result is a copy, which is nil if it
// is empty.
func (w *web) isAlikeEmpty() bool {
	variable := w.variable()
	for v := range w.all {
		if v != ssa.Value(variable) && !w.isAlike(v) {
			return false
		}
	}
	return variable == nil || literalsAlike(variable)
}

// isAlike does the same for a value, which the web's variable may get.
func (w *web) isAlike(v ssa.Value) bool {
	variable := w.variable()
	return isAlikeBut(v, 0, func(r ssa.Instruction) bool {
		st, ok := r.(*ssa.Store)
		return r == w.copied || ok && variable != nil && st.Addr == ssa.Value(variable)
	})
}

// alikes are packages of the standard library whose functions take nil for an empty slice.
var alikes = map[string]bool{"bytes": true, "strings": true, "slices": true, "sort": true, "io": true, "strconv": true, "encoding/binary": true,
	"encoding/hex": true, "encoding/base64": true, "unicode/utf8": true, "os": true, "net": true, "math/big": true,
	"hash/crc32": true, "hash/adler32": true, "hash/fnv": true, "crypto/sha1": true, "crypto/sha256": true, "crypto/sha512": true, "crypto/md5": true}

func isAlikeEmpty(v ssa.Value, depth int) bool {
	return isAlikeBut(v, depth, func(ssa.Instruction) bool { return false })
}

// isAlikeBut does the same, but for some uses.
func isAlikeBut(v ssa.Value, depth int, but func(ssa.Instruction) bool) bool {
	a := &alike{but: but, seen: map[ssa.Value]bool{}}
	return a.of(v, depth)
}

// alike follows a slice that may be nil, or empty, with its parts, and to functions that get it.
type alike struct {
	but  func(ssa.Instruction) bool
	seen map[ssa.Value]bool
}

func (a *alike) of(v ssa.Value, depth int) bool {
	const deep = 4
	if a.seen[v] {
		return true
	}
	if a.seen[v] = true; depth > deep || v.Referrers() == nil {
		return false
	}
	for _, r := range *v.Referrers() {
		if !a.but(r) && !a.use(v, r, depth) {
			return false
		}
	}
	return true
}

func (a *alike) use(v ssa.Value, r ssa.Instruction, depth int) bool {
	switch r := r.(type) {
	case *ssa.MakeInterface:
		return isSorted(r)
	case *ssa.DebugRef, *ssa.IndexAddr, *ssa.Index, *ssa.Range, *ssa.UnOp, *ssa.FieldAddr, *ssa.Return:
		return true
	case *ssa.Slice:
		return r.X != v || a.of(r, depth)
	case *ssa.Phi:
		return a.of(r, depth)
	case *ssa.Extract:
		return !isSliceType(r.Type()) || a.of(r, depth)
	case *ssa.Convert:
		return isString(r.Type())
	case *ssa.Store:
		return r.Val != v
	case *ssa.Call:
		return takesAlike(v, r, depth) && (depth == 0 || a.result(r, depth))
	}
	return false
}

// result does the same for a result of a function that gets the slice. Where the slice itself is made, others follow the results that have it.
func (a *alike) result(call *ssa.Call, depth int) bool {
	_, tuple := call.Type().(*types.Tuple)
	return !tuple && !isSliceType(call.Type()) || a.of(call, depth)
}

// takesAlike reports whether a call takes nil for an empty slice.
func takesAlike(v ssa.Value, call *ssa.Call, depth int) bool {
	if _, ok := call.Call.Value.(*ssa.Builtin); ok {
		return true
	}
	if call.Call.IsInvoke() {
		m := call.Call.Method
		return call.Call.Value != v && keepsNothing(m) && !isUnmarshal(m.Name()) && !strings.HasPrefix(m.Name(), "Append")
	}
	fn := call.Call.StaticCallee()
	switch {
	case fn == nil:
		return false
	case len(fn.Blocks) == 0, packageOf(runtimeName(fn)) == "slices": // an instance of a generic function has a wrapper
		return alikes[packageOf(runtimeName(fn))] && !copiesNil(fn)
	}
	for i, arg := range call.Call.Args {
		if arg == v && (i >= len(fn.Params) || !isAlikeEmpty(fn.Params[i], depth+1)) {
			return false
		}
	}
	return true
}

// copiesNil reports whether a function of the standard library may return nil for nil, and not for an empty slice.
func copiesNil(fn *ssa.Function) bool {
	if fn.Name() == "Clone" {
		return true
	}
	results := fn.Signature.Results()
	for i := range results.Len() {
		if _, ok := results.At(i).Type().Underlying().(*types.Slice); ok && packageOf(runtimeName(fn)) == "slices" {
			return true
		}
	}
	return false
}

// typeOf returns the expression of the type of a variable that a statement alone declares, if it begins as an empty slice,
// and the capacity if that is made.
func (m *mend) typeOf(decl ast.Stmt, v *types.Var) (typ, size ast.Expr, isNil bool) {
	info := m.file.pkg.TypesInfo
	var value ast.Expr
	switch d := decl.(type) {
	case *ast.DeclStmt:
		spec := m.specOf(d, v)
		if spec == nil {
			return nil, nil, false
		}
		if len(spec.Values) == 0 {
			return spec.Type, nil, true
		}
		value = spec.Values[0]
	case *ast.AssignStmt:
		if len(d.Lhs) != 1 || len(d.Rhs) != 1 {
			return nil, nil, false
		}
		value = d.Rhs[0]
	}
	switch e := ast.Unparen(value).(type) {
	case *ast.CompositeLit:
		if len(e.Elts) == 0 {
			return e.Type, nil, false
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && id.Name == "make" && info.Types[e.Fun].IsBuiltin() && isZeroConstant(info, e.Args[1]) {
			if len(e.Args) == 3 {
				return e.Args[0], e.Args[2], false
			}
			return e.Args[0], nil, false
		}
		if info.Types[e.Fun].IsType() && info.Types[e.Args[0]].IsNil() {
			return ast.Unparen(e.Fun), nil, true
		}
	}
	return nil, nil, false
}

// nameOf returns the identifier that declares a variable in a statement.
func (m *mend) nameOf(decl ast.Stmt, v *types.Var) (id *ast.Ident) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && m.file.pkg.TypesInfo.Defs[name] == v {
			id = name
		}
		return id == nil
	})
	return id
}

// A web has the values of a slice that grows, and all other values that may refer to their arrays.
type web struct {
	v       *types.Var // that alone has the slice
	foreign bool       // it grows by more than the built-in append
	calls   []*ast.CallExpr
	appends []*ssa.Call
	all     map[ssa.Value]bool
	copied  ssa.Instruction // that gets a copy of the slice, or nil
}

// webOf returns the web of the site. Each append must be the built-in one, and set the variable that it extends.
func (m *mend) webOf() (*web, error) {
	w := &web{all: map[ssa.Value]bool{}}
	if m.a.exit != nil {
		w.copied = m.a.exit.use
	}
	begin := map[ssa.Value]bool{m.a.root(): true}
	if m.a.grown != nil {
		begin = m.a.grown.seen
	}
	for v := range begin {
		switch v.(type) {
		case *ssa.Const, *ssa.Parameter, *ssa.FreeVar:
			continue
		}
		for alias := range m.tracer.trailWithout(w.copied, v, nil, nil).seen {
			w.all[alias] = true
		}
	}
	for v := range w.all {
		if call, ok := v.(*ssa.Call); ok {
			if to := extended(call); to != nil && (w.all[to] || isNil(to)) {
				w.appends = append(w.appends, call)
			}
		}
	}
	slices.SortFunc(w.appends, func(a, b *ssa.Call) int { return int(a.Pos() - b.Pos()) })
	for _, a := range w.appends {
		if _, ok := a.Call.Value.(*ssa.Builtin); !ok {
			w.foreign = true
		}
		_, call, path := m.callAt(a)
		v := m.appendsTo(call, path)
		if v == nil || w.v != nil && v != w.v {
			return nil, refusal("it does not grow in one variable alone")
		}
		w.v, w.calls = v, append(w.calls, call)
	}
	if w.v == nil {
		return nil, errUnreadable
	}
	return w, nil
}

// appendsTo returns the variable that a statement sets to a call of append, if the call extends that variable or nothing.
func (m *mend) appendsTo(call *ast.CallExpr, path []ast.Node) *types.Var {
	if call == nil || len(call.Args) < 2 || len(path) == 0 {
		return nil
	}
	if _, ok := path[0].(*ast.ReturnStmt); ok && len(m.a.owners) > 0 { // the callers have that array
		if id, ok := call.Args[0].(*ast.Ident); ok {
			v, _ := m.file.pkg.TypesInfo.Uses[id].(*types.Var)
			return v
		}
	}
	assign, ok := path[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil
	}
	info := m.file.pkg.TypesInfo
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok {
		return nil
	}
	if !m.isAppend(call) {
		for _, arg := range call.Args { // such as that of (binary.BigEndian).AppendUint32
			if types.Identical(info.TypeOf(arg), v.Type()) {
				if m.isStart(arg, v) {
					return v
				}
				break
			}
		}
		return nil
	}
	if m.isStart(call.Args[0], v) {
		return v
	}
	return nil
}

// isStart reports whether an expression is a variable, a part from its beginning, or a slice without an array.
func (m *mend) isStart(e ast.Expr, v *types.Var) bool {
	info := m.file.pkg.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.Uses[e] == v || info.Types[e].IsNil()
	case *ast.SliceExpr:
		return !e.Slice3 && (e.Low == nil || isZeroConstant(info, e.Low)) && m.isStart(e.X, v)
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr: // []byte(nil)
		return len(e.Args) == 1 && info.Types[e.Fun].IsType() && info.Types[e.Args[0]].IsNil()
	}
	return false
}

// declarationOf returns the statement that declares a variable, which a deferred Put may follow.
func (m *mend) declarationOf(v *types.Var) (decl ast.Stmt, err error) {
	if decl, err = m.declaredBy(v, declaring, m.isStart); decl == nil && err == nil {
		err = refusal("its variable is not declared by a statement of its own, outside of loops")
	}
	return decl, err
}

// declaredBy returns the statement that declares a variable, by this function of a stack of nodes, or nil. Whatever else
// sets the variable must set it to a part of its own memory, as this function of an expression says.
func (m *mend) declaredBy(v *types.Var, declaring func([]ast.Node) (ast.Stmt, *ast.FuncLit), isPart func(ast.Expr, *types.Var) bool) (decl ast.Stmt, err error) {
	info := m.file.pkg.TypesInfo
	var stack []ast.Node
	var within *ast.FuncLit
	bad := false
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.Ident:
			switch {
			case info.Defs[n] == v:
				decl, within = declaring(stack)
			case info.Uses[n] == v:
				bad = bad || m.misuses(n, stack, v, isPart) || innerLiteral(stack) != within && isSet(n, stack[len(stack)-1])
			}
		}
		stack = append(stack, n)
		return true
	})
	if decl != nil && bad {
		return nil, refusal("its variable is set to something else, too, or by a function literal")
	}
	return decl, nil
}

// declaring returns the statement that declares the last node of a stack of nodes, if it is in a block and runs once, and
// the function literal that has it.
func declaring(stack []ast.Node) (decl ast.Stmt, within *ast.FuncLit) {
	for i, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return nil, nil
		case *ast.FuncLit:
			return decl, n
		case *ast.FuncDecl:
			return decl, nil
		case ast.Stmt:
			if decl == nil && (i == 0 || !isList(stack[i-1])) {
				return nil, nil // it is in an init statement, and behind that the name may mean another
			}
			if decl == nil {
				decl = n
			}
		case *ast.ValueSpec:
			if len(n.Names) != 1 {
				return nil, nil
			}
		}
	}
	return nil, nil
}

// misuses reports whether a use of a variable sets it to other memory than a part of its own, or takes its address.
func (m *mend) misuses(use *ast.Ident, stack []ast.Node, v *types.Var, isPart func(ast.Expr, *types.Var) bool) bool {
	switch n := stack[len(stack)-1].(type) {
	case *ast.UnaryExpr:
		return n.Op == token.AND
	case *ast.RangeStmt:
		return n.Key == use || n.Value == use
	case *ast.AssignStmt:
		i := slices.Index(n.Lhs, ast.Expr(use))
		if i < 0 {
			return false
		}
		if len(n.Lhs) != len(n.Rhs) {
			return true
		}
		if call, ok := ast.Unparen(n.Rhs[i]).(*ast.CallExpr); ok && m.appendsTo(call, []ast.Node{n}) == v {
			return false
		}
		return !isPart(n.Rhs[i], v)
	}
	return false
}

// firstArray has the array that the slice begins with come from basin, if it has one.
func (m *mend) firstArray(decl ast.Stmt, w *web, basin string) error {
	call, err := m.firstMake(decl, w.v)
	if call == nil {
		return err
	}
	info := m.file.pkg.TypesInfo
	length, capacity := call.Args[1], call.Args[len(call.Args)-1]
	empty := isZeroConstant(info, length)
	if len(call.Args) == 3 && !empty && !(isConstant(info, length) && isConstant(info, capacity)) {
		return refusal("make panics if its length exceeds its capacity, and neither is constant")
	}
	if err := m.cloneWith(call, w); err != nil {
		return err
	}
	if isGroup(decl) && !isConstant(info, capacity) {
		return errInGroup
	}
	size, err := m.once(decl, capacity, w.v.Name()+"Size")
	if err != nil {
		return err
	}
	text := basin + ".GetZeroed(" + size.int + ")"
	if len(call.Args) == 3 && empty {
		text = basin + ".Get(" + size.int + ")[:0]"
	}
	if !isConstant(info, capacity) { // make panics if the size is negative; so does a slice expression
		text += "[:" + size.text + "]"
	}
	if len(call.Args) == 3 {
		text += "[:" + m.text(length) + "]"
	}
	m.replace(call.Pos(), call.End(), text)
	return nil
}

// cloneWith has copies of the slice begin with the capacity of the make that it begins with. Others may slice it up to that.
func (m *mend) cloneWith(call *ast.CallExpr, w *web) error {
	if len(m.a.copies) == 0 || len(call.Args) < 3 && !m.isCut(w.v) {
		return nil
	}
	capacity := call.Args[len(call.Args)-1]
	if !isConstant(m.file.pkg.TypesInfo, capacity) {
		return refusal("a copy would have another capacity, which is no constant")
	}
	for v := range m.a.grown.seen {
		if isNil(v) {
			return errNil
		}
	}
	m.clone = "append(make(" + m.text(call.Args[0]) + ", 0, " + m.text(capacity) + "), "
	return nil
}

// valueOf returns the expression that a declaration sets a variable to, or nil.
func (m *mend) valueOf(decl ast.Stmt, v *types.Var) ast.Expr {
	info := m.file.pkg.TypesInfo
	switch d := decl.(type) {
	case *ast.DeclStmt:
		if spec := m.specOf(d, v); spec != nil && len(spec.Values) == 1 {
			return spec.Values[0]
		}
	case *ast.AssignStmt:
		for i, e := range d.Lhs {
			if id, ok := e.(*ast.Ident); ok && info.Defs[id] == v && len(d.Lhs) == len(d.Rhs) {
				return d.Rhs[i]
			}
		}
	}
	return nil
}

// firstMake returns the call of make that makes the first array of a variable, or nil if the variable begins without one.
func (m *mend) firstMake(decl ast.Stmt, v *types.Var) (*ast.CallExpr, error) {
	value := m.valueOf(decl, v)
	switch {
	case value == nil && !m.isZeroed(decl, v):
		return nil, refusal("it begins with one of several results")
	case value == nil || m.isStart(value, v):
		return nil, nil
	}
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if ok && m.isAppend(call) {
		return nil, nil
	}
	if ok {
		id, isName := ast.Unparen(call.Fun).(*ast.Ident)
		ok = isName && id.Name == "make" && m.file.pkg.TypesInfo.Types[call.Fun].IsBuiltin()
	}
	if !ok {
		return nil, refusal("it begins with memory that is not made by make")
	}
	return call, nil
}

// isZeroed reports whether a statement declares a variable without a value.
func (m *mend) isZeroed(decl ast.Stmt, v *types.Var) bool {
	d, ok := decl.(*ast.DeclStmt)
	return ok && slices.ContainsFunc(d.Decl.(*ast.GenDecl).Specs, func(s ast.Spec) bool {
		spec, ok := s.(*ast.ValueSpec)
		return ok && len(spec.Values) == 0 && slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return m.file.pkg.TypesInfo.Defs[id] == v })
	})
}

// isStale reports whether something that refers to an array may be used after an append that outgrows the array.
func (w *web) isStale() bool {
	variable := w.variable()
	for _, grow := range w.appends {
		for v := range w.all {
			if v == ssa.Value(variable) || outermost(v) != outermost(grow) {
				continue // each use reads it again, or has it only while a call of a method runs
			}
			made, ok := v.(ssa.Instruction)
			if !ok || v.Referrers() == nil {
				return true
			}
			if made == ssa.Instruction(grow) || !comes(made, grow, nil) {
				continue
			}
			for _, use := range *v.Referrers() {
				if w.isUsedAfter(grow, made, v, use) {
					return true
				}
			}
		}
	}
	return false
}

// isFieldOf reports whether an address is that of a field of a struct whose own uses are looked at.
func (w *web) isFieldOf(addr ssa.Value) bool {
	field, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	local, ok := field.X.(*ssa.Alloc)
	return ok && w.all[local]
}

// isUsedAfter reports whether a use of a value may come after an append, and before the value is made anew.
func (w *web) isUsedAfter(grow *ssa.Call, made ssa.Instruction, v ssa.Value, use ssa.Instruction) bool {
	switch use := use.(type) {
	case *ssa.DebugRef:
		return false
	case *ssa.Defer, *ssa.Go, *ssa.MakeClosure:
		return true
	case *ssa.Store:
		if use == w.copied {
			break
		}
		if use.Val == v && use.Addr == ssa.Value(w.variable()) {
			return false
		}
		if use.Val == v && !w.isFieldOf(use.Addr) {
			element, ok := use.Addr.(*ssa.IndexAddr)
			if !ok {
				return true // a variable or a field has it, which this does not follow
			}
			list, ok := element.X.(*ssa.Alloc)
			return !ok || list.Comment != "varargs"
		}
	case *ssa.Phi:
		for i, e := range use.Edges {
			if e != v {
				continue
			}
			from := use.Block().Preds[i]
			if last := from.Instrs[len(from.Instrs)-1]; comes(grow, last, made) {
				return true
			}
		}
		return false
	}
	return use != ssa.Instruction(grow) && comes(grow, use, made) || use == ssa.Instruction(grow) && comes(grow, grow, made)
}

// comes reports whether an instruction may run after another without a third that runs between them.
func comes(from, to, without ssa.Instruction) bool {
	at := func(i ssa.Instruction) int { return slices.Index(i.Block().Instrs, i) }
	begin := at(from) + 1
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock, begin int) bool
	visit = func(b *ssa.BasicBlock, begin int) bool {
		for _, i := range b.Instrs[begin:] {
			switch i {
			case without: // also if it is to
				return false
			case to:
				return true
			}
		}
		for _, next := range b.Succs {
			if !seen[next] {
				seen[next] = true
				if visit(next, 0) {
					return true
				}
			}
		}
		return false
	}
	return visit(from.Block(), begin)
}

// variable returns the one that all appends of a web read and set, if function literals read it, too.
func (w *web) variable() *ssa.Alloc {
	for _, a := range w.appends {
		if load, ok := extended(a).(*ssa.UnOp); ok {
			v, _ := setHere(load)
			return v
		}
	}
	return nil
}

// literalsAlike reports whether no literal that reads a variable tells nil from an empty slice.
func literalsAlike(variable *ssa.Alloc) bool {
	for _, r := range *variable.Referrers() {
		c, ok := r.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		for i, b := range c.Bindings {
			if b != ssa.Value(variable) {
				continue
			}
			for _, use := range *c.Fn.(*ssa.Function).FreeVars[i].Referrers() {
				load, ok := use.(*ssa.UnOp)
				if _, debug := use.(*ssa.DebugRef); !debug && (!ok || !isAlikeEmpty(load, 0)) {
					return false
				}
			}
		}
	}
	return true
}

// isSorted reports whether an interface's value only goes to functions of package sort, which take nil for an empty slice.
func isSorted(v *ssa.MakeInterface) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		call, ok := r.(*ssa.Call)
		return !ok || call.Call.StaticCallee() == nil || packageOf(runtimeName(call.Call.StaticCallee())) != "sort"
	})
}
