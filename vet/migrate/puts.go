package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A gift is an argument of a call that puts it: of Put, or of a function of the package
// that does so with its parameter.
type gift struct {
	call *ast.CallExpr
	arg  ast.Expr
}

// gifts returns the gifts of a pool.
func (m *migration) gifts(p *pool) (all []gift) {
	for _, put := range p.puts {
		all = append(all, gift{put, put.Args[0]})
	}
	seen := map[*types.Var]bool{}
	for i := 0; i < len(all); i++ {
		id, ok := ast.Unparen(all[i].arg).(*ast.Ident)
		if !ok {
			continue
		}
		v, ok := m.TypesInfo.Uses[id].(*types.Var)
		if !ok || seen[v] {
			continue
		}
		seen[v] = true
		fn, index := m.parameter(v)
		if fn == nil {
			continue
		}
		for _, c := range m.calls[fn] {
			if arg := argument(m.TypesInfo, c, index); arg != nil {
				all = append(all, gift{c, arg})
			}
		}
	}
	return all
}

// parameter returns the function that a variable is the parameter of, and its index; the
// receiver is -1.
func (m *migration) parameter(v *types.Var) (*types.Func, int) {
	fn, _ := m.enclosingDecl(m.declaredAt(v))
	if fn == nil {
		return nil, 0
	}
	sig := fn.Signature()
	if sig.Recv() == v {
		return fn, -1
	}
	for i := range sig.Params().Len() {
		if sig.Params().At(i) == v {
			return fn, i
		}
	}
	return nil, 0
}

// argument returns the argument of a call at an index. The receiver is at -1.
func argument(info *types.Info, c *ast.CallExpr, index int) ast.Expr {
	if index < 0 {
		if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && info.Selections[s] != nil && info.Selections[s].Kind() == types.MethodVal {
			return s.X
		}
		return nil
	}
	if index >= len(c.Args) {
		return nil
	}
	return c.Args[index]
}

// declared returns the identifiers that declare a variable.
func (m *migration) declared(v *types.Var) []*ast.Ident { return m.decls[v] }

// declaredAt returns the first identifier that declares a variable, or nil.
func (m *migration) declaredAt(v *types.Var) ast.Node {
	if ids := m.declared(v); len(ids) > 0 {
		return ids[0]
	}
	return nil
}

// enclosingDecl returns the declared function that a node is in.
func (m *migration) enclosingDecl(n ast.Node) (*types.Func, *ast.FuncDecl) {
	for ; n != nil; n = m.parent[n] {
		if d, ok := n.(*ast.FuncDecl); ok {
			f, _ := m.TypesInfo.Defs[d.Name].(*types.Func)
			return f, d
		}
	}
	return nil, nil
}

