package pooled

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/places"
	"github.com/basin-go/basin/vet/internal/shape"
)

// invoke carries out a call, be it deferred or not.
func (x *exploration) invoke(st *state, instr ssa.CallInstruction, fn val, args []val, isDeferred bool) {
	common := instr.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		x.builtin(st, instr, b.Name(), args)
		return
	}
	object, callee := x.calleeAt(common, fn)
	if object != nil {
		if m := x.model(object); m != nil {
			x.apply(st, instr, m, object, args, isDeferred)
			return
		}
	}
	if callee != nil && x.followed(st, callee) && len(args) == len(callee.Params) {
		f := newFrame(callee)
		for i, p := range callee.Params {
			f.env[p] = args[i]
		}
		f.free = fn.binds
		f.call = instr
		st.frames = append(st.frames, f)
		return
	}
	if fact := x.factOf(object, callee); fact != nil {
		x.applyFact(st, instr, fact, object, callee, args, isDeferred)
		return
	}
	x.unknownCall(st, instr, object, callee, args)
	if callee != nil && x.pure(callee) {
		name := callee.String()
		for _, a := range args {
			name += "," + a.sym
		}
		if len(name) < 200 {
			x.result(st, instr, val{sym: "(" + name + ")"})
		}
	}
}

// calleeAt is calleeOf, but it also knows the functions of function values on this path.
func (x *exploration) calleeAt(c *ssa.CallCommon, fn val) (object *types.Func, callee *ssa.Function) {
	object, callee = x.calleeOf(c)
	if c.IsInvoke() {
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

// factOf returns the fact of a function of this package or of another one, or nil.
func (p *packageInfo) factOf(object *types.Func, callee *ssa.Function) *Fact {
	switch {
	case object == nil || callee == nil:
		return nil
	case len(callee.Blocks) > 0 && callee.Pkg == p.ssa:
		return p.summary(callee)
	}
	return p.imported(object)
}

// followed reports whether a path goes on in a function that it calls. It follows into closures, which use variables of the
// path, and into functions that return closures.
func (x *exploration) followed(st *state, callee *ssa.Function) bool {
	switch {
	case len(callee.Blocks) == 0 || len(callee.Blocks) > 40 || len(st.frames) >= maxDepth || active(st, callee):
		return false
	case callee.Parent() != nil || len(callee.FreeVars) > 0:
		return true
	}
	return callee.Pkg == x.ssa && returnsFunction(callee)
}

func active(st *state, fn *ssa.Function) bool {
	for _, f := range st.frames {
		if f.fn == fn {
			return true
		}
	}
	return false
}

func (x *exploration) result(st *state, instr ssa.CallInstruction, v val) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	if v.sym == "" {
		v.sym = "v" + call.Name()
	}
	st.top().env[call] = v
}

// first makes v the first or only result of a call.
func (x *exploration) first(st *state, instr ssa.CallInstruction, v val) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	if t, ok := call.Type().(*types.Tuple); ok {
		v = st.results(call, t, func(i int) (val, bool) { return v, i == 0 })
	}
	x.result(st, instr, v)
}

func (x *exploration) unknownResult(st *state, instr ssa.CallInstruction) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	delete(st.top().env, call)
	if t, ok := call.Type().(*types.Tuple); ok {
		x.result(st, instr, st.results(call, t, func(int) (val, bool) { return val{}, false }))
	}
}

// results returns the results of a call with several: those that are known, and otherwise memory of which nothing is known.
func (st *state) results(call *ssa.Call, t *types.Tuple, known func(i int) (val, bool)) val {
	r := val{sym: "v" + call.Name()}
	for i := range t.Len() {
		sym := fmt.Sprintf("(x v%s %d)", call.Name(), i)
		e, ok := known(i)
		if !ok {
			e = val{}
			if shape.PointerLike(t.At(i).Type()) {
				id := st.add(object{kind: unknown, name: sym, typ: t.At(i).Type(), instr: call})
				e.refs = []ref{{id: id}}
			}
		}
		e.sym = sym
		r.elems = append(r.elems, e)
	}
	return r
}

