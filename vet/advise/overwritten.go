package advise

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A variable may get memory for the usual case, and other memory if a condition holds, before anything has used the first. Then the first is
// made for nothing.

// noteOverwritten notes where a variable gets another value before any use of the memory that an instruction makes.
func (s *source) noteOverwritten(a *allocation) {
	v, ok := a.instr.(ssa.Value)
	if !ok {
		return
	}
	if array, ok := v.(*ssa.Alloc); ok {
		if list := wholeOf(array); list != nil {
			v = list
		}
	}
	switch v.(type) {
	case *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeSlice, *ssa.Slice, *ssa.Alloc:
	default:
		return
	}
	if at := overwrittenAt(v); at.IsValid() {
		place := s.fset.Position(at)
		a.overwritten = fmt.Sprintf(" Its variable gets another value at %s:%d, on that path before any use of this one: make it only on the other.", base(place.Filename), place.Line)
	}
}

// overwrittenAt returns where a variable gets another value on a path on which nothing has used its first, or no position.
func overwrittenAt(v ssa.Value) (at token.Pos) {
	made := v.(ssa.Instruction).Block()
	var merges []*ssa.Phi
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Phi:
			merges = append(merges, r)
		case *ssa.FieldAddr:
			if set, ok := onlyUse(r).(*ssa.Store); !ok || set.Addr != ssa.Value(r) {
				return token.NoPos
			}
		default:
			return token.NoPos
		}
	}
	for _, phi := range merges {
		for i, e := range phi.Edges {
			instr, ok := e.(ssa.Instruction)
			if _, merged := e.(*ssa.Phi); !ok || merged || e == v || instr.Block() == made || !made.Dominates(instr.Block()) {
				continue
			}
			if at := positionOf(e); at.IsValid() && !isUsedBefore(phi.Block().Preds[i], made, merges) {
				return at
			}
		}
	}
	return token.NoPos
}

// positionOf returns the position of a value, or of the array that it is a slice of.
func positionOf(v ssa.Value) token.Pos {
	if list, ok := v.(*ssa.Slice); ok && !list.Pos().IsValid() {
		return list.X.Pos()
	}
	return v.Pos()
}

// isUsedBefore reports whether a path from the block that makes memory may come to a merge of its variable before another block.
func isUsedBefore(block, made *ssa.BasicBlock, merges []*ssa.Phi) bool {
	for _, phi := range merges {
		if phi.Block() == block || reaches(phi.Block(), block, made) {
			return true
		}
	}
	return false
}

// overwrittenText says so, unless the memory is rare.
func (s *Site) overwrittenText() string {
	if s.found == nil || s.Verdict == TooRare {
		return ""
	}
	return s.found.overwritten
}
