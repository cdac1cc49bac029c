package migrate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// limitOf returns the largest capacity that all Puts of a pool allow. It reports false if one of them allows any.
func (m *migration) limitOf(p *pool) (l limit, ok bool) {
	if made := m.fixedSize(p); made > 0 {
		return limit{size: made}, true
	}
	for _, put := range p.puts {
		if m.isGet(p, put.Args[0]) {
			continue
		}
		at, ok := m.limitAt(put, put.Args[0], maxWrappers)
		if !ok {
			return limit{}, false
		}
		l.beyond(at)
	}
	return l, l.size > 0
}

// isGet reports whether an expression is a value that the pool has just handed out.
func (m *migration) isGet(p *pool, e ast.Expr) bool {
	a, ok := ast.Unparen(e).(*ast.TypeAssertExpr)
	return ok && m.direct[a] == p
}

// maxWrappers is the depth of functions around Put whose callers are looked at.
const maxWrappers = 3

// A path is the variable or field that has an array: b, *p or e.buf.
type path struct {
	root types.Object
	text string
}

// pathOf returns the path of the array of a buffer, of a slice, or of a pointer to one.
func (m *migration) pathOf(e ast.Expr) (path, bool) {
	t := m.TypesInfo.TypeOf(e)
	if t == nil {
		return path{}, false
	}
	if isBytes(t) {
		return m.place(e)
	}
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND { // &b
		return m.place(u.X)
	}
	at, ok := m.place(e)
	if !isStdBuffer(t) {
		at.text = "*" + at.text
	}
	return at, ok
}

// place returns the path of an expression, or of the slice that it is a part of.
func (m *migration) place(e ast.Expr) (path, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o := m.TypesInfo.ObjectOf(e)
		_, isVar := o.(*types.Var)
		return path{o, e.Name}, isVar
	case *ast.SliceExpr:
		return m.place(e.X)
	case *ast.StarExpr:
		at, ok := m.place(e.X)
		return path{at.root, "*" + at.text}, ok
	case *ast.SelectorExpr:
		at, ok := m.place(e.X)
		return path{at.root, at.text + "." + e.Sel.Name}, ok
	}
	return path{}, false
}

// A search goes backwards from a Put to a test of the capacity, as long as no statement may let the array grow.
type search struct {
	*migration
	of     path
	values map[types.Object]ast.Expr // arguments of the function whose result is looked at
	found  *limit
	since  ast.Stmt // the statement that has to be reached for found to hold
	depth  int      // of functions that conditions call
}

// limitAt returns the largest capacity that a call puts.
func (m *migration) limitAt(call *ast.CallExpr, arg ast.Expr, wrappers int) (limit, bool) {
	of, ok := m.pathOf(arg)
	fn := m.funcOf(call)
	if !ok || fn == nil || m.hasLabels(fn) {
		return limit{}, false
	}
	switch m.parent[call].(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		// A test is done before the buffer is used, unless it is in the function that is called.
		return limit{}, false
	}
	s := &search{migration: m, of: of}
	switch ended := s.backwards(call); {
	case s.found != nil && s.since == nil:
		return *s.found, true
	case !ended || s.found != nil || wrappers == 0:
		return limit{}, false
	}
	return m.limitOfCallers(s.of, wrappers-1)
}

// limitOfCallers returns the largest capacity of a parameter, in all calls of its function.
func (m *migration) limitOfCallers(of path, wrappers int) (l limit, ok bool) {
	v, ok := of.root.(*types.Var)
	if !ok {
		return limit{}, false
	}
	fn, index := m.parameter(v)
	if fn == nil || index < 0 || fn.Exported() || fn.Signature().Recv() != nil || fn.Signature().Variadic() {
		return limit{}, false
	}
	if of.text != v.Name() && of.text != "*"+v.Name() {
		return limit{}, false // a field of the parameter
	}
	for _, id := range m.uses[fn] {
		call, ok := m.parent[m.outer(id)].(*ast.CallExpr)
		if !ok || ast.Unparen(call.Fun) != id || index >= len(call.Args) {
			return limit{}, false // somebody else may call it
		}
		at, ok := m.limitAt(call, call.Args[index], wrappers)
		if !ok {
			return limit{}, false
		}
		l.beyond(at)
	}
	return l, len(m.uses[fn]) > 0
}

