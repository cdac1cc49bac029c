package advise

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A goroutine is like a call of its function if the function that starts it surely waits for its end, by a WaitGroup or an
// errgroup.Group of its own. Nothing may panic before that, because a deferred Put would run then, while the goroutine uses the memory.

// joins reports whether an instruction starts a goroutine whose end its function waits for.
func joins(start ssa.Instruction) bool {
	group := groupAt(start, isOwnGroup)
	return group != nil && awaits(start, group)
}

// groupAt returns the group to which an instruction adds the goroutine that it starts, if that is one of some groups, or nil.
func groupAt(start ssa.Instruction, is func(group ssa.Value) bool) ssa.Value {
	call, ok := start.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	c := call.Common()
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	given := slices.Clone(c.Args)
	if _, isGo := start.(*ssa.Go); !isGo {
		if len(given) == 0 || !slices.Contains([]string{"Go", "TryGo"}, calledOf(given[0], call)) {
			return nil
		}
		given = given[:1]
	} else if len(fn.Blocks) == 0 {
		return nil
	}
	if lit, ok := c.Value.(*ssa.MakeClosure); ok {
		given = append(given, lit.Bindings...)
	}
	for _, v := range given {
		if slices.Contains(groups, types.TypeString(v.Type(), nil)) && is(v) {
			return v
		}
	}
	return nil
}

// isOwnGroup reports whether a group is a variable, or one that errgroup.WithContext has just made.
func isOwnGroup(group ssa.Value) bool {
	switch v := group.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && isCalled(call, "golang.org/x/sync/errgroup.WithContext")
	}
	return false
}

// awaits reports whether the function waits for a group after a start, before it returns or may panic. All that is known of
// the group must be in sight: the function alone adds to it.
func awaits(start ssa.Instruction, group ssa.Value) bool {
	waits, adds, known := usesOf(group)
	if !known || !endsAll(group, waits, adds) {
		return false
	}
	surely := true
	from(start, func(i ssa.Instruction) bool {
		if slices.Contains(waits, i) {
			return true
		}
		surely = surely && isCalm(i, group) && i != group.(ssa.Instruction) // another one
		return !surely
	})
	return surely
}

// outlive notes that a goroutine may still have the memory when a loop makes it again, because the function waits behind that.
func (t *trail) outlive(start ssa.Instruction) {
	group := groupAt(start, isOwnGroup)
	if group == nil || len(t.births) == 0 {
		return
	}
	waits, _, _ := usesOf(group)
	from(start, func(i ssa.Instruction) bool {
		t.carried = t.carried || i == i.Block().Instrs[0] && slices.Contains(t.births, i.Block()) || i == group.(ssa.Instruction)
		return slices.Contains(waits, i)
	})
	if t.carried {
		t.list = "a goroutine"
	}
}

// usesOf returns the instructions that wait for a group, and those that set or add to it or start its goroutines. It reports
// false if there may be other uses.
func usesOf(group ssa.Value) (waits, adds []ssa.Instruction, known bool) {
	for _, use := range *group.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if _, zero := use.Val.(*ssa.Const); !zero {
				return nil, nil, false
			}
			adds = append(adds, use)
		case *ssa.Call:
			switch calledOf(group, use) {
			case "Wait":
				waits = append(waits, use)
			case "Add", "Go", "TryGo":
				adds = append(adds, use)
			case "SetLimit":
			default:
				return nil, nil, false
			}
		case *ssa.Go:
			if !isDoneBy(use, group) {
				return nil, nil, false
			}
			adds = append(adds, use)
		case *ssa.MakeClosure:
			starts, ok := startsOf(use, group)
			if !ok {
				return nil, nil, false
			}
			adds = append(adds, starts...)
		default:
			return nil, nil, false
		}
	}
	return waits, adds, true
}

// startsOf returns the instructions that run a function literal, which has a group: they start a goroutine each, or have it
// start them. It reports false if there may be others.
func startsOf(lit *ssa.MakeClosure, group ssa.Value) (starts []ssa.Instruction, known bool) {
	for _, by := range *lit.Referrers() {
		switch by := by.(type) {
		case *ssa.DebugRef:
		case *ssa.Go:
			if by.Call.Value != ssa.Value(lit) || slices.Contains(by.Call.Args, ssa.Value(lit)) || !isDoneBy(by, group) {
				return nil, false
			}
			starts = append(starts, by)
		case *ssa.Call:
			if !onlyStarts(lit, group) || len(runsOf(lit, by)) == 0 {
				return nil, false
			}
			starts = append(starts, by)
		default:
			return nil, false
		}
	}
	return starts, true
}

// isDoneBy reports whether a goroutine calls the method Done of a group once, at its end, and does nothing else with it.
func isDoneBy(start *ssa.Go, group ssa.Value) bool {
	fn := start.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 {
		return false
	}
	var own ssa.Value // the group, in the goroutine
	note := func(v, as ssa.Value) bool {
		if v != group {
			return true
		}
		known := own != nil
		own = as
		return !known
	}
	for i, arg := range start.Call.Args {
		if i < len(fn.Params) && !note(arg, fn.Params[i]) {
			return false
		}
	}
	if lit, ok := start.Call.Value.(*ssa.MakeClosure); ok {
		for i, b := range lit.Bindings {
			if !note(b, fn.FreeVars[i]) {
				return false
			}
		}
	}
	return own != nil && endsWithDone(fn, own)
}

