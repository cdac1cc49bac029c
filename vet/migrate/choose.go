package migrate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
)

// Limits of the library's, which this module does not import.
const (
	defaultMaxSize = 4 << 20
	mostMaxSize    = math.MaxInt32
)

// choose finds the kind of pool that keeps what the program does.
//
// A sync.Pool may find itself empty at any Get, so a program that is right is right
// with what New makes at every Get. That is an empty buffer here, or else the pool has
// to keep what New and Put say: a Pool[T].
func (m *migration) choose(p *pool) {
	p.target = generic
	if !isStdBuffer(p.elem) || len(p.made) == 0 {
		return
	}
	for i, l := range p.made {
		size, ok := "", false
		if l.new != nil {
			size, ok = m.emptyBuffer(l.new)
		}
		if !ok || i > 0 && size != p.size {
			return
		}
		p.size = size
	}
	p.target = std
	if m.onlyHandles(p) {
		p.target = handles
	}
}

// emptyBuffer reports whether a New returns an empty bytes.Buffer, and the expression
// of its capacity, if any.
func (m *migration) emptyBuffer(fn *ast.FuncLit) (size string, ok bool) {
	list := fn.Body.List
	r, ok := list[len(list)-1].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return "", false
	}
	value := ast.Unparen(r.Results[0])
	switch len(list) {
	case 1:
		return m.emptyValue(value)
	case 2, 3: // b := new(bytes.Buffer); b.Grow(n); return b
		if size, ok = m.emptyVariable(list[0], value); !ok || len(list) == 2 {
			return size, ok
		}
		e, ok := list[1].(*ast.ExprStmt)
		if !ok || size != "" {
			return "", false
		}
		c, ok := e.X.(*ast.CallExpr)
		if !ok {
			return "", false
		}
		if f := m.callee(c); f == nil || f.FullName() != "(*bytes.Buffer).Grow" {
			return "", false
		}
		return m.capacity(c.Args[0])
	}
	return "", false
}

// emptyVariable reports whether a statement declares a variable that is an empty bytes.Buffer, and
// a value is the pointer to that.
func (m *migration) emptyVariable(s ast.Stmt, value ast.Expr) (size string, ok bool) {
	address, pointer := value.(*ast.UnaryExpr)
	if pointer {
		value = ast.Unparen(address.X)
	}
	b, ok := value.(*ast.Ident)
	if !ok || m.TypesInfo.Uses[b] == nil {
		return "", false
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 || m.TypesInfo.Uses[b] != m.TypesInfo.ObjectOf(s.Lhs[0].(*ast.Ident)) {
			return "", false
		}
		if lit, ok := ast.Unparen(s.Rhs[0]).(*ast.CompositeLit); ok { // b := bytes.Buffer{}
			return "", pointer && len(lit.Elts) == 0
		}
		return m.emptyValue(ast.Unparen(s.Rhs[0]))
	case *ast.DeclStmt: // var b bytes.Buffer
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 0 && m.TypesInfo.Uses[b] == m.TypesInfo.Defs[v.Names[0]] {
				return "", pointer
			}
		}
	}
	return "", false
}

// emptyValue reports whether an expression is an empty bytes.Buffer.
func (m *migration) emptyValue(e ast.Expr) (size string, ok bool) {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return "", ok && e.Op == token.AND && len(lit.Elts) == 0
	case *ast.CallExpr:
		if m.isBuiltin(e, "new") {
			return "", m.TypesInfo.Types[e.Args[0]].IsType()
		}
		f := m.callee(e)
		if f == nil {
			return "", false
		}
		arg := ast.Unparen(e.Args[0])
		switch f.FullName() {
		case "bytes.NewBufferString":
			tv := m.TypesInfo.Types[arg]
			return "", tv.Value != nil && tv.Value.ExactString() == `""`
		case "bytes.NewBuffer":
			if m.TypesInfo.Types[arg].IsNil() {
				return "", true
			}
			if lit, ok := arg.(*ast.CompositeLit); ok {
				return "", len(lit.Elts) == 0
			}
			c, ok := arg.(*ast.CallExpr)
			if !ok || !m.isBuiltin(c, "make") {
				return "", false
			}
			if n, ok := m.constSize(c.Args[1]); !ok || n != 0 {
				return "", false
			}
			if len(c.Args) == 2 {
				return "", true
			}
			return m.capacity(c.Args[2])
		}
	}
	return "", false
}

