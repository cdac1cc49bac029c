package paths

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// fork notes for all memory got or put before that the path takes one of two ways.
func (x *exploration) fork(st *state, i *ssa.If) {
	after := func(f forks, event ssa.Instruction) forks {
		if f == dependent || x.independentOf(i, event) {
			return max(f, independent)
		}
		return dependent
	}
	for id, o := range st.objects() {
		forks, since := o.forks, o.since
		if o.dead != nil && !o.used {
			forks = after(forks, o.dead.instr)
		}
		if o.kind == pooled && o.instr != nil {
			since = after(since, o.instr)
		}
		if forks != o.forks || since != o.since {
			e := st.edit(id)
			e.forks, e.since = forks, since
		}
	}
}

// independentOf reports whether a condition only depends on calls after a Put or a Get,
// and shares no dependency with it. Every path asks, so the answer is kept.
func (e *Explorer) independentOf(i *ssa.If, put ssa.Instruction) bool {
	return e.turns.Of(turn{i, put}, false, e.judgeTurn)
}

func (e *Explorer) judgeTurn(t turn) bool {
	if t.put.Parent() != t.cond.Parent() {
		return false
	}
	if _, ok := t.put.(*ssa.Defer); ok {
		return false
	}
	callees := e.deciders.Of(t.put, nil, func(put ssa.Instruction) map[any]bool {
		callees, seen := map[any]bool{}, map[ssa.Value]int{}
		for _, b := range put.Parent().Blocks {
			if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && b != put.Block() && b.Dominates(put.Block()) {
				decidedBy(cond.Cond, callees, seen, 6)
			}
		}
		return callees
	})
	return comesAfter(t.cond.Cond, t.put, callees, 6)
}

// decidedBy collects the functions that a condition calls. seen has the values that were visited, with the depth.
func decidedBy(v ssa.Value, callees map[any]bool, seen map[ssa.Value]int, depth int) {
	i, ok := v.(ssa.Instruction)
	if !ok || depth <= seen[v] {
		return
	}
	seen[v] = depth
	if c, ok := v.(*ssa.Call); ok {
		callees[called(&c.Call)] = true
	}
	for _, op := range i.Operands(nil) {
		if *op != nil {
			decidedBy(*op, callees, seen, depth-1)
		}
	}
}

// called names the callee: a function, a method of an interface, or a variable.
func called(c *ssa.CallCommon) any {
	if c.IsInvoke() {
		return c.Method
	}
	return c.Value
}

func comesAfter(v ssa.Value, put ssa.Instruction, callees map[any]bool, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.BinOp:
		return comesAfter(v.X, put, callees, depth-1) && comesAfter(v.Y, put, callees, depth-1)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			val := shape.OnlyStored(a)
			return val != nil && comesAfter(val, put, callees, depth-1)
		}
		switch v.Op {
		case token.NOT, token.SUB:
			return comesAfter(v.X, put, callees, depth-1)
		case token.ARROW:
			return isAfter(v, put)
		}
	case *ssa.Convert:
		return comesAfter(v.X, put, callees, depth-1)
	case *ssa.Extract:
		return comesAfter(v.Tuple, put, callees, depth-1)
	case *ssa.Select:
		return isAfter(v, put)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return (b.Name() == "len" || b.Name() == "cap") && comesAfter(v.Call.Args[0], put, callees, depth-1)
		}
		return isAfter(v, put) && !callees[called(&v.Call)] && !slices.ContainsFunc(v.Call.Args, isOutcome)
	}
	return false
}

// isOutcome reports whether a value is an error or a bool, on which the Put may depend.
func isOutcome(v ssa.Value) bool {
	return shape.IsError(v.Type()) || shape.IsBasic(v.Type(), types.IsBoolean)
}

// isAfter reports whether an instruction is never carried out before another.
func isAfter(i, other ssa.Instruction) bool {
	from, to := i.Block(), other.Block()
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock(nil), from.Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return false
		}
		if !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	if from != to {
		return true
	}
	for _, k := range from.Instrs {
		if k == i {
			return false
		}
		if k == other {
			return true
		}
	}
	return false
}
