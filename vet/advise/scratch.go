package advise

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A struct may be scratch: a variable of functions that it does not leave, such as a queue. The memory of its field lives no
// longer, if the methods of the struct, and all other functions that get it, let it go nowhere but back to the field.

// findScratch notes the functions that have the struct whose field has the memory of a site.
func (s *source) findScratch(site *Site) {
	a := site.found
	if a == nil || a.fate == nil {
		return
	}
	if a.fate.ways == 1<<isStored && a.fate.field != nil && s.goesBack(a) {
		s.findScratchOf(a)
	}
}

// goesBack reports whether memory goes nowhere but to its field, which may be a Buffer itself.
func (s *source) goesBack(a *allocation) bool {
	v, ok := a.instr.(ssa.Value)
	return ok && (!isSliceType(a.fate.field.Type()) || s.tracer.goesOnlyTo(v, a.fate.field))
}

// findScratchOf does so for memory that a field of a struct has.
func (s *source) findScratchOf(a *allocation) {
	of := s.tracer.structWith(a.fate.field)
	if of == nil || of.Exported() || s.tracer.packages[of.Pkg()] == nil {
		return
	}
	all := !s.tracer.isPart(of)
	for _, local := range s.tracer.locals[of] {
		u := &fieldTrail{tracer: s.tracer, fate: new(fate), field: a.fate.field, own: true, seen: map[ssa.Value]bool{}}
		u.follow(local)
		by := name(local.Parent())
		switch {
		case u.way != stays:
			all = false
		case !isCopyOfParameter(local) && !slices.Contains(a.scratch, by):
			a.scratch = append(a.scratch, by)
		}
	}
	if !all && !isGiven(a.instr.Parent(), of) { // then it has one of its own, or one of others
		a.scratch = nil
	}
	a.of, a.allScratch = of.Name(), all
}

// isGiven reports whether a function gets a struct of a type, which it may have as its receiver.
func isGiven(fn *ssa.Function, of *types.TypeName) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		typ := types.Unalias(p.Type())
		if pointer, ok := typ.Underlying().(*types.Pointer); ok {
			typ = types.Unalias(pointer.Elem())
		}
		n, ok := typ.(*types.Named)
		return ok && n.Obj() == of
	})
}

// goesOnlyTo reports whether memory stays in its function, but for a field.
func (t *tracer) goesOnlyTo(v ssa.Value, field *types.Var) bool {
	tr := t.trailFrom(paramKey{v: v}, false)
	tr.own = field
	return tr.walk().fate.way == stays
}

// structWith returns the type that has a field, or nil.
func (t *tracer) structWith(field *types.Var) *types.TypeName {
	for _, name := range field.Pkg().Scope().Names() {
		of, ok := field.Pkg().Scope().Lookup(name).(*types.TypeName)
		if !ok || of.IsAlias() {
			continue
		}
		fields, ok := of.Type().Underlying().(*types.Struct)
		if ok && slices.Contains(slices.Collect(fields.Fields()), field) {
			return of
		}
	}
	return nil
}

// isPart reports whether anything but variables of functions has a type, or leads to it: fields, elements, other variables.
func (t *tracer) isPart(of *types.TypeName) bool {
	is := func(typ types.Type) bool {
		n, ok := typ.(*types.Named)
		return ok && n.Obj() == of
	}
	p := t.packages[of.Pkg()]
	for _, obj := range p.TypesInfo.Defs {
		v, ok := obj.(*types.Var)
		if !ok || !mentions(v.Type(), is, map[types.Type]bool{}) {
			continue
		}
		typ := types.Unalias(v.Type())
		if pointer, ok := typ.(*types.Pointer); ok {
			typ = types.Unalias(pointer.Elem())
		}
		if !is(typ) || v.IsField() || v.Parent() == p.Types.Scope() {
			return true
		}
	}
	return false
}

// isCopyOfParameter reports whether a variable has the value of a parameter, such as the receiver of a method.
func isCopyOfParameter(v *ssa.Alloc) bool {
	stored := storesTo(v)
	if len(stored) != 1 {
		return false
	}
	_, ok := stored[0].(*ssa.Parameter)
	return ok
}

// scratchText says where the memory of a scratch struct can be put.
func (a *allocation) scratchText() string {
	if len(a.scratch) == 0 {
		return ""
	}
	field, owners := a.of+"."+a.fate.field.Name(), strings.Join(a.scratch, " and ")
	if len(a.scratch) > 2 {
		owners = plural(len(a.scratch), "function") + " that have it"
	}
	switch {
	case len(a.beginnings) > 0:
		return "It is scratch of " + a.of + ", which does not leave " + owners + ": " + field + " can begin with memory of a pool there" + a.copiesText() + "."
	case a.allScratch:
		return "It is scratch of " + a.of + ", which does not leave " + owners + ": put " + field + " back there."
	}
	return " The " + a.of + " of " + owners + " is scratch, and does not leave: put " + field + " back there."
}

// copiesText says that callers get copies, if they do.
func (a *allocation) copiesText() string {
	if slices.ContainsFunc(a.beginnings, func(b *beginning) bool { return len(b.returns) > 0 }) {
		return ", if the callers get copies of what it returns"
	}
	return ""
}