// endsWithDone reports whether a function calls Done of a group once, and does nothing after that: by its first deferred call,
// or before its only return statement.
func endsWithDone(fn *ssa.Function, group ssa.Value) bool {
	var done ssa.Instruction
	for _, use := range *group.Referrers() {
		if _, ok := use.(*ssa.DebugRef); ok {
			continue
		}
		call, ok := use.(ssa.CallInstruction)
		if !ok || done != nil || calledOf(group, call) != "Done" {
			return false
		}
		done = use
	}
	var defers, returns []ssa.Instruction
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i.(type) {
			case *ssa.Defer:
				defers = append(defers, i)
			case *ssa.Return:
				returns = append(returns, i)
			}
		}
	}
	switch done.(type) {
	case *ssa.Defer:
		return done.Block() == fn.Blocks[0] && len(fn.Blocks[0].Preds) == 0 && defers[0] == done
	case *ssa.Call:
		all := done.Block().Instrs
		return len(defers) == 0 && len(returns) == 1 && len(all) > 1 && all[len(all)-2] == done && all[len(all)-1] == returns[0]
	}
	return false
}

// isCalm reports whether an instruction neither ends its function nor panics.
func isCalm(i ssa.Instruction, group ssa.Value) bool {
	switch i := i.(type) {
	case *ssa.DebugRef, *ssa.Phi, *ssa.Jump, *ssa.If, *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeInterface, *ssa.ChangeType, *ssa.Extract:
		return true
	case *ssa.Convert:
		return isNumber(i.Type()) && isNumber(i.X.Type())
	case *ssa.BinOp:
		return isCalmOperation(i)
	case *ssa.UnOp:
		element, ok := i.X.(*ssa.IndexAddr)
		return i.Op != token.ARROW && (i.Op != token.MUL || isVariable(i.X) || ok && isRanged(element))
	case *ssa.IndexAddr:
		return isRanged(i)
	case *ssa.Store:
		return isVariable(i.Addr) && i.Addr != group
	case *ssa.Go:
		fn := i.Call.StaticCallee()
		return fn != nil && len(fn.Blocks) > 0
	case *ssa.Send:
		return isOpenChannel(i.Chan)
	case *ssa.Call:
		return isCalmCall(i, group)
	}
	return false
}

func isCalmOperation(i *ssa.BinOp) bool {
	switch i.Op {
	case token.QUO, token.REM:
		return isNaturalConst(i.Y) && !isZero(i.Y)
	case token.SHL, token.SHR:
		return isNaturalConst(i.Y)
	}
	return isNumber(i.X.Type())
}

func isCalmCall(call *ssa.Call, group ssa.Value) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return slices.Contains([]string{"len", "cap", "min", "max"}, b.Name()) || b.Name() == "close" && isOpenChannel(call.Call.Args[0])
	}
	switch calledOf(group, call) {
	case "Add":
		return isNaturalConst(call.Call.Args[1])
	case "Go", "TryGo":
		return true
	}
	return false
}

// isRanged reports whether an element is that of a round of a loop that ranges over the slice.
func isRanged(i *ssa.IndexAddr) bool {
	index, ok := i.Index.(*ssa.BinOp)
	if !ok || index.Op != token.ADD {
		return false
	}
	if phi, ok := index.X.(*ssa.Phi); !ok || phi.Comment != "rangeindex" {
		return false
	}
	b := index.Block()
	check, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	less, ok := check.Cond.(*ssa.BinOp)
	if !ok || less.Op != token.LSS || less.X != ssa.Value(index) {
		return false
	}
	length, ok := less.Y.(*ssa.Call)
	if !ok || len(length.Call.Args) != 1 || length.Call.Args[0] != i.X {
		return false
	}
	builtin, ok := length.Call.Value.(*ssa.Builtin)
	return ok && builtin.Name() == "len" && b.Succs[0].Dominates(i.Block())
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

// isVariable reports whether an address is that of a variable, and so is never nil.
func isVariable(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.Global:
		return true
	}
	return false
}

// onlyStarts reports whether a function literal does nothing with a group from outside but add to it, and start its goroutines.
func onlyStarts(lit *ssa.MakeClosure, group ssa.Value) bool {
	fn := lit.Fn.(*ssa.Function)
	for i, b := range lit.Bindings {
		if b != group {
			continue
		}
		waits, adds, known := usesOf(fn.FreeVars[i])
		if !known || len(waits) > 0 || slices.ContainsFunc(adds, func(i ssa.Instruction) bool { _, set := i.(*ssa.Store); return set }) {
			return false
		}
	}
	return true
}

// runsOf returns the calls of a function literal that a call leads to: itself, or those of the function that gets the literal and
// does nothing else with it. If there may be others, it returns none.
func runsOf(lit *ssa.MakeClosure, call *ssa.Call) (runs []*ssa.Call) {
	callee := call.Call.StaticCallee()
	if callee == nil || len(callee.Blocks) == 0 {
		return nil
	}
	if call.Call.Value == ssa.Value(lit) && !slices.Contains(call.Call.Args, ssa.Value(lit)) {
		return []*ssa.Call{call}
	}
	for i, arg := range call.Call.Args {
		if arg != ssa.Value(lit) {
			continue
		}
		for _, r := range *callee.Params[i].Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef:
			case *ssa.Call:
				if slices.Contains(r.Call.Args, ssa.Value(callee.Params[i])) {
					return nil
				}
				runs = append(runs, r)
			default:
				return nil
			}
		}
	}
	return runs
}
