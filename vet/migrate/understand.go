package migrate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go/parser"
)

// An okShape is the statement
//
//	v, ok := pool.Get().(T)
//
// and the only use of ok, which is the condition of an if.
type okShape struct {
	assign *ast.AssignStmt
	cond   ast.Expr // ok or !ok
	not    bool
}

// understand collects what the pool holds, and why it has to stay.
func (m *migration) understand(p *pool) {
	for _, l := range p.made {
		m.literal(p, l)
	}
	for _, e := range p.uses {
		m.use(p, e)
	}
	for _, t := range p.values {
		switch {
		case p.elem == nil:
			p.elem = t
		case !types.Identical(p.elem, t):
			p.stay(p.v.Pos(), "it holds values of types %s and %s", m.text(p.elem), m.text(t))
		}
	}
	if p.elem == nil {
		return
	}
	if isArray(p.elem) {
		// Go 1.26.8 ends with an internal error where a function that is inlined slices
		// such a pointer, which has come from a generic one: bad ptr to array in slice.
		p.stay(p.v.Pos(), "it holds pointers to arrays, and the Go compiler fails to slice those that come from a Pool[%s]", m.text(p.elem))
	}
	if !isBuffer(p.elem) {
		p.stay(p.v.Pos(), "it holds %s", m.text(p.elem))
	}
	news := 0
	for _, l := range p.made {
		if l.new != nil {
			news++
		}
	}
	if news > 0 && news < len(p.made) {
		p.stay(p.v.Pos(), "it is made with New and without")
	}
	if len(p.gets) == 0 {
		p.stay(p.v.Pos(), "nothing is got from it")
	}
	for _, g := range p.gets {
		switch asked := g.ok != nil || g.compared; {
		case news == 0 && !asked:
			p.stay(g.call.Pos(), "it has no New, and the value of Get is not compared with nil")
		case news > 0 && asked: // a nil of its type would be none
			p.stay(g.call.Pos(), "it has New, and yet the program asks whether Get has found something")
		}
	}
	m.alignment(p)
}

func (m *migration) text(t types.Type) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == m.Pkg {
			return ""
		}
		return other.Name()
	})
}

// alignment finds fields behind a pool that are used atomically. On 32 bits a sync.Pool
// has 20 bytes, and a pool of basin a multiple of 8.
func (m *migration) alignment(p *pool) {
	if !p.v.IsField() || !isPool(p.v.Type()) {
		return
	}
	atomic := false
	for _, o := range m.TypesInfo.Uses {
		if f, ok := o.(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && f.Signature().Recv() == nil && strings.HasSuffix(f.Name(), "64") {
			atomic = true
		}
	}
	for _, o := range m.TypesInfo.Defs {
		t, ok := o.(*types.TypeName)
		if !ok {
			continue
		}
		s, ok := t.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		behind := false
		for f := range s.Fields() {
			if behind && (atomic || f.Exported()) && has64(f.Type()) {
				p.stay(f.Pos(), "the field %s behind it may lose its alignment on 32 bits", f.Name())
			}
			behind = behind || f == p.v || atomic && embeds(f.Type(), p.v)
		}
	}
}

// has64 reports whether a value of the type has an integer of 64 bits in it.
func has64(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Int64 || u.Kind() == types.Uint64
	case *types.Array:
		return has64(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if has64(f.Type()) {
				return true
			}
		}
	}
	return false
}

// embeds reports whether a value of the type has the field in it.
func embeds(t types.Type, field *types.Var) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return embeds(u.Elem(), field)
	case *types.Struct:
		for f := range u.Fields() {
			if f == field || embeds(f.Type(), field) {
				return true
			}
		}
	}
	return false
}

