// Package syntax finds the syntax of a position, and names what stands there as a reader of the program would.
//
// Touch it if a message names the wrong expression, or if its region is too long or too short. It knows no pools.
package syntax

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// A Source is the syntax of an analyzed package.
type Source struct {
	Pass   *analysis.Pass
	Syntax func() *Syntax
}

// New returns the source of a package. Its syntax is looked at when somebody asks for it first.
func New(pass *analysis.Pass) *Source {
	return &Source{pass, sync.OnceValue(func() *Syntax { return NewSyntax(pass.Files, pass.TypesInfo) })}
}

// Syntax finds nodes of a package without a search of the whole function for each.
type Syntax struct {
	Parent map[ast.Node]ast.Node
	Idents map[*types.Var][]*ast.Ident // that declare or use a variable or a field, in the order of the source
	stmts  []ast.Stmt                  // by position, outer ones before inner ones
}

// NewSyntax looks at all nodes of some files once.
func NewSyntax(files []*ast.File, info *types.Info) *Syntax {
	s := &Syntax{Parent: map[ast.Node]ast.Node{}, Idents: map[*types.Var][]*ast.Ident{}}
	var path []ast.Node
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				path = path[:len(path)-1]
				return true
			}
			if len(path) > 0 {
				s.Parent[n] = path[len(path)-1]
			}
			path = append(path, n)
			switch n := n.(type) {
			case ast.Stmt:
				s.stmts = append(s.stmts, n)
			case *ast.Ident:
				if v, ok := info.ObjectOf(n).(*types.Var); ok {
					s.Idents[v.Origin()] = append(s.Idents[v.Origin()], n)
				}
			}
			return true
		})
	}
	slices.SortStableFunc(s.stmts, func(a, b ast.Stmt) int { return int(a.Pos() - b.Pos()) })
	return s
}

// Stmt returns the innermost statement at a position, or nil.
func (s *Syntax) Stmt(pos token.Pos) ast.Stmt {
	i := sort.Search(len(s.stmts), func(i int) bool { return pos < s.stmts[i].Pos() })
	if i == 0 {
		return nil
	}
	for n := ast.Node(s.stmts[i-1]); n != nil; n = s.Parent[n] {
		if stmt, ok := n.(ast.Stmt); ok && pos < n.End() {
			return stmt
		}
	}
	return nil
}

// innermost returns the smallest node at pos within in, or in itself if it is a block.
func innermost(in ast.Node, pos token.Pos) ast.Node {
	found := in
	if _, ok := in.(*ast.BlockStmt); ok {
		return in // none of its statements is there
	}
	ast.Inspect(in, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		found = n
		return true
	})
	return found
}

// Path returns to and the nodes around it that are below from, the outermost first.
func (s *Syntax) Path(from, to ast.Node) (path []ast.Node) {
	for n := to; n != nil && n != from; n = s.Parent[n] {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// Node returns the call, defer, go or return statement that begins at a position,
// or the smallest expression there.
func (src *Source) Node(pos token.Pos) ast.Node {
	if s := src.Syntax().Stmt(pos); s != nil {
		n := innermost(s, pos)
		if call, ok := n.(*ast.CallExpr); ok && call.Lparen == pos {
			return call
		}
		switch s.(type) {
		case *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt:
			return s
		}
		return n
	}
	for _, f := range src.Pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			i := sort.Search(len(f.Decls), func(i int) bool { return pos < f.Decls[i].End() })
			if i < len(f.Decls) && f.Decls[i].Pos() <= pos {
				return innermost(f.Decls[i], pos)
			}
			return f
		}
	}
	return nil
}

// Text returns the source of the call or expression at pos, in one line of at most 60 bytes.
func (src *Source) Text(pos token.Pos) string {
	var e ast.Expr
	switch n := src.Node(pos).(type) {
	case *ast.DeferStmt:
		e = n.Call
	case *ast.GoStmt:
		e = n.Call
	case ast.Expr:
		e = n
	default:
		return "the Put"
	}
	if c, ok := e.(*ast.CallExpr); ok {
		if _, lit := ast.Unparen(c.Fun).(*ast.FuncLit); lit {
			return "the function literal"
		}
	}
	s := types.ExprString(e)
	if len(s) > 60 {
		s = s[:57] + "..."
	}
	return s
}

// Pool returns the source of the pool that the call at pos gets from or puts into, after the preposition. For a
// call of a function, it is "with" and the name of the function.
func (src *Source) Pool(preposition string, pos token.Pos) string {
	call := src.Call(pos)
	if call == nil {
		return preposition + " the pool"
	}
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && src.Pass.TypesInfo.Selections[s] != nil {
		return preposition + " " + types.ExprString(s.X)
	}
	return "with " + types.ExprString(call.Fun)
}

// Call returns the call at pos, also if it is deferred or a goroutine, or nil.
func (src *Source) Call(pos token.Pos) *ast.CallExpr {
	switch n := src.Node(pos).(type) {
	case *ast.CallExpr:
		return n
	case *ast.DeferStmt:
		return n.Call
	case *ast.GoStmt:
		return n.Call
	}
	return nil
}

// Start returns the beginning and the end of the expression or statement at pos.
func (src *Source) Start(pos token.Pos) (token.Pos, token.Pos) {
	if !pos.IsValid() {
		return pos, pos
	}
	n := src.Node(pos)
	switch n := n.(type) {
	case *ast.CallExpr:
		return n.Pos(), n.End()
	case *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt:
		return n.Pos(), n.End()
	case *ast.AssignStmt, ast.Expr:
		if n.End() > pos {
			return pos, n.End()
		}
	}
	return pos, pos + 1 // an empty region would be no place at all
}

// Related returns pos with a message, or nil if pos is unknown.
func (src *Source) Related(pos token.Pos, message string) []analysis.RelatedInformation {
	if !pos.IsValid() {
		return nil
	}
	start, end := src.Start(pos)
	return []analysis.RelatedInformation{{Pos: start, End: end, Message: message}}
}

// Args returns the arguments of a call, with the receiver of a method before them.
func Args(info *types.Info, call *ast.CallExpr, f *types.Func) []ast.Expr {
	if f.Signature().Recv() == nil {
		return call.Args
	}
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && info.Selections[s] != nil && info.Selections[s].Kind() == types.MethodVal {
		return append([]ast.Expr{s.X}, call.Args...)
	}
	return call.Args
}
