package advise

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The slice in a field of scratch can begin with one of a pool if it only grows, and is cut: each append extends the slice from its
// beginning, and nothing comes between its reading and its setting. So no append writes to the array of another slice.

// A beginning is a struct whose field can begin with a slice of a pool.
type beginning struct {
	field   *types.Var
	local   *ssa.Alloc
	first   *ssa.Store      // that sets the field as the struct is made, or nil
	calls   []*ssa.Call     // of the function that makes it for others
	returns []scratchResult // that have the memory
}

// findBegun notes the structs whose field has the memory of a site, or gets it by append, if it can begin with a slice of a pool.
func (s *source) findBegun(site *Site) {
	a := site.found
	field := a.growingField()
	if field == nil {
		return
	}
	of := s.tracer.structWith(field)
	if of == nil || s.tracer.packages[of.Pkg()] == nil || of.Type().(*types.Named).TypeParams() != nil || of.Exported() && field.Exported() {
		return
	}
	all := s.beginningsOf(of, field)
	if len(all) == 0 || a.kind != kindAppend && !slices.ContainsFunc(all, func(b *beginning) bool { return b.makes(a.instr) }) {
		return
	}
	if len(site.Sizes) < 2 && slices.ContainsFunc(all, func(b *beginning) bool { return len(b.returns) > 0 }) {
		return // of one size, a copy would be as large
	}
	a.beginnings, a.scratch, a.of = all, nil, of.Name()
	for _, b := range all {
		if by := name(b.local.Parent()); !slices.Contains(a.scratch, by) {
			a.scratch = append(a.scratch, by)
		}
	}
	a.fate.field, a.extended = field, s.tracer.fields[field][0].(ssa.Instruction)
	a.knownEnd = "" // a pool is better
}

// growingField returns the field that an append sets, or in which a new slice is, or nil.
func (a *allocation) growingField() *types.Var {
	v, ok := a.instr.(ssa.Value)
	switch {
	case !ok || a.loop && a.kind != kindAppend:
		return nil
	case a.kind == kindAppend:
		if a.fate.ways != 1<<isStored || !isSliceType(a.instr.(ssa.Value).Type()) {
			return nil
		}
		return a.fate.field
	case a.kind != kindMake && a.kind != kindSlice:
		return nil
	}
	for _, r := range *v.Referrers() {
		if part, ok := r.(*ssa.Slice); ok {
			v = part
		}
	}
	for _, r := range *v.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Val == v {
			if at, ok := st.Addr.(*ssa.FieldAddr); ok {
				return fieldAt(at)
			}
		}
	}
	return nil
}

// makes reports whether an instruction makes the slice that the field has first.
func (b *beginning) makes(instr ssa.Instruction) bool {
	if b.first == nil {
		return false
	}
	v, _ := instr.(ssa.Value)
	part, ok := b.first.Val.(*ssa.Slice)
	return b.first.Val == v || ok && part.X == v
}

// beginsNil reports whether the field is nil at first.
func (b *beginning) beginsNil() bool { return b.first == nil || isNil(b.first.Val) }

// beginningsOf returns the structs of a type whose slice in a field can begin with one of a pool, or none if some cannot.
func (s *source) beginningsOf(of *types.TypeName, field *types.Var) (all []*beginning) {
	if s.tracer.isPart(of) {
		return nil
	}
	u := &fieldUses{source: s, field: field, pointer: types.NewPointer(of.Type())}
	for _, local := range s.tracer.locals[of] {
		if isCopyOfParameter(local) {
			if !isOnlyRead(local) {
				return nil
			}
			continue
		}
		b := &beginning{field: field, local: local}
		if inLoop(local) || len(storesTo(local)) > 0 || !u.begins(b) {
			return nil
		}
		all = append(all, b)
	}
	for _, v := range s.tracer.fields[field] {
		if !u.isGrowth(v, all) {
			return nil
		}
	}
	if slices.ContainsFunc(all, func(b *beginning) bool { return b.beginsNil() && !u.leavesNil(b) }) {
		return nil
	}
	return all
}

// begins reports whether the memory in the field of a struct goes nowhere but to the function that has the struct, which may return it.
func (u *fieldUses) begins(b *beginning) bool {
	tr := u.tracer.trailOfScratch(b.local, b)
	if tr.way != stays {
		return false
	}
	if len(tr.results.structs) > 0 {
		return len(tr.results.returns) == 0 && u.isMadeForOthers(b, tr)
	}
	return u.ends(b, tr, b.local.Parent())
}

// isMadeForOthers reports whether a function always returns the struct that it makes, and all functions that get it are done with it
// as they return.
func (u *fieldUses) isMadeForOthers(b *beginning, tr *fieldTrail) bool {
	fn := b.local.Parent()
	if !u.isCalledOnly(fn) || !u.areRead(tr) || slices.ContainsFunc(fn.Blocks, func(block *ssa.BasicBlock) bool {
		ret, ok := lastOf(block).(*ssa.Return)
		return ok && ret.Results[0] != ssa.Value(b.local)
	}) {
		return false
	}
	for _, c := range u.callers[fn] {
		call, ok := c.call.(*ssa.Call)
		if !ok || inLoop(call) || call.Parent() == fn || call.Parent().Pkg == nil || call.Parent().Pkg.Pkg != b.field.Pkg() {
			return false
		}
		tr := u.tracer.trailOfScratch(call, b)
		if tr.way != stays || len(tr.results.structs) > 0 || !u.ends(b, tr, call.Parent()) {
			return false
		}
		b.calls = append(b.calls, call)
	}
	return len(b.calls) > 0
}

// ends reports whether the function that has a struct can put its slice at the end. A copy that it returns must be that of the last
// elements: a deferred call could change them.
func (u *fieldUses) ends(b *beginning, tr *fieldTrail, fn *ssa.Function) bool {
	if !u.areRead(tr) {
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
func (u *fieldUses) isWhole(r scratchResult) bool {
	v := r.of.root
	if call, ok := v.(*ssa.Call); ok {
		fn := call.Call.StaticCallee()
		if !slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
			ret, ok := lastOf(b).(*ssa.Return)
			return ok && !u.isRead(ret.Results[0])
		}) {
			return false
		}
	}
	return slices.Contains(r.ret.Results, v)
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

// copiesText says that callers get copies, if they do.
func (a *allocation) copiesText() string {
	if slices.ContainsFunc(a.beginnings, func(b *beginning) bool { return len(b.returns) > 0 }) {
		return ", if the callers get copies of what it returns"
	}
	return ""
}
