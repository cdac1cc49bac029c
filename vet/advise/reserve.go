package advise

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A slice may be made with the capacity that it has at most, such as the size of a page, before a loop over other things appends
// elements that fit. Then each call makes the largest array, although few elements may come.

// largeReserve is the size of an array from which that is worth a word.
const largeReserve = 32 << 10

// noteReserve notes that a make reserves room for a limit, and that the elements come from elsewhere.
func (s *source) noteReserve(a *allocation, site *Site) {
	made, limit := s.reservedLimit(a, site)
	if made == nil {
		return
	}
	appends := appendsTo(made)
	if len(appends) == 0 || slices.ContainsFunc(appends, func(c *ssa.Call) bool { return !comesFromElsewhere(c, made, limit) }) {
		return
	}
	a.reserves = s.reserveText(a, site, "", "it") + ", or make it with the number that there is."
}

// reservedLimit returns the instruction that makes a large slice with room for a limit, and that number, or nil.
func (s *source) reservedLimit(a *allocation, site *Site) (made ssa.Instruction, limit ssa.Value) {
	most := site.mostBytes()
	if a.kind != kindSlice && a.kind != kindMake || most.Size < largeReserve || most.Bytes < 0.9*site.Bytes {
		return nil, nil
	}
	if made, limit = reserved(a.instr); made == nil || !s.isLimit(limit, map[ssa.Value]bool{}) {
		return nil, nil
	}
	return made, limit
}

// reserveText says how much room a slice has, where it is, and which function appends to it.
func (s *source) reserveText(a *allocation, site *Site, in, by string) string {
	room := strings.TrimPrefix(s.capacityText(a.instr), " of")
	if room == "" {
		room = " so many"
	}
	return fmt.Sprintf(" It reserves room for%s elements%s, %s, however many %s appends: let append grow it",
		room, in, bytesText(float64(site.mostBytes().Size)), by)
}

// reserved returns the empty slice that an instruction makes with room for elements, and their number, or nil.
func reserved(instr ssa.Instruction) (made ssa.Instruction, limit ssa.Value) {
	switch v := instr.(type) {
	case *ssa.MakeSlice:
		if isZero(v.Len) {
			return v, settled(v.Cap)
		}
	case *ssa.Alloc:
		if list, _ := wholeOf(v).(*ssa.Slice); list != nil && list.High != nil && isZero(list.High) {
			return list, ssa.NewConst(constant.MakeInt64(arrayLength(v)), types.Typ[types.Int])
		}
	}
	return nil, nil
}

// isLimit reports whether a number is a constant, or a parameter for which no known caller passes a length, or a field that is set to such
// numbers alone. It may be multiplied or divided.
func (s *source) isLimit(n ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[n] {
		return false // such as a number that is counted
	}
	seen[n] = true
	all := func(values []ssa.Value) bool {
		return !slices.ContainsFunc(values, func(e ssa.Value) bool { return !s.isLimit(e, seen) })
	}
	if of, ok := isScaled(n); ok {
		return s.isLimit(of, seen)
	}
	switch n := n.(type) {
	case *ssa.Const:
		return true
	case *ssa.Convert:
		return s.isLimit(n.X, seen)
	case *ssa.Phi: // such as that of a default
		return all(n.Edges)
	case *ssa.UnOp:
		at, ok := n.X.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		set := s.tracer.setTo(fieldVar(at))
		return len(set) > 0 && all(set)
	case *ssa.Parameter:
		i := slices.Index(n.Parent().Params, n)
		return !slices.ContainsFunc(s.tracer.calls[n.Parent()], func(c ssa.CallInstruction) bool {
			args := c.Common().Args
			return i >= len(args) || readsFrom(args[i], func(v ssa.Value) bool { return operandOf(v, "len") != nil })
		})
	}
	return false
}

// isScaled reports whether a number is another one multiplied or divided by a constant, and returns that other one.
func isScaled(v ssa.Value) (of ssa.Value, ok bool) {
	op, ok := v.(*ssa.BinOp)
	if !ok || !slices.Contains([]token.Token{token.QUO, token.MUL, token.SHL, token.SHR}, op.Op) {
		return nil, false
	}
	if _, constant := op.Y.(*ssa.Const); constant {
		return op.X, true
	}
	_, constant := op.X.(*ssa.Const)
	return op.Y, constant
}

// readsFrom reports whether a value is computed from one of some values.
func readsFrom(v ssa.Value, is func(ssa.Value) bool) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		if is(v) {
			return true
		}
		instr, ok := v.(ssa.Instruction)
		return ok && slices.ContainsFunc(instr.Operands(nil), func(o *ssa.Value) bool { return *o != nil && visit(*o) })
	}
	return visit(v)
}

