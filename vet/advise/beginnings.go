package advise

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The slice in a field of scratch can begin with one of a pool if it only grows, and is cut: each append extends the slice from its
// beginning, and nothing comes between its reading and its setting. So no append writes to the array of another slice.

// findBegun notes the structs whose field has the memory of a site, or gets it by append, if it can begin with a slice of a pool.
func (s *source) findBegun(site *Site) {
	a := site.found
	if a == nil || a.fate == nil {
		return
	}
	field := a.growingField()
	if field == nil {
		return
	}
	of := s.tracer.structWith(field)
	if of == nil || s.tracer.packages[of.Pkg()] == nil || of.Type().(*types.Named).TypeParams() != nil || of.Exported() && field.Exported() {
		return
	}
	all, whole := s.beginningsOf(of, field)
	if len(all) == 0 || !whole && !s.areOnStacks(all, site) || a.kind != kindAppend && a.kind != kindBuffer && !slices.ContainsFunc(all, func(b *beginning) bool { return b.makes(a.instr) }) {
		return
	}
	if len(site.Sizes) < 2 && slices.ContainsFunc(all, func(b *beginning) bool { return len(b.returns) > 0 }) {
		return // of one size, a copy would be as large
	}
	a.beginnings, a.scratch, a.of = all, nil, of.Name()
	for _, b := range all {
		for _, fn := range b.ends() {
			if by := name(fn); !slices.Contains(a.scratch, by) {
				a.scratch = append(a.scratch, by)
			}
		}
	}
	a.fate.field, a.extended = field, s.tracer.fields[field][0].(ssa.Instruction)
	a.knownEnd = "" // a pool is better
}

// growingField returns the field that an append sets, whose Buffer grows, or in which a new slice or Buffer is, or nil.
func (a *allocation) growingField() *types.Var {
	v, ok := a.instr.(ssa.Value)
	if !ok {
		return nil
	}
	stored := a.fate.ways == 1<<isStored && a.fate.field != nil
	switch a.kind {
	case kindAppend:
		if stored && isSliceType(v.Type()) {
			return a.fate.field
		}
	case kindBuffer:
		if stored && isBufferField(a.fate.field) {
			return a.fate.field
		}
		if a.fate.way != stays {
			return fieldWith(v)
		}
	case kindMake, kindSlice:
		if !a.loop {
			return fieldWith(v)
		}
	}
	return nil
}

// fieldWith returns the field in which a new slice, of an array or not, or a Buffer is stored, or nil.
func fieldWith(v ssa.Value) *types.Var {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Slice:
			if field := fieldWith(r); field != nil {
				return field
			}
		case *ssa.Store:
			if at, ok := r.Addr.(*ssa.FieldAddr); ok && r.Val == v {
				return fieldAt(at)
			}
		}
	}
	return nil
}

// areOnStacks reports whether functions with such structs call that of a site in most stacks of the profile.
func (s *source) areOnStacks(all []*beginning, site *Site) bool {
	var owners []*ssa.Function
	for _, b := range all {
		owners = append(owners, b.ends()...)
	}
	return s.shareOn(site, owners) > 0.5
}

// beginningsOf returns the structs of a type whose slice in a field can begin with one of a pool, and whether these are all of the type.
// There are none if others could get such a slice, too.
func (s *source) beginningsOf(of *types.TypeName, field *types.Var) (all []*beginning, whole bool) {
	u := &fieldUses{source: s, of: of, field: field, isBuffer: isBufferField(field), isPointer: isBufferPointerType(field.Type())}
	u.boxed = slices.ContainsFunc(s.tracer.interfaces, func(made *ssa.MakeInterface) bool { return u.mayBeStruct(made.X) })
	whole = !s.tracer.isPart(of)
	for _, local := range s.tracer.locals[of] {
		b := &beginning{field: field, local: local}
		switch {
		case !u.isBuffer && isCopyOfParameter(local) && isOnlyRead(local), isOfLiteral(local):
		case !isMadeOnce(local):
			return nil, false
		default:
			some, each := u.beginningsAt(b)
			all, whole = append(all, some...), whole && each
		}
	}
	for _, v := range s.tracer.fields[field] {
		if !u.isGrowth(v, all) {
			return nil, false
		}
	}
	if u.isReplaced() || slices.ContainsFunc(all, func(b *beginning) bool { return b.beginsNil() && !u.leavesNil(b) || !u.leavesAlone(b) }) {
		return nil, false
	}
	return all, whole
}