// capacity returns the words for a capacity that a pool can be given.
func (m *migration) capacity(e ast.Expr) (size string, ok bool) {
	n, ok := m.constSize(e)
	if !ok || n < 0 || n > mostMaxSize {
		return "", false
	}
	if n == 0 {
		return "", true
	}
	if !types.AssignableTo(m.TypesInfo.TypeOf(e), types.Typ[types.Int]) {
		return fmt.Sprint(n), true
	}
	for _, l := range m.pools { // the words may mean something else in another place
		for _, made := range l.made {
			if made.new != nil && m.holds(made.new, e) && (made.named || m.mentionsLocal(e, made.new)) {
				return fmt.Sprint(n), true
			}
		}
	}
	return m.source(e), true
}

// mentionsLocal reports whether an expression has a name that is declared in fn.
func (m *migration) mentionsLocal(e ast.Expr, fn *ast.FuncLit) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := m.TypesInfo.Uses[id]; o != nil && fn.Pos() <= o.Pos() && o.Pos() < fn.End() {
				found = true
			}
		}
		return true
	})
	return found
}

// Methods of bytes.Buffer that a basin.Buffer has too, with results that refer to
// nothing.
var plainMethods = []string{"Available", "Cap", "Grow", "Len", "ReadFrom", "Reset", "String", "Truncate", "Write", "WriteByte", "WriteRune", "WriteString"}

