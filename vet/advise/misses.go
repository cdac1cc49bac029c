package advise

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// missesPool reports whether an instruction is carried out only if a free list had nothing: a Get of a sync.Pool gave nil, or
// a channel no value of the type.
func missesPool(instr ssa.Instruction) bool {
	for b := instr.Block(); b != nil && b.Idom() != nil; b = b.Idom() {
		branch, ok := lastOf(b.Idom()).(*ssa.If)
		if ok && len(b.Preds) == 1 && branch.Block().Succs[0] != branch.Block().Succs[1] && isMiss(branch.Cond, branch.Block().Succs[0] == b, instr) {
			return true
		}
	}
	return false
}

func lastOf(b *ssa.BasicBlock) ssa.Instruction { return b.Instrs[len(b.Instrs)-1] }

// isMiss reports whether a condition has this truth only if a free list had nothing.
func isMiss(cond ssa.Value, truth bool, made ssa.Instruction) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		return c.Op == token.NOT && isMiss(c.X, !truth, made)
	case *ssa.Extract: // the second result of a type assertion
		assert, ok := c.Tuple.(*ssa.TypeAssert)
		return ok && c.Index == 1 && !truth && isGot(assert.X)
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ {
			return false
		}
		equal := truth == (c.Op == token.EQL)
		return equal && (isNil(c.X) && isGot(c.Y) || isNil(c.Y) && isGot(c.X)) || !equal && isDefault(c, made)
	}
	return false
}

// isGot reports whether a value is the result of Get of a sync.Pool, of any type.
func isGot(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Extract:
		assert, ok := x.Tuple.(*ssa.TypeAssert)
		return ok && x.Index == 0 && isGot(assert.X)
	case *ssa.TypeAssert:
		return isGot(x.X)
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		return fn != nil && runtimeName(fn) == "sync.(*Pool).Get"
	}
	return false
}

// isDefault reports whether a comparison asks for the only case of a select statement with a default, and the case receives
// values of the type that an instruction makes.
func isDefault(c *ssa.BinOp, made ssa.Instruction) bool {
	x, ok := c.X.(*ssa.Extract)
	if !ok || x.Index != 0 {
		return false
	}
	sel, ok := x.Tuple.(*ssa.Select)
	if !ok || sel.Blocking || len(sel.States) != 1 || sel.States[0].Dir != types.RecvOnly {
		return false
	}
	elem := sel.States[0].Chan.Type().Underlying().(*types.Chan).Elem()
	typ := made.(ssa.Value).Type()
	if v, ok := made.(*ssa.Alloc); ok && v.Comment == "makeslice" {
		typ = types.NewSlice(typ.Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Elem())
	}
	return types.Identical(elem, typ)
}
