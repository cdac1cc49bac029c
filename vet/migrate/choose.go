package migrate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"

	"github.com/basin-go/basin/vet/internal/effects"
)

// Limits of basin, which this module does not import.
const (
	defaultMaxSize = 4 << 20
	mostMaxSize    = math.MaxInt32
)

// choose finds the kind of pool that keeps the program's behaviour. A Pool[T] hands out values of
// New and Put as they are, with their capacity. A BufferPool hands out empty buffers of any
// capacity, so the program must look neither at the capacity nor at a buffer's former contents.
func (m *migration) choose(p *pool) {
	p.target = generic
	if size, ok := m.emptyBuffer(p.made); ok && isStdBuffer(p.elem) && !m.hasVariables(p.made.new) && m.resets(p) && m.onlyHandles(p) {
		p.size, p.target = size, handles
	}
}

// hasVariables reports whether a New mentions variables of the package. Go initializes these before whatever uses the
// pool; a BufferPool has no New that mentions them.
func (m *migration) hasVariables(fn *ast.FuncLit) (found bool) {
	m.walk(fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := m.TypesInfo.Uses[id].(*types.Var)
			found = found || ok && v.Parent() == m.Pkg.Scope()
		}
		return true
	})
	return found
}

// emptyBuffer reports whether a New returns an empty bytes.Buffer, and the expression
// of its capacity, if any.
func (m *migration) emptyBuffer(l *literal) (size string, ok bool) {
	list := l.new.Body.List
	r, ok := list[len(list)-1].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return "", false
	}
	value := ast.Unparen(r.Results[0])
	switch len(list) {
	case 1:
		return m.emptyValue(l, value)
	case 2, 3: // b := new(bytes.Buffer); b.Grow(n); return b
		if size, ok = m.emptyVariable(l, list[0], value); !ok || len(list) == 2 {
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
		return m.capacity(l, c.Args[0])
	}
	return "", false
}

// deferredWith reports whether a use of a variable is in a function literal that is deferred. It reports false if there is
// another literal around it.
func (m *migration) deferredWith(id *ast.Ident) (deferred, ok bool) {
	at := m.TypesInfo.Uses[id].Pos()
	for n := m.parent[id]; n != nil; n = m.parent[n] {
		fn, ok := n.(*ast.FuncLit)
		if !ok {
			continue
		}
		if fn.Pos() <= at && at < fn.End() {
			break // the function that has the variable
		}
		c, ok := m.parent[fn].(*ast.CallExpr)
		if !ok || c.Fun != fn {
			return false, false
		}
		if d, ok := m.parent[c].(*ast.DeferStmt); !ok || d.Call != c {
			return false, false
		}
		deferred = true
	}
	return deferred, true
}

// plainMethod reports whether a call of a method does the same with a buffer of basin.
func (m *migration) plainMethod(c *ast.CallExpr, name string, deferred bool) bool {
	switch m.parent[c].(type) {
	case *ast.GoStmt:
		return false
	case *ast.DeferStmt:
		deferred = true
	}
	switch {
	case deferred:
		return name == "Reset" // it may run before the buffer is reset, if the function returns early
	case name == "Bytes":
		return m.copied(c)
	case name == "ReadFrom":
		return m.isKnownReader(c.Args[0])
	}
	return slices.Contains(plainMethods, name)
}

// emptyVariable reports whether a statement declares a variable with an empty bytes.Buffer, and
// value is the pointer to that buffer.
func (m *migration) emptyVariable(l *literal, s ast.Stmt, value ast.Expr) (size string, ok bool) {
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
		return m.emptyValue(l, ast.Unparen(s.Rhs[0]))
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
func (m *migration) emptyValue(l *literal, e ast.Expr) (size string, ok bool) {
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
			return m.capacity(l, c.Args[2])
		}
	}
	return "", false
}

// capacity returns the text of a capacity that a pool can be given.
func (m *migration) capacity(l *literal, e ast.Expr) (size string, ok bool) {
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
	if l.named || m.mentionsLocal(e, l.new) { // the text may mean something else in another place
		return fmt.Sprint(n), true
	}
	return m.source(e), true
}

