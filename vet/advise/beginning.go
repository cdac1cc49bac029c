package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A beginning is a struct whose field can begin with a slice of a pool.
type beginning struct {
	field   *types.Var
	local   *ssa.Alloc
	first   *ssa.Store      // that sets the field as the struct is made, or nil
	calls   []*ssa.Call     // of the function that makes it for others, and has its field begin
	after   *ssa.Call       // of one that leaves the field nil, so that its caller has it begin, or nil
	returns []scratchResult // that have the memory
}

// makes reports whether an instruction makes the slice that the field has first.
func (b *beginning) makes(instr ssa.Instruction) bool {
	if b.first == nil {
		return false
	}
	v, _ := instr.(ssa.Value)
	part, ok := b.first.Val.(*ssa.Slice)
	return b.first.Val == v || ok && part.X == v
}

// beginsNil reports whether the field is nil at first.
func (b *beginning) beginsNil() bool { return b.first == nil || isNil(b.first.Val) }

// ends returns the functions that are done with a struct when they return.
func (b *beginning) ends() (all []*ssa.Function) {
	switch {
	case b.after != nil:
		return []*ssa.Function{b.after.Parent()}
	case len(b.calls) == 0:
		return []*ssa.Function{b.local.Parent()}
	}
	for _, call := range b.calls {
		all = append(all, call.Parent())
	}
	return all
}

// returnsRoom reports whether each result that has the memory has all of its capacity.
func (b *beginning) returnsRoom() bool {
	return !slices.ContainsFunc(b.returns, func(r scratchResult) bool {
		return !isResult(r.value, func(v ssa.Value) bool {
			part, ok := v.(*ssa.Slice)
			return !ok || part.Low == nil && part.Max == nil && unsliced(part) == part.X
		})
	})
}

// isResult reports whether a value is one of some, or else all results of the function whose call it is.
func isResult(v ssa.Value, is func(ssa.Value) bool) bool {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return is(v)
	}
	return !slices.ContainsFunc(call.Call.StaticCallee().Blocks, func(b *ssa.BasicBlock) bool {
		ret, ok := lastOf(b).(*ssa.Return)
		return ok && !is(ret.Results[0])
	})
}
