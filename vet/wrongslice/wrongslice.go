// Package wrongslice finds slices that are put although the pool did not hand out
// quite these.
package wrongslice

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `find Puts of slices that the pool did not hand out

A slice that lacks its front or a part of its capacity makes the memory of the
pool shrink with every turn, and a pool that knows its memory refuses it. Memory
that is no pool's, or another pool's, does not belong there either.`

// Analyzer is the check.
var Analyzer = pooled.NewCheck("wrongslice", doc, find)

func find(r *pooled.Result) []pooled.Finding {
	var found []pooled.Finding
	for _, h := range r.Hits {
		f := pooled.Finding{}
		what, pool := r.Subject(h.At), r.PoolName(h.At)
		switch h.Kind {
		case pooled.CutPut:
			f.Message = fmt.Sprintf("wrong slice: the front of %s has been cut off, so the pool loses that memory", what)
		case pooled.ClippedPut:
			f.Message = fmt.Sprintf("wrong slice: the capacity of %s has been cut, so the pool loses that memory", what)
		case pooled.ForeignPut:
			f.Message = fmt.Sprintf("wrong slice: %s is from no pool", what)
		case pooled.GrownPut:
			f.Message = fmt.Sprintf("wrong slice: append may have moved %s out of the pool; grow it with the pool's Append", what)
		case pooled.OtherPool:
			switch {
			case h.Type:
				f.Message = fmt.Sprintf("wrong pool: those who get from %s expect another type than that of %s", pool, what)
			case h.Get.IsValid():
				f.Message = fmt.Sprintf("wrong pool: %s was taken from %s and is put into %s", what, r.PoolName(h.Get), pool)
			default:
				f.Message = fmt.Sprintf("wrong pool: %s was not taken from %s", what, pool)
			}
		default:
			continue
		}
		if h.Get.IsValid() {
			f.Related = r.Related(h.Get, "got here")
		}
		f.Pos, f.End = r.Start(h.At)
		found = append(found, f)
	}
	return append(found, byLength(r)...)
}

// byLength finds functions that choose one of several pools for a slice by its
// length: the next user then gets a slice of another class than he asked for.
func byLength(r *pooled.Result) []pooled.Finding {
	info := r.Pass.TypesInfo
	var found []pooled.Finding
	for _, file := range r.Pass.Files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			measured, capacity := map[types.Object]bool{}, false
			var puts []*ast.CallExpr
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 1 {
					return true
				}
				arg, _ := ast.Unparen(call.Args[0]).(*ast.Ident)
				switch f := ast.Unparen(call.Fun).(type) {
				case *ast.Ident:
					if _, ok := info.Uses[f].(*types.Builtin); ok && f.Name == "len" && arg != nil {
						measured[info.Uses[arg]] = true
					}
					capacity = capacity || f.Name == "cap"
				case *ast.SelectorExpr:
					_, indexed := ast.Unparen(f.X).(*ast.IndexExpr)
					if indexed && arg != nil && f.Sel.Name == "Put" && strings.TrimPrefix(types.TypeString(info.TypeOf(f.X), nil), "*") == "sync.Pool" {
						puts = append(puts, call)
					}
				}
				return true
			})
			for _, p := range puts {
				v, ok := info.Uses[ast.Unparen(p.Args[0]).(*ast.Ident)].(*types.Var)
				if !ok || capacity || !measured[v] || v.Pos() > fn.Body.Pos() {
					continue
				}
				if _, ok := v.Type().Underlying().(*types.Slice); ok {
					found = append(found, pooled.Finding{Pos: p.Pos(), End: p.End(),
						Message: fmt.Sprintf("wrong pool: it is chosen by the length of %s, not by the capacity", v.Name())})
				}
			}
		}
	}
	return found
}
