package pooled

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// printing tells, for the arguments of a call that prints, whether their memory is read with them. It names an argument by
// its place in the array of the call, as in "[0]".
type printing map[string]bool

// printingOf returns nil if the call prints nothing.
func printingOf(c *ssa.CallCommon, e *effects.Effect, f *types.Func) printing {
	if e.Prints == effects.None || len(c.Args) == 0 {
		return nil
	}
	s, ok := c.Args[len(c.Args)-1].(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	verbs, formatted := "", strings.HasSuffix(f.Name(), "f")
	if formatted {
		verbs = verbsOf(c.Args[len(c.Args)-2])
	}
	p := printing{}
	for _, r := range *array.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		i, ok := at.Index.(*ssa.Const)
		if !ok {
			continue
		}
		n := int(i.Int64())
		p[element(at)] = isPrinted(at) && (!formatted || n < len(verbs) && !strings.ContainsRune("pT", rune(verbs[n])))
	}
	return p
}

// verbsOf returns the verbs of a format, one for each operand. For a format that is unknown, or whose operands are not in
// order, it has none.
func verbsOf(format ssa.Value) string {
	k, ok := format.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.String {
		return ""
	}
	var verbs []byte
	text := constant.StringVal(k.Value)
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		for i++; i < len(text) && strings.IndexByte("+-# 0123456789.*", text[i]) >= 0; i++ {
			if text[i] == '*' {
				verbs = append(verbs, 'p') // a width, not an operand
			}
		}
		switch {
		case i >= len(text) || text[i] == '[':
			return ""
		case text[i] != '%':
			verbs = append(verbs, text[i])
		}
	}
	return string(verbs)
}

// isPrinted reports whether an argument is printed with the memory that it points at. Of a pointer to a number or to
// another pointer, only the address is.
func isPrinted(at *ssa.IndexAddr) bool {
	for _, r := range *at.Referrers() {
		s, ok := r.(*ssa.Store)
		if !ok {
			continue
		}
		m, ok := s.Val.(*ssa.MakeInterface)
		if !ok {
			return true // an interface
		}
		t := m.X.Type().Underlying()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem().Underlying()
		}
		switch t.(type) {
		case *types.Struct, *types.Array, *types.Slice, *types.Map, *types.Interface:
			return true
		}
	}
	return false
}
