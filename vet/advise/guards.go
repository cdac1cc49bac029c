package advise

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// isGuarded reports whether a slice expression runs only if the length of its operand is at least its end:
// if len(b) > max { b = b[:max] }.
func isGuarded(u *ssa.Slice) bool {
	for at := u.Block().Idom(); at != nil; at = at.Idom() {
		branch, ok := lastOf(at).(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := branch.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		holds, fails := at.Succs[0], at.Succs[1]
		length, end := cond.X, cond.Y
		switch cond.Op {
		case token.LSS, token.LEQ:
			length, end = end, length
		case token.GTR, token.GEQ:
		default:
			continue
		}
		if !isSameNumber(end, u.High) || !isLengthOf(length, u.X) {
			length, end = end, length // and the condition fails
			holds = fails
		}
		if isSameNumber(end, u.High) && isLengthOf(length, u.X) && len(holds.Preds) == 1 && holds.Dominates(u.Block()) {
			return true
		}
	}
	return false
}

// isLengthOf reports whether a number is the length of a slice.
func isLengthOf(n, slice ssa.Value) bool {
	call, ok := n.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len" && call.Call.Args[0] == slice
}

// isSameNumber reports whether two values are one, or the same constant.
func isSameNumber(a, b ssa.Value) bool {
	x, ok := a.(*ssa.Const)
	if !ok {
		return a == b
	}
	y, ok := b.(*ssa.Const)
	return ok && x.Value != nil && y.Value != nil && constant.Compare(x.Value, token.EQL, y.Value)
}
