package paths

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

// invoke carries out a call, be it deferred or not.
func (x *exploration) invoke(st *state, instr ssa.CallInstruction, fn val, args []val, isDeferred bool) {
	common := instr.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		x.builtin(st, instr, b.Name(), args)
		return
	}
	object, callee := x.calleeAt(st, common, fn)
	if object != nil {
		if m := x.Row(object); m != nil {
			x.apply(st, instr, m, object, args, isDeferred)
			return
		}
	}
	if callee != nil && x.followed(st, callee) && len(args) == len(callee.Params) {
		f := x.newFrame(callee)
		for i, p := range callee.Params {
			f.env[p] = args[i]
		}
		f.free = fn.binds
		f.call = instr
		st.frames = append(st.frames, f)
		return
	}
	if fact := x.Of(object, callee); fact != nil {
		x.applyFact(st, instr, fact, object, callee, args, isDeferred)
		return
	}
	x.unknownCall(st, instr, object, callee, args)
	if callee != nil && x.Pure(callee) {
		name := callee.String()
		for _, a := range args {
			name += "," + a.sym
		}
		if len(name) < 200 {
			x.result(st, instr, val{sym: "(" + name + ")"})
		}
	}
}

// calleeAt is Callee, but it also knows the functions of function values on this path.
func (x *exploration) calleeAt(st *state, c *ssa.CallCommon, fn val) (object *types.Func, callee *ssa.Function) {
	object, callee = x.Callee(c)
	if c.IsInvoke() {
		if callee != nil || len(fn.refs) != 1 || fn.refs[0].sub != "" || st.objs[fn.refs[0].id].kind != local {
			return object, callee
		}
		if m := x.Method(st.objs[fn.refs[0].id].typ, c.Method); m != nil {
			callee = m
			object, _ = callee.Object().(*types.Func)
		}
		return object, callee
	}
	if callee == nil && fn.fn != nil {
		callee = fn.fn
		object, _ = callee.Object().(*types.Func)
	}
	if callee == nil {
		return nil, nil
	}
	callee = shape.Generic(callee)
	if callee == fn.fn && len(fn.binds) > 0 {
		object = nil
	}
	return object, callee
}

// followed reports whether a path goes on in a function that it calls. It follows into closures, which use variables of the
// path, and into functions that return closures.
func (x *exploration) followed(st *state, callee *ssa.Function) bool {
	isRunning := func(f *frame) bool { return f.fn == callee }
	switch {
	case len(callee.Blocks) == 0 || len(callee.Blocks) > 40 || len(st.frames) >= maxDepth || slices.ContainsFunc(st.frames, isRunning):
		return false
	case callee.Parent() != nil || len(callee.FreeVars) > 0:
		return true
	}
	return callee.Pkg == x.SSA && shape.ReturnsFunction(callee)
}

// unknownCall carries out a call of a function that has neither a row nor a fact.
func (x *exploration) unknownCall(st *state, instr ssa.CallInstruction, f *types.Func, callee *ssa.Function, args []val) {
	isTest := x.InTest(instr.Pos())
	address := shape.PrintsAddress(instr.Common())
	x.useArgs(st, instr, args, nil, func(i int) bool { return address || isTest && x.boxed(instr.Common(), i) })
	isCalm := f != nil && effects.Calm(f.Pkg())
	x.yield(st, isCalm)
	if !isCalm {
		var e *facts.Writes
		if callee != nil && callee.Pkg == x.SSA {
			e = x.Writes(callee)
		}
		for n, a := range args {
			x.escapes(st, a, x.Borrows(callee, n))
			for _, r := range a.refs {
				if e == nil || e.Unknown || len(e.Fields) > 0 {
					st.touch(r.id)
				}
			}
		}
		x.havoc(st, e)
	}
	x.unknownResult(st, instr)
}

// applyFact carries out a call of a function that has a fact.
func (x *exploration) applyFact(st *state, instr ssa.CallInstruction, f *facts.Fact, called *types.Func, callee *ssa.Function, args []val, isDeferred bool) {
	putArg := map[int]bool{}
	for _, p := range f.Puts {
		if p.Path == "" || p.Path == facts.Elements {
			putArg[p.Arg] = true
		}
	}
	x.useArgs(st, instr, args, nil, func(i int) bool { return f.Looks || putArg[i] })
	for _, r := range f.Reads {
		if r.Arg < len(args) && len(args[r.Arg].refs) == 1 && !args[r.Arg].null {
			if v, ok := x.resolve(st, args[r.Arg], r.Path); ok {
				x.use(st, instr, v, UseAfterPut)
			}
		}
	}
	x.yield(st, len(f.Puts) > 0 || len(f.Shares) > 0)
	targets := x.targetsOf(st, instr, f, callee, args)
	aliases, places := x.aliasesOf(st, instr, f, args)
	made := x.madeBy(st, instr, f, args)
	x.changeMemory(st, f, callee, args, targets, places)
	x.unknownResult(st, instr)
	for _, t := range append(targets, x.elementsPut(st, f, args)...) {
		x.putTarget(st, instr, t, called.Name(), isDeferred)
	}
	for _, s := range f.Shares {
		if s.Arg < len(args) {
			x.shareArgument(st, instr, args[s.Arg], s.When)
		}
	}
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	x.returnGot(st, call, f)
	for n, a := range f.Aliases {
		if len(aliases[n].refs) > 0 {
			x.setResult(st, call, a.Result, aliases[n])
		}
	}
	x.returnMade(st, call, made)
}

