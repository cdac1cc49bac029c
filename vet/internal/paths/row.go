package paths

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

// modelled is a call of a function that has a row in the table of effects.
type modelled struct {
	*exploration
	st         *state
	instr      ssa.CallInstruction
	m          *effects.Effect
	f          *types.Func
	args       []val
	isDeferred bool
}

// apply carries out a call of a function that has a row.
func (x *exploration) apply(st *state, instr ssa.CallInstruction, m *effects.Effect, f *types.Func, args []val, isDeferred bool) {
	c := modelled{x, st, instr, m, f, args, isDeferred}
	shown := m.Prints != effects.None && x.InTest(instr.Pos()) // tests print values to compare them
	x.useArgs(st, instr, args, printingOf(instr.Common(), m, f), func(i int) bool { return shown && x.boxed(instr.Common(), i) || c.takes(i) })
	c.disturb()
	x.unknownResult(st, instr)
	if m.Stale != effects.None {
		x.outdate(st, instr, c.at(m.Stale))
	}
	if !c.ends() && !c.points() && !c.keeps() {
		c.makes()
	}
}

// at returns an argument, or nothing if there is none of that number.
func (c modelled) at(i int) val {
	if i >= 0 && i < len(c.args) {
		return c.args[i]
	}
	return val{}
}

// takes reports whether the call does not read an argument, because it ignores, puts or keeps it.
func (c modelled) takes(i int) bool {
	m := c.m
	return m.Ignore || m.Reset != effects.None && i == 0 || i == m.Put || i == m.TryPut || i == m.Free || i == m.Leave || i == m.Release
}

// disturb lets other code go on that the call may wait for, or that it may call.
func (c modelled) disturb() {
	m := c.m
	if !m.Calm && m.Put == effects.None && m.View == effects.None && !m.Get && m.Retain == effects.None && m.Detach == effects.None {
		c.yield(c.st, m.Part != effects.None || m.Grow != effects.None || m.Stale != effects.None || m.Holds != effects.None)
	}
	if m.Back || m.Writes != effects.None && !m.Calm {
		for _, a := range c.args {
			c.escape(c.st, a)
		}
		c.havoc(c.st, nil)
	}
}

// ends carries out a call that puts an argument or counts its users, and reports whether it is one.
func (c modelled) ends() bool {
	x, st, instr, m := c.exploration, c.st, c.instr, c.m
	switch {
	case m.Put != effects.None:
		// Argument 0 is the pool, unless it is put itself: the package then has one pool.
		pool := effects.PackageOf(effects.FullName(c.f))
		if m.Put > 0 {
			pool = x.poolName(st, c.at(0))
		}
		x.put(st, instr, c.at(m.Put), putting{strict: m.Strict, pool: pool, family: family(c.f), deferred: c.isDeferred, keeps: true})
	case m.TryPut != effects.None:
		x.later(st, instr, c.at(m.TryPut), facts.IfTrue, pending{death: &death{instr: instr}, open: true})
	case m.Grow != effects.None:
		x.put(st, instr, c.at(m.Grow), putting{grow: true, deferred: c.isDeferred, keeps: true})
		x.result(st, instr, x.newPooled(st, instr, ""))
	case m.Free != effects.None:
		x.free(st, instr, c.at(m.Free), c.isDeferred)
	case m.Leave != effects.None:
		x.keep(st, instr, c.at(m.Leave), c.isDeferred)
	case m.Retain != effects.None:
		for _, r := range c.at(m.Retain).refs {
			st.edit(r.id).count++
		}
		x.result(st, instr, c.at(m.Retain))
	case m.Release != effects.None:
		x.release(st, instr, c.at(m.Release), c.isDeferred)
	case m.Adopt != effects.None:
		x.adopt(st, instr, c.at(m.Adopt))
	case m.Detach != effects.None:
		x.detach(st, instr, c.at(m.Detach))
	default:
		return false
	}
	return true
}

// points carries out a call whose result points into an argument, and reports whether it is one.
func (c modelled) points() bool {
	m := c.m
	switch {
	case m.View != effects.None:
		c.first(c.st, c.instr, c.contents(c.st, c.at(m.View)))
	case m.Part == 0 && c.f.Signature().Recv() != nil && !returnsReceiver(c.f):
		// A method of a chain that does not return its receiver.
	case m.Part != effects.None:
		c.part(c.st, c.instr, c.f, c.at(m.Part))
	default:
		return false
	}
	return true
}

