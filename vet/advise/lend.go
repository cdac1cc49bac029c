package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function literal is a part of the function that makes it if others only call it, before they return: a method that walks
// a tree, or a helper that starts goroutines and waits for them.

// isLent reports whether an instruction passes a function to another that only calls it before it returns. A goroutine that
// only calls it will do if its function waits for that. The body of a range over a function panics if it is called later.
func (t *tracer) isLent(fn ssa.Value, use ssa.Instruction) bool {
	if made, ok := fn.(*ssa.MakeClosure); ok && isLoopBody(made.Fn.(*ssa.Function)) {
		return true
	}
	switch use := use.(type) {
	case *ssa.ChangeType:
		return use.Referrers() != nil && !slices.ContainsFunc(*use.Referrers(), func(r ssa.Instruction) bool { return !t.isLent(use, r) })
	case *ssa.Go:
		return joins(use) && t.isLentAsArgument(fn, use)
	case *ssa.Call:
		if joins(use) { // by WaitGroup.Go
			return use.Call.Value != fn
		}
		return use.Call.Value != fn && t.isLentAsArgument(fn, use)
	}
	return false
}

// isLentAsArgument reports whether a known function only calls those of its parameters that are another function.
func (t *tracer) isLentAsArgument(fn ssa.Value, use ssa.CallInstruction) bool {
	c := use.Common()
	callee := c.StaticCallee()
	switch {
	case callee == nil, len(t.variants[callee.Object()]) > 0:
		return false
	case len(callee.Blocks) == 0:
		return callers[packageOf(runtimeName(callee))] && !givesFunction(callee.Signature) || visitors[runtimeName(callee)]
	}
	for i, arg := range c.Args {
		if arg == fn && (i >= len(callee.Params) || !t.isOnlyCalled(callee.Params[i])) {
			return false
		}
	}
	return true
}

// visitors are functions of the standard library that only call their argument before they return.
var visitors = map[string]bool{"sync.(*Once).Do": true, "sync.(*Map).Range": true, "path/filepath.Walk": true, "path/filepath.WalkDir": true,
	"io/fs.WalkDir": true, "go/ast.Inspect": true}

// isOnlyCalled reports whether a parameter that is a function is called at most while its function runs, and goes
// nowhere. So does a value read from a variable that has it.
func (t *tracer) isOnlyCalled(p ssa.Value) bool {
	return t.remember(p, func() bool {
		return !slices.ContainsFunc(*p.Referrers(), func(r ssa.Instruction) bool { return !t.onlyCalls(p, r) })
	})
}

// onlyCalls reports whether an instruction does nothing with a function but call it.
func (t *tracer) onlyCalls(p ssa.Value, r ssa.Instruction) bool {
	switch r := r.(type) {
	case *ssa.DebugRef, *ssa.BinOp:
		return true
	case *ssa.Call:
		if r.Call.Value == p && !slices.Contains(r.Call.Args, p) {
			return true
		}
	case *ssa.Store:
		variable, ok := r.Addr.(*ssa.Alloc)
		return ok && r.Val == p && t.hasOnlyCalled(variable)
	}
	return t.isLent(p, r)
}

// hasOnlyCalled reports whether all that is read from a variable is only called: by its function, or by literals that run at
// most while that does.
func (t *tracer) hasOnlyCalled(variable ssa.Value) bool {
	return t.remember(variable, func() bool {
		return !slices.ContainsFunc(*variable.Referrers(), func(r ssa.Instruction) bool {
			switch r := r.(type) {
			case *ssa.DebugRef:
				return false
			case *ssa.Store:
				return r.Addr != variable || r.Val == variable
			case *ssa.UnOp:
				return !t.isOnlyCalled(r)
			case *ssa.MakeClosure:
				return !t.runsWithin(r, variable) || t.givesAway(r, variable)
			}
			return true
		})
	})
}

// givesAway reports whether a function literal does more with a variable's function than call it.
func (t *tracer) givesAway(c *ssa.MakeClosure, variable ssa.Value) bool {
	for i, b := range c.Bindings {
		if b == variable && !t.hasOnlyCalled(c.Fn.(*ssa.Function).FreeVars[i]) {
			return true
		}
	}
	return false
}

// runsWithin reports whether a function literal runs at most while the function does that has one of its variables.
func (t *tracer) runsWithin(c *ssa.MakeClosure, variable ssa.Value) bool {
	return !slices.ContainsFunc(*c.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.Call:
			if r.Call.Value == c && !slices.Contains(r.Call.Args, ssa.Value(c)) {
				return false
			}
		}
		return !t.isLent(c, r) && !t.joinsAround(variable, r)
	})
}

// remember notes the answer for a function or a variable. If that is passed on to the same function, its other uses decide.
func (t *tracer) remember(v ssa.Value, decide func() bool) bool {
	if known, ok := t.lent[v]; ok {
		return known
	}
	t.lent[v] = true
	if decide() {
		return true
	}
	clear(t.lent) // others may have relied on this one
	t.lent[v] = false
	return false
}

// sharesFunction reports whether an instruction that lends a function may have a goroutine call it, so that its variables are
// never on the stack.
func sharesFunction(fn ssa.Value, use ssa.Instruction) bool {
	call, ok := use.(*ssa.Call)
	if !ok || joins(use) {
		return true
	}
	callee := call.Call.StaticCallee()
	for i, arg := range call.Call.Args {
		if arg != fn || callee == nil || i >= len(callee.Params) {
			continue
		}
		for _, r := range *callee.Params[i].Referrers() {
			switch r := r.(type) {
			case *ssa.Go:
				return true
			case *ssa.Store:
				_, captured := r.Addr.(*ssa.Alloc) // or the parameter would be in no variable
				return captured
			}
		}
	}
	return false
}

// functionGiven returns the function that a call passes for the only parameter of its callee that is one, if that is known. Then memory
// that goes there does not go to the functions of other callers.
func (t *trail) functionGiven(c *ssa.CallCommon, callee *ssa.Function) (found ssa.Value) {
	several := false
	for i, p := range callee.Params {
		if _, ok := p.Type().Underlying().(*types.Signature); ok && i < len(c.Args) {
			several = several || found != nil
			found = c.Args[i]
		}
	}
	if change, ok := found.(*ssa.ChangeType); ok {
		found = change.X
	}
	found = t.passed(found)
	switch found.(type) {
	case *ssa.Function, *ssa.MakeClosure:
		if !several {
			return found
		}
	}
	return nil
}

// passed returns the function that the caller passes for a parameter, if that is known, or v.
func (t *trail) passed(v ssa.Value) ssa.Value {
	p, ok := v.(*ssa.Parameter)
	if !ok || t.with.calls == nil || p.Parent() != t.root.Parent() {
		return v
	}
	return t.with.calls
}