// funcOf returns the innermost function that a node is in.
func (m *migration) funcOf(n ast.Node) ast.Node {
	for n = m.parent[n]; n != nil; n = m.parent[n] {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// judgePuts has the pool stay if a value is used after it was put.
func (m *migration) judgePuts(p *pool) {
	for _, g := range m.gifts(p) {
		id, ok := ast.Unparen(g.arg).(*ast.Ident)
		if !ok {
			if v := m.rootOf(g.arg); v != nil {
				if at := m.usedAfter(g.call, v); at.IsValid() && !m.isField(g.arg) {
					p.stay(at, "%s may be used after Put", v.Name())
				}
			}
			continue
		}
		v, ok := m.TypesInfo.Uses[id].(*types.Var)
		if !ok {
			continue
		}
		if at := m.usedAfter(g.call, v); at.IsValid() {
			p.stay(at, "%s may be used after Put", v.Name())
			return
		}
	}
}

// rootOf returns the variable v of an expression such as v.x, v[:n], *v or &v.
func (m *migration) rootOf(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, _ := m.TypesInfo.Uses[x].(*types.Var)
			return v
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// isField reports whether an expression is a field: others of the same struct may be
// used after it was put.
func (m *migration) isField(e ast.Expr) bool {
	found := false
	m.walk(e, func(n ast.Node) bool {
		_, ok := n.(*ast.SelectorExpr)
		found = found || ok
		return true
	})
	return found
}

// usedAfter returns where a variable may be used after a call has put it, if so: in
// statements after the call, deferred functions that run later, and further rounds of a
// loop.
func (m *migration) usedAfter(call *ast.CallExpr, v *types.Var) token.Pos {
	s := m.statement(call)
	if s == nil {
		return token.NoPos
	}
	if d, ok := s.(*ast.DeferStmt); ok && d.Call == call {
		return m.usedAfterDefer(d, v)
	}
	if at := m.useBetween(call.End(), s.End(), v); at.IsValid() {
		return at
	}
	fn := m.funcOf(call)
	lit, _ := fn.(*ast.FuncLit)
	outer := lit != nil && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End())
	if at := m.usedFrom(s, v, fn); at.IsValid() {
		return at
	}
	if !outer {
		return m.usedByDefer(fn, v, token.NoPos)
	}
	if d := m.deferOf(lit); d != nil {
		return m.usedAfterDefer(d, v)
	}
	return token.NoPos // who knows when it is called
}

// statement returns the statement that a node is in.
func (m *migration) statement(n ast.Node) ast.Stmt {
	for ; n != nil; n = m.parent[n] {
		if s, ok := n.(ast.Stmt); ok {
			return s
		}
	}
	return nil
}

// deferOf returns the statement that defers a function literal, directly or through a
// variable that has no other use.
func (m *migration) deferOf(lit *ast.FuncLit) *ast.DeferStmt {
	var c ast.Node
	switch n := m.parent[m.outer(lit)].(type) {
	case *ast.CallExpr:
		if ast.Unparen(n.Fun) != lit {
			return nil
		}
		c = n
	case *ast.AssignStmt:
		i := slices.Index(n.Rhs, m.outer(lit).(ast.Expr))
		if i < 0 || len(n.Lhs) != len(n.Rhs) {
			return nil
		}
		id, ok := n.Lhs[i].(*ast.Ident)
		if !ok || m.TypesInfo.Defs[id] == nil || len(m.uses[m.TypesInfo.Defs[id]]) != 1 {
			return nil
		}
		c = m.parent[m.uses[m.TypesInfo.Defs[id]][0]]
	}
	if d, ok := m.parent[c].(*ast.DeferStmt); ok && d.Call == c {
		return d
	}
	return nil
}

// usedAfterDefer finds uses that run after a deferred Put: functions that were deferred
// before it, and the results of the function. In a loop, the variable is put more than once.
func (m *migration) usedAfterDefer(d *ast.DeferStmt, v *types.Var) token.Pos {
	fn := m.funcOf(d)
	if lit, ok := fn.(*ast.FuncLit); ok && v.Pos() < lit.Pos() {
		return token.NoPos
	}
	for n := m.parent[d]; n != fn && n != nil; n = m.parent[n] {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if v.Pos() < n.Pos() {
				return d.Pos()
			}
		}
	}
	for _, id := range m.usesOf(v) {
		for n, child := m.parent[id], ast.Node(id); n != nil && n != fn; n, child = m.parent[n], n {
			if _, inner := n.(*ast.FuncLit); inner {
				break
			}
			if r, ok := n.(*ast.ReturnStmt); ok && id.Pos() > d.End() && m.funcOf(r) == fn && m.leadsOut(child, id) {
				return id.Pos()
			}
		}
	}
	return m.usedByDefer(fn, v, d.Pos())
}

// leadsOut reports whether a result of a return statement is a variable, or refers to
// its memory.
func (m *migration) leadsOut(result ast.Node, id *ast.Ident) bool {
	e, ok := result.(ast.Expr)
	if !ok {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e == id
	case *ast.SliceExpr:
		return m.leadsOut(e.X, id)
	case *ast.StarExpr:
		return m.leadsOut(e.X, id)
	case *ast.UnaryExpr:
		return m.leadsOut(e.X, id)
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, func(e ast.Expr) bool { return m.leadsOut(e, id) })
	case *ast.KeyValueExpr:
		return m.leadsOut(e.Value, id)
	case *ast.CallExpr:
		s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		if !ok {
			return m.isBuiltin(e, "append") && m.leadsOut(e.Args[0], id)
		}
		return (s.Sel.Name == "Bytes" || s.Sel.Name == "Next" || s.Sel.Name == "AvailableBuffer") && m.leadsOut(s.X, id)
	}
	return false
}

// usedByDefer finds a deferred call that has a variable: one before a position, if that
// is given.
func (m *migration) usedByDefer(fn ast.Node, v *types.Var, before token.Pos) token.Pos {
	for _, id := range m.usesOf(v) {
		for n := m.parent[id]; n != nil && n != fn; n = m.parent[n] {
			if d, ok := n.(*ast.DeferStmt); ok && m.funcOf(d) == fn && (!before.IsValid() || d.Pos() < before) {
				return id.Pos()
			}
		}
	}
	return token.NoPos
}

