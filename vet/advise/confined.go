package advise

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function literal may set a variable of the function around it. It is confined if it runs at most while that function does: it is
// called there, also by itself, or by others that only call it. A variable may have it for that.

// confines reports whether all function literals that use a variable run at most while its function does.
func (t *tracer) confines(variable ssa.Value) bool {
	return !slices.ContainsFunc(*variable.Referrers(), func(r ssa.Instruction) bool {
		c, ok := r.(*ssa.MakeClosure)
		return ok && (!t.isConfined(c, map[*ssa.MakeClosure]bool{}) || !t.confinesInner(c, variable))
	})
}

// confinesInner does the same for the literals in a literal that has the variable.
func (t *tracer) confinesInner(c *ssa.MakeClosure, variable ssa.Value) bool {
	for i, b := range c.Bindings {
		if b == variable && !t.confines(c.Fn.(*ssa.Function).FreeVars[i]) {
			return false
		}
	}
	return true
}

// isConfined reports whether a function literal runs at most while the function does that makes it. Literals that were seen count as
// such.
func (t *tracer) isConfined(c *ssa.MakeClosure, seen map[*ssa.MakeClosure]bool) bool {
	if seen[c] {
		return true
	}
	seen[c] = true
	return !slices.ContainsFunc(*c.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.Call:
			if r.Call.Value == c && !slices.Contains(r.Call.Args, ssa.Value(c)) {
				return false
			}
		case *ssa.Store:
			variable, ok := r.Addr.(*ssa.Alloc)
			return !ok || r.Val != c || !t.isCalledFrom(variable, seen)
		}
		return !t.isLent(c, r)
	})
}

// isCalledFrom reports whether the functions that a variable has are only called, by confined literals, too.
func (t *tracer) isCalledFrom(variable ssa.Value, seen map[*ssa.MakeClosure]bool) bool {
	return !slices.ContainsFunc(*variable.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.Store:
			return r.Addr != variable || r.Val == variable
		case *ssa.UnOp:
			return !t.isOnlyCalled(r)
		case *ssa.MakeClosure:
			i := slices.Index(r.Bindings, variable)
			return i < 0 || !t.isConfined(r, seen) || !t.isCalledFrom(r.Fn.(*ssa.Function).FreeVars[i], seen)
		}
		return true
	})
}

// mayRunLiteral reports whether an instruction may run a confined literal: it calls a function value, or passes one.
func mayRunLiteral(i ssa.Instruction) bool {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return false
	}
	c := call.Common()
	switch c.Value.(type) {
	case *ssa.Builtin:
		return false
	case *ssa.Function:
	default:
		if !c.IsInvoke() {
			return true
		}
	}
	return slices.ContainsFunc(c.Args, func(arg ssa.Value) bool { return isFunctionType(arg.Type()) })
}

// iterates reports whether a range calls a function, which runs on when the loop ends early.
func iterates(info *types.Info, n *ast.RangeStmt) bool {
	switch info.TypeOf(n.X).Underlying().(type) {
	case *types.Signature, *types.Interface: // the latter is that of a type parameter
		return true
	}
	return false
}

// isFunctionType reports whether values of a type are functions.
func isFunctionType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
