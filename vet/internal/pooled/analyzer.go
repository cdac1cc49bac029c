// Package pooled analyzes a package for the checks of basin vet, which word and report its findings. docs/vet-internals.md
// follows one bug through it.
//
// Package facts tells what functions do with memory, package paths finds mistakes, and here tests that misuse memory on purpose
// are left out (intended.go).
//
// Touch it for the input of the checks: which packages are analyzed, and phrases that several checks use. For a bug that only
// a path shows, see package paths; for a pool as a whole, package pools; for later uses of a field, package places.
package pooled

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/noreturn"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/pools"
	"github.com/basin-go/basin/vet/internal/shape"
	"github.com/basin-go/basin/vet/internal/syntax"
)

// Analyzer follows pooled memory through functions. It reports nothing itself: the checks read its Result.
var Analyzer = &analysis.Analyzer{
	Name:       "basinpooled",
	Doc:        "follow memory of pools through functions, for the checks of basin vet",
	Run:        run,
	FactTypes:  []analysis.Fact{(*facts.Fact)(nil), (*facts.Reused)(nil), (*noreturn.Fact)(nil)},
	ResultType: reflect.TypeFor[*Result](),
}

// debugPanics lets a panic of the analysis end a test, which then shows where it was.
var debugPanics = false

func run(pass *analysis.Pass) (_ any, err error) {
	defer func() {
		if r := recover(); r != nil && !debugPanics {
			err = fmt.Errorf("internal error of basin vet, please report it; the package is not analyzed: %v", r)
		}
	}()
	r := &Result{Source: syntax.New(pass)}
	if InStandardLibrary(fileOf(pass)) {
		return r, nil
	}
	neverReturns := noreturn.Find(pass)
	if !worthwhile(pass) {
		return r, nil
	}
	pkg, funcs := buildSSA(pass, neverReturns)
	if pkg == nil {
		r.Failures++
		return r, nil
	}
	p := facts.New(pass, pkg, funcs)
	r.Funcs, r.info = funcs, p
	r.Pools = sync.OnceValue(func() []*pools.Pool { return survey(withInit(pkg, funcs)) })
	e, t, hits := &paths.Explorer{Package: p}, &trials{Package: p}, map[*ssa.Function][]*paths.Hit{}
	p.Find(func(fn *ssa.Function) (fact *facts.Fact) {
		defer func() {
			if cause := recover(); cause != nil {
				if debugPanics {
					panic(cause)
				}
				r.Failures++
			}
		}()
		fact, hits[fn] = e.Explore(fn)
		hits[fn] = slices.DeleteFunc(hits[fn], t.intended)
		return fact
	})
	for _, fn := range funcs {
		r.Hits = append(r.Hits, hits[fn]...)
	}
	slices.SortStableFunc(r.Hits, func(a, b *paths.Hit) int {
		return cmp.Or(int(a.At-b.At), int(a.Kind)-int(b.Kind), int(a.Put-b.Put))
	})
	r.Hits = oneForEachPut(r.Hits)
	return r, nil
}

// oneForEachPut keeps one of the hits with the same cause: the first use after a Put, with the further uses in
// its More. hits must be sorted by position.
func oneForEachPut(hits []*paths.Hit) []*paths.Hit {
	type cause struct {
		put  token.Pos
		kind paths.HitKind
		at   token.Pos
	}
	first := map[cause]*paths.Hit{}
	var kept []*paths.Hit
	for _, h := range hits {
		c := cause{h.Put, h.Kind, h.At}
		switch h.Kind {
		case paths.UseAfterPut, paths.SentAfterPut, paths.GoAfterPut, paths.ReturnedAfterPut, paths.StoredAfterPut, paths.SharedAtPut, paths.StaleView:
			c = cause{put: h.Put}
		}
		f := first[c]
		if f == nil {
			first[c] = h
			kept = append(kept, h)
		} else if f.At != h.At && !slices.Contains(f.More, h.At) {
			f.More = append(f.More, h.At)
		}
	}
	return kept
}

var goroot = build.Default.GOROOT

// InStandardLibrary reports whether a file belongs to the standard library. Its functions are not analyzed:
// the table of effects has them.
func InStandardLibrary(file string) bool {
	return goroot != "" && strings.HasPrefix(filepath.ToSlash(file), filepath.ToSlash(goroot)+"/src/")
}

func fileOf(pass *analysis.Pass) string {
	if len(pass.Files) == 0 {
		return ""
	}
	return pass.Fset.Position(pass.Files[0].Package).Filename
}

// worthwhile reports whether the package may use a pool. Most packages do not, and need no SSA form.
func worthwhile(pass *analysis.Pass) bool {
	if effects.HasPools(pass.Pkg) || hasFreeList(pass.TypesInfo) {
		return true
	}
	for _, imp := range pass.Pkg.Imports() {
		if imp.Path() == "unsafe" || imp.Path() == "github.com/basin-go/basin/basinscope" || imp.Path() != "sync" && effects.HasPools(imp) {
			return true
		}
	}
	return usesPool(pass)
}

// usesPool reports whether the package uses a pool of the standard library or a function that gets or puts.
func usesPool(pass *analysis.Pass) bool {
	seen := map[types.Object]bool{}
	for _, o := range pass.TypesInfo.Uses {
		if o.Pkg() == nil || o.Pkg() == pass.Pkg || seen[o] {
			continue
		}
		seen[o] = true
		switch o := o.(type) {
		case *types.TypeName:
			if o.Name() == "Pool" && o.Pkg().Path() == "sync" {
				return true
			}
		case *types.Func:
			if m := effects.Of(o); m != nil && (m.Get || m.Puts()) {
				return true
			}
			fact := new(facts.Fact)
			if pass.ImportObjectFact(o.Origin(), fact) && len(fact.Puts)+len(fact.Gets) > 0 {
				return true
			}
		}
	}
	return false
}

// hasFreeList reports whether a package declares something that may be a free list.
func hasFreeList(info *types.Info) bool {
	for _, o := range info.Defs {
		switch o.(type) {
		case *types.Var, *types.TypeName:
			if facts.IsFreeList(o.Name(), o.Type()) {
				return true
			}
		}
	}
	return false
}

// buildSSA makes the SSA form of the package. The Analyzer buildssa would make it for all packages, including those
// that are not worthwhile.
func buildSSA(pass *analysis.Pass, noReturn func(*types.Func) bool) (pkg *ssa.Package, funcs []*ssa.Function) {
	defer func() {
		if r := recover(); r != nil {
			if debugPanics {
				panic(r)
			}
			pkg, funcs = nil, nil
		}
	}()
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(noReturn)
	// Methods of other packages are made when they are called.
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg = prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if o, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					if f := prog.FuncValue(o); f != nil {
						funcs = append(funcs, shape.WithLiterals(f)...)
					}
				}
			}
		}
	}
	if init := pkg.Func("init"); init != nil {
		for _, a := range init.AnonFuncs {
			funcs = append(funcs, shape.WithLiterals(a)...)
		}
	}
	return pkg, funcs
}
