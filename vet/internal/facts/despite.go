package facts

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// UsedDespiteError reports whether a caller in the package uses a result of a function although the last result, an error,
// may not be nil. By convention nobody does.
func (p *Package) UsedDespiteError(fn *ssa.Function, result int) bool {
	for i := range shape.Instructions(p.Funcs...) {
		c, ok := i.(*ssa.Call)
		if !ok || c.Call.StaticCallee() == nil || shape.Generic(c.Call.StaticCallee()) != fn {
			continue
		}
		var used, err *ssa.Extract
		for _, r := range *c.Referrers() {
			if e, ok := r.(*ssa.Extract); ok && e.Index == result {
				used = e
			} else if ok && e.Index == fn.Signature.Results().Len()-1 {
				err = e
			}
		}
		if used != nil && err != nil && usedDespite(used, err) {
			return true
		}
	}
	return false
}

// succeeds returns the blocks that are reached only if an error is nil, and whether somebody asks for the error.
func succeeds(err ssa.Value) (blocks []*ssa.BasicBlock, asked bool) {
	for _, r := range *err.Referrers() {
		cond, ok := r.(*ssa.BinOp)
		if !ok || !shape.IsNil(cond.Y) || cond.Op != token.NEQ && cond.Op != token.EQL {
			continue
		}
		for _, r := range *cond.Referrers() {
			i, ok := r.(*ssa.If)
			if !ok {
				continue
			}
			asked = true
			next := i.Block().Succs[0]
			if cond.Op == token.NEQ {
				next = i.Block().Succs[1]
			}
			if len(next.Preds) == 1 {
				blocks = append(blocks, next)
			}
		}
	}
	return blocks, asked
}

// usedDespite reports whether a value is passed on or kept where an error is not certainly nil, although the function asks.
func usedDespite(v, err ssa.Value) bool {
	blocks, asked := succeeds(err)
	if !asked {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r.(type) {
		case *ssa.Call, *ssa.Store, *ssa.FieldAddr, *ssa.Send:
		default:
			continue
		}
		if !slices.ContainsFunc(blocks, func(b *ssa.BasicBlock) bool { return b.Dominates(r.Block()) }) {
			return true
		}
	}
	return false
}
