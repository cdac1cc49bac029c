// Package newforget defines an analyzer that finds pool.New() where pool.Get() is meant.
//
// # Analyzer newforget
//
// newforget: find pool.New() where pool.Get() is meant
//
// The field New of a pool always allocates. If values from New are put and nobody
// calls Get, the pool only collects them.
package newforget

import (
	_ "embed"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed newforget.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("newforget", findings.Doc(source, "newforget"), find)

// A search has the calls of New in a package, and the pools that are put into and taken from.
type search struct {
	info  *types.Info
	calls []news
	put   map[types.Object]bool
	taken map[types.Object]bool
}

// news is a call of the New of a pool.
type news struct {
	call  *ast.CallExpr
	pool  types.Object
	makes bool
}

func find(r *pooled.Result) []findings.Finding {
	s := &search{info: r.Pass.TypesInfo, put: map[types.Object]bool{}, taken: map[types.Object]bool{}}
	for _, file := range r.Pass.Files {
		test := strings.HasSuffix(r.Pass.Fset.Position(file.Pos()).Filename, "_test.go")
		for _, d := range file.Decls {
			s.read(d, test)
		}
	}
	var found []findings.Finding
	for _, n := range s.calls {
		if s.put[n.pool] && (!n.makes || !s.taken[n.pool] && !n.pool.Exported() && r.Complete(n.pool)) {
			found = append(found, findings.Finding{Pos: n.call.Pos(), End: n.call.End(),
				Message: "New instead of Get: New always allocates, so values that were put are not reused; call Get"})
		}
	}
	return found
}

// read adds the calls in a declaration. One that gets from a pool, too, knows the difference.
func (s *search) read(d ast.Decl, test bool) {
	got := map[types.Object]bool{}
	var here []news
	filled := map[ast.Expr]bool{}
	var stack []ast.Node
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || !isPool(s.info.TypeOf(sel.X)) {
			return true
		}
		pool := object(s.info, sel.X)
		switch sel.Sel.Name {
		case "Get":
			got[pool], s.taken[pool] = true, true
		case "Put":
			if !test {
				s.put[pool] = true
			}
			for _, a := range call.Args {
				filled[ast.Unparen(a)] = true // pool.Put(pool.New()) fills a pool
			}
		case "New":
			if pool != nil && !filled[call] && !test && !within(stack) {
				here = append(here, news{call, pool, makes(stack)})
			}
		}
		return true
	})
	for _, n := range here {
		if !got[n.pool] {
			s.calls = append(s.calls, n)
		}
	}
}

// makes reports whether the call at the end of stack is in a function whose name says that it makes a new value. If nothing
// else gets from the pool, this function should.
func makes(stack []ast.Node) bool {
	return slices.ContainsFunc(stack, func(n ast.Node) bool {
		fn, ok := n.(*ast.FuncDecl)
		if !ok {
			return false
		}
		name := strings.ToLower(fn.Name.Name)
		return name == "init" || slices.ContainsFunc([]string{"new", "alloc", "make"}, func(verb string) bool { return strings.HasPrefix(name, verb) })
	})
}

// within reports whether the call at the end of stack is meant to make a new value: it is in the New of
// another pool, or in a loop that fills the pool.
func within(stack []ast.Node) bool {
	for i, n := range stack {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && k.Name == "New" {
				return true
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if s, ok := l.(*ast.SelectorExpr); ok && s.Sel.Name == "New" {
					return true
				}
			}
		case *ast.ForStmt, *ast.RangeStmt:
			// p := pool.New(); pool.Put(p)
			if fills(stack[i:]) {
				return true
			}
		}
	}
	return false
}

// fills reports whether the result of the call at the end of stack is assigned to a variable that is only put.
func fills(stack []ast.Node) bool {
	for i := len(stack) - 1; i > 0; i-- {
		s, ok := stack[i].(*ast.AssignStmt)
		if !ok || len(s.Lhs) != 1 {
			continue
		}
		id, ok := s.Lhs[0].(*ast.Ident)
		block, isBlock := stack[i-1].(*ast.BlockStmt)
		if !ok || !isBlock {
			return false
		}
		only := true
		for _, t := range block.List {
			if t == ast.Stmt(s) {
				continue
			}
			e, ok := t.(*ast.ExprStmt)
			if !ok {
				return false
			}
			c, ok := e.X.(*ast.CallExpr)
			if !ok || len(c.Args) != 1 {
				return false
			}
			a, ok := c.Args[0].(*ast.Ident)
			f, isSel := c.Fun.(*ast.SelectorExpr)
			only = only && ok && isSel && a.Name == id.Name && f.Sel.Name == "Put"
		}
		return only
	}
	return false
}

func isPool(t types.Type) bool {
	if t == nil {
		return false
	}
	name := strings.TrimPrefix(types.TypeString(t, nil), "*")
	return name == "sync.Pool" || strings.HasPrefix(name, "github.com/basin-go/basin.Pool[")
}

func object(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.Uses[e]
	case *ast.SelectorExpr:
		return info.Uses[e.Sel]
	case *ast.UnaryExpr:
		return object(info, e.X)
	}
	return nil
}