// returnGot makes memory of pools the results of a call.
func (x *exploration) returnGot(st *state, call *ssa.Call, f *facts.Fact) {
	for _, i := range f.Gets {
		v := x.newPooled(st, call, "")
		x.setResult(st, call, i, v)
		if i == 0 {
			x.nullUnless(st, call, v.refs[0].id)
		}
	}
}

// returnMade makes new structs the results of a call. If the last result is an error, there are none.
func (x *exploration) returnMade(st *state, call *ssa.Call, made []objID) {
	for i, id := range made {
		if id == 0 {
			continue
		}
		x.setResult(st, call, i, val{refs: []ref{{id: id}}})
		x.nullUnless(st, call, id)
		for _, l := range st.placesIn(id) {
			if t := st.mem[l].v.refs[0].id; st.objs[t].kind == pooled && st.objs[t].instr == call {
				x.nullUnless(st, call, t)
			}
		}
	}
}

// madeBy returns the new structs that results point at, by result, with the memory that their fields have. Who gets such a
// struct may keep it, so nobody misses a Put of that memory.
func (x *exploration) madeBy(st *state, instr ssa.CallInstruction, f *facts.Fact, args []val) (made []objID) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	for _, m := range f.Fields {
		for len(made) <= m.Result {
			made = append(made, 0)
		}
		if made[m.Result] == 0 {
			made[m.Result] = st.add(object{kind: local, instr: call, typ: m.Type()})
		}
		id := made[m.Result]
		var v val
		if m.Get {
			v = x.newPooled(st, instr, "")
			o := st.edit(v.refs[0].id)
			o.given, o.owner, o.at = true, id, m.Path
		} else if m.Arg < len(args) {
			v, _ = x.resolve(st, args[m.Arg], m.ArgPath)
		}
		if len(v.refs) != 1 || v.null {
			continue
		}
		if m.Partial {
			v = mark(v, partial)
		}
		st.mem[loc{id, m.Path}] = cell{v: v, store: instr}
	}
	return made
}

// putTarget puts memory as a call of a function does, always or if its last result says so.
func (x *exploration) putTarget(st *state, instr ssa.CallInstruction, t target, callee string, isDeferred bool) {
	if t.p.When != facts.Always {
		p := pending{open: !t.p.Clear, death: &death{instr: instr, callee: callee, inner: t.p.At(), once: t.p.Clear, sometimes: true}}
		if t.p.Clear {
			p.clear = t.at
		}
		x.later(st, instr, t.v, t.p.When, p)
		return
	}
	x.put(st, instr, t.v, putting{inner: t.p.At(), deferred: isDeferred, keeps: t.p.Keeps, loses: t.p.Loses, callee: callee, wrapper: true,
		once: t.p.Once, field: t.p.Path != "" && t.p.Path != facts.Elements && t.p.Path[0] != facts.Pointee[0]})
	if t.p.Clear {
		st.mem[t.at] = cell{v: val{sym: "nil", null: true}}
	}
}

// shareArgument shares an argument, always or if the last result of the call says so.
func (x *exploration) shareArgument(st *state, instr ssa.CallInstruction, v val, when facts.When) {
	if when == facts.Always {
		x.share(st, instr, v)
	} else {
		x.later(st, instr, v, when, pending{share: &share{instr: instr}, open: true})
	}
}

// A target is memory that a call puts.
type target struct {
	v  val
	p  facts.Put
	at loc // that has it, if Path is not empty
}

