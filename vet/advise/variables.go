package advise

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A variable that a function literal uses, such as that of sort.Slice, is on the heap. A function loads its value for each
// use, and stores the result of append.

// captured returns the variable that a function literal has as a free one.
func captured(v ssa.Value) ssa.Value {
	free, ok := v.(*ssa.FreeVar)
	if !ok {
		return v
	}
	fn := free.Parent()
	for _, b := range fn.Parent().Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == ssa.Value(fn) {
				return captured(c.Bindings[slices.Index(fn.FreeVars, free)])
			}
		}
	}
	return v
}

// settled returns the value that a variable gets once, of which another is read, or is made.
func settled(v ssa.Value) ssa.Value {
	v = unwrap(v)
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	variable, ok := captured(load.X).(*ssa.Alloc)
	if !ok {
		return v
	}
	if stored, known := storedIn(variable); known && len(stored) == 1 && stored[0] != v {
		return settled(stored[0])
	}
	return v
}

// merged returns the values of which a value is one.
func merged(v ssa.Value) (all []ssa.Value) {
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return []ssa.Value{v}
	}
	for _, e := range phi.Edges {
		all = append(all, settled(e))
	}
	return all
}

// storedIn returns the values that a variable of a function gets there and in function literals, which have it as a free
// variable. It reports false if there may be others.
func storedIn(v ssa.Value) (values []ssa.Value, known bool) {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != v {
				return nil, false
			}
			values = append(values, r.Val)
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b != v {
					continue
				}
				inner, known := storedIn(r.Fn.(*ssa.Function).FreeVars[i])
				if !known {
					return nil, false
				}
				values = append(values, inner...)
			}
		default:
			return nil, false
		}
	}
	return values, true
}

// storesTo returns the values that are stored in a variable of the same function.
func storesTo(variable *ssa.Alloc) (stored []ssa.Value) {
	for _, r := range *variable.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(variable) {
			stored = append(stored, st.Val)
		}
	}
	return stored
}

// setHere returns the variable that a value is read from, and all that it gets, if its function alone sets it: literals only
// read it. Otherwise it returns nil.
func setHere(load *ssa.UnOp) (variable *ssa.Alloc, stored []ssa.Value) {
	variable, ok := load.X.(*ssa.Alloc)
	if !ok || load.Op != token.MUL {
		return nil, nil
	}
	stored, known := storedIn(variable)
	if !known || len(stored) != len(storesTo(variable)) {
		return nil, nil
	}
	return variable, stored
}

// setsAgain reports whether each of some appends extends a value read from a variable, and sets the variable next. So no two
// slices are made of one.
func setsAgain(v ssa.Value, appends []ssa.Instruction) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	variable, _ := setHere(load)
	return variable != nil && !slices.ContainsFunc(appends, func(a ssa.Instruction) bool {
		call, ok := a.(*ssa.Call)
		if !ok || call.Block() != load.Block() {
			return true
		}
		all := call.Block().Instrs
		next, ok := all[slices.Index(all, a)+1].(*ssa.Store) // a block ends with a jump
		return !ok || next.Addr != ssa.Value(variable) || next.Val != ssa.Value(call) || setsBetween(load, call, variable)
	})
}

// setsBetween reports whether the variable is set between two instructions of a block.
func setsBetween(from, to ssa.Instruction, variable *ssa.Alloc) bool {
	all := from.Block().Instrs
	return slices.ContainsFunc(all[slices.Index(all, from):slices.Index(all, to)], func(i ssa.Instruction) bool {
		st, ok := i.(*ssa.Store)
		return ok && st.Addr == ssa.Value(variable)
	})
}

// variableOf names the variable that a function literal has as a free one, and its function.
func variableOf(free *ssa.FreeVar) string {
	if v, ok := captured(free).(*ssa.Alloc); ok && v.Comment != "" {
		return ", " + v.Comment + " of " + name(v.Parent())
	}
	return ""
}

// fieldOf returns the address of the field that a value is read from, or nil.
func fieldOf(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if f, ok := load.X.(*ssa.FieldAddr); ok {
			return f
		}
	}
	return nil
}
