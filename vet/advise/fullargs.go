package advise

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An append to a parameter writes to the array of the caller, if that has room. A slice literal has none, so that the first append to it
// makes an array of its own, which a larger capacity of the caller's slice saves.

// noteFull notes that a slice which grows is that of an append, as all callers pass slice literals for the parameter with which it begins.
// It reports false if some may pass another, or a part of the slice may have room.
func (s *source) noteFull(a *allocation, g *growth, p *ssa.Parameter, made *fate) bool {
	if made.way != isReturned || !s.isCalledOnly(p.Parent()) || len(g.bases) != 1 {
		return false
	}
	for v := range g.seen {
		if _, cut := v.(*ssa.Slice); cut {
			return false
		}
	}
	var places []string
	at := slices.Index(p.Parent().Params, p)
	for _, c := range s.callers[p.Parent()] {
		if c.call.Common().IsInvoke() || at >= len(c.call.Common().Args) {
			return false
		}
		literal := fullLiteral(c.call.Common().Args[at])
		if literal == nil {
			return false
		}
		pos := s.fset.Position(literal.Pos())
		if place := fmt.Sprintf("%s:%d", base(pos.Filename), pos.Line); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	a.fate = new(fate)
	a.fate.leave(isKept, "%s", made.where)
	if len(places) == 1 {
		a.outgrown = fmt.Sprintf(" The append makes it, because the slice literal that is passed as %s has no room: give that a larger capacity, at %s.", p.Name(), places[0])
	} else {
		a.outgrown = fmt.Sprintf(" The append makes it, because the %d slice literals that are passed as %s have no room: give them a larger capacity, such as that at %s.", len(places), p.Name(), places[0])
	}
	return true
}

// fullLiteral returns the array of a slice literal whose length is its capacity, or nil.
func fullLiteral(v ssa.Value) *ssa.Alloc {
	if change, ok := v.(*ssa.ChangeType); ok {
		v = change.X
	}
	all, ok := v.(*ssa.Slice)
	if !ok || all.Low != nil || all.High != nil || all.Max != nil {
		return nil
	}
	array, ok := all.X.(*ssa.Alloc)
	if !ok || array.Comment != "slicelit" {
		return nil
	}
	return array
}