// targetsOf returns the memory that a call puts, as the arguments have it before the call.
func (x *exploration) targetsOf(st *state, instr ssa.CallInstruction, f *facts.Fact, callee *ssa.Function, args []val) (targets []target) {
	// A test of a pool also puts things that the pool does not take.
	perhaps := callee != nil && callee.Pkg == x.SSA && x.InTest(instr.Pos()) && facts.Choosy(callee)
	for _, p := range f.Puts {
		if p.Arg >= len(args) || p.OfElements() {
			continue
		}
		if p.Path == facts.Elements {
			for _, v := range st.elementsOf(args[p.Arg]) {
				targets = append(targets, target{v: v, p: p})
			}
			continue
		}
		if v, ok := x.resolve(st, args[p.Arg], p.Path); ok && perhaps {
			x.escape(st, v)
			for _, r := range v.refs {
				st.edit(r.id).given = true
			}
		} else if ok {
			t := target{v: v, p: p}
			if p.Path != "" {
				t.at, _ = x.locate(st, args[p.Arg], p.Path)
			}
			targets = append(targets, t)
		}
	}
	return targets
}

// aliasesOf returns the memory that each of the function's Aliases stands for, none if it is
// not known, and the places in the arguments that refer to it.
func (x *exploration) aliasesOf(st *state, instr ssa.CallInstruction, f *facts.Fact, args []val) (aliases []val, places []loc) {
	for _, a := range f.Aliases {
		var v val
		if a.Arg < len(args) && len(args[a.Arg].refs) == 1 {
			if l, ok := x.locate(st, args[a.Arg], a.Path); ok && a.Path != "" {
				places = append(places, l)
			}
			if r, ok := x.resolve(st, args[a.Arg], a.Path); ok && len(r.refs) == 1 {
				v = val{refs: r.refs}
				if a.Path != "" {
					id := r.refs[0].id
					if o := st.objs[id]; o.owner != 0 && !o.owned && a.Owned {
						st.edit(id).owned = true
					}
					v = mark(v, partial)
				}
				if a.Grown {
					v = mark(v, partial|grown)
				}
				if a.Held {
					id := st.add(object{kind: local, instr: instr})
					x.hold(st, id, "#held", mark(v, partial), instr)
					v = val{refs: []ref{{id: id}}}
				}
			}
		}
		aliases = append(aliases, v)
	}
	return aliases, places
}

// changeMemory forgets the contents of memory that a call may change. Targets keep their contents
// until they are put, and places keep the values that the call returns.
func (x *exploration) changeMemory(st *state, f *facts.Fact, callee *ssa.Function, args []val, targets []target, places []loc) {
	var e *facts.Writes // nil if nothing is known
	if callee != nil && callee.Pkg == x.SSA {
		e = x.Writes(callee)
	}
	escapes, changes := !f.Calm && len(f.Puts)+len(f.Aliases) == 0, !f.Calm
	if e != nil {
		escapes, changes = e.Unknown && len(f.Puts) == 0, !e.None()
	}
	if escapes {
		for n, a := range args {
			x.escapes(st, a, x.Borrows(callee, n))
		}
	}
	if !changes {
		return
	}
	if e != nil {
		x.changeFields(st, e, args)
	}
	before := map[loc]cell{}
	for l, c := range st.mem {
		if slices.Contains(places, l) || slices.ContainsFunc(targets, func(t target) bool { return t.has(l) }) {
			before[l] = c
		}
	}
	x.havoc(st, e)
	maps.Copy(st.mem, before)
}

// changeFields forgets the lists in arguments that a call changes.
func (x *exploration) changeFields(st *state, e *facts.Writes, args []val) {
	for _, a := range args {
		for _, r := range a.refs {
			for _, l := range st.placesIn(r.id) {
				if c := st.mem[l]; e.Fields[c.field] && isList(c.field.Type()) && st.objs[r.id].kind == local {
					x.give(st, c.v)
					delete(st.mem, l)
				}
			}
		}
	}
}

// isList reports whether a type is a slice of something that can be memory of a pool.
func isList(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && shape.HoldsPointers(s.Elem())
}

// elementsPut returns the elements of lists in fields of the arguments that a call has put, as the arguments have them after
// the call. One object stands for all elements of a list that are not known one by one.
func (x *exploration) elementsPut(st *state, f *facts.Fact, args []val) (targets []target) {
	for _, p := range f.Puts {
		if !p.OfElements() || p.Arg >= len(args) {
			continue
		}
		list, ok := x.resolve(st, args[p.Arg], strings.TrimSuffix(p.Path, ">"+facts.Elements))
		if !ok || len(list.refs) == 1 && st.hollow[list.refs[0].id] {
			continue
		}
		all := st.elementsOf(list)
		if len(all) == 0 {
			if v, ok := x.resolve(st, list, facts.Elements); ok {
				all = append(all, v)
			}
		}
		for _, v := range all {
			targets = append(targets, target{v: v, p: p})
		}
	}
	return targets
}

// has reports whether a location belongs to a target or leads to it.
func (t target) has(l loc) bool {
	return len(t.v.refs) == 1 && l.id == t.v.refs[0].id || t.p.Path != "" && t.p.Path != facts.Elements && l == t.at
}