// keeps carries out a call after which something else has an argument, and reports whether it is one.
func (c modelled) keeps() bool {
	x, st, instr, m := c.exploration, c.st, c.instr, c.m
	switch {
	case m.Reset != effects.None || m.Forget:
		x.reset(st, instr, m, c.at)
	case m.Fill != effects.None:
		v := c.at(m.Fill)
		x.escape(st, v)
		for _, r := range v.refs {
			x.drop(st, r.id, r.sub)
		}
	case m.Keep != effects.None:
		if v := c.at(0); len(v.refs) == 1 {
			x.hold(st, v.refs[0].id, v.refs[0].sub+"#held", c.at(m.Keep), instr)
		} else {
			x.give(st, c.at(m.Keep))
		}
	case m.Go != effects.None:
		v := c.at(m.Go)
		for _, b := range v.binds {
			x.share(st, instr, b)
		}
		x.escape(st, v)
	case m.Holds != effects.None:
		id := st.add(object{kind: local, instr: instr})
		if m.Get {
			st.edit(id).kind = pooled
		}
		x.hold(st, id, "#held", c.at(m.Holds), instr)
		x.first(st, instr, val{refs: []ref{{id: id}}})
	case m.Global != effects.None:
		x.setGlobal(st, instr, c.f, c.at(m.Global))
	default:
		return false
	}
	return true
}

// makes carries out a call whose result is something new.
func (c modelled) makes() {
	call, isCall := c.instr.(*ssa.Call)
	switch {
	case c.m.Get:
		c.acquire(c.st, c.instr, c.f, c.at, len(c.args))
	case isCall && (c.m.Fails || c.m.Joins && c.joinsError()):
		c.result(c.st, call, val{refs: []ref{{id: c.st.add(object{kind: local, instr: call, typ: call.Type()})}}})
	}
}

