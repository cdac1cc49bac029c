package pooled

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

// packageInfo has the facts of the analyzed package.
type packageInfo struct {
	pass       *analysis.Pass
	ssa        *ssa.Package
	funcs      []*ssa.Function
	explore    func(*ssa.Function) *Fact // follows the paths of a function
	setOnce    map[*ssa.Global]*ssa.Function
	resliced   map[*types.Var]bool    // fields that are emptied with [:0] or with Reset
	limited    map[string]bool        // pools with MaxInUse
	distinct   map[string]bool        // variables that point at a pool of their own
	companions map[*ssa.Function]bool // methods of types that put their own memory
	placesOf   func() *places.Index

	summaries memo[*ssa.Function, *Fact]
	facts     memo[*types.Func, *Fact] // of functions of other packages
	models    memo[*types.Func, *effects.Effect]
	puts      memo[*ssa.Function, bool] // results of mayPut
	shares    memo[*ssa.Function, bool] // results of mayShare
	failing   memo[*ssa.Function, bool] // results of alwaysFails
	effect    memo[*ssa.Function, *writes]
	loops     memo[*ssa.Function, shape.Loops]
	sole      memo[*types.Named, types.Type] // the only implementations of interfaces
}

// A memo keeps what a function returned.
type memo[K comparable, V any] map[K]V

// of returns find(k). If find asks for k again, it gets meanwhile.
func (m memo[K, V]) of(k K, meanwhile V, find func(K) V) V {
	v, known := m[k]
	if !known {
		m[k] = meanwhile
		v = find(k)
		m[k] = v
	}
	return v
}

// reused reports whether the memory that a field points at is kept when its struct is
// reused.
func (p *packageInfo) reused(f *types.Var) bool {
	if p.resliced[f] {
		return true
	}
	if f.Pkg() == nil {
		return false
	}
	return f.Pkg() != p.pass.Pkg && p.pass.ImportObjectFact(f, new(Reused)) || effects.IsOwned(f)
}

func (p *packageInfo) inTest(pos token.Pos) bool {
	return strings.HasSuffix(p.pass.Fset.Position(pos).Filename, "_test.go")
}

// imported returns the fact of a function of another package.
func (p *packageInfo) imported(f *types.Func) *Fact {
	return p.facts.of(f.Origin(), nil, func(f *types.Func) *Fact {
		fact := new(Fact)
		if f.Pkg() == nil || f.Pkg() == p.pass.Pkg || !p.pass.ImportObjectFact(f, fact) {
			return nil
		}
		return fact
	})
}

// model returns the model of a function, or nil.
func (p *packageInfo) model(f *types.Func) *effects.Effect { return p.models.of(f, nil, effects.Of) }

// loopsOf returns shape.LoopsOf(fn), which it keeps.
func (p *packageInfo) loopsOf(fn *ssa.Function) shape.Loops {
	return p.loops.of(fn, nil, shape.LoopsOf)
}

// writes are the writes of a function into memory that it did not make.
type writes struct {
	unknown bool // anything
	fields  map[*types.Var]bool
	others  bool // something that is no field
}
