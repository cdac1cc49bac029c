package pooled

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
)

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
func (r *Result) Node(pos token.Pos) ast.Node {
	if s := r.Syntax().Stmt(pos); s != nil {
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
	for _, f := range r.Pass.Files {
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
