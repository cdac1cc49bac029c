// Package staledefer defines an analyzer that finds deferred Puts whose argument is assigned again afterwards.
//
// # Analyzer staledefer
//
// staledefer: find deferred Puts whose argument is assigned again afterwards
//
// The defer statement evaluates the arguments of its call. If the variable grows
// afterwards, the old slice is put and the grown one is lost. An Append that
// recycles the array it outgrows even puts the old slice twice:
//
//	b := basin.Get(64)[:0]
//	defer basin.Put(b)
//	b = basin.Append(b, line...)
//
// Setting the variable to nil does not prevent the Put. Defer a function literal,
// which sees the last value of the variable:
//
//	defer func() { basin.Put(b) }()
package staledefer

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed staledefer.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("staledefer", findings.Doc(source, "staledefer"), Find)

// Find returns the findings of the check. Other checks call it to leave these findings out.
func Find(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	f := &finder{r, r.Pass.TypesInfo, sync.OnceValue(func() map[*types.Var]bool { return assigned(r) }), map[ast.Node]bool{}}
	for _, file := range r.Pass.Files {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if d, ok := n.(*ast.DeferStmt); ok {
				found = append(found, f.judge(d, stack)...)
			}
			return true
		})
	}
	return found
}

// clipped reports whether the statement after d cuts the capacity of v. An append that does not fit is then meant to leave
// the pool's array.
func (s *finder) clipped(d *ast.DeferStmt, v *types.Var) bool {
	block, ok := s.r.Syntax().Parent[d].(*ast.BlockStmt)
	if !ok {
		return false
	}
	i := slices.Index(block.List, ast.Stmt(d)) + 1
	if i == len(block.List) {
		return false
	}
	set, ok := block.List[i].(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || root(s.info, set.Lhs[0]) != v {
		return false
	}
	cut, ok := set.Rhs[0].(*ast.SliceExpr)
	return ok && cut.Slice3 && root(s.info, cut.X) == v
}

// judge returns the findings for d. stack has the nodes from the file to d.
func (s *finder) judge(d *ast.DeferStmt, stack []ast.Node) (found []findings.Finding) {
	for _, arg := range s.r.Puts(d.Call) {
		if v, a := s.outdated(d, arg, stack); a != nil {
			found = append(found, s.finding(d, v, a, s.fixable(d, v, stack)))
		}
	}
	return found
}

// outdated returns the variable that a deferred call puts as it is, and the assignment after which it should not, or nil.
func (s *finder) outdated(d *ast.DeferStmt, arg ast.Expr, stack []ast.Node) (*types.Var, *assignment) {
	if cut, ok := arg.(*ast.SliceExpr); ok {
		arg = ast.Unparen(cut.X) // Put(b[:0])
	}
	id, ok := arg.(*ast.Ident)
	if !ok {
		return nil, nil
	}
	v, ok := s.info.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Parent() == nil || v.Parent() == v.Pkg().Scope() {
		return nil, nil
	}
	_, body, _ := enclosing(stack)
	if body == nil || v.Pos() < body.Pos() && !isParam(stack, v) {
		return nil, nil // a variable of another function
	}
	a := s.after(body, d, v)
	switch {
	case a == nil || s.clipped(d, v) || a.how >= gotten && s.putLater(body, a.at, v):
		return nil, nil
	case a.how == appended && (s.sized(body, v, a.at) || s.oneEach(body, v, a.at)):
		return nil, nil
	}
	return v, a
}

// finding describes a deferred Put of v before an assignment. Without a proof, a literal may put memory that is somebody
// else's by then.
func (s *finder) finding(d *ast.DeferStmt, v *types.Var, a *assignment, proven bool) findings.Finding {
	name, fault := v.Name(), ""
	switch a.how {
	case recycled:
		fault = fmt.Sprintf("but %s may put it first: two users will get the same memory", a.by)
	case appended:
		fault = fmt.Sprintf("but %s may move it: the grown slice is lost to the pool", a.by)
	case cleared:
		fault = fmt.Sprintf("although %s is set to nil later: that does not prevent the Put", name)
	case longer:
		fault = "but a longer one replaces it afterwards and is never put: the pool keeps the short one"
	case gotten:
		fault = fmt.Sprintf("but %s gets another value afterwards, which is never put", name)
	}
	f := findings.Finding{Pos: d.Pos(), End: d.End(), Related: []analysis.RelatedInformation{{Pos: a.at.Pos(), End: a.at.End(), Message: "assigned again here"}}}
	advice := fmt.Sprintf("put %s after its last use instead", name)
	if proven {
		advice = fmt.Sprintf("write defer func() { %s }()", types.ExprString(d.Call))
	}
	switch {
	case !proven || a.how != recycled:
	case moved(s.r.Pass.Fset, d.Pos()):
		advice += "; -fix leaves this file alone, because a line directive hides where its text is"
	default:
		f.Fixes = []analysis.SuggestedFix{{
			Message: "Defer a function literal",
			TextEdits: []analysis.TextEdit{
				{Pos: d.Call.Pos(), End: d.Call.Pos(), NewText: []byte("func() { ")},
				{Pos: d.Call.End(), End: d.Call.End(), NewText: []byte(" }()")},
			},
		}}
	}
	f.Message = fmt.Sprintf("stale Put: the deferred Put puts %s as it is here, %s; %s", name, fault, advice)
	return f
}

// declaration returns the assignment in a function that declares a variable first, or nil.
func (s *finder) declaration(body *ast.BlockStmt, v *types.Var) *ast.AssignStmt {
	for _, id := range s.r.Syntax().Idents[v] {
		if s.info.Defs[id] == v {
			if a, ok := s.r.Syntax().Parent[id].(*ast.AssignStmt); ok && a.Lhs[0] == id && within(a, body) {
				return a
			}
		}
	}
	return nil
}

// sized reports whether a variable is declared as the result of a call with the length
// of a slice, and only parts of that slice are appended.
func (s *finder) sized(body *ast.BlockStmt, v *types.Var, grow ast.Stmt) bool {
	var source *types.Var
	ast.Inspect(grow, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Ellipsis.IsValid() && source == nil {
			source = root(s.info, c.Args[len(c.Args)-1])
		}
		return true
	})
	a := s.declaration(body, v)
	if a == nil || source == nil {
		return false
	}
	found := false
	ast.Inspect(a.Rhs[0], func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 1 && callee(c) == "len" {
			found = found || root(s.info, c.Args[0]) == source
		}
		return true
	})
	return found
}

