package advise

import (
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// Other modules have functions that memory may go to, and methods that interfaces of their own may hold.

// noteUnread notes a function without a body, which would have to be read.
func (t *tracer) noteUnread(fn *ssa.Function) {
	if fn != nil && fn.Object() != nil && fn.Object().Pkg() != nil {
		t.unread[fn.Object().Pkg().Path()] = true
	}
}

// moduleOf returns the other module that has a function, or nil if that is of the program or its package is not loaded.
func (t *tracer) moduleOf(fn *ssa.Function) *packages.Module {
	if generic := fn.Origin(); generic != nil {
		fn = generic
	}
	if fn = outermostOf(fn); fn.Object() == nil {
		return nil
	}
	if p := t.packages[fn.Object().Pkg()]; p != nil && p.Module != nil && !isMain(p.Module, t.dir) {
		return p.Module
	}
	return nil
}

// outermostOf returns the function that has a literal, or the function itself.
func outermostOf(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// isMain reports whether a module is the one in a folder, whose lines get patches.
func isMain(m *packages.Module, dir string) bool { return m.Main && m.Dir == dir }

// isNear reports whether a function may get values of a method: both are of one module, or the method is of the program. Without
// a function, values are those of the package.
func (t *tracer) isNear(k, fn *ssa.Function) bool {
	of := t.moduleOf(k)
	return of == nil || fn == nil || isSameModule(of, t.moduleOf(fn)) || fn.Object() == nil && fn.Parent() == nil
}

// isTrusted reports whether a method of another module has a contract that holds for any type: it is believed to observe it unless
// it surely does not.
func (t *tracer) isTrusted(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && t.moduleOf(fn) != nil && isOfAny(obj)
}