// backwards looks at the statements before a node, from the last to the first, and then at those around it. It reports whether
// it came to the beginning of the function.
func (s *search) backwards(n ast.Node) bool {
	for {
		parent := s.parent[n]
		s.work++
		if list := rewrite.Statements(parent); list != nil {
			i := slices.IndexFunc(list, func(st ast.Stmt) bool { return st == n })
			for _, before := range slices.Backward(list[:max(i, 0)]) {
				if !s.statement(before) {
					return false
				}
			}
		}
		switch around := parent.(type) {
		case *ast.FuncDecl:
			return true
		case *ast.ExprStmt, *ast.BlockStmt:
		case *ast.IfStmt:
			if n != around.Init && n != around.Cond && !s.decide(around.Cond, n == around.Body, around.Init) {
				return false
			}
		case *ast.CaseClause:
			sw, ok := s.parent[s.parent[around]].(*ast.SwitchStmt)
			if !ok || !s.inCase(sw, around) {
				return false
			}
			parent = sw // the other cases are not run
		default:
			return false // a loop runs more than once, and who knows when a function literal is called
		}
		n = parent
	}
}

// decide looks at a condition, and before it at its first statement, if any. It notes the limit that follows, and
// reports whether the search goes on.
func (s *search) decide(cond ast.Expr, truth bool, first ast.Stmt) bool {
	l, since, ok := s.implied(cond, truth)
	switch {
	case ok && s.found == nil:
		s.found, s.since = &l, since
	case !s.harmless(cond):
		return false
	}
	if s.found != nil && s.since == nil {
		return false
	}
	return first == nil || s.statement(first)
}

// inCase looks at the conditions of a switch before one of its cases.
func (s *search) inCase(sw *ast.SwitchStmt, clause *ast.CaseClause) bool {
	if sw.Tag != nil {
		return false
	}
	before := true
	for _, other := range sw.Body.List {
		c := other.(*ast.CaseClause)
		if n := len(c.Body); n > 0 {
			if b, ok := c.Body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				return false
			}
		}
		before = before && c != clause
		for _, cond := range c.List {
			own := c == clause && len(c.List) == 1
			if (own || before || c != clause && clause.List == nil) && !s.decide(cond, own, nil) {
				return false
			}
		}
	}
	return sw.Init == nil || s.statement(sw.Init)
}

// statement looks at a statement that runs before, and reports whether the search goes on.
func (s *search) statement(st ast.Stmt) bool {
	if st == s.since {
		s.since = nil
		return false
	}
	if s.found != nil {
		return s.harmless(st)
	}
	switch st := st.(type) {
	case *ast.IfStmt:
		if st.Else == nil && leaves(st.Body.List, true) {
			return s.decide(st.Cond, false, st.Init)
		}
		if l, ok := s.replaced(st); ok {
			s.found = &l
			return false
		}
	case *ast.SwitchStmt:
		if st.Tag != nil || st.Init != nil {
			break
		}
		for _, c := range st.Body.List {
			c := c.(*ast.CaseClause)
			if c.List == nil || !leaves(c.Body, false) {
				break
			}
			for _, cond := range c.List {
				if !s.decide(cond, false, nil) {
					return false
				}
			}
		}
	case *ast.AssignStmt:
		if len(st.Lhs) == 1 && len(st.Rhs) == 1 && s.isSet(st.Lhs[0]) {
			return s.becomes(st.Rhs[0])
		}
	}
	return s.harmless(st)
}

// leaves reports whether the last of some statements leaves those around it. A break leaves them, unless they are a case.
func leaves(list []ast.Stmt, breaks bool) bool {
	if len(list) == 0 {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.CONTINUE || last.Tok == token.BREAK && breaks
	case *ast.ExprStmt:
		if c, ok := last.X.(*ast.CallExpr); ok {
			id, ok := c.Fun.(*ast.Ident)
			return ok && id.Name == "panic"
		}
	}
	return false
}