// usedFrom finds a use of a variable that may follow a statement in its function.
func (m *migration) usedFrom(s ast.Stmt, v *types.Var, fn ast.Node) token.Pos {
	uses := m.usesOf(v)
	switch {
	case fn == nil || len(uses) == 0:
		return token.NoPos
	case len(uses) > 1 && m.hasLabels(fn):
		return uses[0].Pos() // a goto may go to it
	case uses[len(uses)-1].Pos() < s.End() && !m.looped(s, v, fn):
		return token.NoPos
	}
	var n ast.Node = s
	for n != nil && n != fn {
		parent := m.parent[n]
		if at := m.usedBehindCondition(n, v); at.IsValid() {
			return at
		}
		if list := rewrite.Statements(parent); list != nil {
			at, ended := m.usedBehind(n.(ast.Stmt), list, v)
			if at.IsValid() || ended == returned {
				return at
			}
			if ended == breaks {
				// Go on behind the statement that is left. If the branch begins the next round of a
				// loop instead, that is looked at below.
				for parent != fn && parent != nil && !isLeftByBreak(parent) {
					parent = m.parent[parent]
				}
			}
		}
		if at := m.usedInNextRound(parent, v); at.IsValid() {
			return at
		}
		n = parent
		if _, clause := n.(*ast.CaseClause); clause {
			n = m.parent[m.parent[n]] // the others are not run
		} else if _, clause := n.(*ast.CommClause); clause {
			n = m.parent[m.parent[n]]
		}
	}
	return token.NoPos
}

// usedBehind returns a use of a variable behind a statement of a list, and how the list ends.
func (m *migration) usedBehind(s ast.Stmt, list []ast.Stmt, v *types.Var) (at token.Pos, ended ending) {
	if b, ok := list[len(list)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
		parent := m.parent[s]
		if at := m.useBetween(parent.End(), m.parent[parent].End(), v); at.IsValid() {
			return at, ended
		}
	}
	return m.usedIn(list[slices.Index(list, s)+1:], v)
}

// usedBehindCondition returns a use of a variable in a statement whose first part n is, such as the one before a condition.
func (m *migration) usedBehindCondition(n ast.Node, v *types.Var) token.Pos {
	switch parent := m.parent[n].(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		if _, body := n.(*ast.BlockStmt); !body {
			return m.useBetween(n.End(), parent.End(), v)
		}
	}
	return token.NoPos
}

// usedInNextRound returns a use of a variable in the next round of a loop, if n is one.
func (m *migration) usedInNextRound(n ast.Node, v *types.Var) token.Pos {
	switch loop := n.(type) {
	case *ast.ForStmt:
		if v.Pos() < loop.Body.Pos() { // a variable of the loop is copied
			return m.usedInLoop(loop.Body, []ast.Node{loop.Post, loop.Cond}, v)
		}
	case *ast.RangeStmt:
		if v.Pos() < loop.Pos() {
			return m.usedInLoop(loop.Body, nil, v)
		}
	}
	return token.NoPos
}

func isLeftByBreak(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// looped reports whether a statement is in a loop of its function, and v is declared before
// the loop or in a for clause.
func (m *migration) looped(s ast.Stmt, v *types.Var, fn ast.Node) bool {
	for n := m.parent[s]; n != nil && n != fn; n = m.parent[n] {
		switch loop := n.(type) {
		case *ast.ForStmt:
			if v.Pos() < loop.Body.Pos() {
				return true
			}
		case *ast.RangeStmt:
			if v.Pos() < loop.Pos() {
				return true
			}
		}
	}
	return false
}

type ending int

const (
	goesOn   ending = iota
	returned        // or panics, or the variable is set anew
	breaks          // leaves a loop, or a round of it
)

// usedIn finds a use in statements, up to where these end.
func (m *migration) usedIn(list []ast.Stmt, v *types.Var) (token.Pos, ending) {
	for _, s := range list {
		m.work++
		if m.sets(s, v) {
			return token.NoPos, returned
		}
		if at := m.useIn(s, v); at.IsValid() {
			return at, returned
		}
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return token.NoPos, returned
		case *ast.BranchStmt:
			return token.NoPos, breaks
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok && m.isBuiltin(c, "panic") {
				return token.NoPos, returned
			}
		}
	}
	return token.NoPos, goesOn
}

