package advise

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function that starts goroutines and waits for them often calls others in between, which may panic. A Put that is deferred from the
// beginning would run then, while the goroutines use the memory. So it is deferred behind the wait: a panic before leaves the memory to
// the collector.

// joinsLate reports whether an instruction starts a goroutine that has ended when its function has waited, however that goes on.
func joinsLate(start ssa.Instruction) bool {
	group := groupAt(start, isOwnGroup)
	if group == nil {
		return false
	}
	waits, adds, known := usesOf(group)
	return known && len(waits) > 0 && !replacesGroup(adds) && (!addsAgain(group, waits, adds) || isCounted(adds)) && !mayReturnBefore(start)
}

// replacesGroup reports whether a function may set a group when that has counted.
func replacesGroup(adds []ssa.Instruction) bool {
	return slices.ContainsFunc(adds, func(set ssa.Instruction) bool {
		_, ok := set.(*ssa.Store)
		return ok && slices.ContainsFunc(adds, func(i ssa.Instruction) bool { return i != set && !runsBefore(set, i) })
	})
}

// addsAgain reports whether a function adds to a group after it has waited.
func addsAgain(group ssa.Value, waits, adds []ssa.Instruction) (again bool) {
	for _, wait := range waits {
		from(wait, func(i ssa.Instruction) bool {
			again = again || slices.Contains(adds, i)
			return i == group.(ssa.Instruction) // another one
		})
	}
	return again
}

// isCounted reports whether a function adds to a group, before it starts goroutines, at least as many as it starts. So the count is
// zero only when all have ended, at the end of each of several waits.
func isCounted(adds []ssa.Instruction) bool {
	claimed := map[*ssa.Call]int64{} // goroutines that an Add counts
	for _, start := range adds {
		switch start := start.(type) {
		case *ssa.Go:
			add := lastAdd(adds, start)
			if add == nil || !isCountedBy(start, add, claimed[add]) {
				return false
			}
			claimed[add]++
		case *ssa.Call:
			if name := start.Call.StaticCallee().Name(); name != "Add" && name != "Go" && name != "TryGo" {
				return false
			}
		case *ssa.Store: // see replacesGroup
		default:
			return false
		}
	}
	return true
}

// lastAdd returns the last call of Add that surely comes before a goroutine, or nil.
func lastAdd(adds []ssa.Instruction, start *ssa.Go) (last *ssa.Call) {
	for _, i := range adds {
		add, ok := i.(*ssa.Call)
		if ok && add.Call.StaticCallee().Name() == "Add" && runsBefore(add, start) && (last == nil || runsBefore(last, add)) {
			last = add
		}
	}
	return last
}

// isCountedBy reports whether a call of Add counts the goroutines of one instruction, beside those that it has counted before.
func isCountedBy(start *ssa.Go, add *ssa.Call, claimed int64) bool {
	number := add.Call.Args[1]
	if c, ok := number.(*ssa.Const); ok && claimed < c.Int64() && !comesBefore(start, start, add) {
		return true
	}
	return claimed == 0 && isCountedLoop(start, add, number)
}

// comesBefore reports whether an instruction may run after another, and before a third one does.
func comesBefore(first, then, before ssa.Instruction) (found bool) {
	from(first, func(i ssa.Instruction) bool {
		found = found || i == then
		return i == before || found
	})
	return found
}

// isCountedLoop reports whether an instruction runs once in each round of a loop, which has at most so many after each Add.
func isCountedLoop(start, add ssa.Instruction, number ssa.Value) bool {
	for b := start.Block(); b != nil; b = b.Idom() {
		check, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !reaches(start.Block(), b, nil) {
			continue
		}
		if less, ok := check.Cond.(*ssa.BinOp); !ok || less.Op != token.LSS || !isSameCount(less.Y, number) || !isCounter(less.X, b) || !b.Succs[0].Dominates(start.Block()) {
			return false // the innermost loop is another one
		}
		return runsBefore(add, check) && !comesBefore(start, start, b.Instrs[0]) && !slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool {
			return !b.Dominates(p) && comesBefore(check, p.Instrs[len(p.Instrs)-1], add)
		})
	}
	return false
}

// isCounter reports whether a value is 0, 1, 2 and so on in the rounds of a loop, or begins with a larger number.
func isCounter(v ssa.Value, loop *ssa.BasicBlock) bool {
	next, added := v.(*ssa.BinOp) // for a range, which begins with -1
	if added {
		v = next.X
	}
	phi, ok := v.(*ssa.Phi)
	if !ok || phi.Block() != loop || added && !isIncrement(next, phi) {
		return false
	}
	for i, e := range phi.Edges {
		if loop.Dominates(loop.Preds[i]) {
			more, ok := e.(*ssa.BinOp)
			if !ok || !isIncrement(more, phi) {
				return false
			}
			continue
		}
		c, ok := e.(*ssa.Const)
		if !ok || c.Value == nil || c.Int64() < 0 && !(added && c.Int64() == -1) {
			return false
		}
	}
	return true
}

func isIncrement(sum *ssa.BinOp, of ssa.Value) bool {
	c, ok := sum.Y.(*ssa.Const)
	return sum.Op == token.ADD && sum.X == of && ok && c.Value != nil && c.Int64() > 0
}

