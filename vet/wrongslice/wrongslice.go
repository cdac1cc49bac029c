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

const doc = `find slices that are not what the pool handed out

A slice that lacks its front or a part of its capacity makes the memory of the
pool shrink with every turn, and a pool that knows its memory refuses it. Memory
that is no pool's, or another pool's, does not belong there either.`

// Analyzer is the check.
var Analyzer = pooled.NewCheck("wrongslice", doc, find)

func find(r *pooled.Result) []pooled.Finding {
	var found []pooled.Finding
	for _, h := range r.Hits {
		f := pooled.Finding{Pos: h.At}
		switch h.Kind {
		case pooled.CutPut:
			f.Message = "the slice that is put lacks its front: the pool loses that memory for good; put the slice as Get returned it"
		case pooled.ClippedPut:
			f.Message = "the slice that is put has lost a part of its capacity: the next user gets less; put the slice as Get returned it"
		case pooled.ForeignPut:
			f.Message = "what is put is no memory of a pool: the pool drops it, or hands out memory that is not its own; put only what Get returned"
		case pooled.GrownPut:
			f.Message = "append may have moved what is put out of the pool: the pool drops it and its own memory is lost; grow it with the pool's Append"
		case pooled.OtherPool:
			f.Message = fmt.Sprintf("what is put came from another pool than %s puts it into; put it where it came from", r.Text(h.At))
		default:
			continue
		}
		if h.Get.IsValid() {
			f.Related = r.Related(h.Get, "got here")
		}
		f.Pos, f.End = r.Start(f.Pos)
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
						Message: "the pool is chosen by the length of the slice: one that was cut lands among shorter ones; choose it by the capacity"})
				}
			}
		}
	}
	return found
}
