package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function that gets a struct from a pool may set its slice to a new one whatever the struct had. Then the pool saves the struct
// alone.

// replaces reports whether a function gets a struct from a pool and sets a field of it to memory that it makes, and no condition
// between depends on the struct.
func replaces(made ssa.Instruction) bool {
	v, ok := made.(ssa.Value)
	if !ok || !isMakeOf(v) || missesPool(made).ok {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Slice:
			return replaces(r)
		case *ssa.Store:
			field, ok := r.Addr.(*ssa.FieldAddr)
			return ok && r.Val == v && isGot(field.X).ok && !isConditional(made.Block(), field.X)
		}
		return false
	})
}

// isMakeOf reports whether a value is a slice, or the array of one, that make makes.
func isMakeOf(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return true
	case *ssa.Slice:
		return isMakeOf(v.X)
	case *ssa.Alloc:
		return v.Comment == "makeslice"
	}
	return false
}

// isConditional reports whether a condition on the way to a block depends on a struct.
func isConditional(b *ssa.BasicBlock, of ssa.Value) bool {
	for ; b != nil; b = b.Idom() {
		if b.Idom() == nil {
			return false
		}
		if branch, ok := lastOf(b.Idom()).(*ssa.If); ok && dependsOn(branch.Cond, of, 6) {
			return true
		}
	}
	return false
}

// dependsOn reports whether a value is computed from another, or by more steps than a depth.
func dependsOn(v, of ssa.Value, depth int) bool {
	if v == of || depth == 0 {
		return true
	}
	instr, ok := v.(ssa.Instruction)
	return ok && slices.ContainsFunc(instr.Operands(nil), func(o *ssa.Value) bool { return *o != nil && dependsOn(*o, of, depth-1) })
}
