package advise

import (
	"go/token"
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
	if a == nil || a.fate == nil || a.fate.ways != 1<<isStored || a.fate.field == nil {
		return
	}
	v, ok := a.instr.(ssa.Value)
	if _, slice := a.fate.field.Type().Underlying().(*types.Slice); !ok || slice && !s.tracer.goesOnlyTo(v, a.fate.field) {
		return
	}
	of := s.tracer.structWith(a.fate.field)
	if of == nil || s.tracer.packages[of.Pkg()] == nil {
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
	if of.Type().(*types.Named).TypeParams() == nil && all && a.kind == kindAppend {
		if a.grownIn = s.grownIn(of, a.fate.field); a.grownIn != nil {
			a.extended = s.tracer.fields[a.fate.field][0].(ssa.Instruction)
			a.knownEnd = "" // a pool is better
		}
	}
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

// structWith returns the type that has a field, if it has an unexported name, or nil.
func (t *tracer) structWith(field *types.Var) *types.TypeName {
	for _, name := range field.Pkg().Scope().Names() {
		of, ok := field.Pkg().Scope().Lookup(name).(*types.TypeName)
		if !ok || of.IsAlias() || of.Exported() {
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

// grownIn returns the variables that have a struct of a type, if the slice in its field only grows: each append extends the
// whole slice, and nothing comes between its reading and its setting. So no append writes to the array of another slice.
func (s *source) grownIn(of *types.TypeName, field *types.Var) (owners []*ssa.Alloc) {
	for _, local := range s.tracer.locals[of] {
		switch {
		case isCopyOfParameter(local):
			if !isOnlyRead(local) {
				return nil
			}
		case inLoop(local) || len(storesTo(local)) > 0:
			return nil
		default:
			owners = append(owners, local)
		}
	}
	for _, v := range s.tracer.fields[field] {
		at, ok := v.(*ssa.FieldAddr)
		if !ok {
			return nil // the struct is copied
		}
		for _, r := range *at.Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
				if !s.isPlainRead(r, at) {
					return nil
				}
			case *ssa.Store:
				if !isExtended(at, r) {
					return nil
				}
			default:
				return nil
			}
		}
	}
	return owners
}

// isOnlyRead reports whether a copy of a struct is given to no function, which could append to its slice.
func isOnlyRead(local *ssa.Alloc) bool {
	return !slices.ContainsFunc(*local.Referrers(), func(r ssa.Instruction) bool {
		switch r.(type) {
		case *ssa.DebugRef, *ssa.Store, *ssa.FieldAddr:
			return false
		}
		return true
	})
}

// isPlainRead reports whether no use of a slice asks for its capacity, extends it beyond its length, or tells nil from an empty
// slice. None comes after the field may have got another array, where a pool's larger one stays.
func (s *source) isPlainRead(load *ssa.UnOp, at *ssa.FieldAddr) bool {
	t := s.tracer.trailOf(load)
	if t.sized || t.resliced || t.forked || !isAlikeEmpty(load, 0) {
		return false
	}
	grows := growsAt(load.Parent(), at)
	for v := range t.seen {
		if _, merges := v.(*ssa.Phi); merges || v.Parent() != load.Parent() {
			return false
		}
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.Defer, *ssa.Go, *ssa.MakeClosure:
				return false
			case *ssa.Call:
				if t.grows && !(isAppend(use) && isStoredAt(use, at)) && takesSlice(use, v) || slices.Contains(grows, ssa.Instruction(use)) {
					return false
				}
			}
			if slices.ContainsFunc(grows, func(g ssa.Instruction) bool { return g != use && comes(load, g, nil) && comes(g, use, load) }) {
				return false
			}
		}
	}
	return true
}

// takesSlice reports whether a call may append to a slice: it is no len or the like.
func takesSlice(call *ssa.Call, v ssa.Value) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return !ok || b.Name() == "append" && call.Call.Args[0] == v
}

// isStoredAt reports whether the result of a call is only stored in a field.
func isStoredAt(call *ssa.Call, at *ssa.FieldAddr) bool {
	return !slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool {
		st, ok := r.(*ssa.Store)
		if !ok {
			return true
		}
		to, ok := st.Addr.(*ssa.FieldAddr)
		return !ok || fieldAt(to) != fieldAt(at)
	})
}

// growsAt returns the instructions of a function by which the slice of a field may grow: it sets the field, or passes the struct
// to another function.
func growsAt(fn *ssa.Function, at *ssa.FieldAddr) (all []ssa.Instruction) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Store:
				if to, ok := i.Addr.(*ssa.FieldAddr); ok && fieldAt(to) == fieldAt(at) {
					all = append(all, i)
				}
			case ssa.CallInstruction:
				if slices.ContainsFunc(i.Common().Args, func(arg ssa.Value) bool { return types.Identical(arg.Type(), at.X.Type()) }) {
					all = append(all, i)
				}
			}
		}
	}
	return all
}

// isExtended reports whether a store sets the field of a struct to the result of an append to it, and nothing is called before.
func isExtended(at *ssa.FieldAddr, st *ssa.Store) bool {
	if _, copied := at.X.(*ssa.Alloc); copied && isCopyOfParameter(at.X.(*ssa.Alloc)) {
		return false
	}
	call, ok := st.Val.(*ssa.Call)
	if !ok || !isAppend(call) || len(*call.Referrers()) != 1 || call.Block() != st.Block() {
		return false
	}
	load, ok := call.Call.Args[0].(*ssa.UnOp)
	if !ok || load.Op != token.MUL || load.Block() != st.Block() {
		return false
	}
	from, ok := load.X.(*ssa.FieldAddr)
	if !ok || from.X != at.X || from.Field != at.Field || len(*load.Referrers()) != 1 {
		return false
	}
	instrs := st.Block().Instrs
	between := instrs[slices.Index(instrs, ssa.Instruction(load)):slices.Index(instrs, ssa.Instruction(st))]
	return !slices.ContainsFunc(between, func(i ssa.Instruction) bool {
		other, ok := i.(ssa.CallInstruction)
		if !ok || i == ssa.Instruction(call) {
			return false
		}
		_, builtin := other.Common().Value.(*ssa.Builtin)
		return !builtin
	})
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
	case len(a.grownIn) > 0:
		return "It is scratch of " + a.of + ", which does not leave " + owners + ": " + field + " can begin with memory of a pool there."
	case a.allScratch:
		return "It is scratch of " + a.of + ", which does not leave " + owners + ": put " + field + " back there."
	}
	return " The " + a.of + " of " + owners + " is scratch, and does not leave: put " + field + " back there."
}