// isOfLiteral reports whether a variable only gets the struct of a literal, which is a variable of its own that nothing else uses.
func isOfLiteral(local *ssa.Alloc) bool {
	stored := storesTo(local)
	if len(stored) != 1 {
		return false
	}
	load, ok := stored[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	lit, ok := load.X.(*ssa.Alloc)
	return ok && lit.Comment == "complit" && !slices.ContainsFunc(*lit.Referrers(), func(r ssa.Instruction) bool {
		field, ok := r.(*ssa.FieldAddr)
		return r != ssa.Instruction(load) && (!ok || isRead(field))
	})
}

// isMadeOnce reports whether no other struct takes the place of one, but for its zero value at first.
func isMadeOnce(local *ssa.Alloc) bool {
	stored := storesTo(local)
	if len(stored) == 0 {
		return true
	}
	first, ok := (*local.Referrers())[0].(*ssa.Store)
	_, zero := stored[0].(*ssa.Const)
	return ok && zero && len(stored) == 1 && first.Addr == ssa.Value(local)
}

// beginningsAt returns a struct that is made in a function, if its field can begin with a slice of a pool there, or those that the
// function makes for others. It also reports whether these are all.
func (u *fieldUses) beginningsAt(b *beginning) (all []*beginning, each bool) {
	fn := b.local.Parent()
	tr := u.tracer.trailOfScratch(b.local, b)
	switch {
	case !u.isNamedIn(fn):
		return nil, false
	case tr.way != stays || len(tr.results.structs) > 0 && len(tr.results.returns) > 0:
		return nil, false
	case len(tr.results.structs) == 0:
		if u.isPointer || inLoop(b.local) || !u.ends(b, tr, fn) {
			return nil, false
		}
	case u.leavesEmpty(b.local):
		return u.beginningsAfter(b)
	case u.isBuffer || !u.isMadeForOthers(b, tr):
		return nil, false
	}
	return []*beginning{b}, true
}

// isNamedIn reports whether the package of a function may name the field.
func (u *fieldUses) isNamedIn(fn *ssa.Function) bool {
	return fn.Pkg != nil && fn.Pkg.Pkg == u.field.Pkg()
}

// leavesEmpty reports whether a function does nothing with the field of a struct that it makes for others.
func (u *fieldUses) leavesEmpty(local *ssa.Alloc) bool {
	return !slices.ContainsFunc(*local.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Return, *ssa.Store:
			return false
		case *ssa.FieldAddr:
			return fieldAt(r) == u.field && (!u.isBuffer || isRead(r) || len(*r.Referrers()) != 1)
		}
		return true
	})
}

// beginningsAfter returns the structs of the callers that are done with what a function makes. It also reports whether all callers are.
func (u *fieldUses) beginningsAfter(b *beginning) (all []*beginning, each bool) {
	fn := b.local.Parent()
	each = u.isCalledOnly(fn) && u.returnsAlways(b.local)
	for _, c := range u.callers[fn] {
		call, ok := c.call.(*ssa.Call)
		after := &beginning{field: b.field, local: b.local, after: call}
		if ok && u.returnsAlways(b.local) && u.endsAfter(after, call) {
			all = append(all, after)
		} else {
			each = false
		}
	}
	return all, each
}

