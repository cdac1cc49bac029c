package advise

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function may keep its argument or copy it, as a flag says that its callers pass as a constant. Then the memory of a caller goes
// only where that flag leads.

// givenTo returns what a call passes beside the memory.
func (t *trail) givenTo(c *ssa.CallCommon, callee *ssa.Function) beside {
	flags := []byte(strings.Repeat("-", len(callee.Params)))
	known := false
	for i, p := range callee.Params {
		if i >= len(c.Args) || !types.Identical(p.Type().Underlying(), types.Typ[types.Bool]) || !decides(p) {
			continue
		}
		if flag, ok := t.flag(c.Args[i]); ok {
			known = true
			if flags[i] = 'f'; flag {
				flags[i] = 't'
			}
		}
	}
	with := beside{calls: t.functionGiven(c, callee)}
	if known {
		with.flags = string(flags)
	}
	return with
}

// decides reports whether a function asks for a parameter, or passes it on.
func decides(p *ssa.Parameter) bool {
	for _, r := range *p.Referrers() {
		switch r.(type) {
		case *ssa.If, *ssa.UnOp, ssa.CallInstruction:
			return true
		}
	}
	return false
}

// flag returns the value of a condition that is a constant, or is known of this caller.
func (t *trail) flag(v ssa.Value) (flag, ok bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Value.Kind() == constant.Bool && constant.BoolVal(v.Value), v.Value != nil && v.Value.Kind() == constant.Bool
	case *ssa.UnOp:
		if v.Op == token.NOT {
			flag, ok = t.flag(v.X)
			return !flag, ok
		}
	case *ssa.Parameter:
		fn := t.root.Parent()
		if t.with.flags == "" || v.Parent() != fn {
			return false, false
		}
		for i, p := range fn.Params {
			if p == v && t.with.flags[i] != '-' {
				return t.with.flags[i] == 't', true
			}
		}
	}
	return false, false
}

// isDead reports whether a use of a value never runs for the flags of this caller. A phi does not get a value from a block that never
// runs.
func (t *trail) isDead(v ssa.Value, use ssa.Instruction) bool {
	if t.with.flags == "" || use.Block() == nil || use.Parent() != t.root.Parent() {
		return false
	}
	phi, ok := use.(*ssa.Phi)
	if !ok {
		return t.isDeadBlock(use.Block())
	}
	for i, e := range phi.Edges {
		if e == v && !t.isDeadBlock(phi.Block().Preds[i]) && !t.isDeadEdge(phi.Block().Preds[i], phi.Block()) {
			return false
		}
	}
	return true
}

// isDeadBlock reports whether a block is reached only by an edge that is never taken.
func (t *trail) isDeadBlock(b *ssa.BasicBlock) bool {
	for ; b != nil; b = b.Idom() {
		if len(b.Preds) == 1 && t.isDeadEdge(b.Preds[0], b) {
			return true
		}
	}
	return false
}

// isDeadEdge reports whether the flags of this caller never lead from one block to the next.
func (t *trail) isDeadEdge(from, to *ssa.BasicBlock) bool {
	branch, ok := lastOf(from).(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return false
	}
	flag, ok := t.flag(branch.Cond)
	return ok && (from.Succs[0] == to) != flag
}
