package advise

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Some functions of the standard library call a function of the program with parts of the memory: a bufio.Scanner its
// SplitFunc, and functions of package slices one that compares elements.

// callsBack looks at such a call. It reports false for others.
func (t *trail) callsBack(v ssa.Value, u ssa.CallInstruction, fn *ssa.Function, result ssa.Value) bool {
	c := u.Common()
	switch {
	case runtimeName(fn) == "bufio.(*Scanner).Split" && v == c.Args[0]:
		t.split(c.Args[1])
	case readsElements(fn) && !t.isHolder(v) && !passesWhole(v, c.Args):
		t.callModeled(v, u, &model{}, result)
	default:
		return false
	}
	return true
}

// split looks at the function to which a Scanner passes parts of its memory, to get a part of that back as the next token.
func (t *trail) split(f ssa.Value) {
	if change, ok := f.(*ssa.ChangeType); ok {
		f = change.X
	}
	if fn, ok := f.(*ssa.Function); ok && packageOf(runtimeName(fn)) == "bufio" {
		return
	}
	all := map[*ssa.Function]bool{}
	if !t.functionsOf(f, all, map[ssa.Value]bool{}) {
		t.leave(isKept, "is passed to a SplitFunc, which may keep it")
		return
	}
	const token = 1 << 1
	for _, fn := range byName(all) {
		f := t.fateOfArgument(t.root, fn.Params[0], nil)
		switch {
		case f.way != stays:
			t.leave(f.way, "is passed to %s, where it %s", name(fn), f.where)
		case f.returned&^token != 0 || f.grows:
			t.leave(isKept, "is passed to %s, which may keep it", name(fn))
		}
		t.merge(f)
	}
}

// readsElements reports whether a function of package slices passes copies of elements to the function that it is given, and
// neither a slice nor the address of an element.
func readsElements(fn *ssa.Function) bool {
	return packageOf(runtimeName(fn)) == "slices" && strings.HasSuffix(unqualified(runtimeName(fn)), "Func") && !givesFunction(fn.Signature)
}

// passesWhole reports whether a function among arguments may get a value as it is, which is no slice, or the target of a search.
func passesWhole(v ssa.Value, args []ssa.Value) bool {
	typ := typeBefore(v).Underlying()
	if _, list := typ.(*types.Slice); !list {
		return true
	}
	for _, arg := range args {
		if f, ok := typeBefore(arg).Underlying().(*types.Signature); ok {
			for p := range f.Params().Variables() {
				if _, open := types.Unalias(p.Type()).(*types.TypeParam); open || types.Identical(p.Type().Underlying(), typ) {
					return true
				}
			}
		}
	}
	return false
}

// typeBefore returns the type of a value before it became one of a type parameter.
func typeBefore(v ssa.Value) types.Type {
	if change, ok := v.(*ssa.ChangeType); ok {
		v = change.X
	}
	return v.Type()
}