// returnsAlways reports whether a function always returns the struct that it makes.
func (u *fieldUses) returnsAlways(local *ssa.Alloc) bool {
	return !slices.ContainsFunc(local.Parent().Blocks, func(block *ssa.BasicBlock) bool {
		ret, ok := lastOf(block).(*ssa.Return)
		return ok && ret.Results[0] != ssa.Value(local)
	})
}

// endsAfter reports whether the function that gets a struct from a call is done with it as it returns.
func (u *fieldUses) endsAfter(b *beginning, call *ssa.Call) bool {
	by := call.Parent()
	if inLoop(call) || by == b.local.Parent() || !u.isNamedIn(by) {
		return false
	}
	tr := u.tracer.trailOfScratch(call, b)
	return tr.way == stays && len(tr.results.structs) == 0 && u.ends(b, tr, by)
}

// isMadeForOthers reports whether a function always returns the struct that it makes, and all functions that get it are done with it
// as they return.
func (u *fieldUses) isMadeForOthers(b *beginning, tr *fieldTrail) bool {
	fn := b.local.Parent()
	if inLoop(b.local) || !u.isCalledOnly(fn) || !u.areRead(tr) || !u.returnsAlways(b.local) {
		return false
	}
	for _, c := range u.callers[fn] {
		call, ok := c.call.(*ssa.Call)
		if !ok || !u.endsAfter(b, call) {
			return false
		}
		b.calls = append(b.calls, call)
	}
	return len(b.calls) > 0
}

// ends reports whether a function that has a struct can put its slice at the end. A copy that it returns must be that of the last
// elements: a deferred call could change them.
func (u *fieldUses) ends(b *beginning, tr *fieldTrail, fn *ssa.Function) bool {
	if !u.areRead(tr) || u.isBuffer && len(tr.results.returns)+len(tr.results.given()) > 0 {
		return false
	}
	if len(tr.results.returns) > 0 && slices.ContainsFunc(u.growsAt(fn), func(i ssa.Instruction) bool { _, deferred := i.(*ssa.Defer); return deferred }) {
		return false
	}
	b.returns = append(b.returns, tr.results.returns...)
	return true
}

// leavesNil reports whether all results that are the memory are nil if they are empty.
func (u *fieldUses) leavesNil(b *beginning) bool {
	return !slices.ContainsFunc(b.returns, func(r scratchResult) bool { return u.cut || !u.isWhole(r) })
}

// isWhole reports whether the result is the slice as the field has it, and so is nil if nothing has been appended.
func (u *fieldUses) isWhole(r scratchResult) bool { return isResult(r.value, u.isRead) }

// leavesAlone reports whether each result that may be the memory is nothing else. No call beside it comes after the copy, which could
// change the elements.
func (u *fieldUses) leavesAlone(b *beginning) bool {
	return !slices.ContainsFunc(b.returns, func(r scratchResult) bool {
		beside := len(r.ret.Results) > 1 && slices.ContainsFunc(r.ret.Block().Instrs, func(i ssa.Instruction) bool {
			call, ok := i.(*ssa.Call)
			return ok && ssa.Value(call) != r.value && call.Pos() > r.ret.Pos()
		})
		return beside || !isResult(r.value, func(v ssa.Value) bool { return u.isRead(unsliced(v)) })
	})
}

// isReplaced reports whether a function of the package may set a struct of the type, which another function has, to another one.
func (u *fieldUses) isReplaced() bool {
	return slices.ContainsFunc(u.functions, func(fn *ssa.Function) bool {
		return fn.Pkg != nil && fn.Pkg.Pkg == u.of.Pkg() && slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
			return slices.ContainsFunc(b.Instrs, func(i ssa.Instruction) bool {
				set, ok := i.(*ssa.Store)
				if !ok || !types.Identical(set.Val.Type(), u.of.Type()) {
					return false
				}
				_, own := set.Addr.(*ssa.Alloc)
				return !own
			})
		})
	})
}

// isRead reports whether a value is read from the field.
func (u *fieldUses) isRead(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	at, ok := load.X.(*ssa.FieldAddr)
	return ok && fieldAt(at) == u.field
}
