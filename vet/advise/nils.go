package advise

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A function may return nil in the place of memory that its callers put, most often beside an error. A nil pointer must not be put.

// A nilResult says when a result is nil.
type nilResult int

const (
	neverNil      nilResult = iota
	nilWithErrors           // the other of two results is an error then, which is not nil
	maybeNil
)

// nilsOf says when a result of a function is nil, and not the memory.
func nilsOf(fn *ssa.Function, result int, root ssa.Value) nilResult {
	nils := neverNil
	for _, b := range fn.Blocks {
		ret, ok := lastOf(b).(*ssa.Return)
		switch {
		case !ok || ret.Results[result] == root:
		case isNil(ret.Results[result]) && result == 0 && len(ret.Results) == 2 && isFailure(ret.Results[1], b):
			nils = max(nils, nilWithErrors)
		default:
			return maybeNil
		}
	}
	return nils
}

// isFailure reports whether an error is surely not nil at the end of a block.
func isFailure(err ssa.Value, b *ssa.BasicBlock) bool {
	switch v := err.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil && (runtimeName(fn) == "errors.New" || runtimeName(fn) == "fmt.Errorf") {
			return true
		}
	}
	for at := b; at != nil; at = at.Idom() {
		for _, before := range at.Preds {
			branch, ok := lastOf(before).(*ssa.If)
			if !ok || len(at.Preds) != 1 {
				continue
			}
			cond, ok := branch.Cond.(*ssa.BinOp)
			if ok && cond.Op == token.NEQ && before.Succs[0] == at && (cond.X == err && isNil(cond.Y) || cond.Y == err && isNil(cond.X)) {
				return true
			}
		}
	}
	return false
}
