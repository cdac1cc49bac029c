// Package putnoreset defines an analyzer that finds values with a Reset method that nobody resets.
//
// # Analyzer putnoreset
//
// putnoreset: find values with a Reset method that nobody resets
//
// Get of a sync.Pool returns a value as its last user has left it. Not every value
// needs a Reset, so this check runs only if it is named, or with -all.
package putnoreset

import (
	_ "embed"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed putnoreset.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("putnoreset", findings.Doc(source, "putnoreset"), find)

func find(r *pooled.Result) []findings.Finding {
	info := r.Pass.TypesInfo
	type put struct {
		call *ast.CallExpr
		pool types.Object
		typ  string
	}
	type key struct {
		pool types.Object
		typ  string
	}
	var puts []put
	reset := map[key]bool{}
	for _, file := range r.Pass.Files {
		for _, d := range file.Decls {
			// A Reset at any use of a pool counts for the pool.
			pools, resetTypes := map[types.Object]bool{}, map[string]bool{}
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				f, ok := typeutil.Callee(info, call).(*types.Func)
				if !ok {
					return true
				}
				sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if strings.HasPrefix(strings.ToLower(f.Name()), "reset") || strings.HasPrefix(f.Name(), "Truncate") {
					resetTypes[name(info.TypeOf(sel.X))] = true
				}
				switch f.FullName() {
				case "(*sync.Pool).Get":
					pools[object(info, sel.X)] = true
				case "(*sync.Pool).Put":
					pool := object(info, sel.X)
					pools[pool] = true
					t := info.TypeOf(call.Args[0])
					m, _, _ := types.LookupFieldOrMethod(t, true, nil, "Reset")
					if m, ok := m.(*types.Func); ok && m.Signature().Params().Len() == 0 {
						puts = append(puts, put{call, pool, name(t)})
					}
				}
				return true
			})
			for pool := range pools {
				for t := range resetTypes {
					reset[key{pool, t}] = true
				}
			}
		}
	}
	var found []findings.Finding
	for _, p := range puts {
		if p.pool != nil && !reset[key{p.pool, p.typ}] {
			found = append(found, findings.Finding{Pos: p.call.Pos(), End: p.call.End(),
				Message: "missing Reset: the next user gets this value with its old contents; call Reset before Put"})
		}
	}
	return found
}

func name(t types.Type) string { return strings.TrimPrefix(types.TypeString(t, nil), "*") }

func object(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.Uses[e]
	case *ast.SelectorExpr:
		return info.Uses[e.Sel]
	}
	return nil
}
