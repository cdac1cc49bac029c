package advise

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// isNatural reports whether a number is never negative, and fits an int of any machine. Sums and products may overflow.
func isNatural(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true // as far as this way leads
	}
	seen[v] = true
	t, _ := v.Type().Underlying().(*types.Basic)
	if t == nil {
		return false
	}
	switch t.Kind() {
	case types.Uint8, types.Uint16:
		return true
	case types.Int, types.Int8, types.Int16, types.Int32:
	default:
		return false
	}
	natural := func(v ssa.Value) bool { return isNatural(v, seen) }
	all := func(vs ...ssa.Value) bool {
		return !slices.ContainsFunc(vs, func(v ssa.Value) bool { return !natural(v) })
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constant.Sign(v.Value) >= 0
	case *ssa.Phi:
		return all(v.Edges...)
	case *ssa.Convert:
		return t.Kind() == types.Int && natural(v.X)
	case *ssa.BinOp:
		switch v.Op {
		case token.AND:
			return isNaturalConst(v.X) || isNaturalConst(v.Y) || all(v.X, v.Y)
		case token.REM, token.SHR:
			return natural(v.X)
		case token.QUO:
			return all(v.X, v.Y)
		}
	case *ssa.Call:
		return isNaturalResult(v, all)
	}
	return false
}

// isNaturalResult does the same for a call of a built-in function.
func isNaturalResult(call *ssa.Call, all func(...ssa.Value) bool) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok {
		return false
	}
	switch b.Name() {
	case "len", "cap", "copy":
		return true
	case "min":
		return all(call.Call.Args...)
	case "max":
		return slices.ContainsFunc(call.Call.Args, isNaturalConst) || all(call.Call.Args...)
	}
	return false
}

func isNaturalConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && constant.Sign(c.Value) >= 0
}
