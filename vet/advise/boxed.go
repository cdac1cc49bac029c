package advise

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A value is often boxed for a logger that drops it, because its level is off: the box is made before the call. Such a function
// asks a method that returns a bool before it uses its arguments. If the caller asks first, nothing is boxed.

// A check is the function that another asks before it uses an argument.
type check struct {
	by  *ssa.Function // that drops the argument
	ask *types.Func   // which returns true if the argument is used
}

// noteBoxed notes the function for which a value is boxed, if it may drop it.
func (s *source) noteBoxed(a *allocation) {
	if a.other != boxed && a.other != argumentList {
		return
	}
	call, i := boxedFor(a.instr)
	if call == nil {
		return
	}
	c := call.Common()
	if of := standardCheck(c); of != "" {
		a.boxed = fmt.Sprintf(" It is made for %s, which drops it if its level is off. Ask %s before the call, and nothing is made then.", calledName(c), of)
		return
	}
	found, ok := s.tracer.dropped(c, i, 3)
	if !ok || isAsked(call.Block(), found.ask) {
		return
	}
	asked := found.ask.Name()
	if askedOf(c, asked) {
		asked = "its method " + asked
	}
	a.boxed = fmt.Sprintf(" It is made for %s: %s drops it unless %s returns true. Ask that before the call, and nothing is made otherwise.", calledName(c), name(found.by), asked)
}

// boxedFor returns the call for which an instruction boxes a value, and the number of the argument that has it, or nil.
func boxedFor(instr ssa.Instruction) (call ssa.CallInstruction, arg int) {
	var v ssa.Value
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		return instr, boxedArgument(instr.Common().Args)
	case *ssa.MakeInterface:
		v = instr
	default:
		return nil, 0
	}
	if st, ok := onlyUse(v).(*ssa.Store); ok {
		v = listOf(st)
		if v == nil {
			return nil, 0
		}
	}
	call, ok := onlyUse(v).(ssa.CallInstruction)
	if !ok {
		return nil, 0
	}
	return call, slices.Index(call.Common().Args, v)
}

// boxedArgument returns the number of the argument that is a list, or needs the largest box, or -1.
func boxedArgument(args []ssa.Value) (at int) {
	at, size := -1, int64(0)
	for i, arg := range args {
		if variadic(arg) != nil {
			return i
		}
		if made, ok := arg.(*ssa.MakeInterface); ok && boxOf(made) > size {
			at, size = i, boxOf(made)
		}
	}
	return at
}

// listOf returns the slice of a variadic call's arguments, of which a store sets an element, or nil.
func listOf(st *ssa.Store) ssa.Value {
	at, ok := st.Addr.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	list, ok := at.X.(*ssa.Alloc)
	if !ok || list.Comment != "varargs" {
		return nil
	}
	for _, r := range *list.Referrers() {
		if whole, ok := r.(*ssa.Slice); ok {
			return whole
		}
	}
	return nil
}

// dropped returns the check by which one of the functions that a call may run drops an argument.
func (t *tracer) dropped(c *ssa.CallCommon, arg, depth int) (check, bool) {
	if arg < 0 || depth == 0 {
		return check{}, false
	}
	if !c.IsInvoke() {
		fn := c.StaticCallee()
		if fn == nil {
			return check{}, false
		}
		if len(fn.Blocks) == 0 {
			t.noteUnread(fn)
		}
		return t.drops(fn, arg, depth)
	}
	face, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return check{}, false
	}
	for _, fn := range t.methods {
		if fn.Name() == c.Method.Name() && types.Implements(fn.Signature.Recv().Type(), face) {
			if found, ok := t.drops(fn, arg+1, depth); ok {
				return found, true
			}
		}
	}
	return check{}, false
}