// literal looks at how a pool is made.
func (m *migration) literal(p *pool, l *literal) {
	if why := m.asIs[m.file(l.typ.Pos())]; why != "" {
		p.stay(l.typ.Pos(), "it is made %s", why)
	}
	if !m.saysPool(l.typ) {
		p.stay(l.typ.Pos(), "its type has another name")
	}
	if l.assigned && isPool(p.v.Type()) {
		p.stay(l.typ.Pos(), "it is assigned to")
	}
	if l.kv == nil {
		return
	}
	if l.new == nil {
		l.new = m.function(l.kv.Value)
		l.named = l.new != nil
	}
	if l.new == nil {
		if c, ok := m.TypesInfo.Types[l.kv.Value]; !ok || !c.IsNil() {
			p.stay(l.kv.Pos(), "its New is not a function literal")
		} else {
			p.stay(l.kv.Pos(), "its New is nil")
		}
		return
	}
	results := m.results(l.new)
	for _, t := range results {
		if t == nil || types.IsInterface(t) || isTypeParam(t) {
			p.stay(l.new.Pos(), "what New returns is of no one type")
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
	for _, f := range m.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && m.TypesInfo.Defs[fn.Name] == m.TypesInfo.Uses[id] && fn.Body != nil {
				return &ast.FuncLit{Type: fn.Type, Body: fn.Body}
			}
		}
	}
	return nil
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// results returns the types of what a New returns; nil is one that is not known.
func (m *migration) results(fn *ast.FuncLit) []types.Type { return m.returned(fn.Body) }

func (m *migration) returned(body *ast.BlockStmt) (ts []types.Type) {
	for _, r := range returns(body) {
		var t types.Type
		if len(r.Results) == 1 {
			if tv := m.TypesInfo.Types[r.Results[0]]; !tv.IsNil() {
				t = tv.Type
			}
		}
		ts = append(ts, t)
	}
	return ts
}

// returns collects the return statements of a function.
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

// impure returns what in a New may do more than make a value.
func (m *migration) impure(fn *ast.FuncLit) (at token.Pos, what string) {
	bad := func(n ast.Node, why string) {
		if what == "" {
			at, what = n.Pos(), why
		}
	}
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
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if !own(l) {
					bad(n, "an assignment")
				}
			}
		case *ast.IncDecStmt:
			bad(n, "an assignment")
		case *ast.CallExpr:
			if m.TypesInfo.Types[n.Fun].IsType() {
				return true
			}
			for _, name := range []string{"make", "new", "len", "cap", "append", "min", "max"} {
				if m.isBuiltin(n, name) {
					return true
				}
			}
			switch o := m.callee(n); {
			case o == nil:
				bad(n, "a call")
			case o.FullName() == "bytes.NewBuffer" || o.FullName() == "bytes.NewBufferString":
			case o.FullName() == "(*bytes.Buffer).Grow" && own(ast.Unparen(n.Fun).(*ast.SelectorExpr).X):
			default:
				bad(n, "it calls "+o.Name())
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				bad(n, "it receives")
			}
			if _, lit := ast.Unparen(n.X).(*ast.CompositeLit); n.Op == token.AND && !lit && !own(n.X) {
				bad(n, "it takes the address of a variable")
			}
		case *ast.Ident:
			// Something that all calls return would be shared.
			if v, ok := m.TypesInfo.Uses[n].(*types.Var); ok && !own(n) && isPointerLike(v.Type()) {
				kv, key := m.parent[n].(*ast.KeyValueExpr)
				var e ast.Node = n
				if s, ok := m.parent[n].(*ast.SelectorExpr); ok && s.Sel == n {
					e = s
				}
				if s, ok := m.parent[e].(*ast.SelectorExpr); (!ok || s.X != e) && !(key && kv.Key == n) {
					bad(n, "it has the variable "+n.Name)
				}
			}
		case *ast.FuncLit:
			bad(n, "it has another function")
		case *ast.GoStmt, *ast.SendStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
			bad(n, "a statement that is no part of making a value")
		}
		return what == ""
	})
	return at, what
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
			stay("its New is used apart from where it is made")
		case !called:
			stay("its method %s is used as a value", n.Sel.Name)
		case n.Sel.Name == "Get":
			m.get(p, call)
		case n.Sel.Name == "Put":
			m.put(p, call)
		}
	case *ast.KeyValueExpr:
		if !(n.Key == e && m.madeIn(p, n.Value)) {
			stay("it is set to what is not a literal")
		}
	case *ast.AssignStmt:
		i := slices.Index(n.Lhs, e)
		if i < 0 || len(n.Lhs) != len(n.Rhs) || !m.madeIn(p, n.Rhs[i]) {
			stay("it is assigned")
		}
	case *ast.BinaryExpr:
		if !m.TypesInfo.Types[n.X].IsNil() && !m.TypesInfo.Types[n.Y].IsNil() {
			stay("it is compared")
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			stay("its address is taken")
		} else {
			stay("it is used in a way that is not known")
		}
	case *ast.CallExpr:
		stay("it is an argument")
	case *ast.ReturnStmt:
		stay("it is returned")
	default:
		stay("it is used in a way that is not known")
	}
}

