// Package wrongslice defines an analyzer that finds Puts of slices that the pool did not hand out.
//
// # Analyzer wrongslice
//
// wrongslice: find Puts of slices that the pool did not hand out
//
// A sync.Pool keeps a slice without its front or a part of its capacity, so its
// memory shrinks with every turn. Other pools drop such a slice:
//
//	b := basin.Get(512)
//	b = b[copy(dst, b):]
//	basin.Put(b)
//
// Memory of another pool, or of none, does not belong there either.
package wrongslice

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed wrongslice.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("wrongslice", findings.Doc(source, "wrongslice"), find)

func find(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	for _, h := range r.Hits {
		f := findings.Finding{}
		memory := r.Subject(h.At)
		switch h.Kind {
		case paths.CutPut:
			f.Message = fmt.Sprintf("wrong slice: the front of %s has been cut off, so memory is lost to the pool; put the slice from Get", memory)
		case paths.ClippedPut:
			f.Message = fmt.Sprintf("wrong slice: the capacity of %s has been cut, so memory is lost to the pool; put the slice from Get", memory)
		case paths.ForeignPut:
			f.Message = fmt.Sprintf("wrong slice: %s is from no pool; put only slices from Get", memory)
		case paths.GrownPut:
			f.Message = fmt.Sprintf("wrong slice: append may have moved %s out of the pool; grow it with the pool's Append", memory)
		case paths.OtherPool:
			f.Message = fmt.Sprintf("wrong pool: %s was taken %s and is put %s", memory, r.Pool("from", h.Get), r.Pool("into", h.At))
		default:
			continue
		}
		if h.Get.IsValid() {
			f.Related = r.Related(h.Get, "acquired here")
		}
		f.Pos, f.End = r.Start(h.At)
		found = append(found, f)
	}
	return append(append(found, mistyped(r)...), byLength(r)...)
}

// mistyped finds sync.Pools that are given a type that the callers of their Get do not expect. Memory of another pool is
// no such mistake: some pairs of pools share their memory.
func mistyped(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	short := types.RelativeTo(r.Pass.Pkg)
	for _, p := range r.Pools() {
		before := len(found)
		for _, put := range p.Puts {
			expects, given, ok := p.Mistyped(put)
			if !ok || r.InTest(put.Call.Pos()) {
				continue
			}
			f := findings.Finding{Message: fmt.Sprintf("wrong type: callers of Get expect %s, but %s is put %s",
				types.TypeString(expects, short), types.TypeString(given, short), r.Pool("into", put.Call.Pos()))}
			f.Pos, f.End = r.Start(put.Call.Pos())
			found = append(found, f)
		}
		for _, t := range p.Unexpected() {
			if r.InTest(t.Pos()) || len(found) > before { // one report for each pool
				continue
			}
			f := findings.Finding{Message: fmt.Sprintf("wrong type: nothing of type %s is put into %s, and its New makes none", types.TypeString(t.AssertedType, short), p.Var.Name())}
			f.Pos, f.End = r.Start(t.Pos())
			found = append(found, f)
		}
	}
	return found
}

// byLength finds functions that choose one of several pools by the length of a slice instead of its
// capacity. The next user then gets a slice of another size than it asked for.
func byLength(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	for _, file := range r.Pass.Files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			measured, puts := choices(r.Pass.TypesInfo, fn)
			for _, p := range puts {
				v, ok := r.Pass.TypesInfo.Uses[ast.Unparen(p.Args[0]).(*ast.Ident)].(*types.Var)
				if !ok || !measured[v] || v.Pos() > fn.Body.Pos() {
					continue
				}
				if _, ok := v.Type().Underlying().(*types.Slice); ok {
					found = append(found, findings.Finding{Pos: p.Pos(), End: p.End(),
						Message: fmt.Sprintf("wrong pool: the pool is chosen by the length of %s; choose it by the capacity", v.Name())})
				}
			}
		}
	}
	return found
}

// choices returns the variables of whose length a function asks, and its Puts of a variable into an element of a list of
// sync.Pools. It returns none if the function asks for a capacity.
func choices(info *types.Info, fn *ast.FuncDecl) (measured map[types.Object]bool, puts []*ast.CallExpr) {
	measured = map[types.Object]bool{}
	capacity := false
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
	if capacity {
		return nil, nil
	}
	return measured, puts
}
