package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Goroutines often get their work by a channel. To send on it, or to close it, panics if it is closed or nil. It is neither if the
// function makes it, alone closes it, and does so last.

// isOpenChannel reports whether a channel is surely open wherever its function sends on it or closes it.
func isOpenChannel(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if ok {
		if _, stored := setHere(load); len(stored) == 1 {
			v = stored[0]
		}
	}
	made, ok := v.(*ssa.MakeChan)
	if !ok {
		return false
	}
	u := channelUses{made: made}
	if !u.follow(made, true) {
		return false
	}
	return !slices.ContainsFunc(u.closes, func(end ssa.Instruction) bool {
		again := false
		from(end, func(i ssa.Instruction) bool {
			again = again || slices.Contains(u.closes, i) || slices.Contains(u.sends, i)
			return i == ssa.Instruction(made) // another one
		})
		return again
	})
}

// channelUses are instructions by which a function sends on a channel that it makes, and closes it.
type channelUses struct {
	made          *ssa.MakeChan
	sends, closes []ssa.Instruction
}

// follow notes the uses of a channel. It reports false if there may be others that close it. A function literal must not close it,
// but may send on it: in a goroutine, a panic ends the program.
func (u *channelUses) follow(v ssa.Value, here bool) bool {
	if typ, ok := v.Type().Underlying().(*types.Chan); ok && typ.Dir() == types.RecvOnly {
		return true // nobody can close that
	}
	return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { return !u.use(v, r, here) })
}

func (u *channelUses) use(v ssa.Value, r ssa.Instruction, here bool) bool {
	switch r := r.(type) {
	case *ssa.DebugRef, *ssa.UnOp: // which receives
		return true
	case *ssa.Select:
		return !slices.ContainsFunc(r.States, func(s *ssa.SelectState) bool { return s.Send == v })
	case *ssa.Send:
		u.sends = append(u.sends, r)
		return r.X != v
	case *ssa.ChangeType:
		return u.follow(r, here)
	case *ssa.Store:
		variable, ok := r.Addr.(*ssa.Alloc)
		return ok && r.Val == v && u.inVariable(variable, r)
	case ssa.CallInstruction:
		b, ok := r.Common().Value.(*ssa.Builtin)
		if ok && b.Name() == "close" {
			u.closes = append(u.closes, r)
			return here
		}
		return ok && (b.Name() == "len" || b.Name() == "cap")
	}
	return false
}

// inVariable does so for a variable that gets the channel once, before it is read.
func (u *channelUses) inVariable(variable ssa.Value, set *ssa.Store) bool {
	return !slices.ContainsFunc(*variable.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.Store:
			return r != set
		case *ssa.UnOp:
			here := r.Parent() == u.made.Parent()
			return here && !runsBefore(set, r) || !u.follow(r, here)
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			return !runsBefore(set, r) && r.Parent() == u.made.Parent() || slices.ContainsFunc(fn.FreeVars, func(free *ssa.FreeVar) bool {
				return r.Bindings[slices.Index(fn.FreeVars, free)] == variable && !u.inVariable(free, set)
			})
		}
		return true
	})
}
