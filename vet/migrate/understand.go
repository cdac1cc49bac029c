package migrate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// understand collects the type of a pool's values, and the reasons for it to stay.
func (m *migration) understand(p *pool) {
	if p.made != nil {
		m.literal(p, p.made)
	}
	for _, e := range p.uses {
		m.use(p, e)
	}
	for _, t := range p.values {
		switch {
		case p.elem == nil:
			p.elem = t
		case t != nil && !types.Identical(p.elem, t):
			p.stay(p.v.Pos(), "it holds values of types %s and %s", m.text(p.elem), m.text(t))
		}
	}
	p.values = slices.DeleteFunc(p.values, func(t types.Type) bool { return t == nil })
	switch {
	case p.elem == nil:
		p.stay(p.v.Pos(), "the type of its values is not known")
	case isArray(p.elem):
		// The compiler of Go 1.26.8 fails (bad ptr to array in slice) where an inlined
		// function slices such a pointer that a generic function has returned.
		p.stay(p.v.Pos(), "it holds pointers to arrays, and the Go compiler fails to slice those that come from a Pool[%s]", m.text(p.elem))
	case !isBuffer(p.elem):
		p.stay(p.v.Pos(), "it holds values of type %s, which is no buffer", m.text(p.elem))
	case !m.isGlobal(p.elem):
		p.stay(p.v.Pos(), "the type of its values is declared in a function")
	case len(p.gets) == 0:
		p.stay(p.v.Pos(), "nobody calls its Get")
	}
}

// isGlobal reports whether no part of a buffer's type is declared in a function, so that the type can be named where
// the pool is declared.
func (m *migration) isGlobal(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return true
	case *types.Pointer:
		return m.isGlobal(t.Elem())
	case *types.Slice:
		return m.isGlobal(t.Elem())
	case *types.Alias:
		return t.TypeArgs() == nil && (t.Obj().Pkg() == nil || t.Obj().Parent() == t.Obj().Pkg().Scope()) && m.isGlobal(types.Unalias(t))
	case *types.Named:
		return t.TypeArgs() == nil && t.Obj().Parent() == t.Obj().Pkg().Scope()
	}
	return false
}

func (m *migration) text(t types.Type) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == m.Pkg {
			return ""
		}
		return other.Name()
	})
}

// literal looks at how a pool is made.
func (m *migration) literal(p *pool, l *literal) {
	if why := m.asIs[m.file(l.typ.Pos())]; why != "" {
		p.stay(l.typ.Pos(), "it is made %s", why)
	}
	if !m.saysPool(l.typ) {
		p.stay(l.typ.Pos(), "its type is not written as sync.Pool")
	}
	switch {
	case l.kv == nil || m.TypesInfo.Types[l.kv.Value].IsNil():
		p.stay(l.typ.Pos(), "it has no New, so that Get returns nil when nothing is idle")
		return
	case l.new == nil:
		p.stay(l.kv.Pos(), "its New is not a function literal")
		return
	}
	results := m.returned(l.new.Body)
	for _, t := range results {
		if t == nil || types.IsInterface(t) || isTypeParam(t) {
			p.stay(l.new.Pos(), "the type that New returns is not known")
			continue
		}
		p.values = append(p.values, t)
	}
	if r := l.new.Type.Results.List[0]; len(r.Names) > 0 {
		p.stay(l.new.Pos(), "New has a named result")
	}
	if len(results) == 0 {
		p.stay(l.new.Pos(), "New returns nothing")
	}
	if at, what := m.impure(l.new); what != "" {
		p.stay(at, "New does more than make a value: %s", what)
	}
}

// function returns the function of the package that an expression is, as a literal.
func (m *migration) function(e ast.Expr) *ast.FuncLit {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	if f, ok := m.TypesInfo.Uses[id].(*types.Func); ok && m.funcs[f] != nil {
		return &ast.FuncLit{Type: m.funcs[f].Type, Body: m.funcs[f].Body}
	}
	return nil
}

// returned returns the types of the values that a function returns; nil is one that is not known.
func (m *migration) returned(body *ast.BlockStmt) (ts []types.Type) {
	for _, r := range returns(body) {
		var t types.Type
		if len(r.Results) == 1 {
			if tv := m.TypesInfo.Types[r.Results[0]]; !tv.IsNil() && !types.IsInterface(tv.Type) {
				t = tv.Type
			}
		}
		ts = append(ts, t)
	}
	return ts
}

func returns(body *ast.BlockStmt) (rs []*ast.ReturnStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			rs = append(rs, r)
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	return rs
}

// impure returns a part of a New that may do more than make a value.
func (m *migration) impure(fn *ast.FuncLit) (at token.Pos, what string) {
	own := func(e ast.Expr) bool { // a variable of fn's
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return false
		}
		if id.Name == "_" {
			return true
		}
		o := m.TypesInfo.ObjectOf(id)
		return o != nil && fn.Body.Pos() <= o.Pos() && o.Pos() < fn.Body.End()
	}
	m.walk(fn.Body, func(n ast.Node) bool {
		if why := m.impurity(n, own); why != "" && what == "" {
			at, what = n.Pos(), why
		}
		return what == ""
	})
	return at, what
}