func (m *migration) madeIn(p *pool, e ast.Expr) bool {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	return slices.ContainsFunc(p.made, func(l *literal) bool {
		return l.lit != nil && l.lit == e || l.lit == nil && m.parent[l.typ] == e
	})
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
	g := get{call: call}
	value := m.outer(call)
	switch n := m.parent[value].(type) {
	case *ast.TypeAssertExpr:
		if n.Type == nil {
			p.stay(n.Pos(), "a type switch looks at what Get returns")
			return
		}
		t := m.TypesInfo.TypeOf(n.Type)
		switch {
		case isTypeParam(t):
			p.stay(n.Pos(), "Get is for a type parameter")
			return
		case types.IsInterface(t):
			p.stay(n.Pos(), "what Get returns is used through an interface")
			return
		}
		g.asserts = append(g.asserts, n)
		p.values = append(p.values, t)
		if _, both := m.TypesInfo.TypeOf(n).(*types.Tuple); both {
			if g.ok = m.okShape(n); g.ok == nil {
				p.stay(n.Pos(), "whether Get has found something is used in a way that is not known")
				return
			}
		}
	case *ast.AssignStmt:
		var id *ast.Ident
		if n.Tok == token.DEFINE && len(n.Lhs) == 1 {
			id, _ = n.Lhs[0].(*ast.Ident)
		}
		if id == nil || m.TypesInfo.Defs[id] == nil {
			p.stay(call.Pos(), "what Get returns is not asserted at once")
			return
		}
		g.v = m.TypesInfo.Defs[id].(*types.Var)
		if !m.asserted(p, &g) {
			return
		}
	case *ast.ExprStmt:
		p.stay(call.Pos(), "what Get returns is not used")
		return
	default:
		p.stay(call.Pos(), "what Get returns is not asserted at once")
		return
	}
	p.gets = append(p.gets, g)
}

// asserted looks at the uses of g.v, which must be assertions and comparisons with
// nil.
func (m *migration) asserted(p *pool, g *get) bool {
	known := true
	for _, id := range m.usesOf(g.v) {
		switch n := m.parent[m.outer(id)].(type) {
		case *ast.TypeAssertExpr:
			if n.Type == nil || types.IsInterface(m.TypesInfo.TypeOf(n.Type)) {
				known = false
				break
			}
			if _, both := m.TypesInfo.TypeOf(n).(*types.Tuple); both {
				known = false
			}
			g.asserts = append(g.asserts, n)
			p.values = append(p.values, m.TypesInfo.TypeOf(n.Type))
		case *ast.BinaryExpr:
			if (n.Op != token.EQL && n.Op != token.NEQ) || !m.TypesInfo.Types[n.X].IsNil() && !m.TypesInfo.Types[n.Y].IsNil() {
				known = false
			}
			g.compared = true
		case *ast.AssignStmt: // if v == nil { v = make([]byte, n) }
			i := slices.Index(n.Lhs, m.outer(id).(ast.Expr))
			if n.Tok != token.ASSIGN || i < 0 || len(n.Lhs) != len(n.Rhs) || !m.fresh(p, ast.Unparen(n.Rhs[i])) {
				known = false
				break
			}
			p.values = append(p.values, m.TypesInfo.TypeOf(n.Rhs[i]))
		case *ast.CallExpr:
			known = known && m.isPut(p, n)
		default:
			known = false
		}
	}
	if !known {
		p.stay(g.call.Pos(), "what Get returns is used through an interface")
	}
	return known && len(g.asserts) > 0
}

// fresh reports whether an expression is a new value that is not nil.
func (m *migration) fresh(p *pool, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		if m.isBuiltin(e, "make") {
			return true
		}
	case *ast.TypeAssertExpr:
		return false
	}
	return m.made(p, e)
}

// isPut reports whether a call puts into the pool.
func (m *migration) isPut(p *pool, c *ast.CallExpr) bool {
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Put" {
		return false
	}
	var id *ast.Ident
	switch x := ast.Unparen(s.X).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return false
	}
	v, ok := m.TypesInfo.Uses[id].(*types.Var)
	return ok && v.Origin() == p.v
}

