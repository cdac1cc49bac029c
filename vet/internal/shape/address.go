package shape

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// ComparesOnly reports whether a function does nothing with its arguments but compare
// their addresses and lengths: memory that was put may be given to it.
func ComparesOnly(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 || len(fn.Blocks) > 8 || len(fn.FreeVars) > 0 {
		return false
	}
	for t := range fn.Signature.Results().Variables() {
		if _, basic := t.Type().Underlying().(*types.Basic); !basic {
			return false
		}
	}
	addresses := 0
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			n, ok := addressesIn(i)
			if !ok {
				return false
			}
			addresses += n
		}
	}
	return addresses > 0
}

// addressesIn returns how many addresses an instruction looks at. It is not ok if the instruction does anything else with
// memory.
func addressesIn(i ssa.Instruction) (n int, ok bool) {
	switch i := i.(type) {
	case *ssa.Jump, *ssa.If, *ssa.Return, *ssa.Phi, *ssa.IndexAddr, *ssa.FieldAddr, *ssa.ChangeType, *ssa.Slice:
		return 0, true
	case *ssa.BinOp:
		if PointerLike(i.X.Type()) {
			n = 1
		}
		return n, !IsBasic(i.X.Type(), types.IsString) // reads both
	case *ssa.UnOp:
		return 0, i.Op != token.MUL && i.Op != token.ARROW
	case *ssa.Convert:
		if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
			n = 1
		}
		_, basic := i.Type().Underlying().(*types.Basic)
		return n, basic && !IsBasic(i.Type(), types.IsString)
	case *ssa.Call:
		f, ok := i.Call.Value.(*ssa.Builtin)
		if !ok {
			return 0, false
		}
		switch f.Name() {
		case "SliceData", "StringData", "len", "cap", "Add":
			return 0, true
		}
	}
	return 0, false
}

// PrintsAddress reports whether a call has a format that prints an address.
func PrintsAddress(c *ssa.CallCommon) bool {
	for _, a := range c.Args {
		if s, ok := a.(*ssa.Const); ok && s.Value != nil && s.Value.Kind() == constant.String {
			if text := constant.StringVal(s.Value); strings.Contains(text, "%p") && !strings.Contains(text, "%s") && !strings.Contains(text, "%v") {
				return true
			}
		}
	}
	return false
}
