package advise

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A field that has memory has an owner, where the use of its struct ends. Only the program knows that place, but some methods
// say so: one that sets the field to nil, or one with a name such as Close.

// ending are names of methods that end the use of their receiver.
var ending = []string{"Abort", "Cancel", "Close", "Commit", "Release", "Shutdown", "Stop"}

// findEnds names the methods that may end the use of the field that has a site's memory.
func (s *source) findEnds(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.fate.field == nil {
		return
	}
	field := a.fate.field
	var clear, closing []string
	var closers []*ssa.Function
	var holder *types.Named
	owner := ""
	for _, fn := range s.tracer.methods {
		recv := receiverOf(fn)
		if recv == nil || !hasField(recv, field) {
			continue
		}
		holder, owner = recv, recv.Obj().Name()
		if setsNil(fn, field) {
			clear = append(clear, fn.Name())
		}
		if slices.Contains(ending, fn.Name()) {
			closing, closers = append(closing, fn.Name()), append(closers, fn)
		}
	}
	if holder != nil {
		s.findClose(site, holder, closers)
	}
	switch {
	case len(clear) > 0:
		a.ends = fmt.Sprintf(" It is in field %s.%s, which is set to nil in %s: a Put may go there.", owner, field.Name(), inWords(clear))
	case len(closing) > 0:
		a.ends = fmt.Sprintf(" It is in field %s.%s, and %s has %s, which may end its use.", owner, field.Name(), owner, inWords(closing))
	}
}

// setsNil reports whether a method sets a field of its receiver to nil.
func setsNil(fn *ssa.Function, field *types.Var) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			st, ok := instr.(*ssa.Store)
			if !ok || !isNil(st.Val) {
				continue
			}
			if addr, ok := st.Addr.(*ssa.FieldAddr); ok && fieldAt(addr) == field && addr.X == ssa.Value(fn.Params[0]) {
				return true
			}
		}
	}
	return false
}
