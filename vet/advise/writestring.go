package advise

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// hintOfWriter says that io.WriteString makes its memory for want of a method of the writer.
func (s *source) hintOfWriter(site *Site, call ssa.CallInstruction) string {
	if site.Calls != "io.WriteString" || !site.isMostlyOf(site.Calls) || len(call.Common().Args) == 0 {
		return ""
	}
	w := unwrap(call.Common().Args[0]).Type()
	if m, _, _ := types.LookupFieldOrMethod(w, false, nil, "WriteString"); m != nil {
		return ""
	}
	if s.isOfProgram(w) {
		return " " + types.TypeString(w, (*types.Package).Name) + " has no method WriteString: with one, the string needs no copy."
	}
	return " A writer with a method WriteString would get the string without a copy."
}

// isOfProgram reports whether a concrete type, or what it points at, is declared in the main module.
func (s *source) isOfProgram(t types.Type) bool {
	if types.IsInterface(t) {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	pkg, _ := named(t)
	p := s.own[pkg]
	return p != nil && p.Module != nil && isMain(p.Module, s.module)
}
