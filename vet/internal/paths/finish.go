package paths

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/places"
	"github.com/basin-go/basin/vet/internal/shape"
)

// finish looks at a path at its end.
func (x *exploration) finish(st *state, instr *ssa.Return, results []val) {
	x.useReach(st, instr, x.meant(st, results), ReturnedAfterPut)
	x.judgeStored(st)
	for id, o := range st.objects() {
		if d := cmp.Or(o.dead, o.kept); d != nil && !o.used && !o.left && o.forks != independent {
			x.clean[d.instr] = true
		}
		switch {
		case o.null:
		case o.dead == nil:
			x.alive[st.origin(o)] = true
			x.finishShare(st, instr, o)
			if o.kind == pooled && !o.given && o.owner == 0 {
				x.missing(st, id, o, instr, results)
			}
		case x.handler(o) && o.kind == param && o.index >= 0 && x.lent(o.dead.instr):
			x.hit(st, HandlerPut, o.dead.instr, o, o.dead)
		}
	}
	x.note(st, results)
}

// finishShare looks at an object that another goroutine has when a path ends.
func (x *exploration) finishShare(st *state, instr *ssa.Return, o *object) {
	if o.shared == nil {
		return
	}
	if g, ok := o.shared.instr.(*ssa.Go); ok && o.kind == param && x.handler(o) {
		x.hit(st, GoInHandler, g, o, &death{instr: instr})
	}
	x.unsync[o.shared.instr] = true
}

// judgeStored looks at the memory that the function has stored where it outlives the function.
func (x *exploration) judgeStored(st *state) {
	judge := func(l loc, c cell, lent bool) {
		x.stored(st, l, c, func(r ref, o, t *object) {
			switch {
			case t.dead == nil && !lent:
				x.noteLive(st, st.heldBy(c, r.id), StoredAfterPut, t)
			case t.dead == nil:
			case !lent && (r.bits&partial != 0 && o.index >= 0 || t.owned):
				x.hit(st, StoredAfterPut, c.store, t, t.dead)
				x.markUsed(st, t.dead)
			case o.index >= 0 && r.sub == "" && x.keeps(st, c, r.id):
				x.hit(st, StoredAfterPut, st.heldBy(c, r.id), t, t.dead).whole = true
			}
		})
	}
	for _, l := range st.places() {
		judge(l, st.mem[l], false)
	}
	for _, l := range slices.SortedFunc(maps.Keys(st.lent), loc.compare) {
		judge(l, st.lent[l], true)
	}
}

// stored calls visit with all memory that a cell leads to, if the function has set the cell, and it outlives the function.
func (x *exploration) stored(st *state, l loc, c cell, visit func(r ref, o, t *object)) {
	o := st.objs[l.id]
	if o == nil || c.store == nil || o.kind != param && o.kind != global && !(o.kind == unknown && o.owner != 0) || o.dead != nil {
		return
	}
	if e := facts.RowOf(c.store); o.kind == unknown && !x.outlives(st, o) || e != nil && e.Idle {
		return
	}
	x.reach(st, c.v, 5, func(r ref, _, _ bool) {
		if t := st.objs[r.id]; t != nil && !t.null {
			visit(r, o, t)
		}
	})
}

// keeps reports whether the instruction that set a cell stores a whole item from a pool for good, and does not lend it to
// others until its Put. Tests compare items of a pool with earlier ones. A Put of the field itself is the end of such a loan.
func (x *exploration) keeps(st *state, c cell, id objID) bool {
	store, t := c.store, st.objs[id]
	if t.kind != pooled || t.dead.grow || t.dead.kept || store.Parent() != x.root || x.InTest(store.Pos()) {
		return false
	}
	if e := facts.RowOf(store); e != nil && (e.Global != effects.None || setsOutput(store)) {
		return true
	}
	p := places.Of(store)
	if p == nil {
		return false
	}
	if put, ok := t.dead.instr.(ssa.CallInstruction); ok {
		for _, a := range put.Common().Args {
			if m, ok := a.(*ssa.MakeInterface); ok {
				a = m.X
			}
			if places.Loaded(a) == p {
				return false
			}
		}
	}
	return !x.Places().Lent(st.heldBy(c, id), p)
}