// appendsTo returns the calls of append that extend a slice, in its function and in literals that share its variable.
func appendsTo(made ssa.Instruction) (appends []*ssa.Call) {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	variable := func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp:
				visit(r)
			case *ssa.MakeClosure:
				for i, b := range r.Bindings {
					if b == v {
						visit(r.Fn.(*ssa.Function).FreeVars[i])
					}
				}
			}
		}
	}
	visit = func(v ssa.Value) {
		if _, ok := v.(*ssa.FreeVar); ok {
			variable(v)
			return
		}
		if seen[v] {
			return
		}
		seen[v] = true
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.Phi:
				visit(r)
			case *ssa.Store:
				if at, ok := captured(r.Addr).(*ssa.Alloc); ok && r.Val == v {
					variable(at)
				}
			case *ssa.Call:
				if isAppend(r) && r.Call.Args[0] == v {
					appends = append(appends, r)
					visit(r)
				}
			}
		}
	}
	visit(made.(ssa.Value))
	return appends
}

// comesFromElsewhere reports whether an append adds one element at a time, in a loop whose end does not depend on the capacity, or
// in a literal that gets the element. If the capacity is no constant, not each round must append, or it may be their number.
func comesFromElsewhere(c *ssa.Call, made ssa.Instruction, limit ssa.Value) bool {
	list := variadic(c.Call.Args[1])
	if list == nil {
		return false
	}
	_, isConstant := limit.(*ssa.Const)
	isLimit := func(v ssa.Value) bool { return isSame(settled(v), limit) }
	if c.Parent() != made.Parent() {
		return isCalledBeside(c.Parent(), made.Parent(), isLimit) && addsArgument(c.Parent(), list) && (isConstant || mayReturnWithout(c.Block()))
	}
	head := loopOf(c.Block())
	if head == nil || !made.Block().Dominates(head) || made.Block() == head {
		return false
	}
	branch, ok := lastOf(head).(*ssa.If)
	return ok && !readsFrom(branch.Cond, isLimit) && mayEndWell(head) && (isConstant || c.Block() != head && reaches(head, head, c.Block()))
}

// mayEndWell reports whether a loop may end where its rounds begin, and not by an error.
func mayEndWell(head *ssa.BasicBlock) bool {
	return slices.ContainsFunc(head.Succs, func(b *ssa.BasicBlock) bool { return b != head && !reaches(b, head, nil) && !fails(b) })
}

// isCalledBeside reports whether a call gets a function literal, and no number of some.
func isCalledBeside(literal, in *ssa.Function, isLimit func(ssa.Value) bool) bool {
	call := takerOf(literal, in)
	return call != nil && !slices.ContainsFunc(call.Common().Args, func(arg ssa.Value) bool {
		_, isLiteral := unwrap(arg).(*ssa.MakeClosure) // which may read the limit to end early
		return !isLiteral && readsFrom(arg, isLimit)
	})
}

// addsArgument reports whether one of the elements of a list is computed from an argument of a function.
func addsArgument(fn *ssa.Function, list *ssa.Alloc) bool {
	return slices.ContainsFunc(elementsOf(list), func(e ssa.Value) bool {
		return readsFrom(e, func(v ssa.Value) bool {
			if at, ok := v.(*ssa.Alloc); ok { // which has the argument
				return slices.ContainsFunc(storesTo(at), func(v ssa.Value) bool { _, ok := v.(*ssa.Parameter); return ok })
			}
			_, ok := v.(*ssa.Parameter)
			return ok
		})
	})
}

// mayReturnWithout reports whether the function of a block may return without running it.
func mayReturnWithout(b *ssa.BasicBlock) bool {
	entry := b.Parent().Blocks[0]
	return b != entry && slices.ContainsFunc(b.Parent().Blocks, func(end *ssa.BasicBlock) bool {
		_, returns := lastOf(end).(*ssa.Return)
		return returns && end != b && (end == entry || reaches(entry, end, b))
	})
}

// takerOf returns the only call that gets a function literal, of those of a function, or nil.
func takerOf(literal, in *ssa.Function) *ssa.Call {
	if literal.Parent() != in {
		return nil
	}
	for _, b := range in.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == ssa.Value(literal) {
				var use ssa.Value = c
				if change, ok := onlyUse(c).(*ssa.ChangeType); ok {
					use = change
				}
				call, _ := onlyUse(use).(*ssa.Call)
				if call == nil || call.Call.Value == use {
					return nil
				}
				return call
			}
		}
	}
	return nil
}

// loopOf returns the block where the innermost loop around a block begins each round, or nil.
func loopOf(b *ssa.BasicBlock) *ssa.BasicBlock {
	for head := b; head != nil; head = head.Idom() {
		if slices.ContainsFunc(head.Preds, head.Dominates) && (head == b || reaches(b, head, nil)) {
			return head
		}
	}
	return nil
}

// fails reports whether a block returns without memory, or panics, as at an error.
func fails(b *ssa.BasicBlock) bool {
	switch r := lastOf(b).(type) {
	case *ssa.Panic:
		return true
	case *ssa.Return:
		return slices.ContainsFunc(r.Results, func(v ssa.Value) bool {
			_, list := v.Type().Underlying().(*types.Slice)
			return list && isNil(v)
		})
	}
	return false
}

// reservesText says that a capacity may be far larger than the need, if the verdict is one on the memory.
func (s *Site) reservesText() string {
	switch s.Verdict {
	case NeedsOwner, LongLived, DoNotPool:
		if s.found != nil {
			return s.found.reserves
		}
	}
	return ""
}
