// Package facts has the facts of functions: which of their arguments they put, share or return, and which results come from a
// pool. Callers read these facts in place of the function, also in other packages.
//
// census.go reads the whole package once. may.go tells without following a path which functions may have a fact; only these
// are explored, by package paths. static.go has the parts of facts that need no paths.
//
// Touch it for knowledge of a function that a caller needs. What the functions of the standard library do is in package effects.
package facts

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/places"
	"github.com/basin-go/basin/vet/internal/shape"
)

// A Package is the analyzed package, with the facts of its functions.
type Package struct {
	Pass     *analysis.Pass
	SSA      *ssa.Package
	Funcs    []*ssa.Function               // with a declaration, and function literals
	SetOnce  map[*ssa.Global]*ssa.Function // variables that always have this function
	Limited  map[string]bool               // pools with MaxInUse
	Distinct map[string]bool               // variables that point at a pool of their own
	Places   func() *places.Index

	lists      map[*ssa.Function]*Fact   // functions of free lists
	explore    func(*ssa.Function) *Fact // follows the paths of a function
	resliced   map[*types.Var]bool       // fields that are emptied with [:0] or with Reset
	companions map[*ssa.Function]bool    // methods of types that put their own memory
	putters    map[string]bool           // pointers to those types
	changed    map[*types.Var]bool       // fields that are set in structs which are not new, or may be

	locals   Memo[*ssa.Function, *Fact]
	facts    Memo[*types.Func, *Fact] // of functions of other packages
	rows     Memo[*types.Func, *effects.Effect]
	puts     Memo[*ssa.Function, bool] // results of mayPut
	shares   Memo[*ssa.Function, bool] // results of mayShare
	failing  Memo[*ssa.Function, bool] // results of alwaysFails
	effect   Memo[*ssa.Function, *Writes]
	borrowed Memo[*ssa.Parameter, bool]
	loops    Memo[*ssa.Function, shape.Loops]
	sole     Memo[*types.Named, types.Type] // the only implementations of interfaces
}

// A Memo keeps the results of a function. The zero value is empty.
type Memo[K comparable, V any] struct{ results map[K]V }

// Of returns find(k). If find asks for k again, it gets meanwhile.
func (m *Memo[K, V]) Of(k K, meanwhile V, find func(K) V) V {
	v, known := m.results[k]
	if !known {
		if m.results == nil {
			m.results = map[K]V{}
		}
		m.results[k] = meanwhile
		v = find(k)
		m.results[k] = v
	}
	return v
}

// forget makes the Memo empty.
func (m *Memo[K, V]) forget() { m.results = nil }

// Reused reports whether the memory that a field points at is kept when its struct is
// reused.
func (p *Package) Reused(f *types.Var) bool {
	if p.resliced[f] {
		return true
	}
	if f.Pkg() == nil {
		return false
	}
	return f.Pkg() != p.Pass.Pkg && p.Pass.ImportObjectFact(f, new(Reused)) || effects.IsOwned(f)
}

// Constant reports whether a field keeps the value that it was given when its struct was made.
func (p *Package) Constant(f *types.Var) bool {
	return f != nil && f.Pkg() == p.Pass.Pkg && !f.Exported() && !p.changed[f]
}

// InTest reports whether a position is in a test file.
func (p *Package) InTest(pos token.Pos) bool {
	return strings.HasSuffix(p.Pass.Fset.Position(pos).Filename, "_test.go")
}

// Imported returns the fact of a function of another package.
func (p *Package) Imported(f *types.Func) *Fact {
	return p.facts.Of(f.Origin(), nil, func(f *types.Func) *Fact {
		fact := new(Fact)
		if f.Pkg() == nil || f.Pkg() == p.Pass.Pkg || !p.Pass.ImportObjectFact(f, fact) {
			return nil
		}
		return fact
	})
}

// Row returns the row of a function in the table of effects, or nil.
func (p *Package) Row(f *types.Func) *effects.Effect { return p.rows.Of(f, nil, effects.Of) }

// Loops returns shape.LoopsOf(fn), which it keeps.
func (p *Package) Loops(fn *ssa.Function) shape.Loops {
	return p.loops.Of(fn, nil, shape.LoopsOf)
}

// Writes are the writes of a function into memory that it did not make.
type Writes struct {
	Unknown bool // anything
	Fields  map[*types.Var]bool
	Emptied map[*types.Var]bool // fields that only get the front of their own slice
	Others  bool                // something that is no field
}
