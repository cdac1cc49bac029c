package shape

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// HasEnded reports whether a call comes after a receive from the channel Done of a context.
func HasEnded(call *ssa.Call, ctx ssa.Value) bool {
	for _, b := range call.Parent().Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.UnOp:
				if i.Op == token.ARROW && isDone(i.X, ctx) && b.Dominates(call.Block()) {
					return true
				}
			case *ssa.Select:
				for n, s := range i.States {
					if isDone(s.Chan, ctx) && chosenBefore(i, n, call.Block()) {
						return true
					}
				}
			}
		}
	}
	return false
}

func isDone(ch, ctx ssa.Value) bool {
	c, ok := ch.(*ssa.Call)
	return ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Done" && sameLoad(c.Call.Value, ctx)
}

// sameLoad reports whether two values are the same, or loaded from the same field of the same struct.
func sameLoad(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	l, ok := a.(*ssa.UnOp)
	m, ok2 := b.(*ssa.UnOp)
	if !ok || !ok2 || l.Op != token.MUL || m.Op != token.MUL {
		return false
	}
	f, ok := l.X.(*ssa.FieldAddr)
	g, ok2 := m.X.(*ssa.FieldAddr)
	return ok && ok2 && f.Field == g.Field && f.X == g.X || l.X == m.X
}

// chosenBefore reports whether a block is reached only after case n of a select.
func chosenBefore(s *ssa.Select, n int, b *ssa.BasicBlock) bool {
	for _, cond := range Choices(s, n) {
		then := cond.Block().Succs[0]
		if len(then.Preds) == 1 && then.Dominates(b) {
			return true
		}
	}
	return false
}

// Choices returns the conditions that ask if case n of a select was chosen.
func Choices(s *ssa.Select, n int) (conds []*ssa.If) {
	for _, r := range *s.Referrers() {
		e, ok := r.(*ssa.Extract)
		if !ok || e.Index != 0 {
			continue
		}
		for _, r := range *e.Referrers() {
			b, ok := r.(*ssa.BinOp)
			if !ok {
				continue
			}
			if c, ok := b.Y.(*ssa.Const); !ok || c.Int64() != int64(n) {
				continue
			}
			for _, r := range *b.Referrers() {
				if i, ok := r.(*ssa.If); ok {
					conds = append(conds, i)
				}
			}
		}
	}
	return conds
}