// isSet reports whether an assignment to an expression gives the path another array.
func (s *search) isSet(e ast.Expr) bool {
	to, ok := s.place(e)
	return ok && to.root == s.of.root && (to.text == s.of.text || "*"+to.text == s.of.text || to.text == "*"+s.of.text)
}

// becomes has the search go on with the path of a value that was assigned, or end with the limit of a new one.
func (s *search) becomes(value ast.Expr) bool {
	if size, ok := s.madeSize(value); ok {
		if s.found == nil {
			s.found = &limit{size: size, at: value.Pos()}
		}
		return false
	}
	at, ok := s.pathOf(value)
	if ok {
		s.of = at
	}
	return ok
}

// replaced returns the limit after a statement that replaces arrays that are too large: if cap(b) > n { b = nil }.
func (s *search) replaced(st *ast.IfStmt) (l limit, ok bool) {
	l, since, ok := s.implied(st.Cond, false)
	if !ok || since != nil && since != st.Init || st.Else != nil && !s.harmless(st.Else) {
		return limit{}, false
	}
	fresh := false
	for _, in := range st.Body.List {
		if a, ok := in.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && s.isSet(a.Lhs[0]) {
			size, ok := s.madeSize(a.Rhs[0])
			if !ok {
				return limit{}, false
			}
			l.beyond(limit{size: size, at: a.Pos()})
			fresh = true
			continue
		}
		if !s.harmless(in) {
			return limit{}, false
		}
	}
	return l, fresh
}

// madeSize returns the constant capacity of a value that is made.
func (m *migration) madeSize(e ast.Expr) (int64, bool) {
	e = ast.Unparen(e)
	if m.TypesInfo.Types[e].IsNil() {
		return 0, true
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok && e.Op == token.AND {
			return 0, len(lit.Elts) == 0
		}
	case *ast.CompositeLit:
		return 0, len(e.Elts) == 0
	case *ast.CallExpr:
		switch {
		case m.TypesInfo.Types[e.Fun].IsType() && len(e.Args) == 1: // []byte(nil)
			return 0, m.TypesInfo.Types[e.Args[0]].IsNil()
		case m.isBuiltin(e, "new"):
			return 0, m.TypesInfo.Types[e.Args[0]].IsType()
		case m.isBuiltin(e, "make"):
			return m.constSize(e.Args[len(e.Args)-1])
		}
		if f := m.callee(e); f != nil && f.FullName() == "bytes.NewBuffer" {
			return m.madeSize(e.Args[0])
		}
	}
	return 0, false
}

// implied returns the limit of the capacity if a condition is true, or false. since is a statement from which on the
// array must not have grown, if that is earlier than the condition.
func (s *search) implied(cond ast.Expr, truth bool) (l limit, since ast.Stmt, ok bool) {
	switch c := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			return s.implied(c.X, !truth)
		}
	case *ast.BinaryExpr:
		if c.Op != token.LAND && c.Op != token.LOR {
			return s.compared(c, truth)
		}
		return s.impliedByTwo(c, truth)
	case *ast.Ident:
		if value, st := s.definition(c); value != nil {
			l, since, ok := s.implied(value, truth)
			if since == nil {
				since = st
			}
			return l, since, ok && since == st
		}
	case *ast.CallExpr:
		return s.predicate(c, truth)
	}
	return limit{}, nil, false
}

// impliedByTwo returns the limit that follows from conditions that both hold, or one of which holds.
func (s *search) impliedByTwo(c *ast.BinaryExpr, truth bool) (l limit, since ast.Stmt, ok bool) {
	x, sinceX, okX := s.implied(c.X, truth)
	y, sinceY, okY := s.implied(c.Y, truth)
	if (c.Op == token.LAND) == truth { // both hold
		if okX && (!okY || x.size <= y.size) {
			return x, sinceX, true
		}
		return y, sinceY, okY
	}
	if sinceX != nil && sinceY != nil && sinceX != sinceY {
		return limit{}, nil, false
	}
	if x.size < y.size {
		x = y
	}
	if sinceX == nil {
		sinceX = sinceY
	}
	return x, sinceX, okX && okY
}

