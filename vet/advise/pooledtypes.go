package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// All values of a type may be from a pool: each is made because the pool had none, and a method such as Close puts its receiver.
// So a method's receiver is from the pool, even if only interfaces call the method.

// ofPooledType reports whether a parameter is the receiver of a method of such a type.
func (t *tracer) ofPooledType(p *ssa.Parameter) lent {
	recv := receiverOf(p.Parent())
	if recv == nil || p != p.Parent().Params[0] {
		return lent{}
	}
	from, known := t.pooledTypes[recv.Obj()]
	if !known {
		from = t.allFromPool(recv)
		t.pooledTypes[recv.Obj()] = from
	}
	return from
}

// allFromPool reports whether all values of a type are from a pool, into which a method puts them.
func (t *tracer) allFromPool(of *types.Named) (from lent) {
	if !t.putsItself(of) || t.isElsewhere(of.Obj()) {
		return lent{}
	}
	for _, made := range t.locals[of.Obj()] {
		l := missesPool(made)
		for _, pool := range t.makers[made.Parent()] {
			l = l.or(lent{true, pool})
		}
		if !l.ok {
			return lent{}
		}
		from = from.or(l)
	}
	return from
}

// putsItself reports whether a method of a type puts its receiver into a pool.
func (t *tracer) putsItself(of *types.Named) bool {
	return slices.ContainsFunc(t.methods, func(fn *ssa.Function) bool {
		recv := receiverOf(fn)
		return recv != nil && recv.Obj() == of.Obj() && len(fn.Params) > 0 && puts(fn, fn.Params[0], 3)
	})
}

// puts reports whether a function puts a value into a pool, itself or by functions that it calls.
func puts(fn *ssa.Function, v ssa.Value, depth int) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || call.Common().StaticCallee() == nil {
				continue
			}
			c := call.Common()
			if isPut(c, v) {
				return true
			}
			i := slices.Index(c.Args, v)
			if callee := c.StaticCallee(); depth > 0 && i >= 0 && i < len(callee.Params) && puts(callee, callee.Params[i], depth-1) {
				return true
			}
		}
	}
	return false
}

// isPut reports whether a call of a function puts a value into a pool.
func isPut(c *ssa.CallCommon, v ssa.Value) bool {
	obj, ok := c.StaticCallee().Object().(*types.Func)
	if !ok {
		return false
	}
	e := effects.Of(obj.Origin())
	return e != nil && e.Put != effects.None && e.Put < len(c.Args) && unwrap(c.Args[e.Put]) == v
}

// isElsewhere reports whether other packages may have values of a type, or fields and elements have some, which no pool lends.
func (t *tracer) isElsewhere(of *types.TypeName) bool {
	p := t.packages[of.Pkg()]
	if p == nil || of.Exported() && of.Pkg().Name() != "main" {
		return true
	}
	is := func(typ types.Type) bool {
		n, ok := types.Unalias(typ).(*types.Named)
		return ok && n.Obj() == of
	}
	for _, tv := range p.TypesInfo.Types {
		switch u := tv.Type.(type) {
		case *types.Slice:
			if is(u.Elem()) {
				return true
			}
		case *types.Array:
			if is(u.Elem()) {
				return true
			}
		case *types.Map:
			if is(u.Elem()) {
				return true
			}
		}
	}
	for _, obj := range p.TypesInfo.Defs {
		if v, ok := obj.(*types.Var); ok && (v.IsField() || v.Parent() == of.Pkg().Scope()) && is(v.Type()) {
			return true
		}
	}
	return false
}