// oneEach reports whether a variable gets as many elements as it has room for. It must be
// declared as the result of a pool's call with the length of a slice or a map. Each round of
// a loop over that must append one element, and nothing else may be appended.
func (s *finder) oneEach(body *ast.BlockStmt, v *types.Var, grow ast.Stmt) bool {
	syntax := s.r.Syntax()
	if c, ok := ast.Unparen(grow.(*ast.AssignStmt).Rhs[0]).(*ast.CallExpr); !ok || c.Ellipsis.IsValid() {
		return false
	}
	list, ok := syntax.Parent[grow].(*ast.BlockStmt)
	if !ok {
		return false
	}
	loop, ok := syntax.Parent[list].(*ast.RangeStmt)
	if !ok || inLoop(syntax.Path(syntax.Parent[body], syntax.Parent[loop])) {
		return false
	}
	source := root(s.info, loop.X)
	a := s.declaration(body, v)
	if source == nil || a == nil {
		return false
	}
	return s.appendsTo(body, v) == 1 && s.madeFor(a.Rhs[0], source)
}

// appendsTo returns how many elements the calls of append in a function add to v, if each runs once.
func (s *finder) appendsTo(body *ast.BlockStmt, v *types.Var) (n int) {
	syntax := s.r.Syntax()
	for _, id := range syntax.Idents[v] {
		e := ast.Node(id)
		for {
			up := syntax.Parent[e]
			if cut, ok := up.(*ast.SliceExpr); ok && cut.X == e {
				e = up
			} else if _, ok := up.(*ast.ParenExpr); ok {
				e = up
			} else {
				break
			}
		}
		if c, ok := syntax.Parent[e].(*ast.CallExpr); ok && len(c.Args) > 0 && c.Args[0] == e && callee(c) == "append" && within(c, body) {
			n += max(len(c.Args)-1, 1)
		}
	}
	return n
}

// madeFor reports whether an expression gets memory of a pool with the length of source.
func (s *finder) madeFor(e ast.Expr, source *types.Var) (fits bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && s.r.Sized(c) {
			for _, arg := range c.Args {
				if l, ok := ast.Unparen(arg).(*ast.CallExpr); ok && len(l.Args) == 1 && callee(l) == "len" {
					fits = fits || root(s.info, l.Args[0]) == source
				}
			}
		}
		return true
	})
	return fits
}