// drops returns the check after which a function does nothing with a parameter, or one that gets it from there does not.
func (t *tracer) drops(fn *ssa.Function, arg, depth int) (check, bool) {
	if len(fn.Blocks) == 0 || arg >= len(fn.Params) {
		return check{}, false
	}
	p := fn.Params[arg]
	uses := paramUses(p)
	for _, b := range fn.Blocks {
		branch, ok := lastOf(b).(*ssa.If)
		if !ok || isAfter(b, uses) {
			continue
		}
		ask, truth := askedBy(branch.Cond)
		if ask == nil {
			continue
		}
		drop := b.Succs[0]
		if truth {
			drop = b.Succs[1]
		}
		if len(drop.Preds) > 0 && !isBefore(drop, uses) {
			return check{fn, ask}, true
		}
	}
	if len(uses) == 1 {
		if call, ok := uses[0].(*ssa.Call); ok {
			return t.dropped(&call.Call, slices.Index(call.Call.Args, ssa.Value(p)), depth-1)
		}
	}
	return check{}, false
}

func paramUses(p *ssa.Parameter) (uses []ssa.Instruction) {
	for _, r := range *p.Referrers() {
		if _, debug := r.(*ssa.DebugRef); !debug {
			uses = append(uses, r)
		}
	}
	return uses
}

// isAfter reports whether one of some instructions may run before the end of a block.
func isAfter(b *ssa.BasicBlock, uses []ssa.Instruction) bool {
	return slices.ContainsFunc(uses, func(u ssa.Instruction) bool { return u.Block() == b || reaches(u.Block(), b, nil) })
}

// isBefore reports whether one of some instructions may run from the beginning of a block on, or there are none.
func isBefore(b *ssa.BasicBlock, uses []ssa.Instruction) bool {
	return len(uses) == 0 || slices.ContainsFunc(uses, func(u ssa.Instruction) bool { return u.Block() == b || reaches(b, u.Block(), nil) })
}

// askedBy returns the function whose result a condition is, and whether the condition has the same truth.
func askedBy(cond ssa.Value) (ask *types.Func, same bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			ask, same = askedBy(c.X)
			return ask, !same
		}
	case *ssa.Call:
		if c.Call.IsInvoke() {
			return c.Call.Method, true
		}
		if fn := c.Call.StaticCallee(); fn != nil {
			obj, ok := fn.Object().(*types.Func)
			if ok && !ofStandard(obj) {
				return obj, true
			}
		}
	}
	return nil, false
}

// ofStandard reports whether a function is of the standard library.
func ofStandard(f *types.Func) bool { return f.Pkg() != nil && isRooted(f.Pkg().Path()) }

// isAsked reports whether a block runs only if a function of the same name was asked.
func isAsked(b *ssa.BasicBlock, ask *types.Func) bool {
	for ; b.Idom() != nil; b = b.Idom() {
		if branch, ok := lastOf(b.Idom()).(*ssa.If); ok && len(b.Preds) == 1 {
			if by, _ := askedBy(branch.Cond); by != nil && by.Name() == ask.Name() {
				return true
			}
		}
	}
	return false
}

// askedOf reports whether the receiver of a call has a method of a name that returns a bool.
func askedOf(c *ssa.CallCommon, method string) bool {
	recv := c.Value
	if !c.IsInvoke() {
		if c.Signature().Recv() == nil {
			return false
		}
		recv = c.Args[0]
	}
	m, _, _ := types.LookupFieldOrMethod(recv.Type(), true, nil, method)
	f, ok := m.(*types.Func)
	return ok && f.Signature().Results().Len() == 1 && types.Identical(f.Signature().Results().At(0).Type(), types.Typ[types.Bool])
}

// standardCheck names the method of package slog that says whether a call drops its arguments, or nothing.
func standardCheck(c *ssa.CallCommon) string {
	fn := c.StaticCallee()
	if fn == nil || !strings.HasPrefix(runtimeName(fn), "log/slog.") || !strings.HasPrefix(fn.Name(), "Debug") {
		return ""
	}
	if fn.Signature.Recv() == nil {
		return "slog.Default().Enabled"
	}
	return "its method Enabled"
}
