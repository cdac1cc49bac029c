package advise

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A slice that grows may begin with a capacity. Then append makes only arrays that are larger.

// makesOf returns the calls of make with which a slice begins that grows to v, with a capacity each. There are none if it may
// begin in another way, or if a slice expression may leave it less room.
func makesOf(v ssa.Value) (makes []ssa.Instruction) {
	g := &growth{seen: map[ssa.Value]bool{}}
	g.back(v)
	for v := range g.seen {
		switch x := v.(type) {
		case *ssa.MakeSlice:
			if isZero(x.Cap) {
				return nil
			}
			makes = append(makes, x)
		case *ssa.Slice:
			array, ok := x.X.(*ssa.Alloc)
			switch isMade := ok && array.Comment == "makeslice"; {
			case isMade && arrayLength(array) > 0:
				makes = append(makes, array)
			case isMade, x.Low != nil, x.Max != nil, !g.seen[x.X]:
				return nil
			}
		case *ssa.Phi:
			for _, e := range x.Edges {
				if !g.seen[e] {
					return nil
				}
			}
		case *ssa.Call:
			if to := extended(x); to == nil || !g.seen[to] {
				return nil
			}
		default:
			return nil
		}
	}
	return makes
}

func arrayLength(array *ssa.Alloc) int64 {
	return array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
}

// capacityOf is the capacity of a make, or 0 if that is not constant.
func capacityOf(made ssa.Instruction) int64 {
	switch made := made.(type) {
	case *ssa.Alloc:
		return arrayLength(made)
	case *ssa.MakeSlice:
		if c, ok := made.Cap.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int {
			return c.Int64()
		}
	}
	return 0
}