// putLater reports whether v is put again behind the statement after.
func (s *finder) putLater(body *ast.BlockStmt, after ast.Stmt, v *types.Var) bool {
	for _, id := range s.r.Syntax().Idents[v] {
		for n := ast.Node(id); n != nil; n = s.r.Syntax().Parent[n] {
			if _, ok := n.(ast.Stmt); ok {
				break
			}
			c, ok := n.(*ast.CallExpr)
			if ok && c.Pos() > after.End() && within(c, body) &&
				slices.ContainsFunc(s.r.Puts(c), func(e ast.Expr) bool { return root(s.info, e) == v }) {
				return true
			}
		}
	}
	return false
}

func isParam(stack []ast.Node, v *types.Var) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.FuncLit:
			return n.Type.Pos() <= v.Pos() && v.Pos() < n.Type.End()
		case *ast.FuncDecl:
			return n.Pos() <= v.Pos() && v.Pos() < n.Body.Pos()
		}
	}
	return false
}

type how int

const (
	recycled how = iota + 1 // by an Append that puts the outgrown array
	appended
	cleared // set to nil
	gotten  // set to a value from a pool
	longer  // set to a new value whose size is computed from the old value's
)

type assignment struct {
	how how
	by  string
	at  ast.Stmt
}

// after finds an assignment that makes the deferred argument stale.
func (s *finder) after(body *ast.BlockStmt, d *ast.DeferStmt, v *types.Var) *assignment {
	syntax := s.r.Syntax()
	var found *assignment
	path := syntax.Path(syntax.Parent[body], d)
	for _, id := range syntax.Idents[v] {
		set, ok := syntax.Parent[id].(*ast.AssignStmt)
		if !ok || set.Pos() < d.End() || set.Tok != token.ASSIGN || len(set.Lhs) != len(set.Rhs) || !within(set, body) {
			continue
		}
		i := slices.Index(set.Lhs, ast.Expr(id))
		stack := syntax.Path(syntax.Parent[body], set)
		if i < 0 || !follows(path, stack) {
			continue
		}
		a := classify(s.r, v, ast.Unparen(set.Rhs[i]), stack)
		if a == nil || inLiteral(stack, path) && a.how > appended {
			continue // the literal may run at any time
		}
		a.at = set
		if found == nil || a.how < found.how {
			found = a
		}
	}
	return found
}

// inLiteral reports whether a path leads into a function literal that another does
// not lead into.
func inLiteral(to, from []ast.Node) bool {
	for i, n := range to {
		if _, ok := n.(*ast.FuncLit); ok && (i >= len(from) || from[i] != n) {
			return true
		}
	}
	return false
}

// follows reports whether control can go from the end of one path to the end of another,
// which is later in the source.
func follows(from, to []ast.Node) bool {
	i := 0
	for i < len(from) && i < len(to) && from[i] == to[i] {
		i++
	}
	if i == 0 {
		return false
	}
	switch n := from[i-1].(type) {
	case *ast.IfStmt:
		if i < len(from) && i < len(to) && from[i] == n.Body && to[i] == n.Else {
			return false
		}
	case *ast.BlockStmt:
		if i < len(from) && i < len(to) {
			switch from[i].(type) {
			case *ast.CaseClause, *ast.CommClause:
				return false
			}
		}
	}
	// Blocks that only the first path is in must not end in a return or a branch.
	for ; i < len(from); i++ {
		var list []ast.Stmt
		switch n := from[i].(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		if len(list) > 0 {
			switch list[len(list)-1].(type) {
			case *ast.ReturnStmt, *ast.BranchStmt:
				return false
			}
		}
	}
	return true
}

// classify tells what the assignment of e to v means for a Put of v before, or returns nil if it means nothing.
func classify(r *pooled.Result, v *types.Var, e ast.Expr, stack []ast.Node) *assignment {
	info := r.Pass.TypesInfo
	if id, ok := e.(*ast.Ident); ok {
		if _, isNil := info.Uses[id].(*types.Nil); isNil {
			return &assignment{how: cleared, by: "nil"}
		}
		return nil
	}
	if inLoop(stack) && outgrown(info, v, e) {
		return &assignment{how: longer}
	}
	if t, ok := e.(*ast.TypeAssertExpr); ok {
		e = ast.Unparen(t.X)
	}
	for {
		s, ok := e.(*ast.SliceExpr)
		if !ok {
			break
		}
		e = ast.Unparen(s.X)
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if arg := r.Grows(call); arg != nil && root(info, arg) == v {
		return &assignment{how: recycled, by: callee(call)}
	}
	if r.Gets(call) {
		return &assignment{how: gotten, by: callee(call)}
	}
	if _, ok := v.Type().Underlying().(*types.Slice); ok && len(call.Args) > 0 && appendsTo(r, v, call, stack) {
		return &assignment{how: appended, by: callee(call)}
	}
	return nil
}

// appendsTo reports whether a call may append more to v than it has room for: append, or a function whose name or body says
// that it appends to its argument.
func appendsTo(r *pooled.Result, v *types.Var, call *ast.CallExpr, stack []ast.Node) bool {
	info := r.Pass.TypesInfo
	if b, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if _, builtin := info.Uses[b].(*types.Builtin); builtin {
			return b.Name == "append" && root(info, call.Args[0]) == v && !copies(call.Args[0]) && unbounded(info, v, call, stack)
		}
	}
	if arg := r.Appends(call); arg != nil && root(info, arg) == v && inLoop(stack) {
		return true
	}
	takes := slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return root(info, a) == v && !copies(a) })
	return takes && types.Identical(info.TypeOf(call), v.Type()) && grows(callee(call)) && !strings.HasPrefix(packagePath(info, call), "strconv")
}

