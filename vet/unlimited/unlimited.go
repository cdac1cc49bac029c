// Package unlimited defines an analyzer that finds buffers that are put into a sync.Pool however large they are.
//
// # Analyzer unlimited
//
// unlimited: find buffers that are put into a sync.Pool however large they are
//
// One large request makes its buffer large for good, and in time all buffers
// become large. Put a buffer only if its Cap is below a limit. Not every buffer
// grows, so this check runs only if it is named, or with -all.
package unlimited

import (
	_ "embed"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed unlimited.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("unlimited", findings.Doc(source, "unlimited"), find)

var growing = map[string]bool{"*bytes.Buffer": true, "[]byte": true, "*[]byte": true, "[]uint8": true, "*[]uint8": true}

func grows(t types.Type) bool {
	if growing[types.TypeString(t, nil)] {
		return true
	}
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if types.TypeString(f.Type(), nil) == "bytes.Buffer" {
			return true
		}
	}
	return false
}

func find(r *pooled.Result) []findings.Finding {
	info := r.Pass.TypesInfo
	var found []findings.Finding
	for _, file := range r.Pass.Files {
		for _, d := range file.Decls {
			var puts []*ast.CallExpr
			limited := false
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				switch f := typeutil.Callee(info, call).(type) {
				case *types.Builtin:
					limited = limited || f.Name() == "cap"
				case *types.Func:
					limited = limited || f.Name() == "Cap"
					if f.FullName() == "(*sync.Pool).Put" && len(call.Args) == 1 && grows(info.TypeOf(call.Args[0])) && !isAsGot(r, call.Args[0]) {
						puts = append(puts, call)
					}
				}
				return true
			})
			if limited {
				continue
			}
			for _, p := range puts {
				found = append(found, findings.Finding{Pos: p.Pos(), End: p.End(),
					Message: "unlimited Put: after one large use the buffer stays large; put it only if its capacity is below a limit"})
			}
		}
	}
	return found
}

// isAsGot reports whether an argument of Put is a variable that has a slice from Get, or a pointer to one, and is only read. So
// the slice is as large as before.
func isAsGot(r *pooled.Result, arg ast.Expr) bool {
	id, ok := ast.Unparen(arg).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := r.Pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || strings.Contains(v.Type().String(), "bytes.Buffer") {
		return false
	}
	_, slice := v.Type().Underlying().(*types.Slice)
	syntax := r.Syntax()
	declared := false
	for _, use := range syntax.Idents[v] {
		switch up := syntax.Parent[use].(type) {
		case *ast.AssignStmt:
			if r.Pass.TypesInfo.Defs[use] != v || len(up.Rhs) != 1 || !isGet(r.Pass.TypesInfo, up.Rhs[0]) {
				return false
			}
			declared = true
		case *ast.StarExpr:
			if slice || !isRead(syntax.Parent, up) {
				return false
			}
		default:
			if use != id && (!slice || !isRead(syntax.Parent, use)) {
				return false
			}
		}
	}
	return declared
}

// isRead reports whether a slice is an operand of an index or slice expression or of range, or an argument.
func isRead(parent map[ast.Node]ast.Node, e ast.Expr) bool {
	up := parent[e]
	for {
		p, ok := up.(*ast.ParenExpr)
		if !ok {
			break
		}
		up = parent[p]
	}
	switch up := up.(type) {
	case *ast.IndexExpr, *ast.SliceExpr, *ast.RangeStmt:
		return true
	case *ast.CallExpr:
		return ast.Unparen(up.Fun) != e
	}
	return false
}

// isGet reports whether an expression is a result of Get of a sync.Pool.
func isGet(info *types.Info, e ast.Expr) bool {
	assert, ok := ast.Unparen(e).(*ast.TypeAssertExpr)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(assert.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := typeutil.Callee(info, call).(*types.Func)
	return ok && f.FullName() == "(*sync.Pool).Get"
}