// usedInLoop finds a use in the next round of a loop.
func (m *migration) usedInLoop(body *ast.BlockStmt, first []ast.Node, v *types.Var) token.Pos {
	for _, n := range first {
		if n != nil {
			if at := m.useIn(n, v); at.IsValid() {
				return at
			}
		}
	}
	at, _ := m.usedIn(body.List, v)
	return at
}

// useIn returns the first use of a variable in a node.
func (m *migration) useIn(n ast.Node, v *types.Var) token.Pos {
	return m.useBetween(n.Pos(), n.End(), v)
}

func (m *migration) useBetween(from, to token.Pos, v *types.Var) token.Pos {
	uses := m.usesOf(v)
	i := sort.Search(len(uses), func(i int) bool { return uses[i].Pos() >= from })
	if i < len(uses) && uses[i].Pos() < to {
		return uses[i].Pos()
	}
	return token.NoPos
}

// sets reports whether a statement sets a variable and does not look at it.
func (m *migration) sets(s ast.Stmt, v *types.Var) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN {
		return false
	}
	set := false
	for _, l := range a.Lhs {
		if id, ok := ast.Unparen(l).(*ast.Ident); ok && m.TypesInfo.Uses[id] == v {
			set = true
		} else if m.useIn(l, v).IsValid() {
			return false
		}
	}
	return set && !slices.ContainsFunc(a.Rhs, func(e ast.Expr) bool { return m.useIn(e, v).IsValid() })
}

// hasLabels reports whether a goto is possible in a function, or a branch to an outer
// statement.
func (m *migration) hasLabels(fn ast.Node) bool {
	if found, ok := m.labels[fn]; ok {
		return found
	}
	found := false
	m.walk(fn, func(n ast.Node) bool {
		_, ok := n.(*ast.LabeledStmt)
		found = found || ok
		return true
	})
	m.labels[fn] = found
	return found
}

// resets reports whether each buffer is emptied after Get, or each before Put.
func (m *migration) resets(p *pool) bool {
	for _, g := range p.gets {
		if fn := m.funcOf(g.call); fn == nil || m.hasLabels(fn) {
			return false // a goto may go past Reset
		}
	}
	all := true
	for _, g := range p.gets {
		all = all && g.v == nil && m.resetAfter(g.asserts[0])
	}
	if all {
		return true
	}
	for _, put := range p.puts {
		if !m.resetBefore(put) {
			return false
		}
	}
	return len(p.puts) > 0
}

// resetAfter reports whether an expression is assigned to a new variable that is reset
// before any other use, apart from a deferred one.
func (m *migration) resetAfter(e ast.Expr) bool {
	s, ok := m.parent[m.outer(e)].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 {
		return false
	}
	id, ok := s.Lhs[0].(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := m.TypesInfo.Defs[id].(*types.Var)
	if !ok {
		return false
	}
	list := rewrite.Statements(m.parent[s])
	i := slices.Index(list, ast.Stmt(s))
	if i < 0 {
		return false
	}
	for _, next := range list[i+1:] {
		if m.isReset(next, v) {
			return true
		}
		if _, ok := next.(*ast.DeferStmt); !ok && m.useIn(next, v).IsValid() {
			return false
		}
	}
	return false
}

// resetBefore reports whether a variable is reset before a statement that puts it, with
// no use in between.
func (m *migration) resetBefore(put *ast.CallExpr) bool {
	id, ok := ast.Unparen(put.Args[0]).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := m.TypesInfo.Uses[id].(*types.Var)
	if !ok {
		return false
	}
	s := m.statement(put)
	if _, ok := s.(*ast.ExprStmt); !ok {
		return false
	}
	list := rewrite.Statements(m.parent[s])
	i := slices.Index(list, s)
	if i < 0 {
		return false
	}
	for _, before := range slices.Backward(list[:i]) {
		if m.isReset(before, v) {
			return true
		}
		if m.useIn(before, v).IsValid() {
			return false
		}
	}
	return false
}

// isReset reports whether a statement is v.Reset().
func (m *migration) isReset(s ast.Stmt, v *types.Var) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Reset" {
		return false
	}
	id, ok := ast.Unparen(f.X).(*ast.Ident)
	return ok && m.TypesInfo.Uses[id] == v
}