// isSameCount reports whether two values are the same number, or lengths of one slice.
func isSameCount(a, b ssa.Value) bool {
	x, ok := a.(*ssa.Call)
	return isSameNumber(a, b) || ok && len(x.Call.Args) == 1 && isLengthOf(a, x.Call.Args[0]) && isLengthOf(b, x.Call.Args[0])
}

// joinLate finds out whether memory stays in its function and in goroutines for which that waits.
func (s *source) joinLate(a *allocation) {
	v := a.root()
	if a.fate.way != isShared && !strings.HasSuffix(a.fate.where, byLiteral) || a.loop || v == nil || !slices.Contains([]kind{kindMake, kindImage, kindSlice}, a.kind) {
		return
	}
	t := s.tracer.trailFrom(paramKey{v: v}, false)
	t.mayWait = true
	t.walk()
	if t.fate.way == stays || t.fate.ways == 1<<isReturned {
		a.fate = t.fate
	}
}

// mayReturnBefore reports whether a function may return after it starts a goroutine, without a wait for that.
func mayReturnBefore(start ssa.Instruction) (early bool) {
	waits, _, _ := usesOf(groupAt(start, isOwnGroup))
	from(start, func(i ssa.Instruction) bool {
		_, returns := i.(*ssa.Return)
		early = early || returns
		return slices.Contains(waits, i)
	})
	return early
}

const errMayPanic = refusal("its function may panic while a goroutine has it: put it behind the wait for that")

// putLate adds lines behind a statement that makes memory, and those that defer its Put behind the wait for the last of the goroutines.
func (m *mend) putLate(stmt ast.Stmt, lines []string) error {
	var now, late []string
	for _, line := range lines {
		if strings.HasPrefix(line, "defer ") {
			late = append(late, line)
		} else {
			now = append(now, line)
		}
	}
	wait := m.lastWait(stmt)
	if len(late) != 1 || strings.HasSuffix(late[0], "{") || wait == nil || m.isSetAgain(stmt) {
		return errMayPanic
	}
	if err := m.addAfter(stmt, now); err != nil {
		return err
	}
	m.waited = true
	return m.addAfter(wait, late)
}

// isSetAgain reports whether the variable of a statement may have another value later.
func (m *mend) isSetAgain(stmt ast.Stmt) bool {
	v := declaredBy(stmt)
	if v == nil {
		return true
	}
	obj := m.file.pkg.TypesInfo.Defs[v]
	i := slices.IndexFunc(m.path, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	return obj == nil || i < 0 || m.setsAgain(m.path[i].(*ast.FuncDecl).Body, obj)
}

// declaredBy returns the only name that a statement declares, or nil.
func declaredBy(stmt ast.Stmt) *ast.Ident {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		if id, ok := s.Lhs[0].(*ast.Ident); ok && len(s.Lhs) == 1 {
			return id
		}
	case *ast.DeclStmt:
		if v, ok := s.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec); ok && len(v.Names) == 1 {
			return v.Names[0]
		}
	}
	return nil
}

// lastWait returns the first statement behind another in its block after which all goroutines with the memory have ended.
func (m *mend) lastWait(stmt ast.Stmt) ast.Stmt {
	for s := m.next(stmt); s != nil; s = m.next(s) {
		if wait := m.waitIn(s); wait != nil && !slices.ContainsFunc(m.a.fate.late, func(start ssa.Instruction) bool { return mayRunAfter(start, wait) }) {
			return s
		}
	}
	return nil
}

// waitIn returns the wait that a statement begins with, for one of the goroutines, or nil.
func (m *mend) waitIn(stmt ast.Stmt) ssa.Instruction {
	if check, ok := stmt.(*ast.IfStmt); ok {
		stmt = check.Init
	}
	switch stmt.(type) {
	case *ast.ExprStmt, *ast.AssignStmt:
	default:
		return nil
	}
	for _, start := range m.a.fate.late {
		waits, _, _ := usesOf(groupAt(start, isOwnGroup))
		for _, wait := range waits {
			if stmt.Pos() <= wait.Pos() && wait.Pos() < stmt.End() {
				return wait
			}
		}
	}
	return nil
}

// mayRunAfter reports whether a goroutine may run after a wait: it is started again, or the wait is for others.
func mayRunAfter(start, wait ssa.Instruction) bool {
	waits, _, _ := usesOf(groupAt(start, isOwnGroup))
	ends := slices.Contains(waits, wait)
	if !ends {
		from(start, func(i ssa.Instruction) bool {
			ends = ends || i == wait
			return slices.Contains(waits, i)
		})
		ends = !ends
	}
	again := false
	from(wait, func(i ssa.Instruction) bool { again = again || i == start; return false })
	return !ends || again
}

// waitsFor notes the start of a goroutine that has the memory, if that may be put behind the wait for its end.
func (t *trail) waitsFor(start ssa.Instruction) bool {
	made, ok := t.root.(ssa.Instruction)
	if !t.mayWait || !ok || made.Parent() != start.Parent() || !joinsLate(start) {
		return false
	}
	t.late = append(t.late, start)
	return true
}

// runs reports whether an instruction starts a function literal as a goroutine.
func (t *trail) runs(lit *ssa.MakeClosure, start ssa.Instruction) bool {
	switch start := start.(type) {
	case *ssa.Go:
		return start.Call.Value == ssa.Value(lit) && !slices.Contains(start.Call.Args, ssa.Value(lit))
	case *ssa.Call:
		return start.Call.Value != ssa.Value(lit) // to a group
	}
	return false
}
