package paths

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

func (e *Explorer) condsOf(fn *ssa.Function) *conditions {
	return e.conds.Of(shape.Outermost(fn), nil, func(fn *ssa.Function) *conditions {
		c := &conditions{repeated: map[*ssa.If]bool{}, tested: map[ssa.Value]bool{}}
		count := map[any]int{}
		leaves := map[*ssa.If]map[any]bool{}
		for i := range shape.Instructions(shape.WithLiterals(fn)...) {
			cond, ok := i.(*ssa.If)
			if !ok {
				continue
			}
			set := map[any]bool{}
			e.leaves(cond.Cond, set, c.tested, 6)
			leaves[cond] = set
			for l := range set {
				count[l]++
			}
		}
		for cond, set := range leaves {
			for l := range set {
				if count[l] > 1 {
					c.repeated[cond] = true
				}
			}
		}
		return c
	})
}

// leaves adds to set the variables, fields and functions that a condition depends on, and to
// tested all values on the way to them.
func (e *Explorer) leaves(v ssa.Value, set map[any]bool, tested map[ssa.Value]bool, depth int) {
	tested[v] = true
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case *ssa.Const:
		return
	case *ssa.BinOp:
		e.leaves(v.X, set, tested, depth-1)
		e.leaves(v.Y, set, tested, depth-1)
		return
	case *ssa.UnOp:
		if v.Op == token.MUL {
			set[variable(v.X)] = true
		} else {
			e.leaves(v.X, set, tested, depth-1)
		}
		return
	case *ssa.Phi:
		set[v] = true
		for _, edge := range v.Edges {
			if !tested[edge] {
				e.leaves(edge, set, tested, depth-1)
			}
		}
		return
	case *ssa.Call:
		if f := v.Call.StaticCallee(); f != nil && e.Pure(f) {
			set[f] = true // it says the same each time
			return
		}
		if _, ok := v.Call.Value.(*ssa.Builtin); ok {
			if arg := shape.Measured(v); arg != nil {
				e.leaves(arg, set, tested, depth-1)
				return
			}
		}
	case *ssa.Convert:
		e.leaves(v.X, set, tested, depth-1)
		return
	case *ssa.ChangeType:
		e.leaves(v.X, set, tested, depth-1)
		return
	}
	set[v] = true
}

// variable returns the variable or the field that an address is of. A variable that is captured is known by its name.
func variable(addr ssa.Value) any {
	if f := shape.FieldOf(addr); f != nil {
		return f
	}
	switch a := addr.(type) {
	case *ssa.FreeVar:
		return a.Name()
	case *ssa.Alloc:
		return a.Comment
	}
	return addr
}

// limitsPut reports whether one of the branches of a condition, and only that, leads to
// a Put.
func (e *Explorer) limitsPut(i *ssa.If) bool {
	puts := [2]bool{}
	for n, s := range i.Block().Succs {
		if len(s.Preds) > 1 {
			continue
		}
		for _, b := range i.Parent().Blocks {
			if !s.Dominates(b) {
				continue
			}
			for _, instr := range b.Instrs {
				if c, ok := instr.(ssa.CallInstruction); ok && !puts[n] && e.CallPuts(c) {
					puts[n] = true
				}
			}
		}
	}
	return puts[0] != puts[1]
}
