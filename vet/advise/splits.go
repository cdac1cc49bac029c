package advise

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The same slice may be read from several places: elements of a list, fields, or results of functions. If two of these are extended,
// make gives each its own array, because the first has no more room. In a pool's larger array, they would share it.

// splits reports whether two appends may extend the same slice by way of such places.
func (t *trail) splits() bool {
	var shared []ssa.Instruction
	fields := map[[2]any]bool{} // that are set to the slices that extend them
	for v, all := range t.grown {
		switch base := unsliced(v).(type) {
		case *ssa.UnOp:
			at, isField := base.X.(*ssa.FieldAddr)
			switch variable, _ := setHere(base); {
			case variable != nil: // see setsAgain
			case isField && base == v && !slices.ContainsFunc(all, func(a ssa.Instruction) bool { return !extendsField(at, a) }):
				fields[[2]any{at.X, at.Field}] = true
			case base.Op == token.MUL:
				shared = append(shared, all...)
			}
		case *ssa.Call, *ssa.Extract:
			if base == t.root || !t.isExtended(base) {
				shared = append(shared, all...)
			}
		default:
			if base == t.root {
				shared = append(shared, all...)
			}
		}
	}
	return len(fields) > 1 || len(fields) == 1 && len(shared) > 0 || forked(t.root, shared) || t.chooses()
}

// chooses reports whether a slice may be extended twice: as itself, and as one of those from which a branch chose.
func (t *trail) chooses() bool {
	for v, appends := range t.grown {
		phi, ok := v.(*ssa.Phi)
		if ok && t.extendsChosen(phi, appends, map[*ssa.Phi]bool{}) {
			return true
		}
	}
	return false
}

// extendsChosen reports whether these appends to a phi may follow or precede one to a slice that the phi may be.
func (t *trail) extendsChosen(phi *ssa.Phi, appends []ssa.Instruction, seen map[*ssa.Phi]bool) bool {
	if seen[phi] {
		return false
	}
	seen[phi] = true
	for i, e := range phi.Edges {
		at, begin := phi.Block().Preds[i], (*ssa.BasicBlock)(nil)
		if made, ok := e.(ssa.Instruction); ok {
			begin = made.Block()
		}
		for _, own := range t.grown[e] {
			b := own.Block()
			if b == at || reaches(b, at, begin) || slices.ContainsFunc(appends, func(a ssa.Instruction) bool { return a != own && a.Block() == b || reaches(a.Block(), b, begin) }) {
				return true
			}
		}
		if inner, ok := e.(*ssa.Phi); ok && t.extendsChosen(inner, appends, seen) {
			return true
		}
	}
	return false
}

// extendsTwice reports whether more than one append may run, which extend the memory, a part of it, or another array made of it. Which
// of them extend the same slice, so many steps from the memory, is hard to tell.
func (t *trail) extendsTwice() bool {
	var all []ssa.Instruction
	for _, appends := range t.grown {
		all = append(all, appends...)
	}
	return len(all) > 1 || len(all) == 1 && inLoop(all[0])
}

// unsliced returns the slice of which a value is a part.
func unsliced(v ssa.Value) ssa.Value {
	for {
		part, ok := v.(*ssa.Slice)
		if !ok || !isSliceType(part.X.Type()) {
			return v
		}
		v = part.X
	}
}

// isExtended reports whether a value is the result of an append, which ends where no other slice does.
func (t *trail) isExtended(v ssa.Value) bool {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	for _, all := range t.grown {
		if slices.ContainsFunc(all, func(a ssa.Instruction) bool { return a == ssa.Instruction(v.(ssa.Instruction)) }) {
			return true
		}
	}
	return false
}

// extendsField reports whether an append extends a value of a field, and sets the field.
func extendsField(at *ssa.FieldAddr, a ssa.Instruction) bool {
	call, ok := a.(*ssa.Call)
	return ok && slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool {
		st, ok := r.(*ssa.Store)
		if !ok || st.Val != ssa.Value(call) {
			return false
		}
		to, ok := st.Addr.(*ssa.FieldAddr)
		return ok && to.X == at.X && to.Field == at.Field
	})
}

// forked reports whether two appends to one slice may follow each other. In an array with more
// room, the second would overwrite the first.
func forked(v ssa.Value, appends []ssa.Instruction) bool {
	var made *ssa.BasicBlock
	if instr, ok := v.(ssa.Instruction); ok {
		made = instr.Block()
	}
	for i, a := range appends {
		for j, b := range appends {
			if i != j && a.Block() == b.Block() || reaches(a.Block(), b.Block(), made) {
				return true
			}
		}
	}
	return false
}