func (x *exploration) newPooled(st *state, instr ssa.CallInstruction, pool string) val {
	call, _ := instr.(*ssa.Call)
	var typ types.Type = types.Typ[types.UnsafePointer]
	if call != nil {
		typ = call.Type()
	}
	id := st.add(object{kind: pooled, typ: typ, instr: instr, pool: pool})
	return val{refs: []ref{{id: id}}}
}

// nullUnless notes that there is no memory if the last of several results, an error
// or a bool, says so.
func (x *exploration) nullUnless(st *state, instr ssa.CallInstruction, id objID) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	t, ok := call.Type().(*types.Tuple)
	if !ok {
		return
	}
	last := x.lastResult(st, call)
	p := pending{sym: last.sym, truth: false}
	if len(last.refs) > 0 {
		p.sym = "(== " + last.sym + " nil)"
	} else if b, ok := t.At(t.Len() - 1).Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
		return
	}
	st.await(id, p)
}

// await notes that p takes effect on an object when its condition is known.
func (st *state) await(id objID, p pending) {
	o := st.edit(id)
	o.later = append(o.later[:len(o.later):len(o.later)], p)
}

// later notes that v is put or shared if the last result says so. p says which of both.
func (x *exploration) later(st *state, instr ssa.CallInstruction, v val, when When, p pending) {
	call, ok := instr.(*ssa.Call)
	if !ok || len(v.refs) != 1 || v.null {
		return
	}
	o := st.objs[v.refs[0].id]
	if o.dead != nil || o.null || o.kind == global {
		return
	}
	last := x.lastResult(st, call)
	switch when {
	case IfError, IfNoError:
		p.sym, p.truth = "(== "+last.sym+" nil)", when == IfNoError
	case IfTrue, IfFalse:
		p.sym, p.truth = last.sym, when == IfTrue
	}
	p.open = p.open && onlyReturned(call)
	st.await(v.refs[0].id, p)
}

// onlyReturned reports whether the last result of a call goes to the caller, and nobody asks for it before. Both outcomes
// are then possible until the function ends.
func onlyReturned(call *ssa.Call) bool {
	t, ok := call.Type().(*types.Tuple)
	if !ok {
		return returned(call)
	}
	for _, r := range *call.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == t.Len()-1 && !returned(e) {
			return false
		}
	}
	return true
}