// Functions that only write to their first argument.
var writers = []string{"fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "io.WriteString"}

// onlyHandles reports whether nobody sees of the buffers that they are bytes.Buffers,
// and nothing refers to their contents while they change. Each is in a variable of one function that
// has been set once.
func (m *migration) onlyHandles(p *pool) bool {
	known := map[*types.Var]bool{}
	for _, g := range p.gets {
		if g.ok != nil || g.v != nil || len(g.asserts) != 1 {
			return false
		}
		a, ok := m.parent[m.outer(g.asserts[0])].(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 {
			return false
		}
		v, ok := m.TypesInfo.Defs[a.Lhs[0].(*ast.Ident)].(*types.Var)
		if !ok {
			return false
		}
		known[v] = true
	}
	for _, put := range p.puts {
		id, ok := ast.Unparen(put.Args[0]).(*ast.Ident)
		if !ok {
			return false
		}
		v, ok := m.TypesInfo.Uses[id].(*types.Var)
		if !ok || !known[v] {
			return false
		}
	}
	for v := range known {
		for _, id := range m.usesOf(v) {
			if !m.plainUse(p, id) {
				return false
			}
		}
		if !m.putLast(p, v) {
			return false
		}
	}
	return true
}

// plainUse reports whether a use of a buffer is the same with a basin.Buffer.
func (m *migration) plainUse(p *pool, id *ast.Ident) bool {
	deferred := false
	for n := m.parent[id]; n != nil; n = m.parent[n] {
		fn, ok := n.(*ast.FuncLit)
		if !ok {
			continue
		}
		if fn.Pos() <= m.TypesInfo.Uses[id].Pos() && m.TypesInfo.Uses[id].Pos() < fn.End() {
			break // the function that has the variable
		}
		c, ok := m.parent[fn].(*ast.CallExpr)
		if !ok || c.Fun != fn {
			return false
		}
		if d, ok := m.parent[c].(*ast.DeferStmt); !ok || d.Call != c {
			return false
		}
		deferred = true
	}
	switch n := m.parent[id].(type) {
	case *ast.SelectorExpr:
		c, ok := m.parent[n].(*ast.CallExpr)
		if !ok || c.Fun != n {
			return false
		}
		if _, async := m.parent[c].(*ast.GoStmt); async {
			return false
		}
		name := n.Sel.Name
		if deferred {
			return name == "Reset" || name == "Cap" || name == "Len"
		}
		if _, late := m.parent[c].(*ast.DeferStmt); late {
			return name == "Reset"
		}
		if name == "Bytes" {
			return m.copied(c)
		}
		return slices.Contains(plainMethods, name)
	case *ast.CallExpr:
		if slices.Contains(p.puts, n) {
			return true
		}
		switch m.parent[n].(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			return false
		}
		f := m.callee(n)
		return !deferred && f != nil && len(n.Args) > 0 && n.Args[0] == id && slices.Contains(writers, f.FullName())
	}
	return false
}

// copied reports whether nothing refers to the slice that a call returns after the
// expression that it is in.
func (m *migration) copied(c *ast.CallExpr) bool {
	outer, ok := m.parent[m.outer(c)].(*ast.CallExpr)
	if !ok || !slices.Contains(outer.Args, ast.Expr(c)) {
		return false
	}
	if tv := m.TypesInfo.Types[outer.Fun]; tv.IsType() {
		b, ok := tv.Type.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsString != 0
	}
	last := outer.Args[len(outer.Args)-1] == c
	switch {
	case m.isBuiltin(outer, "len"):
		return true
	case m.isBuiltin(outer, "append"):
		return last && len(outer.Args) == 2 && outer.Ellipsis.IsValid()
	case m.isBuiltin(outer, "copy"):
		return last
	}
	f := m.callee(outer)
	return f != nil && f.FullName() == "bytes.Clone"
}

// putLast reports whether a buffer is not used after it is put: each Put is deferred,
// or what follows it in the source is no use in that function, or the Put is followed by
// a return.
func (m *migration) putLast(p *pool, v *types.Var) bool {
	uses := m.usesOf(v)
	for _, put := range p.puts {
		id := ast.Unparen(put.Args[0]).(*ast.Ident)
		if m.TypesInfo.Uses[id] != v {
			continue
		}
		s, ok := m.parent[put].(ast.Stmt)
		if !ok {
			return false
		}
		if _, ok := s.(*ast.DeferStmt); ok {
			if m.inLoop(s, v) {
				return false
			}
			continue
		}
		if m.inLoop(s, v) {
			return false
		}
		if fn := m.deferred(s); fn != nil && v.Pos() < fn.Pos() {
			if m.inLoop(s, v) || slices.ContainsFunc(uses, func(id *ast.Ident) bool { return m.holds(fn, id) && id.Pos() > s.End() }) {
				return false
			}
			continue
		}
		list := statements(m.parent[s])
		i := slices.Index(list, s)
		if i >= 0 && i+1 < len(list) {
			if r, ok := list[i+1].(*ast.ReturnStmt); ok && !slices.ContainsFunc(uses, func(id *ast.Ident) bool { return m.holds(r, id) }) {
				continue
			}
		}
		if slices.ContainsFunc(uses, func(id *ast.Ident) bool { return id.Pos() > s.End() }) {
			return false
		}
	}
	return true
}

// deferred returns the function literal that a statement is in, if that is deferred.
func (m *migration) deferred(s ast.Node) *ast.FuncLit {
	for n := m.parent[s]; n != nil; n = m.parent[n] {
		fn, ok := n.(*ast.FuncLit)
		if !ok {
			continue
		}
		c, ok := m.parent[fn].(*ast.CallExpr)
		if !ok || c.Fun != fn {
			return nil
		}
		if _, ok := m.parent[c].(*ast.DeferStmt); !ok {
			return nil
		}
		return fn
	}
	return nil
}

// inLoop reports whether a statement is in a loop that does not declare v, or in a
// function with labels.
func (m *migration) inLoop(s ast.Node, v *types.Var) bool {
	for n := m.parent[s]; n != nil; n = m.parent[n] {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
			if v.Pos() < n.Pos() || v.Pos() >= n.End() {
				return true
			}
		case *ast.FuncDecl:
			return false
		}
	}
	return false
}

// nonNil reports whether what is put cannot be a nil pointer, as far as the function
// itself shows.
func (m *migration) nonNil(p *pool, put *ast.CallExpr) bool {
	arg := ast.Unparen(put.Args[0])
	if m.made(p, arg) {
		return true
	}
	id, ok := arg.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := m.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Parent() == nil || v.Parent() == m.Pkg.Scope() {
		return false
	}
	sets, derefs := 0, false
	good, begins := true, false // begins: where it is declared it is set
	ast.Inspect(m.file(v.Pos()), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if x, ok := ast.Unparen(l).(*ast.Ident); ok && m.TypesInfo.ObjectOf(x) == v {
					sets++
					begins = begins || m.TypesInfo.Defs[x] == v
					if len(n.Lhs) != len(n.Rhs) || !m.made(p, ast.Unparen(n.Rhs[i])) {
						good = false
					}
				}
			}
		case *ast.UnaryExpr:
			if x, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND && m.TypesInfo.Uses[x] == v {
				good, sets = false, sets+2 // somebody else may set it
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if x, ok := e.(*ast.Ident); ok && m.TypesInfo.ObjectOf(x) == v {
					good, sets = false, sets+2
				}
			}
		}
		return true
	})
	if begins && good {
		return true
	}
	for n := ast.Node(put); n != nil; n = m.parent[n] {
		s, ok := n.(ast.Stmt)
		if _, inner := n.(*ast.FuncLit); inner && !(v.Pos() >= n.Pos() && v.Pos() < n.End()) {
			break // what is dereferenced outside may come later
		}
		if !ok {
			continue
		}
		for _, before := range statements(m.parent[s]) {
			if before == s {
				break
			}
			derefs = derefs || m.dereferences(before, v)
		}
	}
	return derefs && sets == 0
}

