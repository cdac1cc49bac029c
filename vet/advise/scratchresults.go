package advise

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Functions may return the memory of a scratch struct to the one that has the struct, as a method Bytes does. If that returns the memory
// itself, its callers get a copy. A function may also make such a struct for others, and return it.

// scratchResults are results of functions that get a scratch struct. Without any, no function may return the memory.
type scratchResults struct {
	owner   *ssa.Function // that has the struct
	calls   []*ssa.Call   // of functions that get it
	gives   map[*ssa.Function]bool
	returns []scratchResult
	structs []*ssa.Return          // of the struct itself
	invoked map[*ssa.Function]bool // methods that interfaces call
}

// A scratchResult is a result of the owner that is the memory.
type scratchResult struct {
	ret   *ssa.Return
	value ssa.Value
	of    []*trail // to the value
}

// note notes a call of a function that gets the struct.
func (r *scratchResults) note(u ssa.CallInstruction) {
	if call, ok := u.(*ssa.Call); ok && r != nil {
		r.calls = append(r.calls, call)
	}
}

// add notes that a function returns the memory, which a value has. It reports false if the function must not.
func (r *scratchResults) add(v ssa.Value, all *trail) bool {
	switch fn := v.Parent(); {
	case r == nil:
		return false
	case fn != r.owner:
		r.gives[fn] = true
		return fn.Signature.Results().Len() == 1 && isSliceType(fn.Signature.Results().At(0).Type())
	}
	for alias := range all.seen {
		for _, use := range *alias.Referrers() {
			if ret, ok := use.(*ssa.Return); ok && (ret.Parent() != r.owner || !r.addResult(ret, alias, all)) {
				return false
			}
		}
	}
	return true
}

// addResult notes a value in a return statement that is the memory. It reports false if another is the memory, too.
func (r *scratchResults) addResult(ret *ssa.Return, v ssa.Value, all *trail) bool {
	for i := range r.returns {
		if known := &r.returns[i]; known.ret == ret {
			known.of = append(known.of, all)
			return known.value == v
		}
	}
	r.returns = append(r.returns, scratchResult{ret, v, []*trail{all}})
	return true
}

// addStruct notes that the owner returns the struct. It reports false if another function does, or if that is one of several results.
func (r *scratchResults) addStruct(ret *ssa.Return) bool {
	if r == nil || ret.Parent() != r.owner || len(ret.Results) != 1 {
		return false
	}
	r.structs = append(r.structs, ret)
	return true
}

// given returns the calls of the owner, and of other functions, by which they get the memory as a result.
func (r *scratchResults) given() (all []*ssa.Call) {
	for _, call := range r.calls {
		if r.gives[call.Call.StaticCallee()] && !slices.Contains(all, call) {
			all = append(all, call)
		}
	}
	return all
}