// impurity says what a node does that a function must not do which may run more or less often, or nothing.
func (m *migration) impurity(n ast.Node, own func(ast.Expr) bool) string {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return !own(e) }) {
			return "an assignment"
		}
	case *ast.IncDecStmt:
		return "an assignment"
	case *ast.CallExpr:
		return m.impureCall(n, own)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "it receives from a channel"
		}
		if _, lit := ast.Unparen(n.X).(*ast.CompositeLit); n.Op == token.AND && !lit && !own(n.X) {
			return "it takes the address of a variable"
		}
	case *ast.Ident:
		// Something that all calls return would be shared.
		if v, ok := m.TypesInfo.Uses[n].(*types.Var); ok && !own(n) && isPointerLike(v.Type()) && !m.isSelected(n) {
			return "it uses the variable " + n.Name
		}
	case *ast.FuncLit:
		return "it has a function literal"
	case *ast.GoStmt, *ast.SendStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
		return "it has a loop, a label, or a go, defer, send or select statement"
	}
	return ""
}

// isSelected reports whether only a field or method of a variable is used, or the identifier is the key of a literal.
func (m *migration) isSelected(id *ast.Ident) bool {
	if kv, ok := m.parent[id].(*ast.KeyValueExpr); ok && kv.Key == id {
		return true
	}
	var e ast.Node = id
	if s, ok := m.parent[id].(*ast.SelectorExpr); ok && s.Sel == id {
		e = s
	}
	s, ok := m.parent[e].(*ast.SelectorExpr)
	return ok && s.X == e
}

// impureCall says which function a call calls that may not run more or less often, or nothing.
func (m *migration) impureCall(c *ast.CallExpr, own func(ast.Expr) bool) string {
	if m.TypesInfo.Types[c.Fun].IsType() || slices.ContainsFunc([]string{"make", "new", "len", "cap", "append", "min", "max"}, func(name string) bool { return m.isBuiltin(c, name) }) {
		return ""
	}
	switch o := m.callee(c); {
	case o == nil:
		switch f := ast.Unparen(c.Fun).(type) {
		case *ast.Ident:
			return "it calls " + f.Name
		case *ast.SelectorExpr: // also of unsafe, whose functions are builtins
			return "it calls " + types.ExprString(f)
		}
		return "it calls a function value"
	case o.FullName() == "bytes.NewBuffer" || o.FullName() == "bytes.NewBufferString":
	case o.FullName() == "(*bytes.Buffer).Grow" && own(ast.Unparen(c.Fun).(*ast.SelectorExpr).X):
	default:
		return "it calls " + o.Name()
	}
	return ""
}

func isPointerLike(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	}
	return false
}

// callee returns the function or method that is called, if it is known.
func (m *migration) callee(c *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, _ := m.TypesInfo.Uses[id].(*types.Func)
	return f
}

// use looks at a use of a pool, other than where it is made.
func (m *migration) use(p *pool, e ast.Expr) {
	stay := func(format string, args ...any) { p.stay(e.Pos(), format, args...) }
	if why := m.asIs[m.file(e.Pos())]; why != "" {
		stay("it is used %s", why)
	}
	switch n := m.parent[e].(type) {
	case *ast.SelectorExpr:
		call, ok := m.parent[n].(*ast.CallExpr)
		called := ok && call.Fun == n
		switch {
		case n.Sel.Name == "New":
			stay("its field New is used elsewhere")
		case !called:
			stay("its method %s is used as a value", n.Sel.Name)
		case n.Sel.Name == "Get":
			m.get(p, call)
		case n.Sel.Name == "Put":
			m.put(p, call)
		}
	case *ast.AssignStmt:
		stay("it is used in an assignment")
	case *ast.BinaryExpr:
		stay("it is compared")
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			stay("its address is taken")
		} else {
			stay("it has a use other than Get and Put")
		}
	case *ast.CallExpr:
		stay("it is passed to a function")
	case *ast.ReturnStmt:
		stay("it is returned")
	default:
		stay("it has a use other than Get and Put")
	}
}

func (m *migration) outer(e ast.Node) ast.Node {
	for {
		p, ok := m.parent[e].(*ast.ParenExpr)
		if !ok {
			return e
		}
		e = p
	}
}

