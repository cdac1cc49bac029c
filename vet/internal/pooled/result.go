package pooled

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/pools"
	"github.com/basin-go/basin/vet/internal/syntax"
)

// A Result is the input of the checks.
type Result struct {
	*syntax.Source
	Hits     []*paths.Hit
	Funcs    []*ssa.Function
	Failures int // functions that could not be analyzed
	Pools    func() []*pools.Pool
	info     *facts.Package
}

// Analyzed reports whether the package has to do with pools. Otherwise there is nothing to find.
func (r *Result) Analyzed() bool { return r.info != nil }

// InTest reports whether a position is in a test file.
func (r *Result) InTest(pos token.Pos) bool { return r.info.InTest(pos) }

func (r *Result) fact(f *types.Func) *facts.Fact {
	if f.Pkg() != r.Pass.Pkg {
		return r.info.Imported(f)
	}
	if fn := r.info.SSA.Prog.FuncValue(f.Origin()); fn != nil {
		return r.info.Local(fn)
	}
	return nil
}