// outgrown reports whether an expression makes a value larger than v: the expression refers to v only
// in a multiple of its length or capacity.
func outgrown(info *types.Info, v *types.Var, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.CallExpr:
	case *ast.UnaryExpr:
		if x.Op != token.AND {
			return false
		}
	default:
		return false
	}
	multiplied, otherwise := false, false
	var look func(n ast.Node, factor bool)
	look = func(n ast.Node, factor bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				more := factor || n.Op == token.MUL || n.Op == token.SHL
				look(n.X, more)
				look(n.Y, more)
				return false
			case *ast.CallExpr:
				if name := callee(n); len(n.Args) == 1 && (name == "len" || name == "cap") && uses(info, v, n.Args[0]) {
					multiplied = multiplied || factor
					return false
				}
			case *ast.Ident:
				otherwise = otherwise || info.Uses[n] == v
			}
			return true
		})
	}
	look(e, false)
	return multiplied && !otherwise
}

// uses reports whether a variable is in an expression.
func uses(info *types.Info, v *types.Var, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && info.Uses[id] == v
		return true
	})
	return found
}

func packagePath(info *types.Info, call *ast.CallExpr) string {
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if o := info.Uses[s.Sel]; o != nil && o.Pkg() != nil {
			return o.Pkg().Path()
		}
	}
	return ""
}

// grows reports whether a function of this name may return a longer slice than it
// was given.
func grows(name string) bool {
	name = strings.ToLower(name[strings.LastIndex(name, ".")+1:])
	for _, verb := range []string{"append", "grow", "ensure", "expand", "extend", "enlarge", "resize", "seal", "marshalto"} {
		if strings.Contains(name, verb) {
			return true
		}
	}
	return false
}

func callee(call *ast.CallExpr) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return types.ExprString(f)
	case *ast.IndexExpr:
		return types.ExprString(f.X)
	}
	return "the call"
}

// root is the variable that an expression is a slice of.
func root(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SliceExpr:
			e = x.X
		case *ast.Ident:
			v, _ := info.Uses[x].(*types.Var)
			return v
		default:
			return nil
		}
	}
}

// copies reports whether append to a slice has to copy it.
func copies(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.SliceExpr)
	return ok && s.Max != nil
}

// unbounded reports whether append adds an amount that the source does not tell: in
// a loop, or a slice of any length. An append that removes elements adds none.
func unbounded(info *types.Info, v *types.Var, call *ast.CallExpr, stack []ast.Node) bool {
	if call.Ellipsis.IsValid() && len(call.Args) == 2 {
		if root(info, call.Args[1]) == v {
			return false
		}
		if info.Types[call.Args[1]].Value == nil {
			return true
		}
	}
	return inLoop(stack)
}

// inLoop reports whether a path leads into a loop, or into a function that may be
// called more than once.
func inLoop(stack []ast.Node) bool {
	for _, n := range stack {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return true
		}
	}
	return false
}
