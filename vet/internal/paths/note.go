package paths

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

// note adds the exit of a path.
func (x *exploration) note(st *state, results []val) {
	e := exit{dead: map[argPath]*argPut{}, excused: map[int]bool{}, spared: map[int]bool{}, shares: map[int]bool{}, chance: st.chance, last: x.outcome(st, results)}
	x.noteArgs(st, &e)
	x.noteParts(st, &e)
	for i, v := range results {
		a := x.noteResult(st, v)
		a.Result = i
		e.results = append(e.results, a)
	}
	x.exits = append(x.exits, e)
}

// noteArgs notes the arguments that were put or shared on this path, and why others were not.
func (x *exploration) noteArgs(st *state, e *exit) {
	var config uint64 // sizes of the receiver, which is a pool, say nothing of the memory put
	if x.root.Signature.Recv() != nil {
		config = 1
	}
	for i, id := range x.params {
		if id == 0 {
			continue
		}
		o := st.objs[id]
		if o.dead != nil && !o.dead.grow {
			e.dead[argPath{i, ""}] = &argPut{at: o.dead.place(), keeps: !o.touched, loses: st.lost(id)}
		} else if o.null || !st.decided && st.sizes&^(1<<i|config) == 0 {
			e.excused[i] = true
			e.spared[i] = !o.null
		}
		e.shares[i] = o.shared != nil && o.dead == nil
	}
}

// noteParts notes the memory that was put and to which arguments led.
func (x *exploration) noteParts(st *state, e *exit) {
	for id, o := range st.objects() {
		if o.dead == nil || o.owner == 0 || o.dead.grow || st.objs[o.owner].dead != nil {
			continue
		}
		arg, path, ok := st.rootPath(o)
		if !ok || o.at == facts.Elements && !st.attached(o.owner) {
			continue
		}
		// The Put counts if the owner still has the memory, or has nil there.
		if c, ok := st.mem[loc{o.owner, o.at}]; ok && (len(c.v.refs) == 1 && c.v.refs[0].id == id || c.v.null) || strings.Contains(o.at, "#") {
			e.dead[argPath{arg, path}] = &argPut{at: o.dead.place(), keeps: true, clear: ok && c.v.null, once: o.dead.once}
		}
	}
}

// noteResult classifies a result: an argument or a part of it, memory from a pool, nothing of a pool, or unknown.
func (x *exploration) noteResult(st *state, v val) (a alias) {
	if v.null || v.cst != nil {
		a.nothing = true
		return a
	}
	if len(v.refs) != 1 {
		return a
	}
	r := v.refs[0]
	o := st.objs[r.id]
	if o.null || o.dead == nil && st.hollow[r.id] && r.bits&grown == 0 {
		a.nothing = true
		return a
	}
	if o.dead != nil {
		return a
	}
	if arg, ok := st.argument(r, o); ok {
		return arg
	}
	switch {
	case o.kind == pooled && r.sub == "":
		a.get = true
	case o.owner != 0 && st.objs[o.owner].kind == pooled && shape.IsSlice(o.typ):
		a.get = true // the object that the pool points at
	case o.kind == local || o.kind == made:
		a.nothing, a.fields = true, st.fieldsOf(r)
		if arg, ok := st.heldArgument(r.id); ok {
			a.nothing, a.isAlias, a.Arg, a.Held = false, true, arg, true
		}
	}
	return a
}

// fieldsOf returns the fields of a new struct that have memory of a pool, or of an argument. Nobody else must have the struct.
func (st *state) fieldsOf(r ref) map[string]facts.Field {
	o := st.objs[r.id]
	if o.kind != local || r.sub != "" || o.away || o.gone || o.given || o.typ == nil {
		return nil
	}
	var fields map[string]facts.Field
	for _, l := range st.placesIn(r.id) {
		if f, ok := st.fieldAt(l); ok {
			if fields == nil {
				fields = map[string]facts.Field{}
			}
			f.SetType(o.typ)
			fields[l.sub] = f
		}
	}
	return fields
}

// fieldAt returns the memory that a field of a new struct has.
func (st *state) fieldAt(l loc) (f facts.Field, ok bool) {
	v := st.mem[l].v
	if len(v.refs) != 1 || !strings.HasPrefix(l.sub, ".") || strings.ContainsAny(l.sub, "#[") {
		return f, false
	}
	r, t := v.refs[0], st.objs[v.refs[0].id]
	if t.dead != nil || t.null || t.shared != nil || r.sub != "" || r.bits&^partial != 0 {
		return f, false
	}
	f.Path, f.Partial = l.sub, r.bits&partial != 0
	switch {
	case t.kind == pooled:
		f.Get = true
	case t.kind == param && t.index >= 0:
		f.Arg = t.index
	default:
		f.Arg, f.ArgPath, ok = st.rootPath(t)
		return f, ok && st.attached(r.id)
	}
	return f, true
}

// argument tells which argument, or which part of one, an object is. It is not ok if the object is none.
func (st *state) argument(r ref, o *object) (a alias, ok bool) {
	if o.kind == param && r.sub == "" && o.index >= 0 {
		a.isAlias, a.Arg, a.Grown = true, o.index, r.bits&grown != 0
		return a, true
	}
	if o.owner == 0 || !st.attached(r.id) || !o.owned && !shape.IsSlice(o.typ) {
		return a, false
	}
	if arg, path, ok := st.rootPath(o); ok {
		a.isAlias, a.Arg, a.Path, a.Owned = true, arg, path, o.owned
		return a, true
	}
	return a, st.objs[o.owner].kind != pooled // a part of something else
}

// heldArgument returns an argument, of which something new holds a part.
func (st *state) heldArgument(id objID) (arg int, ok bool) {
	for _, h := range st.mem[loc{id, "#held"}].v.elems {
		for _, r := range h.refs {
			if t := st.objs[r.id]; t.kind == param && t.index >= 0 && shape.IsSlice(t.typ) && r.bits&partial != 0 {
				arg, ok = t.index, true
			}
		}
	}
	return arg, ok
}

// outcome tells errors from none, and true from false, by the last result. It is Always if that is unknown.
func (x *exploration) outcome(st *state, results []val) facts.When {
	n := len(results) - 1
	if n < 0 {
		return facts.Always
	}
	v, t := results[n], x.root.Signature.Results().At(n).Type()
	if shape.IsBasic(t, types.IsBoolean) {
		switch truth, known := x.decide(st, v); {
		case !known:
			return facts.Always
		case truth:
			return facts.IfTrue
		}
		return facts.IfFalse
	}
	switch {
	case !shape.IsError(t):
		return facts.Always
	case v.null:
		return facts.IfNoError
	case len(v.refs) == 0:
		return facts.IfError // a struct or the like in an interface; all else that may be nil is an object
	case len(v.refs) > 1:
		return facts.Always
	}
	o := st.objs[v.refs[0].id]
	call, _ := o.instr.(*ssa.Call)
	switch {
	case o.null:
		return facts.IfNoError
	case o.nonnil || o.kind == local || o.kind == made || v.refs[0].sub != "", call != nil && x.Fails(call):
		return facts.IfError
	case o.owner != 0 && st.objs[o.owner].kind == global:
		return facts.IfError // a variable such as io.EOF
	}
	return facts.Always
}
