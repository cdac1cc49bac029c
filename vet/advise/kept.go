package advise

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A struct may keep memory in a field, and replace it only where it is too small. Then the struct reuses it already, and such a
// site makes much memory only if many structs are made: they are worth a pool.

// findKept says of the memory of a site that a field keeps it, and where the struct is made.
func (s *source) findKept(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.fate.field == nil || a.fate.ways&^(1<<isStored|1<<isReturned) != 0 {
		return
	}
	field := a.fate.field
	of := ownerOf(field)
	if of == nil || s.tracer.resets[of] || s.tracer.givesParts(field) || !s.tracer.isOnlyKept(field) || !(s.tracer.restarts(a, field) || isForWantIn(a.instr, field) && !copiesFrom(a.instr, field)) {
		return
	}
	a.kept = of.Name() + "." + field.Name()
	a.keptBy, a.keptFor = s.makersOf(of, 2)
}

// isOnlyKept reports whether a field only gets slices that are new or come from the field itself.
func (t *tracer) isOnlyKept(field *types.Var) bool {
	return !slices.ContainsFunc(t.setTo(field), func(v ssa.Value) bool { return !isKeptIn(v, field, map[ssa.Value]bool{}) })
}

func isKeptIn(v ssa.Value, field *types.Var, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return true
	case *ssa.Slice:
		if array, ok := v.X.(*ssa.Alloc); ok {
			return array.Comment == "makeslice"
		}
		return isKeptIn(v.X, field, seen)
	case *ssa.UnOp:
		return isReadFrom(v, field)
	case *ssa.Call:
		to := extended(v)
		if to == nil && isCalled(v, "slices.Grow") {
			to = v.Call.Args[0]
		}
		return to != nil && isKeptIn(to, field, seen)
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !isKeptIn(e, field, seen) })
	}
	return false
}

// restarts reports whether a site appends to the slice of a field that is cut to length 0, there or elsewhere.
func (t *tracer) restarts(a *allocation, field *types.Var) bool {
	isCut := func(v ssa.Value) bool {
		part, ok := v.(*ssa.Slice)
		return ok && part.High != nil && isZero(part.High) && isReadFrom(part.X, field)
	}
	if call, ok := a.instr.(*ssa.Call); ok && isCalled(call, "slices.Grow") && isCut(call.Call.Args[0]) {
		return true
	}
	if a.grown == nil || !slices.ContainsFunc(a.grown.bases, func(v ssa.Value) bool { return isReadFrom(v, field) }) {
		return false
	}
	for v := range a.grown.seen {
		if isCut(v) {
			return true
		}
	}
	return slices.ContainsFunc(t.setTo(field), isCut)
}

// copiesFrom reports whether memory gets a copy of the slice of a field: it grows, rather than being used again from its beginning.
func copiesFrom(instr ssa.Instruction, field *types.Var) bool {
	v, ok := instr.(ssa.Value)
	return ok && v.Referrers() != nil && slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Slice:
			return copiesFrom(r, field)
		case *ssa.Call:
			b, ok := r.Call.Value.(*ssa.Builtin)
			return ok && b.Name() == "copy" && r.Call.Args[0] == v && isReadFrom(r.Call.Args[1], field)
		}
		return false
	})
}

// isForWantIn reports whether an instruction is carried out only if the slice of a field is nil or too small.
func isForWantIn(instr ssa.Instruction, field *types.Var) bool {
	for b := instr.Block(); b != nil && b.Idom() != nil; b = b.Idom() {
		branch, ok := lastOf(b.Idom()).(*ssa.If)
		if !ok || len(b.Preds) != 1 || branch.Block().Succs[0] == branch.Block().Succs[1] {
			continue
		}
		if c, ok := branch.Cond.(*ssa.BinOp); ok && isShort(c, branch.Block().Succs[0] == b, field) {
			return true
		}
	}
	return false
}

