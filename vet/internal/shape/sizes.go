package shape

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// SizeTest reports whether a condition asks only for the size, the type or the presence of parameters of root, and of which
// ones. For such reasons, a wrapper of Put may drop a value.
func SizeTest(root *ssa.Function, v ssa.Value) (params uint64, ok bool) {
	return sizeTest(root, v, map[*ssa.Phi]bool{})
}

// sizeTest is SizeTest, while it looks at the values in seen.
func sizeTest(root *ssa.Function, v ssa.Value, seen map[*ssa.Phi]bool) (params uint64, ok bool) {
	if v.Parent() != root && v.Parent() != nil {
		return 0, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return 0, true
	case *ssa.BinOp:
		return comparesSizes(root, v, seen)
	case *ssa.Call:
		if a := Measured(v); a != nil {
			return ParamOf(a)
		}
	case *ssa.Extract:
		if t, ok := v.Tuple.(*ssa.TypeAssert); ok {
			return ParamOf(t.X)
		}
		_, ok := v.Tuple.(*ssa.Select) // no caller knows which channel is ready
		return 0, ok && v.Index == 0
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return sizeTest(root, v.X, seen)
		}
		_, ok := v.X.(*ssa.Global)
		return 0, ok
	case *ssa.Phi: // a number that a loop counts up or down
		return countTest(root, v, seen)
	case *ssa.Convert:
		return sizeTest(root, v.X, seen)
	}
	return 0, false
}

// comparesSizes is sizeTest for a comparison. One side may be any limit, if the other is the size of a parameter.
func comparesSizes(root *ssa.Function, v *ssa.BinOp, seen map[*ssa.Phi]bool) (params uint64, ok bool) {
	if IsNil(v.Y) {
		return ParamOf(v.X)
	}
	a, okA := sizeTest(root, v.X, seen)
	b, okB := sizeTest(root, v.Y, seen)
	if IsLimit(v.X) || IsLimit(v.Y) {
		return a | b, a|b != 0 && (okA || IsLimit(v.X)) && (okB || IsLimit(v.Y))
	}
	return a | b, okA && okB
}

// countTest is sizeTest for a value that depends on the path.
func countTest(root *ssa.Function, v *ssa.Phi, seen map[*ssa.Phi]bool) (params uint64, ok bool) {
	if seen[v] {
		return 0, true
	}
	seen[v] = true
	if !IsBasic(v.Type(), types.IsInteger) {
		return 0, false
	}
	ok = true
	for _, e := range v.Edges {
		of, isSize := sizeTest(root, e, seen)
		params, ok = params|of, ok && isSize
	}
	return params, ok
}
