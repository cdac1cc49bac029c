package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A field may get a slice with room for a limit, to which methods append as elements come. That is as with a variable, if nothing but
// appends and reads uses the field. One that is emptied for more elements needs the room again, so it does not count.

// noteReservedField notes that a field gets a slice with room for a limit.
func (s *source) noteReservedField(a *allocation, site *Site) {
	made, limit := s.reservedLimit(a, site)
	if made == nil {
		return
	}
	field, appends := s.fieldAppends(made)
	if len(appends) > 0 && !slices.ContainsFunc(appends, func(c *ssa.Call) bool { return !comesOneByOne(c, made, limit) }) {
		a.reserves = s.reserveText(a, site, " in field "+field.Name(), name(appends[0].Parent())) + "."
	}
}

// fieldAppends returns the field that alone gets a slice, and the calls that append to it, or nothing if it may be used otherwise.
func (s *source) fieldAppends(made ssa.Instruction) (field *types.Var, appends []*ssa.Call) {
	set, ok := onlyUse(made.(ssa.Value)).(*ssa.Store)
	if !ok {
		return nil, nil
	}
	at, ok := set.Addr.(*ssa.FieldAddr)
	if !ok || fieldAt(at) == nil || fieldAt(at).Exported() {
		return nil, nil
	}
	field = fieldAt(at)
	for _, of := range s.tracer.fields[fieldVar(at)] {
		at, ok := of.(*ssa.FieldAddr)
		if !ok {
			return nil, nil
		}
		for _, use := range *at.Referrers() {
			call, ok := s.appendOrRead(at, use)
			if !ok {
				return nil, nil
			}
			if call != nil {
				appends = append(appends, call)
			}
		}
	}
	return field, appends
}

// appendOrRead reports whether a use of a field sets it to a slice without elements or extends it, by a call that is returned, or only reads
// it.
func (s *source) appendOrRead(at *ssa.FieldAddr, use ssa.Instruction) (*ssa.Call, bool) {
	switch use := use.(type) {
	case *ssa.DebugRef:
		return nil, true
	case *ssa.Store:
		if call, ok := use.Val.(*ssa.Call); ok && isAppend(call) {
			return call, use.Addr == ssa.Value(at) && extendedField(call) == at
		}
		return nil, use.Addr == ssa.Value(at) && isEmptySlice(use.Val)
	case *ssa.UnOp:
		if call, ok := onlyUse(use).(*ssa.Call); ok && isAppend(call) && call.Call.Args[0] == ssa.Value(use) {
			return nil, extendedField(call) != nil
		}
		t := s.tracer.trailFrom(paramKey{v: use}, false)
		t.walk()
		return nil, !t.sized && !t.resliced && !t.grows && !t.forked
	}
	return nil, false
}

// comesOneByOne reports whether an append adds one element to a field when one comes. If the capacity is no constant, not each call or
// round must do so, or it may be their number.
func comesOneByOne(c *ssa.Call, made ssa.Instruction, limit ssa.Value) bool {
	if c.Parent() == made.Parent() || variadic(c.Call.Args[1]) == nil {
		return false
	}
	_, isConstant := limit.(*ssa.Const)
	head := loopOf(c.Block())
	if head == nil {
		return isConstant || mayReturnWithout(c.Block())
	}
	branch, ok := lastOf(head).(*ssa.If)
	return ok && !readsFrom(branch.Cond, func(v ssa.Value) bool { return isOfLimit(v, limit) }) && (isConstant || c.Block() != head && reaches(head, head, c.Block()))
}

// isOfLimit reports whether a number is a constant of a limit's value, or that of a field which the limit is computed from.
func isOfLimit(v, limit ssa.Value) bool {
	if c, ok := v.(*ssa.Const); ok {
		return isSame(c, limit)
	}
	at, ok := v.(*ssa.FieldAddr)
	return ok && readsFrom(limit, func(l ssa.Value) bool { of, ok := l.(*ssa.FieldAddr); return ok && fieldAt(of) == fieldAt(at) })
}