// mentionsLocal reports whether an expression has a name that is declared in fn.
func (m *migration) mentionsLocal(e ast.Expr, fn *ast.FuncLit) bool {
	found := false
	m.walk(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := m.TypesInfo.Uses[id]; o != nil && fn.Pos() <= o.Pos() && o.Pos() < fn.End() {
				found = true
			}
		}
		return true
	})
	return found
}

// Methods of bytes.Buffer that a basin.Buffer has too, whose results refer to nothing and
// are the same with any capacity.
var plainMethods = []string{"Grow", "Len", "Reset", "String", "Truncate", "Write", "WriteByte", "WriteRune", "WriteString"}

// onlyHandles reports whether nobody can tell that the buffers are bytes.Buffers, and
// nothing refers to their contents while they change. Each must be in a local variable that is set
// once.
func (m *migration) onlyHandles(p *pool) bool {
	known := map[*types.Var]bool{}
	for _, g := range p.gets {
		if g.v != nil {
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
	}
	return true
}

// plainUse reports whether a use of a buffer is the same with a basin.Buffer.
func (m *migration) plainUse(p *pool, id *ast.Ident) bool {
	deferred, ok := m.deferredWith(id)
	if !ok {
		return false
	}
	switch n := m.parent[id].(type) {
	case *ast.SelectorExpr:
		c, ok := m.parent[n].(*ast.CallExpr)
		return ok && c.Fun == n && m.plainMethod(c, n.Sel.Name, deferred)
	case *ast.CallExpr:
		if slices.Contains(p.puts, n) {
			return true
		}
		switch m.parent[n].(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			return false
		}
		f := m.callee(n)
		if deferred || f == nil || len(n.Args) == 0 || n.Args[0] != id {
			return false
		}
		e := effects.Of(f)
		return e != nil && e.Writes == 0 && e.Fresh
	}
	return false
}

// isKnownReader reports whether an expression is a reader that behaves the same for any
// length of its argument.
func (m *migration) isKnownReader(e ast.Expr) bool {
	name := types.TypeString(m.TypesInfo.TypeOf(e), nil)
	return name == "*strings.Reader" || name == "*bytes.Reader"
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
	return false // bytes.Clone of an empty slice tells whether it is nil, as that of a new bytes.Buffer is
}

// notNil reports whether an expression cannot be a nil pointer: it is new, or the pool's own, or
// a variable that is only set to such a value. (A pool has no nil if neither New nor a Put can give it one.)
func (m *migration) notNil(p *pool, e ast.Expr) bool {
	e = ast.Unparen(e)
	if m.made(p, e) {
		return true
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := m.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Parent() == nil || v.Parent() == m.Pkg.Scope() {
		return false
	}
	begins := false // it is set where it is declared
	set := func(x *ast.Ident, values []ast.Expr, i, n int) bool {
		begins = begins || m.TypesInfo.Defs[x] == v
		return n == len(values) && m.made(p, ast.Unparen(values[i]))
	}
	for _, x := range slices.Concat(m.usesOf(v), m.declared(v)) {
		good := true
		switch n := m.parent[m.outer(x)].(type) {
		case *ast.AssignStmt:
			if i := slices.Index(n.Lhs, m.outer(x).(ast.Expr)); i >= 0 {
				good = set(x, n.Rhs, i, len(n.Lhs))
			}
		case *ast.ValueSpec:
			if i := slices.Index(n.Names, x); i >= 0 {
				good = set(x, n.Values, i, len(n.Names))
			}
		case *ast.UnaryExpr:
			good = n.Op != token.AND // or somebody else may set it
		case *ast.RangeStmt:
			good = n.X == m.outer(x)
		}
		if !good {
			return false
		}
	}
	return begins
}

// made reports whether an expression is a pointer that is new, or the pool's own.
func (m *migration) made(p *pool, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.TypeAssertExpr:
		return m.direct[e] == p
	case *ast.CallExpr:
		if m.isBuiltin(e, "new") {
			return true
		}
		f := m.callee(e)
		return f != nil && (f.FullName() == "bytes.NewBuffer" || f.FullName() == "bytes.NewBufferString")
	}
	return false
}