// setsOutput reports whether an instruction sets the output of a logger or the like, and its function sets no other. The
// logger uses that output for anybody from then on.
func setsOutput(store ssa.Instruction) bool {
	sets := func(i ssa.Instruction) bool {
		c, ok := i.(ssa.CallInstruction)
		return ok && c.Common().StaticCallee() != nil && c.Common().StaticCallee().Name() == "SetOutput"
	}
	if !sets(store) {
		return false
	}
	for i := range shape.Instructions(store.Parent()) {
		if i != store && sets(i) {
			return false
		}
	}
	return true
}

// meant returns the results that a caller looks at. If the function returns an error, a
// handle that it put before does not count, unless a caller in the package uses it: a named result returns it without intent.
func (x *exploration) meant(st *state, results []val) []val {
	if len(results) < 2 || x.outcome(st, results) != facts.IfError {
		return results
	}
	var kept []val
	for i, v := range results {
		if len(v.refs) == 1 && v.refs[0].sub == "" && v.refs[0].bits == 0 && len(v.elems) == 0 {
			if o := st.objs[v.refs[0].id]; o.kind == pooled && o.dead != nil && !o.dead.deferred && !x.UsedDespiteError(x.root, i) {
				continue
			}
		}
		kept = append(kept, v)
	}
	return kept
}

// outlives reports whether an object is a field of the caller's memory.
func (x *exploration) outlives(st *state, o *object) bool {
	for range 4 {
		if o.owner == 0 {
			return o.kind == param || o.kind == global
		}
		o = st.objs[o.owner]
	}
	return false
}

// missing notes that a path ends without a Put.
func (x *exploration) missing(st *state, id objID, o *object, instr *ssa.Return, results []val) {
	kept := false
	has := func(v val) bool { return slices.ContainsFunc(v.refs, func(r ref) bool { return st.isOf(r, id) }) }
	for _, v := range results {
		x.reach(st, v, 3, func(r ref, _, _ bool) { kept = kept || st.isOf(r, id) })
	}
	for l, c := range st.mem {
		if h := st.objs[l.id]; (h.kind != local || h.away || h.gone) && !st.isPut(l) && l.id != id {
			kept = kept || has(c.v) || slices.ContainsFunc(c.v.elems, has)
		}
	}
	if kept || o.instr == nil {
		return
	}
	// Whoever was given the object may own it now, unless the path returns an error.
	if !o.gone || x.outcome(st, results) == facts.IfError {
		x.hit(st, MissingPut, o.instr, o, &death{instr: instr, away: o.away})
	}
}

// isOf reports whether a value is an object, or the slice that the object, a pointer, points at. A Put may have another pointer
// to that.
func (st *state) isOf(r ref, id objID) bool {
	o := st.objs[r.id]
	return r.id == id || o != nil && o.owner == id && o.at == "" && shape.IsSlice(o.typ)
}

// isPut reports whether a place is in a value of the standard library that was put itself. Nobody gets from there what, say,
// a gzip.Writer writes to.
func (st *state) isPut(l loc) bool {
	o := st.objs[l.id]
	return strings.HasSuffix(l.sub, "#held") && (o.dead != nil || o.owner != 0 && st.objs[o.owner].dead != nil)
}

func (x *exploration) handler(o *object) bool {
	return o.typ != nil && effects.IsHandled(o.typ)
}

// lent reports whether the name of a function that puts a framework's value says that the
// function handles the value, and does not end its life.
func (x *exploration) lent(put ssa.Instruction) bool {
	name := x.root.Name()
	if put.Parent() != x.root || x.root.Parent() != nil || !token.IsExported(name) {
		return false
	}
	name = strings.ToLower(name)
	verbs := []string{"release", "put", "free", "recycle", "return", "give", "done", "close", "end", "finish", "reuse"}
	return !slices.ContainsFunc(verbs, func(verb string) bool { return strings.Contains(name, verb) })
}
