package advise

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Decoder of JSON copies its input to a buffer of its own, even if that is in memory already. Package xml is not like that:
// its Unmarshal makes a Decoder, too.

// inMemory are functions that make readers of memory.
var inMemory = map[string]bool{"bytes.NewReader": true, "bytes.NewBuffer": true, "strings.NewReader": true, "bytes.NewBufferString": true}

// hintOfDecoder says how to do without the copy if a call makes it. The Decoder must decode one value, of memory that nothing
// else reads: then json.Unmarshal can take its place.
func (s *Site) hintOfDecoder(call ssa.CallInstruction) string {
	made, _ := call.(*ssa.Call)
	switch {
	case made == nil:
		return ""
	case isCalled(made, "encoding/json.(*Decoder).Decode") && s.tally.makers["encoding/json.(*Decoder).refill"] > 0:
		made, _ = made.Call.Args[0].(*ssa.Call)
	}
	if made == nil || !isCalled(made, "encoding/json.NewDecoder") {
		return ""
	}
	decode, _ := onlyUse(made).(*ssa.Call)
	reader, _ := unwrap(made.Call.Args[0]).(*ssa.Call)
	if decode == nil || reader == nil || !isCalled(decode, "encoding/json.(*Decoder).Decode") || decode.Call.Args[0] != ssa.Value(made) ||
		reader.Call.StaticCallee() == nil || !inMemory[runtimeName(reader.Call.StaticCallee())] ||
		onlyUse(reader) == nil || repeats(decode, made) || repeats(made, reader) {
		return ""
	}
	how := ": json.Unmarshal reads that as it is."
	if isString(reader.Call.Args[0].Type()) {
		how = ", to a buffer that grows: json.Unmarshal needs one copy of the right size."
	}
	return " A Decoder copies its input, which is in memory already" + how +
		" Unlike Decode, it rejects data behind the value, and has other errors for input that ends early."
}

// onlyUse returns the only instruction that uses a value, or that uses the interface's value made of it, or nil.
func onlyUse(v ssa.Value) ssa.Instruction {
	var only ssa.Instruction
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); ok {
			continue
		}
		if only != nil {
			return nil
		}
		only = r
	}
	if made, ok := only.(*ssa.MakeInterface); ok {
		return onlyUse(made)
	}
	return only
}

// repeats reports whether an instruction may run several times for each time that another of its function does.
func repeats(instr, other ssa.Instruction) bool {
	return instr.Parent() != other.Parent() || reaches(instr.Block(), instr.Block(), other.Block())
}

// decodesToAny returns the pointer to an interface into which a call decodes, or nil.
func (s *Site) decodesToAny() ssa.Value {
	if !fillsTarget[s.Calls] || s.found == nil {
		return nil
	}
	call, ok := s.found.instr.(ssa.CallInstruction)
	if !ok || len(call.Common().Args) == 0 {
		return nil
	}
	args := call.Common().Args
	target := unwrap(args[len(args)-1])
	p, ok := target.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	if _, param := types.Unalias(p.Elem()).(*types.TypeParam); param || !types.IsInterface(p.Elem()) {
		return nil
	}
	return target
}

// isNeverSet reports whether a pointer is to a variable that is nil when one call that gets it begins: only that and loads use it.
func isNeverSet(pointer ssa.Value) bool {
	variable, ok := pointer.(*ssa.Alloc)
	if !ok {
		return false
	}
	uses := 0
	for _, r := range *variable.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.UnOp:
		case *ssa.Store: // of itself, by a return
			load, ok := r.Val.(*ssa.UnOp)
			if !ok || load.X != pointer {
				return false
			}
		case *ssa.MakeInterface:
			uses++
			if inLoop(r) && !inLoop(variable) {
				return false // a round before may have set it
			}
		default:
			return false
		}
	}
	return uses == 1
}
