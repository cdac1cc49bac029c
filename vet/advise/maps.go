package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Most maps leave their function, and are not judged. One that each round of a loop makes and alone uses can be one for all rounds,
// which clear empties. One that does not leave its function can come from a pool: see tables.go.

// isMap reports whether the memory is that of a map.
func (a *allocation) isMap() bool {
	switch a.instr.(type) {
	case *ssa.MakeMap, *ssa.MapUpdate:
		return a.other != ""
	}
	return false
}

// ownMap returns the instruction that makes the memory, if that is of a map which nothing else can have: it is only asked, set, ranged
// over and cleared. Otherwise ownMap returns nil.
func (a *allocation) ownMap() *ssa.MakeMap {
	if a == nil || !a.isMap() {
		return nil
	}
	v, _ := a.instr.(ssa.Value)
	if set, ok := a.instr.(*ssa.MapUpdate); ok {
		v = set.Map
	}
	made, ok := v.(*ssa.MakeMap)
	if !ok || slices.ContainsFunc(*made.Referrers(), func(use ssa.Instruction) bool { return !isOwnUse(use, made) }) {
		return nil
	}
	return made
}

// isMapOfRound reports whether the memory is that of a map which a round of a loop makes, and which nothing else can have.
func (a *allocation) isMapOfRound() bool {
	made := a.ownMap()
	return made != nil && !isLoopBody(made.Parent()) && inLoop(made)
}

// isOwnUse reports whether a use of a map lets nothing else have it.
func isOwnUse(use ssa.Instruction, made *ssa.MakeMap) bool {
	switch use := use.(type) {
	case *ssa.DebugRef, *ssa.Range:
		return true
	case *ssa.Lookup:
		return use.Index != ssa.Value(made)
	case *ssa.MapUpdate:
		return use.Key != ssa.Value(made) && use.Value != ssa.Value(made)
	case *ssa.Call: // not a deferred one, which runs later
		b, ok := use.Call.Value.(*ssa.Builtin)
		return ok && slices.Contains([]string{"len", "delete", "clear"}, b.Name()) && !slices.Contains(use.Call.Args[1:], ssa.Value(made))
	}
	return false
}

// otherText says why memory that is no buffer is not judged.
func (a *allocation) otherText() string {
	switch {
	case a.ownMap() != nil:
		return "This is a map, which only its function has. Nothing has it when the function returns, so one that is kept for the next call, and emptied by clear, can take its place."
	case a.other == "a map":
		return "This is a map, and maps are judged only if they surely stay in the function that makes them." + a.lessMap
	}
	return "This is " + a.other + ", which is no buffer to reuse." + a.boxed + a.room
}

// isSmallPair reports whether the tables of a map have its keys and elements, which is so up to 128 bytes. Larger ones are memory
// of their own, which clear drops.
func isSmallPair(m *types.Map) bool {
	const direct = 128
	return isSized(m.Key()) && isSized(m.Elem()) && sizeOfType(m.Key()) <= direct && sizeOfType(m.Elem()) <= direct
}