// returned reports whether a value is only returned, perhaps over the variable of a result.
func returned(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Return, *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr == v {
				continue // another result
			}
			result, ok := r.Addr.(*ssa.Alloc)
			if !ok || !returned(result) {
				return false
			}
		case *ssa.UnOp:
			if _, ok := v.(*ssa.Alloc); !ok || !returned(r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func returnsReceiver(f *types.Func) bool {
	r := f.Signature().Results()
	return r.Len() == 1 && types.Identical(r.At(0).Type(), f.Signature().Recv().Type())
}

// contents is the memory that a buffer points at.
func (x *exploration) contents(st *state, v val) val {
	if len(v.refs) != 1 {
		return val{}
	}
	l := loc{v.refs[0].id, v.refs[0].sub + "#contents"}
	if c, ok := st.mem[l]; ok && len(c.v.refs) == 1 {
		return mark(val{refs: c.v.refs}, partial)
	}
	o := st.objs[l.id]
	id := st.add(object{kind: unknown, owner: l.id, at: l.sub, owned: true, null: o.null})
	if o.dead != nil {
		st.edit(id).dead = o.dead
	}
	r := val{refs: []ref{{id: id, bits: partial}}}
	st.mem[l] = cell{v: r}
	return r
}

// outdate notes that the memory that a buffer pointed at may have been moved.
func (x *exploration) outdate(st *state, instr ssa.Instruction, v val) {
	if len(v.refs) != 1 {
		return
	}
	l := loc{v.refs[0].id, v.refs[0].sub + "#contents"}
	if c, ok := st.mem[l]; ok && len(c.v.refs) == 1 {
		if id := c.v.refs[0].id; st.objs[id].stale == nil {
			st.edit(id).stale = instr
		}
		delete(st.mem, l)
	}
}

// free puts the memory that a buffer points at; the buffer stays usable.
func (x *exploration) free(st *state, instr ssa.CallInstruction, v val, isDeferred bool) {
	if len(v.refs) != 1 {
		return
	}
	l := loc{v.refs[0].id, v.refs[0].sub + "#contents"}
	if c, ok := st.mem[l]; ok && len(c.v.refs) == 1 {
		id := c.v.refs[0].id
		if o := st.objs[id]; o.dead == nil && !o.null {
			st.edit(id).dead = &death{instr: instr, deferred: isDeferred}
			if s := o.shared; s != nil {
				x.sharedAtPut(st, o, s, st.objs[id].dead)
			} else {
				x.noteLive(st, instr, SharedAtPut, o)
			}
		}
		delete(st.mem, l)
	}
}

// poolName names the pool at v, or returns "" if it is not known which pool that is.
func (x *exploration) poolName(st *state, v val) string {
	if len(v.refs) != 1 {
		return ""
	}
	name := st.path(v.refs[0])
	if global, ok := strings.CutSuffix(name, "*"); ok && x.distinct[global] {
		return global
	}
	return name
}

// path names a place by the variable and the fields that lead to it, or returns "".
func (st *state) path(r ref) string {
	if strings.Contains(r.sub, "[") {
		return ""
	}
	o := st.objs[r.id]
	switch {
	case o.kind == global || o.kind == param:
		return o.name + r.sub
	case o.kind == local && o.instr != nil:
		return fmt.Sprintf("l%d%s", position(o.instr), r.sub)
	case o.owner != 0:
		if p := st.path(ref{id: o.owner, sub: o.at}); p != "" {
			return p + "*" + r.sub
		}
	}
	return ""
}

// otherPools reports whether two names certainly belong to different pools: to different
// globals, or to different fields of one variable.
func otherPools(a, b string) bool {
	if a == "" || b == "" || a == b {
		return false
	}
	root := func(s string) (string, string) {
		i := strings.LastIndex(s, "/")
		rest := s[i+1:]
		if s[0] == 'g' { // the package and the variable
			if j := strings.IndexByte(rest, '.'); j >= 0 {
				k := strings.IndexAny(rest[j+1:], ".*")
				if k < 0 {
					return s, ""
				}
				return s[:i+1+j+1+k], rest[j+1+k:]
			}
		}
		if k := strings.IndexAny(rest, ".*"); k >= 0 {
			return s[:i+1+k], rest[k:]
		}
		return s, ""
	}
	ra, fa := root(a)
	rb, fb := root(b)
	if ra == rb {
		return fa != fb && strings.HasPrefix(fa, ".") && strings.HasPrefix(fb, ".") && strings.Contains(fa, "*") == strings.Contains(fb, "*")
	}
	return a[0] == 'g' && b[0] == 'g' && a[1:] != "" && strings.Contains(a, ".") && strings.Contains(b, ".") &&
		!strings.Contains(fa, "*") && !strings.Contains(fb, "*") && fa == "" && fb == ""
}

// unknownCall carries out a call of a function that has neither a model nor a summary.
func (x *exploration) unknownCall(st *state, instr ssa.CallInstruction, f *types.Func, callee *ssa.Function, args []val) {
	isTest := x.inTest(instr.Pos())
	address := shape.PrintsAddress(instr.Common())
	x.useArgs(st, instr, args, nil, func(i int) bool { return address || isTest && x.boxed(instr.Common(), i) })
	isCalm := f != nil && effects.Calm(f.Pkg())
	x.yield(st, isCalm)
	if !isCalm {
		var e *writes
		if callee != nil && callee.Pkg == x.ssa {
			e = x.writesOf(callee)
		}
		for _, a := range args {
			x.escape(st, a)
			for _, r := range a.refs {
				if o := st.objs[r.id]; o.kind == param && !o.touched && (e == nil || e.unknown || len(e.fields) > 0) {
					st.edit(r.id).touched = true
				}
			}
		}
		x.havoc(st, e)
	}
	x.unknownResult(st, instr)
}

// boxed reports whether an argument is converted to any just to be passed: tests
// compare values from Get with those that they have put.
func (x *exploration) boxed(c *ssa.CallCommon, i int) bool {
	if c.IsInvoke() {
		i--
	}
	if i < 0 || i >= len(c.Args) {
		return false
	}
	switch a := c.Args[i].(type) {
	case *ssa.MakeInterface:
		_, slice := a.X.Type().Underlying().(*types.Slice)
		return !slice
	case *ssa.Slice:
		return true
	}
	return false
}

// havoc forgets locations that other code may have changed.
func (x *exploration) havoc(st *state, e *writes) {
	for l, c := range st.mem {
		o := st.objs[l.id]
		if !o.away && (o.kind == local || o.kind == pooled || o.kind == unknown && o.owner == 0) || strings.HasSuffix(l.sub, "#contents") || strings.HasSuffix(l.sub, "#held") {
			continue
		}
		if e != nil && !e.unknown {
			if c.field != nil && !e.fields[c.field] || c.field == nil && !e.others {
				continue
			}
		}
		if c.store != nil {
			for _, r := range c.v.refs {
				x.noteLive(st, c.store, StoredAfterPut, st.objs[r.id])
			}
		}
		x.give(st, c.v)
		delete(st.mem, l)
		if e == nil || e.unknown {
			st.lend(l, c)
		}
	}
}

// noteLive notes that a use is met before the Put of its memory.
func (x *exploration) noteLive(st *state, instr ssa.Instruction, kind HitKind, o *object) {
	origin := st.origin(o)
	x.live[useKey{instr, kind, origin}] = true
	at := useAt{instr, kind}
	if x.origins[at] == nil {
		x.origins[at] = map[string]types.Type{}
	}
	x.origins[at][origin] = o.typ
}

// use notes that memory is read, written or handed on.
func (x *exploration) use(st *state, instr ssa.Instruction, v val, kind HitKind) {
	x.useRefs(st, instr, v.refs, kind)
}

// useRefs notes one event that concerns several pieces of memory.
func (x *exploration) useRefs(st *state, instr ssa.Instruction, refs []ref, kind HitKind) {
	for _, r := range refs {
		o := st.objs[r.id]
		switch {
		case o.null:
		case o.dead != nil:
			if !inAnotherRound(instr, o, o.dead) && !x.gotAgain(st, instr, o) {
				x.hit(st, kind, instr, o, o.dead)
			}
			x.markUsed(st, o.dead)
		case o.stale != nil && (kind == UseAfterPut || kind == ReturnedAfterPut) && position(instr) != position(o.stale):
			x.hit(st, StaleView, instr, o, &death{instr: o.stale})
		default:
			x.noteLive(st, instr, kind, o)
		}
	}
}

// inAnotherRound reports whether an event comes after the Put only in another round of a
// loop, for memory that is found through a field. The field may have other memory then.
func inAnotherRound(instr ssa.Instruction, o *object, d *death) bool {
	_, isDefer := instr.(*ssa.Defer)
	return o.owner != 0 && !d.deferred && !isDefer && position(instr) <= position(d.instr)
}

// gotAgain reports whether a test puts memory, gets from the same pool again and then looks
// at the memory that it put: to see whether both are the same.
func (x *exploration) gotAgain(st *state, instr ssa.Instruction, o *object) bool {
	put := o.dead.instr
	for range 3 {
		if o.kind == pooled || o.owner == 0 {
			break
		}
		o = st.objs[o.owner] // the object that the pool points at
	}
	if o.kind != pooled || o.pool == "" || !x.inTest(instr.Pos()) {
		return false
	}
	for _, p := range st.objs {
		if p.kind == pooled && p.dead == nil && p.pool == o.pool && p.instr != nil && position(p.instr) > position(put) {
			return true
		}
	}
	return false
}

// useArgs notes the memory that a call is given, also in a reader or in a variadic slice.
func (x *exploration) useArgs(st *state, instr ssa.CallInstruction, args []val, prints printing, except func(int) bool) {
	var refs []ref
	for i, a := range args {
		if except != nil && except(i) {
			continue
		}
		refs = append(refs, a.refs...)
		for _, r := range a.refs {
			if c, ok := st.mem[loc{r.id, "#held"}]; ok {
				for _, e := range c.v.elems {
					refs = append(refs, e.refs...)
				}
			}
			o := st.objs[r.id]
			if o.kind != local || o.typ == nil || !shape.IsArray(o.typ) {
				continue
			}
			for l, c := range st.mem {
				read, known := prints[l.sub]
				if l.id != r.id || known && !read {
					continue
				}
				for _, e := range c.v.refs {
					if t := st.objs[e.id]; read || t.owned || shape.IsSlice(t.typ) || e.bits&partial != 0 {
						refs = append(refs, e)
					}
				}
			}
		}
	}
	x.useRefs(st, instr, refs, UseAfterPut)
}

func (x *exploration) markUsed(st *state, d *death) {
	for id, o := range st.objs {
		if (o.dead == d || o.kept == d) && !o.used {
			st.edit(id).used = true
		}
	}
}

// useReach notes that all memory that vs lead to is passed on.
func (x *exploration) useReach(st *state, instr ssa.Instruction, vs []val, kind HitKind) {
	var refs []ref
	for _, v := range vs {
		x.reach(st, v, 3, func(r ref, direct, captured bool) {
			o := st.objs[r.id]
			if captured && o.dead != nil && o.dead.field {
				return // the function literal has the owner of the field, and does not need the field
			}
			if o.dead != nil && !direct && r.bits&partial == 0 && !o.owned {
				return
			}
			refs = append(refs, r)
		})
	}
	x.useRefs(st, instr, refs, kind)
}

// putting says how something is put.
type putting struct {
	strict, grow, deferred, keeps, counted bool
	pool, family, callee                   string
	loses                                  []string
	wrapper, once, field                   bool
	inner                                  token.Pos // of the Put that a callee makes
}

// put ends the ownership of v's object.
func (x *exploration) put(st *state, instr ssa.CallInstruction, v val, p putting) {
	if v.null || len(v.refs) != 1 {
		return
	}
	r := v.refs[0]
	o := st.objs[r.id]
	if o.null || r.sub != "" || o.kind == global {
		return
	}
	if d := cmp.Or(o.dead, o.kept); d != nil {
		if !p.once || !d.once {
			x.putAgain(st, instr, o, d, p)
		}
		x.markUsed(st, d)
		return
	}
	x.putPending(st, instr, o, p)
	x.noteLive(st, instr, DoublePut, o)
	d := &death{instr: instr, inner: p.inner, grow: p.grow, deferred: p.deferred, callee: p.callee, once: p.once, field: p.field}
	if !p.grow && !p.counted {
		x.judgePut(st, instr, v, o, p, d)
	}
	if o.kind == pooled && o.instr != nil {
		x.putGot[o.instr] = true
	}
	shared := false
	share := func(o *object) {
		if o.shared != nil {
			shared = true
			x.sharedAtPut(st, o, o.shared, d)
		}
	}
	share(o)
	if o.owner != 0 && !shared {
		share(st.objs[o.owner])
	}
	st.edit(r.id).dead = d
	if p.keeps {
		x.killOwned(st, r.id, d, p.loses, 2, share)
	}
	if !shared {
		x.noteLive(st, instr, SharedAtPut, o)
	}
}

// putPending notes that o is put, although a call before has put or shared it if its result says so.
func (x *exploration) putPending(st *state, instr ssa.CallInstruction, o *object, p putting) {
	for _, l := range o.later {
		switch {
		case !l.open || p.once:
		case l.death != nil:
			x.putAgain(st, instr, o, l.death, p)
		case l.share != nil:
			x.sharedAtPut(st, o, l.share, &death{instr: instr, deferred: p.deferred})
		}
	}
}

// putAgain notes that o is put, or kept, after d. p says how.
func (x *exploration) putAgain(st *state, instr ssa.CallInstruction, o *object, d *death, p putting) {
	if !inAnotherRound(instr, o, d) {
		h := x.hit(st, DoublePut, instr, o, d)
		h.Again, h.By = p.inner, p.callee
	}
	x.markUsed(st, d)
}

// sharedAtPut notes that memory is put while another goroutine has it, too.
func (x *exploration) sharedAtPut(st *state, o *object, s *share, d *death) {
	h := x.hit(st, SharedAtPut, s.instr, o, d)
	if s.pos.IsValid() {
		h.At = s.pos
	}
}

// killOwned ends the ownership of memory that is reused together with an object, except
// for the memory of some fields.
func (x *exploration) killOwned(st *state, id objID, d *death, loses []string, depth int, share func(*object)) {
	for l, c := range st.mem {
		if l.id != id || slices.Contains(loses, l.sub) {
			continue
		}
		for _, r := range c.v.refs {
			child := st.objs[r.id]
			if child.dead != nil || child.null || child.kind == global || child.kind == param && l.sub != "" {
				continue
			}
			own := child.owned && child.owner == id || strings.HasSuffix(l.sub, "#contents")
			if l.sub == "" && shape.IsSlice(child.typ) {
				own = true
			}
			if own {
				share(child)
				st.edit(r.id).dead = d
				if depth > 0 {
					x.killOwned(st, r.id, d, nil, depth-1, share)
				}
			}
		}
	}
}

// judgePut checks whether a value may be put into this pool.
func (x *exploration) judgePut(st *state, instr ssa.CallInstruction, v val, o *object, p putting, d *death) {
	kind := judgeMemory(o, v.refs[0], p)
	switch {
	case kind != 0:
		x.hit(st, kind, instr, o, d)
	case o.kind == pooled && fromElsewhere(o, v.refs[0], p, instr):
		h := x.hit(st, OtherPool, instr, o, d)
		h.decided = h.decided || st.decided
	default:
		x.noteLive(st, instr, OtherPool, o) // conditions may see to it that only this is put here
	}
}

// judgeMemory returns the mistake in putting a part of an object, or an object that is from no pool, or 0.
func judgeMemory(o *object, r ref, p putting) HitKind {
	whole := r.bits&grown == 0 // append has not moved it
	isCut := whole && r.bits&cut != 0
	switch o.kind {
	case static:
		return ForeignPut
	case made:
		if p.strict && shape.IsSlice(o.typ) {
			return ForeignPut
		}
	case local:
		if p.strict && o.typ != nil && shape.IsArray(o.typ) {
			return ForeignPut
		}
	case unknown:
		if isCut && (o.owner != 0 || isLoad(o.instr)) && shape.IsSlice(o.typ) {
			return CutPut
		}
	}
	if o.kind != pooled {
		return 0
	}
	return judgePart(o, r, p)
}

// judgePart returns the mistake in putting a part of an object from a pool, or 0.
func judgePart(o *object, r ref, p putting) HitKind {
	whole := r.bits&grown == 0
	switch {
	case r.bits&cut != 0 && whole:
		return CutPut
	case r.bits&clipped != 0 && whole && p.family != "fixed": // a FixedPool knows its buffers
		return ClippedPut
	case p.strict && r.bits&far != 0 && isNumber(o.size):
		return GrownPut
	}
	return 0
}

// fromElsewhere reports whether an object came from another pool than the one it is put into.
func fromElsewhere(o *object, r ref, p putting, put ssa.CallInstruction) bool {
	return otherFamily(o.family, p.family) || !p.wrapper && r.bits&grown == 0 && otherPools(o.pool, p.pool) && !isSyncPut(put)
}

// otherFamily reports whether one of two pools, of which both are known, is a FixedPool.
func otherFamily(a, b string) bool { return a != b && a != "" && b != "" }

func isNumber(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// isSpread reports whether append is given a slice or a string, and not elements.
func isSpread(args []ssa.Value) bool {
	if len(args) != 2 {
		return false
	}
	switch a := args[1].(type) {
	case *ssa.Const:
		return false
	case *ssa.Slice:
		_, elements := a.X.(*ssa.Alloc)
		return !elements
	}
	return true
}

// looped reports whether a block is in a loop.
func (p *packageInfo) looped(b *ssa.BasicBlock) bool {
	for _, body := range p.loopsOf(b.Parent()) {
		if body[b] {
			return true
		}
	}
	return false
}

func isSyncPut(put ssa.CallInstruction) bool {
	f := put.Common().StaticCallee()
	return f != nil && f.String() == "(*sync.Pool).Put"
}

func isLoad(i ssa.Instruction) bool {
	_, ok := i.(*ssa.UnOp)
	return ok
}

// builtin carries out a call of a function of the language or of package unsafe.
func (x *exploration) builtin(st *state, instr ssa.CallInstruction, name string, args []val) {
	x.unknownResult(st, instr)
	first := val{}
	if len(args) > 0 {
		first = args[0]
	}
	switch name {
	case "append":
		x.use(st, instr, first, UseAfterPut)
		if call, ok := instr.(*ssa.Call); ok {
			x.appended(st, call, args)
		}
	case "copy", "clear", "print", "println", "delete":
		for _, a := range args {
			x.use(st, instr, a, UseAfterPut)
		}
		if name != "copy" && len(first.refs) == 1 { // deletes what may be the pooled item
			st.release(first.refs[0].id)
		}
	case "len", "cap":
		x.result(st, instr, sizeOf(name, first))
	case "String", "Slice", "StringData", "SliceData", "Add":
		v := mark(first, partial)
		v.sym, v.null = "", false
		if c := first.cst; c != nil && c.Kind() == constant.String {
			id := st.add(object{kind: static, instr: instr})
			v = val{refs: []ref{{id: id, bits: partial}}}
		}
		v.cst = nil
		x.result(st, instr, v)
	case "ssa:wrapnilchk":
		x.result(st, instr, first)
	case "close":
		x.yield(st, false)
	}
}

// appended carries out an append, whose result is the destination, a copy of it, or either.
func (x *exploration) appended(st *state, call *ssa.Call, args []val) {
	dst, src := args[0], val{}
	if len(args) > 1 {
		src = args[1]
	}
	s, ok := call.Type().Underlying().(*types.Slice)
	elems := ok && shape.HoldsPointers(s.Elem())
	if !elems {
		x.use(st, call, src, UseAfterPut)
	}
	copies := dst.null || len(dst.refs) == 0
	for _, r := range dst.refs {
		copies = copies || r.bits&empty != 0 || st.objs[r.id].null
	}
	var v val
	if copies {
		id := st.add(object{kind: made, typ: call.Type(), instr: call})
		v = val{refs: []ref{{id: id}}}
	} else {
		v = mark(dst, grown|partial)
		v.sym, v.cst, v.elems = "", nil, nil
		if x.looped(call.Block()) && isSpread(call.Call.Args) {
			v = mark(v, far)
		}
	}
	if elems {
		x.holdAll(st, v.refs[0].id, src, call)
	}
	x.result(st, call, v)
}

// holdAll notes that a list has got the elements of another one.
func (x *exploration) holdAll(st *state, list objID, src val, instr ssa.Instruction) {
	for _, r := range src.refs {
		for l, c := range st.mem {
			if l.id == r.id && len(c.v.refs)+len(c.v.elems)+len(c.v.binds) > 0 {
				x.hold(st, list, "#held", c.v, instr)
			}
		}
	}
}

// sizeOf returns the length or the capacity of a value.
func sizeOf(name string, a val) val {
	if a.cst != nil && a.cst.Kind() == constant.String {
		n := len(constant.StringVal(a.cst))
		return val{sym: fmt.Sprint(n), cst: constant.MakeInt64(int64(n))}
	}
	v := val{sym: fmt.Sprintf("(%s %s)", name, a.sym)}
	if len(a.refs) == 1 && a.refs[0].bits&(cut|clipped) == 0 && (name == "cap" || a.refs[0].bits == 0) {
		v.sizeOf = a.refs[0].id
	}
	return v
}

// finish looks at a path at its end.
func (x *exploration) finish(st *state, instr *ssa.Return, results []val) {
	x.useReach(st, instr, x.meant(st, results), ReturnedAfterPut)
	x.judgeStored(st)
	for id, o := range st.objs {
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
	for l, c := range st.mem {
		x.stored(st, l, c, func(r ref, o, t *object) {
			switch {
			case t.dead == nil:
				x.noteLive(st, st.heldBy(c, r.id), StoredAfterPut, t)
			case r.bits&partial != 0 && o.index >= 0 || t.owned:
				x.hit(st, StoredAfterPut, c.store, t, t.dead)
				x.markUsed(st, t.dead)
			case o.index >= 0 && r.sub == "" && x.keeps(st, c, r.id):
				x.hit(st, StoredAfterPut, st.heldBy(c, r.id), t, t.dead).whole = true
			}
		})
	}
	for l, c := range st.lent {
		x.stored(st, l, c, func(r ref, o, t *object) {
			if t.dead != nil && o.index >= 0 && r.sub == "" && x.keeps(st, c, r.id) {
				x.hit(st, StoredAfterPut, st.heldBy(c, r.id), t, t.dead).whole = true
			}
		})
	}
}

// stored calls visit with all memory that a cell leads to, if the function has set the cell, and it outlives the function.
func (x *exploration) stored(st *state, l loc, c cell, visit func(r ref, o, t *object)) {
	o := st.objs[l.id]
	if o == nil || c.store == nil || o.kind != param && o.kind != global && !(o.kind == unknown && o.owner != 0) || o.dead != nil {
		return
	}
	if e := effectOf(c.store); o.kind == unknown && !x.outlives(st, o) || e != nil && e.Idle {
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
	if t.kind != pooled || t.dead.grow || t.dead.kept || store.Parent() != x.root || x.inTest(store.Pos()) {
		return false
	}
	if e := effectOf(store); e != nil && (e.Global != effects.None || setsOutput(store)) {
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
	return !x.placesOf().Lent(st.heldBy(c, id), p)
}

// heldBy returns the instruction by which a cell has an object: the one that set it, or one that has passed the object to
// the value of the cell since.
func (st *state) heldBy(c cell, id objID) ssa.Instruction {
	for _, r := range c.v.refs {
		if r.id == id {
			return c.store
		}
		held := st.mem[loc{r.id, "#held"}]
		if held.store == nil || held.store.Parent() != c.store.Parent() || position(held.store) < position(c.store) {
			continue
		}
		for _, e := range held.v.elems {
			if len(e.refs) == 1 && e.refs[0].id == id {
				return held.store
			}
		}
	}
	return c.store
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
// handle that it put before does not count: a named result returns it without intent.
func (x *exploration) meant(st *state, results []val) []val {
	n := len(results)
	if n < 2 || x.classify(st, results[n-1], x.root.Signature.Results().At(n-1).Type()) != IfError {
		return results
	}
	var kept []val
	for _, v := range results {
		if len(v.refs) == 1 && v.refs[0].sub == "" && v.refs[0].bits == 0 && len(v.elems) == 0 {
			if o := st.objs[v.refs[0].id]; o.kind == pooled && o.dead != nil && !o.dead.deferred {
				continue
			}
		}
		kept = append(kept, v)
	}
	return kept
}

// origin names the call or argument that has brought an object into the function. The
// memory of a buffer has the same origin as the buffer.
func (st *state) origin(o *object) string {
	path := ""
	for range 4 {
		if o.owner == 0 {
			break
		}
		if o.at != "" && !strings.Contains(o.at, "#") {
			path = ">" + o.at + path
		}
		o = st.objs[o.owner]
	}
	switch {
	case o.instr == nil:
		return o.name + path
	case o.kind == unknown && strings.HasPrefix(o.name, "(x "): // a further result, such as an error
		return fmt.Sprint(position(o.instr), o.name) + path
	}
	return fmt.Sprint(position(o.instr)) + path
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
	for _, v := range results {
		x.reach(st, v, 3, func(r ref, _, _ bool) { kept = kept || r.id == id })
	}
	for l, c := range st.mem {
		if h := st.objs[l.id]; h.kind != local || h.away {
			for _, r := range c.v.refs {
				kept = kept || r.id == id
			}
			for _, e := range c.v.elems {
				for _, r := range e.refs {
					kept = kept || r.id == id
				}
			}
		}
	}
	if kept || o.instr == nil {
		return
	}
	// Whoever was given the object may own it now, unless the path returns an error.
	when := Always
	if n := len(results); n > 0 {
		when = x.classify(st, results[n-1], x.root.Signature.Results().At(n-1).Type())
	}
	if o.away && when != IfError {
		return
	}
	x.hit(st, MissingPut, o.instr, o, &death{instr: instr, away: o.away})
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
	for _, verb := range []string{"release", "put", "free", "recycle", "return", "give", "done", "close", "end", "finish", "reuse"} {
		if strings.Contains(name, verb) {
			return false
		}
	}
	return true
}