// made reports whether an expression is a pointer that is not nil.
func (m *migration) made(p *pool, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.TypeAssertExpr:
		if !slices.ContainsFunc(p.made, func(l *literal) bool { return l.new != nil }) { // Get returns nil
			return false
		}
		return slices.ContainsFunc(p.gets, func(g get) bool { return g.v == nil && g.ok == nil && slices.Contains(g.asserts, e) })
	case *ast.CallExpr:
		if m.isBuiltin(e, "new") {
			return true
		}
		f := m.callee(e)
		return f != nil && (f.FullName() == "bytes.NewBuffer" || f.FullName() == "bytes.NewBufferString")
	}
	return false
}

// dereferences reports whether a statement, when it runs, dereferences a pointer first
// or panics.
func (m *migration) dereferences(s ast.Stmt, v *types.Var) bool {
	var look ast.Node
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt:
		look = s
	case *ast.IfStmt:
		if s.Init != nil {
			return m.dereferences(s.Init, v)
		}
		look = s.Cond
	default:
		return false
	}
	found := false
	ast.Inspect(look, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				found = found || m.derefs(n.X, v)
				return false
			}
		case *ast.StarExpr, *ast.SelectorExpr:
			found = found || m.derefs(n, v)
		}
		return true
	})
	return found
}

// derefs reports whether an expression itself, or a part that is always evaluated, is *v or
// a call of a method of v that reads it.
func (m *migration) derefs(n ast.Node, v *types.Var) bool {
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && m.TypesInfo.Uses[id] == v
	}
	switch n := n.(type) {
	case *ast.StarExpr:
		return is(n.X)
	case *ast.SelectorExpr:
		// String of a nil *bytes.Buffer does not panic.
		return is(n.X) && isStdBuffer(v.Type()) && n.Sel.Name != "String"
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			return m.derefs(n.X, v)
		}
		return m.derefs(n.X, v) || m.derefs(n.Y, v)
	case *ast.CallExpr:
		if m.derefs(n.Fun, v) {
			return true
		}
		return slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return m.derefs(e, v) })
	case *ast.ParenExpr:
		return m.derefs(n.X, v)
	}
	return false
}
