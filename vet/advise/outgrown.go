package advise

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A slice that is made with a capacity grows by append only where it outgrows that. So its reason names the capacity, and
// smaller memory of the line is that of something else.

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

// leastGrown is the size of the smallest array that an append can make, as far as the capacities with which its slice is made
// tell.
func leastGrown(a *allocation) int64 {
	v, ok := a.instr.(ssa.Value)
	if !ok || a.kind != kindAppend {
		return 0
	}
	list, ok := v.Type().Underlying().(*types.Slice)
	if !ok {
		return 0
	}
	var room int64
	for i, made := range makesOf(v) {
		if n := capacityOf(made); i == 0 || n < room {
			room = n
		}
	}
	return (room + 1) * sizeOfType(list.Elem())
}

// besideGrown returns the thing that a line makes in a size that is too small for the append of the line, or nil.
func besideGrown(best *allocation, instrs []ssa.Instruction, size int64) *allocation {
	if best == nil || size >= leastGrown(best) {
		return nil
	}
	return ofExactSize(instrs, size)
}

// ofExactSize does the same as ofSize, but for slices of constant size too.
func ofExactSize(instrs []ssa.Instruction, size int64) *allocation {
	for _, instr := range instrs {
		if v, ok := instr.(*ssa.Alloc); ok && takes(sizeOf(v), size) {
			if a, _ := allocationOf(v); a != nil {
				return a
			}
		}
	}
	return ofSize(instrs, size)
}

// growsMostly reports whether surely most bytes of a line are arrays of its append.
func (a *allocation) growsMostly(site *Site, instrs []ssa.Instruction) bool {
	if slices.ContainsFunc(instrs, func(instr ssa.Instruction) bool {
		other, _ := allocationOf(instr)
		return other != nil && other.instr == instr && instr != a.instr && sizeOf(instr) == 0 && !isInPassing(instr)
	}) {
		return false
	}
	least, bytes := leastGrown(a), 0.0
	for _, size := range site.Sizes {
		if size.Size >= least && ofExactSize(instrs, size.Size) == nil {
			bytes += size.Bytes
		}
	}
	return 2*bytes > site.Bytes
}

// noteOutgrown notes that the append of a line outgrows the capacities with which its slice is made, on other lines.
func (s *source) noteOutgrown(a *allocation, site *Site, instrs []ssa.Instruction) {
	v, ok := a.instr.(ssa.Value)
	if !ok || a.kind != kindAppend || s.line(a.instr.Pos()) != int(site.Line) || !a.growsMostly(site, instrs) {
		return
	}
	makes := makesOf(v)
	for _, made := range makes {
		if s.line(made.Pos()) == int(site.Line) {
			return
		}
	}
	switch len(makes) {
	case 0:
	case 1:
		a.outgrown = fmt.Sprintf(" It outgrows the capacity%s with which it is made at line %d.", s.capacityText(makes[0]), s.line(makes[0].Pos()))
	default:
		a.outgrown = fmt.Sprintf(" It outgrows each of the %d capacities with which it may be made.", len(makes))
	}
}

// capacityText names the capacity of a make, unless that is long.
func (s *source) capacityText(made ssa.Instruction) string {
	const long = 20
	if n := capacityOf(made); n > 0 {
		return fmt.Sprint(" of ", n)
	}
	_, call, _ := s.callAt(made)
	if call == nil || len(call.Args) < 2 {
		return ""
	}
	if text := types.ExprString(call.Args[len(call.Args)-1]); len(text) <= long && !strings.Contains(text, "\n") {
		return " " + text
	}
	return ""
}

// outgrownText says which capacity the memory outgrows, if the verdict is one on the memory.
func (s *Site) outgrownText() string {
	switch s.Verdict {
	case NeedsOwner, PoolIt, Reuse, LongLived, Preallocate:
		if s.found != nil {
			return s.found.outgrown
		}
	}
	return ""
}
