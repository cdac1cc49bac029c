package advise

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A slice that a function literal reads, such as that of sort.Slice, is in a variable on the heap. The function loads it for
// each use, and stores what append returns.

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

// setsAgain reports whether each of some appends extends what is read from a variable, and sets the variable next. So no two
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

// variable returns the one that all appends of a web read and set, if function literals read it, too.
func (w *web) variable() *ssa.Alloc {
	for _, a := range w.appends {
		if load, ok := extended(a).(*ssa.UnOp); ok {
			v, _ := setHere(load)
			return v
		}
	}
	return nil
}

// literalsAlike reports whether no literal that reads a variable tells nil from an empty slice.
func literalsAlike(variable *ssa.Alloc) bool {
	for _, r := range *variable.Referrers() {
		c, ok := r.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		for i, b := range c.Bindings {
			if b != ssa.Value(variable) {
				continue
			}
			for _, use := range *c.Fn.(*ssa.Function).FreeVars[i].Referrers() {
				load, ok := use.(*ssa.UnOp)
				if _, debug := use.(*ssa.DebugRef); !debug && (!ok || !isAlikeEmpty(load, 0)) {
					return false
				}
			}
		}
	}
	return true
}

// isSorted reports whether an interface's value only goes to functions of package sort, which take nil for an empty slice.
func isSorted(v *ssa.MakeInterface) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		call, ok := r.(*ssa.Call)
		return !ok || call.Call.StaticCallee() == nil || packageOf(runtimeName(call.Call.StaticCallee())) != "sort"
	})
}