// usesOf returns where a variable is used, in the order of the source.
func (m *migration) usesOf(v *types.Var) (ids []*ast.Ident) {
	f := m.file(v.Pos())
	if f == nil {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && m.TypesInfo.Uses[id] == v {
			ids = append(ids, id)
		}
		return true
	})
	return ids
}

// okShape recognises an assertion of two values.
func (m *migration) okShape(a *ast.TypeAssertExpr) *okShape {
	assign, ok := m.parent[m.outer(a)].(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 2 {
		return nil
	}
	value, ok := assign.Lhs[0].(*ast.Ident)
	if !ok || m.TypesInfo.Defs[value] == nil { // _, or one that was there
		return nil
	}
	id, ok := assign.Lhs[1].(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := m.TypesInfo.Defs[id].(*types.Var)
	if !ok {
		return nil
	}
	uses := m.usesOf(v)
	if len(uses) != 1 {
		return nil
	}
	s := &okShape{assign: assign, cond: uses[0]}
	if not, ok := m.parent[uses[0]].(*ast.UnaryExpr); ok && not.Op == token.NOT {
		s.cond, s.not = not, true
	}
	branch, ok := m.parent[s.cond].(*ast.IfStmt)
	if !ok || branch.Cond != s.cond {
		return nil
	}
	if branch.Init == assign {
		return s
	}
	list := statements(m.parent[assign])
	if i := slices.Index(list, ast.Stmt(assign)); i < 0 || i+1 == len(list) || list[i+1] != branch || branch.Init != nil {
		return nil
	}
	return s
}

// statements returns those of a block, or of a case.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

func (m *migration) put(p *pool, call *ast.CallExpr) {
	if len(call.Args) != 1 {
		p.stay(call.Pos(), "Put is called in a way that is not known")
		return
	}
	tv := m.TypesInfo.Types[call.Args[0]]
	switch {
	case tv.IsNil():
		p.stay(call.Pos(), "nil is put")
		return
	case isTypeParam(tv.Type):
		p.stay(call.Pos(), "Put is for a type parameter")
		return
	case types.IsInterface(tv.Type):
		// What a variable of Get's has gets another type with it.
		if id, ok := ast.Unparen(call.Args[0]).(*ast.Ident); ok && slices.ContainsFunc(p.gets, func(g get) bool { return g.v != nil && m.TypesInfo.Uses[id] == g.v }) {
			p.puts = append(p.puts, call)
			return
		}
		p.stay(call.Pos(), "what is put is in an interface")
		return
	}
	p.values = append(p.values, tv.Type)
	p.puts = append(p.puts, call)
}

// Others are files of the package's directories that are not of the package now.
type other struct {
	file  string
	names map[string]bool
}

func (m *migration) others() (others []other) {
	here, dirs := map[string]bool{}, map[string]bool{}
	for _, f := range m.Files {
		name := m.Fset.File(f.FileStart).Name()
		here[name] = true
		dirs[filepath.Dir(name)] = true
		dirs[filepath.Dir(m.Fset.PositionFor(f.Package, true).Filename)] = true // with cgo
	}
	for dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			assembly := strings.HasSuffix(name, ".s")
			if here[name] || !strings.HasSuffix(name, ".go") && !assembly {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			o := other{e.Name(), map[string]bool{}}
			f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution|parser.ParseComments)
			switch {
			case assembly || err != nil:
				for _, w := range strings.FieldsFunc(string(data), func(r rune) bool { return strings.ContainsRune(" \t\r\n·+()$,;.<>{}[]\"*&:=!", r) }) {
					o.names[w] = true
				}
			case f.Name.Name != m.Pkg.Name():
				continue
			default:
				ast.Inspect(f, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						o.names[id.Name] = true
					}
					return true
				})
			}
			others = append(others, o)
		}
	}
	for _, f := range m.Files {
		for _, g := range f.Comments {
			for _, c := range g.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") {
					o := other{filepath.Base(m.Fset.File(f.FileStart).Name()), map[string]bool{}}
					for _, w := range strings.Fields(c.Text) {
						o.names[w] = true
					}
					others = append(others, o)
				}
			}
		}
	}
	slices.SortFunc(others, func(a, b other) int { return strings.Compare(a.file, b.file) })
	return others
}

// constSize returns the value of an expression that is a constant number of bytes.
func (m *migration) constSize(e ast.Expr) (int64, bool) {
	tv := m.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(tv.Value)
}