func (m *migration) get(p *pool, call *ast.CallExpr) {
	switch n := m.parent[m.outer(call)].(type) {
	case *ast.TypeAssertExpr:
		p.values = append(p.values, m.asserted(n)...)
		if n.Type == nil {
			p.stay(n.Pos(), "a type switch looks at the result of Get")
			return
		}
		t := m.TypesInfo.TypeOf(n.Type)
		switch _, both := m.TypesInfo.TypeOf(n).(*types.Tuple); {
		case isTypeParam(t):
			p.stay(n.Pos(), "the result of Get is asserted to a type parameter")
		case types.IsInterface(t):
			p.stay(n.Pos(), "the result of Get is asserted to an interface")
		case both:
			p.stay(n.Pos(), "the program asks whether the result of Get is a %s", m.text(t))
		default:
			p.gets = append(p.gets, get{call: call, asserts: []*ast.TypeAssertExpr{n}})
			m.direct[n] = p
		}
	case *ast.ExprStmt:
		p.stay(call.Pos(), "the result of Get is not used")
	case *ast.AssignStmt:
		if !m.getLater(p, call, n) {
			p.stay(call.Pos(), "the result of Get is not asserted at once")
		}
	default:
		p.stay(call.Pos(), "the result of Get is not asserted at once")
	}
}

// getLater looks at the uses of the variable that a call of Get is assigned to, and reports whether each is an assertion,
// which cannot fail then, or a Put.
func (m *migration) getLater(p *pool, call *ast.CallExpr, a *ast.AssignStmt) bool {
	id, ok := a.Lhs[0].(*ast.Ident)
	if !ok || len(a.Lhs) != 1 {
		return false
	}
	v, ok := m.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok {
		return false
	}
	g := get{call: call, v: v}
	known := m.TypesInfo.Defs[id] == v
	for _, use := range m.uses[v] {
		switch n := m.parent[m.outer(use)].(type) {
		case *ast.TypeAssertExpr:
			p.values = append(p.values, m.asserted(n)...)
			_, both := m.TypesInfo.TypeOf(n).(*types.Tuple)
			known = known && n.Type != nil && !both && !types.IsInterface(m.TypesInfo.TypeOf(n.Type))
			g.asserts = append(g.asserts, n)
		case *ast.CallExpr:
			known = known && m.isPut(p, n)
		default:
			known = false
		}
	}
	p.gets = append(p.gets, g)
	return known && len(g.asserts) > 0
}

// isPut reports whether a call puts into the pool.
func (m *migration) isPut(p *pool, c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Put" {
		return false
	}
	id, ok := ast.Unparen(s.X).(*ast.Ident)
	return ok && m.TypesInfo.Uses[id] == p.v
}

// setByGet reports whether an object is a variable that is declared with the result of
// the pool's Get.
func (m *migration) setByGet(p *pool, o types.Object) bool {
	if len(m.decls[o]) == 0 {
		return false
	}
	a, ok := m.parent[m.decls[o][0]].(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 {
		return false
	}
	c, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Get" {
		return false
	}
	id, ok := ast.Unparen(s.X).(*ast.Ident)
	return ok && m.TypesInfo.Uses[id] == p.v
}

func isEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && !isTypeParam(t) && i.Empty()
}

// asserted returns the types that an assertion, or the type switch that it is of, asks for, other than any.
func (m *migration) asserted(a *ast.TypeAssertExpr) (ts []types.Type) {
	asked := []ast.Expr{a.Type}
	if a.Type == nil {
		asked = nil
		n := m.parent[a]
		for ; n != nil; n = m.parent[n] {
			if s, ok := n.(*ast.TypeSwitchStmt); ok {
				for _, c := range s.Body.List {
					asked = append(asked, c.(*ast.CaseClause).List...)
				}
				break
			}
		}
	}
	for _, e := range asked {
		if t := m.TypesInfo.TypeOf(e); t != nil && !m.TypesInfo.Types[e].IsNil() && !isEmptyInterface(t) {
			ts = append(ts, t)
		}
	}
	return ts
}

// usesOf returns where a variable is used, in the order of the source.
func (m *migration) usesOf(v *types.Var) []*ast.Ident { return m.uses[v] }

func (m *migration) put(p *pool, call *ast.CallExpr) {
	tv := m.TypesInfo.Types[call.Args[0]]
	switch {
	case tv.IsNil():
		p.stay(call.Pos(), "nil is put")
		return
	case isTypeParam(tv.Type):
		p.values = append(p.values, tv.Type)
		p.stay(call.Pos(), "the value put is of a type parameter")
		return
	case types.IsInterface(tv.Type):
		// A variable that is declared with the result of Get has its type.
		if id, ok := ast.Unparen(call.Args[0]).(*ast.Ident); ok && m.setByGet(p, m.TypesInfo.Uses[id]) {
			p.puts = append(p.puts, call)
			return
		}
		if !isEmptyInterface(tv.Type) {
			p.values = append(p.values, tv.Type)
		}
		p.stay(call.Pos(), "the value put is in an interface")
		return
	}
	p.values = append(p.values, tv.Type)
	p.puts = append(p.puts, call)
}

// constSize returns the value of an expression that is a constant number of bytes.
func (m *migration) constSize(e ast.Expr) (int64, bool) {
	tv := m.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(tv.Value)
}
