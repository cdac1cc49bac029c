package pooled

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// comparesOnly reports whether a function does nothing with its arguments but compare
// their addresses and lengths: memory that was put may be given to it.
func comparesOnly(fn *ssa.Function) bool {
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
			switch i := i.(type) {
			case *ssa.Jump, *ssa.If, *ssa.Return, *ssa.Phi, *ssa.IndexAddr, *ssa.FieldAddr, *ssa.ChangeType, *ssa.Slice:
			case *ssa.BinOp:
				if t, ok := i.X.Type().Underlying().(*types.Basic); ok && t.Info()&types.IsString != 0 {
					return false // reads both
				}
				if pointerLike(i.X.Type()) {
					addresses++
				}
			case *ssa.UnOp:
				if i.Op == token.MUL || i.Op == token.ARROW {
					return false
				}
			case *ssa.Convert:
				if b, ok := i.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsString != 0 {
					return false
				}
				if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
					addresses++
				}
			case *ssa.Call:
				f, ok := i.Call.Value.(*ssa.Builtin)
				if !ok {
					return false
				}
				switch f.Name() {
				case "SliceData", "StringData", "len", "cap", "Add":
				default:
					return false
				}
			default:
				return false
			}
		}
	}
	return addresses > 0
}

// printsAddress reports whether a call has a format that prints an address.
func printsAddress(c *ssa.CallCommon) bool {
	for _, a := range c.Args {
		if s, ok := a.(*ssa.Const); ok && s.Value != nil && s.Value.Kind() == constant.String {
			if text := constant.StringVal(s.Value); strings.Contains(text, "%p") && !strings.Contains(text, "%s") && !strings.Contains(text, "%v") {
				return true
			}
		}
	}
	return false
}