// joinsError reports whether one of the variadic arguments is certainly not nil.
func (c modelled) joinsError() bool {
	return slices.ContainsFunc(c.st.elementsOf(c.at(len(c.args)-1)), func(v val) bool {
		null, known := c.st.isNil(v)
		return known && !null
	})
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

// keep carries out a call after which the memory of v stays with its users, and must not be put.
func (x *exploration) keep(st *state, instr ssa.CallInstruction, v val, isDeferred bool) {
	if v.null || len(v.refs) != 1 {
		return
	}
	o := st.edit(v.refs[0].id)
	o.given = true
	if o.kind == pooled && o.instr != nil {
		x.putGot[o.instr] = true
	}
	if d := cmp.Or(o.dead, o.kept); d != nil { // it must be put or kept once
		x.putAgain(st, instr, o, d, putting{})
		return
	}
	x.noteLive(st, instr, DoublePut, o)
	o.kept = &death{instr: instr, kept: true, deferred: isDeferred}
}

// release carries out a call that gives up one reference to a reference-counted object. The
// last release puts the object.
func (x *exploration) release(st *state, instr ssa.CallInstruction, v val, isDeferred bool) {
	if len(v.refs) != 1 {
		return
	}
	o := st.objs[v.refs[0].id]
	switch {
	case o.count > 0 && o.dead == nil:
		st.edit(v.refs[0].id).count--
	case !o.away:
		x.put(st, instr, v, putting{deferred: isDeferred, keeps: true, counted: true})
	}
}

// adopt carries out a call that makes a pooled object whose contents are the memory a.
func (x *exploration) adopt(st *state, instr ssa.CallInstruction, a val) {
	v := x.newPooled(st, instr, "")
	for _, r := range a.refs {
		o := st.edit(r.id)
		o.owner, o.at, o.owned = v.refs[0].id, "#contents", true
	}
	st.mem[loc{v.refs[0].id, "#contents"}] = cell{v: a}
	x.result(st, instr, v)
}

// detach carries out a call that takes the contents out of an object. The caller may put them now,
// or leave them to the collector.
func (x *exploration) detach(st *state, instr ssa.CallInstruction, from val) {
	v := x.contents(st, from)
	if len(v.refs) == 1 {
		o := st.edit(v.refs[0].id)
		o.owner, o.owned = 0, false
		o.kind, o.instr, o.given = pooled, instr, true
		r := from.refs[0]
		x.drop(st, r.id, r.sub+"#contents")
		v.refs[0].bits = 0
	}
	x.result(st, instr, v)
}

// part carries out a call that returns a part of its argument, or the argument with more
// appended. Of several results, the slices and strings are such parts.
func (x *exploration) part(st *state, instr ssa.CallInstruction, f *types.Func, whole val) {
	b := partial
	if appends(f.Name()) {
		b = partial | grown
	}
	v := mark(whole, b)
	v.sym, v.cst, v.null = "", nil, false
	if call, ok := instr.(*ssa.Call); ok {
		if t, ok := call.Type().(*types.Tuple); ok {
			parts := val{refs: v.refs}
			v = st.results(call, t, func(i int) (val, bool) {
				typ := t.At(i).Type()
				if shape.IsSlice(typ) || shape.IsBasic(typ, types.IsString) {
					return parts, true
				}
				return val{}, false
			})
		}
	}
	x.result(st, instr, v)
}

// reset carries out a call after which an object holds no other memory than the argument
// that the row names, if any.
func (x *exploration) reset(st *state, instr ssa.CallInstruction, m *effects.Effect, at func(i int) val) {
	v := at(0)
	if len(v.refs) != 1 {
		return
	}
	x.use(st, instr, v, UseAfterPut)
	delete(st.mem, loc{v.refs[0].id, v.refs[0].sub + "#held"})
	if m.Reset != effects.None {
		x.hold(st, v.refs[0].id, v.refs[0].sub+"#held", at(m.Reset), instr)
	}
	if call, ok := instr.(*ssa.Call); ok && types.Identical(call.Type(), call.Call.Args[0].Type()) {
		x.result(st, instr, v) // its receiver
	}
}

// setGlobal carries out a call after which a variable of the function's package has the argument v.
func (x *exploration) setGlobal(st *state, instr ssa.CallInstruction, f *types.Func, v val) {
	id := st.global("g"+effects.FullName(f), nil)
	delete(st.mem, loc{id, "#held"})
	x.hold(st, id, "#held", v, instr)
}

// acquire carries out a Get with n arguments. A first parameter that is an integer is the size.
func (x *exploration) acquire(st *state, instr ssa.CallInstruction, f *types.Func, at func(i int) val, n int) {
	pool, size := effects.PackageOf(effects.FullName(f)), ""
	if f.Signature().Recv() != nil {
		pool = x.poolName(st, at(0))
	}
	if n > 0 && shape.IsInteger(f.Signature().Params(), 0) {
		size = at(n - f.Signature().Params().Len()).sym
	}
	v := x.newPooled(st, instr, pool)
	o := st.edit(v.refs[0].id)
	o.size, o.family = size, family(f)
	x.first(st, instr, v)
	x.nullUnless(st, instr, v.refs[0].id)
}

// poolName names the pool at v, or returns "" if it is not known which pool that is.
func (x *exploration) poolName(st *state, v val) string {
	if len(v.refs) != 1 {
		return ""
	}
	name := st.path(v.refs[0])
	if global, ok := strings.CutSuffix(name, "*"); ok && x.Distinct[global] {
		return global
	}
	return name
}

// appends reports whether a function that returns a part of its argument appends to it,
// as its name says.
func appends(name string) bool {
	switch name {
	case "Sum", "Seal", "Open", "EncodeAll", "DecodeAll", "Grow":
		return true
	}
	return strings.HasPrefix(name, "Append")
}

func returnsReceiver(f *types.Func) bool {
	r := f.Signature().Results()
	return r.Len() == 1 && types.Identical(r.At(0).Type(), f.Signature().Recv().Type())
}

// family tells a FixedPool from the pools of basin that share their memory.
func family(f *types.Func) string {
	name := effects.FullName(f)
	if !strings.Contains(name, "github.com/basin-go/basin.") {
		return ""
	}
	if strings.Contains(name, "basin.FixedPool)") {
		return "fixed"
	}
	return "bytes"
}