// compared returns the limit that follows from the comparison of the capacity with a constant.
func (s *search) compared(c *ast.BinaryExpr, truth bool) (l limit, since ast.Stmt, ok bool) {
	size, bound, op := c.X, c.Y, c.Op
	if _, ok := s.isSize(size); !ok {
		size, bound = bound, size
		op = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ, token.EQL: token.EQL, token.NEQ: token.NEQ}[op]
	}
	upper := []token.Token{token.LSS, token.LEQ, token.EQL}
	if !truth {
		upper = []token.Token{token.GTR, token.GEQ, token.NEQ}
	}
	if since, ok = s.isSize(size); !ok || !slices.Contains(upper, op) {
		return limit{}, nil, false
	}
	n, isKnown := s.boundOf(bound)
	if !isKnown || n <= 0 {
		return limit{}, nil, false
	}
	text, ok := s.constText(bound)
	return limit{n, text, c.Pos()}, since, ok
}

// boundOf returns the value of a constant, or of a variable that has a constant from its declaration on. If a variable may
// change, it is noted.
func (m *migration) boundOf(e ast.Expr) (int64, bool) {
	if n, ok := m.constSize(e); ok {
		return n, true
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return 0, false
	}
	v, ok := m.TypesInfo.Uses[id].(*types.Var)
	if !ok || len(m.decls[v]) != 1 {
		return 0, false
	}
	value, known := m.initial(m.decls[v][0])
	if !known {
		return 0, false
	}
	if m.varies = m.changes(v); m.varies != "" {
		return 0, false
	}
	return value, true
}

// initial returns the constant that a declaration gives to a variable.
func (m *migration) initial(name *ast.Ident) (int64, bool) {
	var names, values []ast.Expr
	switch d := m.parent[name].(type) {
	case *ast.ValueSpec:
		for _, n := range d.Names {
			names = append(names, n)
		}
		values = d.Values
	case *ast.AssignStmt:
		names, values = d.Lhs, d.Rhs
	}
	if i := slices.Index(names, ast.Expr(name)); i >= 0 && len(names) == len(values) {
		return m.constSize(values[i])
	}
	return 0, false
}

// changes says how a variable may get another value, or nothing if it cannot.
func (m *migration) changes(v *types.Var) string {
	if v.Exported() && v.Parent() == m.Pkg.Scope() {
		return "which other packages may set"
	}
	for _, other := range m.others {
		if v.Parent() == m.Pkg.Scope() && other.names[v.Name()] {
			return "which " + other.file + " may set"
		}
	}
	for _, use := range m.uses[v] {
		set := false
		switch n := m.parent[m.outer(use)].(type) {
		case *ast.AssignStmt:
			set = slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return ast.Unparen(e) == ast.Expr(use) })
		case *ast.IncDecStmt:
			set = true
		case *ast.UnaryExpr:
			set = n.Op == token.AND
		case *ast.RangeStmt:
			set = ast.Unparen(n.X) != ast.Expr(use)
		}
		if set {
			at := m.Fset.Position(use.Pos())
			return fmt.Sprintf("which %s:%d may set", filepath.Base(at.Filename), at.Line)
		}
	}
	return ""
}

// isSize reports whether an expression is the capacity of the path, or a variable that has it since a statement.
func (s *search) isSize(e ast.Expr) (since ast.Stmt, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if arg := s.values[s.TypesInfo.Uses[e]]; arg != nil {
			return s.isSize(arg)
		}
		value, st := s.definition(e)
		if value == nil {
			return nil, false
		}
		since, ok = s.isSize(value)
		return st, ok && since == nil
	case *ast.CallExpr:
		if tv := s.TypesInfo.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 { // int64(cap(b)); a smaller type could cut it
			b, basic := tv.Type.Underlying().(*types.Basic)
			if !basic || !slices.Contains([]types.BasicKind{types.Int, types.Uint, types.Int64, types.Uint64, types.Float64}, b.Kind()) {
				return nil, false
			}
			return s.isSize(e.Args[0])
		}
		if s.isBuiltin(e, "cap") {
			at, ok := s.place(e.Args[0])
			return nil, ok && at == s.of && isWhole(e.Args[0])
		}
		if f := s.callee(e); f != nil && f.FullName() == "(*bytes.Buffer).Cap" {
			at, ok := s.place(ast.Unparen(e.Fun).(*ast.SelectorExpr).X)
			return nil, ok && at == s.of
		}
	}
	return nil, false
}

