package advise

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A slice that is made anew with exactly the capacity that is needed, whenever it has less, outgrows an array at each step:
//
//	if cap(b) < len(b)+n {
//		larger := make([]byte, len(b), len(b)+n)
//		copy(larger, b)
//		b = larger
//	}

// grows is for such a slice.
const grows = " It grows to exactly what is needed, and so again at each step: append grows it by a share of its size, and outgrows fewer arrays."

// isExact reports whether an instruction makes such a slice.
func isExact(instr ssa.Instruction) bool {
	made, ok := instr.(*ssa.MakeSlice)
	if !ok || len(made.Block().Preds) != 1 {
		return false
	}
	before := made.Block().Preds[0]
	check, ok := before.Instrs[len(before.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := check.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	has, need := cond.X, cond.Y
	switch cond.Op {
	case token.LSS, token.LEQ:
	case token.GTR, token.GEQ:
		has, need = need, has
	default:
		return false
	}
	old := operandOf(has, "cap")
	return old != nil && before.Succs[0] == made.Block() && (isSame(made.Cap, need) || isSame(made.Len, need)) && isCopiedFrom(made, old)
}

// isCopiedFrom reports whether a slice gets the elements of another.
func isCopiedFrom(made, old ssa.Value) bool {
	for _, r := range *made.Referrers() {
		switch r := r.(type) {
		case *ssa.Slice:
			if isCopiedFrom(r, old) {
				return true
			}
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok && b.Name() == "copy" && r.Call.Args[0] == made && isSame(r.Call.Args[1], old) {
				return true
			}
		}
	}
	return false
}

// operandOf returns the operand of a call of a built-in function, or nil.
func operandOf(v ssa.Value, name string) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != name {
		return nil
	}
	return call.Call.Args[0]
}

// isSame reports whether two expressions read the same variables in the same way.
func isSame(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.Const:
		b, ok := b.(*ssa.Const)
		return ok && a.Value != nil && b.Value != nil && constant.Compare(a.Value, token.EQL, b.Value)
	case *ssa.BinOp:
		b, ok := b.(*ssa.BinOp)
		return ok && isSameOperation(a, b)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == b.Op && a.Op != token.ARROW && isSame(a.X, b.X)
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && isSame(a.X, b.X)
	case *ssa.Call:
		x, y := operandOf(a, "len"), operandOf(b, "len")
		return x != nil && y != nil && isSame(x, y)
	}
	return false
}

func isSameOperation(a, b *ssa.BinOp) bool {
	return a.Op == b.Op && (isSame(a.X, b.X) && isSame(a.Y, b.Y) || a.Op == token.ADD && isSame(a.X, b.Y) && isSame(a.Y, b.X))
}