// isShort reports whether a comparison has this truth only if the slice of a field is nil or too small.
func isShort(c *ssa.BinOp, truth bool, field *types.Var) bool {
	switch c.Op {
	case token.EQL, token.NEQ:
		equal := truth == (c.Op == token.EQL)
		return equal && (isNil(c.Y) && isReadFrom(c.X, field) || isZero(c.Y) && isRoomIn(c.X, field))
	case token.LSS, token.LEQ:
		return truth && isRoomIn(c.X, field) || !truth && isRoomIn(c.Y, field)
	case token.GTR, token.GEQ:
		return truth && isRoomIn(c.Y, field) || !truth && isRoomIn(c.X, field)
	}
	return false
}

// isRoomIn reports whether a number is the length or capacity of the slice of a field, or less.
func isRoomIn(n ssa.Value, field *types.Var) bool {
	switch n := n.(type) {
	case *ssa.BinOp:
		return n.Op == token.SUB && isRoomIn(n.X, field)
	case *ssa.Call:
		b, ok := n.Call.Value.(*ssa.Builtin)
		return ok && (b.Name() == "cap" || b.Name() == "len") && isReadFrom(n.Call.Args[0], field)
	}
	return false
}

// makersOf returns the functions that make structs of a type, or of those that have it in a field, and may do so again and again.
// It reports whether others are made for the life of the program.
func (s *source) makersOf(of *types.TypeName, depth int) (all []string, lasting bool) {
	for _, made := range s.tracer.locals[of] {
		switch fn := made.Parent(); {
		case !made.Heap || isCopyOfParameter(made):
		case missesPool(made).ok || s.tracer.makers[fn] != nil: // a pool has it, then
		case !inLoop(made) && s.tracer.isForStart(fn, 4):
			lasting = true
		default:
			at := s.fset.PositionFor(made.Pos(), false)
			all = append(all, fmt.Sprintf("%s (%s:%d)", name(fn), base(at.Filename), at.Line))
		}
	}
	is := func(v types.Object) bool {
		n, ok := types.Unalias(v.Type()).(*types.Named)
		return ok && n.Obj() == of
	}
	for _, name := range of.Pkg().Scope().Names() {
		v, ok := of.Pkg().Scope().Lookup(name).(*types.Var)
		lasting = lasting || ok && is(v)
	}
	if depth > 0 {
		for field := range s.tracer.fields {
			if is(field) && ownerOf(field) != nil {
				more, last := s.makersOf(ownerOf(field), depth-1)
				all, lasting = append(all, more...), lasting || last
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), lasting
}

// isForStart reports whether only main and init functions are known to call a function, outside of loops.
func (t *tracer) isForStart(fn *ssa.Function, depth int) bool {
	if fn.Name() == "main" && fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" || t.onceIn(fn, 0) != "" {
		return true
	}
	calls := t.calls[fn]
	return depth > 0 && len(calls) > 0 && !slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool {
		return inLoop(c) || !t.isForStart(c.Parent(), depth-1)
	})
}

// makersText names a few functions that make structs.
func makersText(makers []string) string {
	if len(makers) > 2 {
		return plural(len(makers), "place")
	}
	return strings.Join(makers, " and ")
}

// sayKept says of memory that a field keeps which struct to pool, if any.
func (s *Site) sayKept(a *allocation) {
	typ, _, _ := strings.Cut(a.kept, ".")
	switch {
	case len(a.keptBy) > 0:
		s.say(NeedsOwner, "It is reused already, while its struct lives: field %s keeps it, and grows to the largest size. If each use makes a %s, in %s, pool that with its memory.", a.kept, typ, makersText(a.keptBy))
	case a.keptFor:
		s.say(DoNotPool, "It is reused already: field %s keeps it, and grows to the largest size.", a.kept)
	default:
		s.say(NeedsOwner, "It is reused already, while its struct lives: field %s keeps it, and grows to the largest size. If each use makes a %s, pool that with its memory.", a.kept, typ)
	}
}