// isWhole reports whether an expression is no part of a slice, whose capacity may be less.
func isWhole(e ast.Expr) bool {
	_, part := ast.Unparen(e).(*ast.SliceExpr)
	return !part
}

// definition returns the value of a local variable that is set once, and the statement that sets it.
func (s *search) definition(id *ast.Ident) (value ast.Expr, st ast.Stmt) {
	v, ok := s.TypesInfo.Uses[id].(*types.Var)
	if !ok || len(s.decls[v]) != 1 {
		return nil, nil
	}
	a, ok := s.parent[s.decls[v][0]].(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return nil, nil
	}
	for _, use := range s.uses[v] {
		switch n := s.parent[use].(type) {
		case *ast.AssignStmt:
			if slices.Contains(n.Lhs, ast.Expr(use)) {
				return nil, nil
			}
		case *ast.IncDecStmt:
			return nil, nil
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				return nil, nil
			}
		}
	}
	return a.Rhs[0], a
}

// predicate returns the limit that follows from the result of a function that only returns a condition.
func (s *search) predicate(c *ast.CallExpr, truth bool) (l limit, since ast.Stmt, ok bool) {
	f := s.callee(c)
	if f == nil || s.funcs[f] == nil || s.depth > 0 || f.Signature().Recv() != nil || f.Signature().Variadic() {
		return limit{}, nil, false
	}
	list := s.funcs[f].Body.List
	if len(list) != 1 {
		return limit{}, nil, false
	}
	r, ok := list[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return limit{}, nil, false
	}
	inner := &search{migration: s.migration, depth: 1, values: map[types.Object]ast.Expr{}}
	for i, arg := range c.Args {
		param := f.Signature().Params().At(i)
		if _, ok := s.isSize(arg); ok {
			inner.values[param] = arg
			inner.of = s.of
		} else if at, ok := s.pathOf(arg); ok && at == s.of {
			inner.of = path{param, param.Name()}
			if t := param.Type(); !isBytes(t) && !isStdBuffer(t) {
				inner.of.text = "*" + param.Name()
			}
		}
	}
	if inner.of.root == nil {
		return limit{}, nil, false
	}
	l, since, ok = inner.implied(r.Results[0], truth)
	return l, since, ok && since == nil
}

// harmless reports whether a node lets no array grow: it calls nothing unknown, and does not set the path.
func (s *search) harmless(n ast.Node) bool {
	ok := true
	s.walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				at, isPlace := s.place(l)
				switch {
				case !isPlace || at.root != s.of.root:
				case len(n.Rhs) == len(n.Lhs) && at == s.of:
					from, part := s.place(n.Rhs[i])
					ok = ok && part && from == s.of
				default: // p.n = 0 is harmless, and p = q is not
					ok = ok && !strings.HasPrefix(strings.TrimLeft(s.of.text, "*")+".", strings.TrimLeft(at.text, "*")+".")
				}
			}
		case *ast.CallExpr:
			ok = ok && s.harmlessCall(n)
		case *ast.FuncLit, *ast.GoStmt:
			ok = false
		}
		return ok
	})
	return ok
}

func (s *search) harmlessCall(c *ast.CallExpr) bool {
	if s.TypesInfo.Types[c.Fun].IsType() {
		return true
	}
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
		if _, builtin := s.TypesInfo.Uses[id].(*types.Builtin); builtin {
			return true // a result of append is another array, unless it is assigned to the path
		}
	}
	f := s.callee(c)
	if f == nil {
		return false
	}
	if p := f.Pkg(); p != nil && (p.Path() == "sync" || p.Path() == "sync/atomic" || p.Path() == "unsafe") {
		return true
	}
	return slices.Contains([]string{"(*bytes.Buffer).Reset", "(*bytes.Buffer).Truncate", "(*bytes.Buffer).Len", "(*bytes.Buffer).Cap",
		"(*bytes.Buffer).String", "(*bytes.Buffer).Bytes"}, f.FullName())
}

