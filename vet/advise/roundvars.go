package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// Each round of a loop may declare a variable and decode into it. One that is declared before the loop does as well, if it is zero
// in each round: some decoders see to that, others only set the fields for which there is a value.

// beforeDecode says how rounds can share a variable that each of them declares.
func (a *allocation) beforeDecode() string {
	before := "declare it " + a.beforeLoop()
	decoder := decoderOf(a.instr)
	switch {
	case decoder == nil:
		return before + ", and set it in each round"
	case isOfMessages(decoder):
		return before + "; " + name(decoder) + " resets it in each round"
	}
	return before + ", and set it to its zero value in each round, because " + name(decoder) + " leaves alone what has no value in the input"
}

// decoderOf returns the function that alone sets a variable, and is the first that gets its address, or nil.
func decoderOf(instr ssa.Instruction) (decoder *ssa.Function) {
	variable, ok := instr.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var decode *ssa.Call
	for _, r := range *variable.Referrers() {
		made, ok := r.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		if call, ok := onlyUse(made).(*ssa.Call); ok && fillsArgument(call, made) {
			if decode != nil {
				return nil
			}
			decode = call
		}
	}
	if decode == nil || slices.ContainsFunc(*variable.Referrers(), func(r ssa.Instruction) bool {
		st, ok := r.(*ssa.Store)
		return ok && st.Addr == ssa.Value(variable) && !isZeroValue(st.Val) || !ok && !decode.Block().Dominates(r.Block())
	}) {
		return nil
	}
	return decode.Call.StaticCallee()
}

// fillsArgument reports whether a call decodes into an argument.
func fillsArgument(call *ssa.Call, arg ssa.Value) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return false
	}
	e := effects.Of(obj.Origin())
	return e != nil && e.Decode != effects.None && e.Fill != effects.None && e.Fill < len(call.Call.Args) && call.Call.Args[e.Fill] == arg
}