// constText returns the words of the program for a constant, if they can stand where a pool is declared. It reports false if the
// constant has another value in another build.
func (m *migration) constText(e ast.Expr) (text string, ok bool) {
	ok = true
	global := types.AssignableTo(m.TypesInfo.TypeOf(e), types.Typ[types.Int])
	m.walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			o := m.TypesInfo.Uses[n]
			if _, isConst := o.(*types.Const); !isConst || o.Parent() != m.Pkg.Scope() || strings.HasSuffix(m.Fset.File(o.Pos()).Name(), "_test.go") {
				global = false
			}
			if o != nil && o.Parent() == m.Pkg.Scope() && slices.ContainsFunc(m.others, func(other other) bool { return other.declares[n.Name] }) {
				ok = false
			}
		case *ast.CallExpr, *ast.SelectorExpr:
			global = false
		}
		return true
	})
	if global {
		text = m.source(e)
	}
	return text, ok
}

// fixedSize returns the capacity of all values of a pool, if New makes them with a constant one and nobody lets them grow or puts
// others. Otherwise it returns 0.
func (m *migration) fixedSize(p *pool) int64 {
	if isStdBuffer(p.elem) {
		return 0
	}
	size := int64(0)
	constant := true
	m.walk(p.made.new.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			n, ok := int64(0), m.isBuiltin(c, "make")
			if ok {
				n, ok = m.constSize(c.Args[len(c.Args)-1])
			}
			size, constant = max(size, n), constant && ok
		}
		return true
	})
	if !constant {
		return 0
	}
	for _, put := range p.puts {
		if m.isGet(p, put.Args[0]) {
			continue
		}
		at, ok := m.place(put.Args[0])
		if !ok || !m.keepsArray(p, at.root) {
			return 0
		}
	}
	return size
}

// keepsArray reports whether a variable has the value of a Get, and nothing gives it another array.
func (m *migration) keepsArray(p *pool, o types.Object) bool {
	v, ok := o.(*types.Var)
	if !ok || len(m.decls[v]) != 1 {
		return false
	}
	a, ok := m.parent[m.decls[v][0]].(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || a.Tok != token.DEFINE {
		return false
	}
	if !m.isGet(p, a.Rhs[0]) {
		return false
	}
	for _, id := range m.uses[v] {
		var e ast.Expr = id
		star, ok := m.parent[id].(*ast.StarExpr)
		if ok {
			e = star
		} else if c, isCall := m.parent[id].(*ast.CallExpr); !isBytes(v.Type()) && (!isCall || !slices.Contains(p.puts, c)) {
			return false // somebody else has the pointer
		}
		if m.givesArray(e) {
			return false
		}
	}
	return true
}

// givesArray reports whether the statement around a variable may give it another array, or takes its address.
func (m *migration) givesArray(e ast.Expr) bool {
	switch n := m.parent[m.outer(e)].(type) {
	case *ast.UnaryExpr:
		return true
	case *ast.AssignStmt:
		i := slices.Index(n.Lhs, m.outer(e).(ast.Expr))
		if i < 0 {
			return false
		}
		from, ok := path{}, len(n.Lhs) == len(n.Rhs)
		if ok {
			from, ok = m.place(n.Rhs[i])
		}
		to, _ := m.place(e)
		return !ok || from != to
	case *ast.RangeStmt:
		return n.Key == e || n.Value == e
	}
	return false
}

// sizeText writes a number of bytes as programs do.
func sizeText(n int64) string {
	switch {
	case n == mostMaxSize:
		return "1<<31 - 1"
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d << 30", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d << 20", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d << 10", n>>10)
	}
	return fmt.Sprint(n)
}
