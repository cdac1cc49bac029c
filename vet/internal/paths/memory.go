package paths

import (
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

// get returns the value that v has now.
func (x *exploration) get(st *state, v ssa.Value) val {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			if shape.PointerLike(v.Type()) {
				return val{sym: "nil", null: true}
			}
			if _, ok := v.Type().Underlying().(*types.Signature); ok {
				return val{sym: "nil", null: true}
			}
			return val{sym: "zero"}
		}
		return val{sym: v.Value.ExactString(), cst: v.Value}
	case *ssa.Global:
		name := "g" + v.String()
		return val{sym: name, refs: []ref{{id: st.global(name, v.Type())}}}
	case *ssa.Function:
		return val{sym: v.String(), fn: v}
	case *ssa.Builtin:
		return val{sym: v.Name()}
	case *ssa.FreeVar:
		f := st.top()
		for i, fv := range f.fn.FreeVars {
			if fv == v && i < len(f.free) {
				return f.free[i]
			}
		}
	}
	f := st.top()
	if known, ok := f.env[v]; ok {
		return known
	}
	f.env[v] = x.fresh(st, v, v.Type())
	return f.env[v]
}

// fresh is a value of which nothing is known.
func (x *exploration) fresh(st *state, i ssa.Value, typ types.Type) val {
	v := val{sym: "v" + i.Name()}
	if shape.PointerLike(typ) {
		instr, _ := i.(ssa.Instruction)
		id := st.add(object{kind: unknown, name: v.sym, typ: typ, instr: instr})
		v.refs = []ref{{id: id}}
	}
	return v
}

// reach calls visit with all memory that a value leads to. direct is set if the way there is
// through variables that this function has set, captured if it is through captures of a
// function literal.
func (x *exploration) reach(st *state, v val, depth int, visit func(r ref, direct, captured bool)) {
	seen := map[objID]bool{}
	var later []func() // captures, which may be reached otherwise, too
	var walk func(v val, depth int, direct, captured bool)
	walk = func(v val, depth int, direct, captured bool) {
		for _, r := range v.refs {
			visit(r, direct, captured)
			if depth == 0 || seen[r.id] {
				continue
			}
			seen[r.id] = true
			if st.objs[r.id].kind == global {
				continue
			}
			for _, l := range st.placesIn(r.id) {
				if c := st.mem[l]; strings.HasPrefix(l.sub, r.sub) {
					walk(c.v, depth-1, direct && c.store != nil && st.objs[r.id].kind == local, captured)
				}
			}
		}
		for _, e := range v.elems {
			walk(e, depth, direct, captured)
		}
		for _, b := range v.binds {
			later = append(later, func() { walk(b, depth, direct, true) })
		}
	}
	walk(v, depth, true, false)
	for len(later) > 0 {
		next := later[0]
		later = later[1:]
		next()
	}
}

// escape notes that unknown code has the memory that v leads to, and may change it.
func (x *exploration) escape(st *state, v val) { x.escapes(st, v, false) }

// escapes is escape. Borrowed memory is with that code only now.
func (x *exploration) escapes(st *state, v val, borrowed bool) {
	x.reach(st, v, 3, func(r ref, direct, _ bool) {
		if o := st.objs[r.id]; !o.away || !o.gone && !borrowed {
			e := st.edit(r.id)
			e.away, e.gone = true, o.gone || !borrowed
		}
	})
}

// give notes that a value is kept where it is not followed.
func (x *exploration) give(st *state, v val) {
	x.reach(st, v, 1, func(r ref, _, _ bool) {
		if o := st.objs[r.id]; o.kind == pooled && !o.given {
			st.edit(r.id).given = true
		}
	})
}

// hold adds to the value of a location, instead of replacing it.
func (x *exploration) hold(st *state, id objID, sub string, v val, instr ssa.Instruction) {
	if len(v.refs)+len(v.elems)+len(v.binds) == 0 {
		return
	}
	l := loc{id, sub}
	c := st.mem[l]
	for _, e := range c.v.elems {
		if slices.Equal(e.refs, v.refs) && len(v.elems) == 0 && len(v.binds) == 0 {
			return
		}
	}
	if n := len(c.v.elems); n > 0 && c.store == instr { // in the round before
		x.give(st, c.v.elems[n-1])
		c.v.elems = c.v.elems[:n-1]
	}
	c.store = instr
	c.v.elems = append(c.v.elems[:len(c.v.elems):len(c.v.elems)], v)
	if len(c.v.elems) > 8 {
		x.give(st, c.v.elems[0])
		c.v.elems = c.v.elems[1:]
	}
	st.mem[l] = c
}

// lend remembers a cell that unknown code may have changed.
func (st *state) lend(l loc, c cell) {
	if c.store == nil {
		return
	}
	lent := maps.Clone(st.lent)
	if lent == nil {
		lent = map[loc]cell{}
	}
	lent[l] = c
	st.lent = lent
}

// release forgets the items that a map or a slice holds, whatever has been loaded of it.
func (st *state) release(id objID) {
	o := st.objs[id]
	for l := range st.mem {
		if p := st.objs[l.id]; l.sub == "#held" && (l.id == id || o.owner != 0 && p.owner == o.owner && p.at == o.at) {
			delete(st.mem, l)
		}
	}
}

// drop forgets the values of a location and of those within it.
func (x *exploration) drop(st *state, id objID, sub string) {
	for l := range st.mem {
		if l.id == id && strings.HasPrefix(l.sub, sub) && (len(l.sub) == len(sub) || strings.ContainsRune(".[#", rune(l.sub[len(sub)]))) {
			delete(st.mem, l)
		}
	}
	for l := range st.lent {
		if l.id == id && strings.HasPrefix(l.sub, sub) {
			st.lent = maps.Clone(st.lent)
			delete(st.lent, l)
		}
	}
}

// resolve returns the value of an argument at a path.
func (x *exploration) resolve(st *state, v val, path string) (val, bool) {
	if path == "" {
		return v, true
	}
	l, ok := x.locate(st, v, path)
	if !ok {
		return val{}, false
	}
	c, ok := st.mem[l]
	if !ok {
		o := st.objs[l.id]
		child := object{kind: unknown, owner: l.id, at: l.sub, null: o.null, owned: strings.Contains(l.sub, "#")}
		if child.owned {
			child.dead = o.dead
		}
		c = cell{v: val{refs: []ref{{id: st.add(child)}}}}
		st.mem[l] = c
	}
	if c.v.null {
		return val{}, false
	}
	return val{sym: c.v.sym, refs: c.v.refs}, true
}

// locate returns the location that a path, which is not empty, leads to.
func (x *exploration) locate(st *state, v val, path string) (loc, bool) {
	last := path
	if i := strings.LastIndexByte(path, '>'); i >= 0 {
		var ok bool
		if v, ok = x.resolve(st, v, path[:i]); !ok {
			return loc{}, false
		}
		last = path[i+1:]
	}
	if len(v.refs) != 1 {
		return loc{}, false
	}
	if last == facts.Pointee {
		last = ""
	}
	return loc{v.refs[0].id, v.refs[0].sub + last}, true
}

// share notes that another goroutine has the memory that v leads to.
func (x *exploration) share(st *state, i ssa.Instruction, v val) {
	x.shareBy(st, &share{instr: i}, v)
}

func (x *exploration) shareBy(st *state, by *share, v val) {
	x.reach(st, v, 3, func(r ref, direct, _ bool) {
		o := st.objs[r.id]
		if o.dead == nil && !o.null && o.kind != global {
			e := st.edit(r.id)
			e.given = true
			if o.shared == nil && o.count == 0 {
				e.shared = by
			}
		}
	})
	x.escape(st, v)
}

// yield notes that other goroutines may have gone on, unless calm is set. Those that share
// memory may then be done with it.
func (x *exploration) yield(st *state, calm bool) {
	if calm {
		return
	}
	for id, o := range st.objects() {
		if o.shared != nil {
			x.unsync[o.shared.instr] = true
			st.edit(id).shared = nil
		}
	}
}

// havoc forgets locations that other code may have changed.
func (x *exploration) havoc(st *state, e *facts.Writes) {
	var changed []loc
	for _, l := range st.places() {
		o, c := st.objs[l.id], st.mem[l]
		if !o.away && (o.kind == local || o.kind == pooled || o.kind == unknown && o.owner == 0) || strings.HasSuffix(l.sub, "#contents") || strings.HasSuffix(l.sub, "#held") {
			continue
		}
		if !x.mayChange(c, e) {
			if e != nil && e.Emptied[c.field] {
				c.v.sym += "'" // of another length
				st.mem[l] = c
			}
			continue
		}
		if c.store != nil {
			for _, r := range c.v.refs {
				x.noteLive(st, c.store, StoredAfterPut, st.objs[r.id])
			}
			st.touch(l.id)
		}
		x.give(st, c.v)
		changed = append(changed, l)
	}
	for _, l := range changed {
		if e == nil || e.Unknown {
			st.lend(l, st.mem[l])
		}
		delete(st.mem, l)
	}
}

// mayChange reports whether other code with certain writes may have changed a cell. If e is nil, nothing is known of that code.
func (x *exploration) mayChange(c cell, e *facts.Writes) bool {
	switch {
	case x.Constant(c.field):
		return false
	case e == nil || e.Unknown:
		return true
	case c.field == nil:
		return e.Others
	}
	return e.Fields[c.field]
}

func (x *exploration) load(st *state, i ssa.Value, at val, field *types.Var, typ types.Type) val {
	if len(at.refs) != 1 {
		return x.fresh(st, i, typ)
	}
	r := at.refs[0]
	l := loc{r.id, r.sub}
	c, known := st.mem[l]
	o := st.objs[r.id]
	if s, ok := typ.Underlying().(*types.Struct); ok {
		if !known {
			c.v = val{sym: "v" + i.Name()}
		}
		return st.withFields(r, c.v, s.NumFields())
	}
	if known {
		return c.v
	}
	if strings.HasSuffix(r.sub, "[]") {
		if v, ok := st.deadElement(r.id); ok && r.sub == facts.Elements {
			return v
		}
		if v, ok := st.split(r.id, typ); ok && r.sub == facts.Elements {
			return v
		}
		return x.fresh(st, i, typ)
	}
	v := val{sym: "v" + i.Name()}
	if o.kind == global || o.kind == param {
		v.sym = fmt.Sprintf("%s%s#%s", o.name, r.sub, i.Name())
	}
	if shape.PointerLike(typ) {
		id := st.add(object{kind: unknown, name: v.sym, typ: typ, owner: r.id, at: r.sub,
			owned: x.ownedAt(o, r.sub, field, typ), pool: o.name + r.sub})
		v.refs = []ref{{id: id}}
	} else if o.kind == local && !o.away && !x.storedAround(st, r) {
		v = zero(typ, v)
	}
	st.mem[l] = cell{v: v, field: field}
	return v
}

// withFields returns the value of a struct, with the fields that have been stored one by one.
func (st *state) withFields(r ref, v val, n int) val {
	var elems []val
	for i := range n {
		c, ok := st.mem[loc{r.id, r.sub + "." + strconv.Itoa(i)}]
		if ok && elems == nil {
			elems = make([]val, n)
			copy(elems, v.elems)
		}
		if ok {
			elems[i] = c.v
		}
	}
	if elems != nil {
		v.elems = elems
	}
	return v
}

// storedAround reports whether something has been stored into a place that
// includes this one.
func (x *exploration) storedAround(st *state, r ref) bool {
	for l := range st.mem {
		if l.id == r.id && len(l.sub) < len(r.sub) && strings.HasPrefix(r.sub, l.sub) {
			return true
		}
	}
	return false
}

func zero(typ types.Type, otherwise val) val {
	switch {
	case shape.IsBasic(typ, types.IsBoolean):
		return answer(false)
	case shape.IsBasic(typ, types.IsInteger):
		return val{sym: "0", cst: constant.MakeInt64(0)}
	}
	return otherwise
}

// ownedAt reports whether memory that a field points at is reused together with
// the object that has the field.
func (x *exploration) ownedAt(o *object, sub string, field *types.Var, typ types.Type) bool {
	if strings.Contains(sub, "#contents") {
		return true
	}
	switch typ.Underlying().(type) {
	case *types.Slice:
	case *types.Pointer:
		return sub != "" && field != nil && x.Reused(field)
	default:
		return false
	}
	if sub == "" && o.kind == param && o.index < 0 {
		return false // a variable of the enclosing function
	}
	if sub == "" {
		return o.kind != local || o.typ != nil && shape.IsPointerTo(o.typ, typ)
	}
	return field != nil && x.Reused(field)
}

// touch notes that a part of an argument was replaced, and that nobody knows which.
func (st *state) touch(id objID) {
	if o := st.objs[id]; o.kind == param && !o.touched {
		st.edit(id).touched = true
	}
}

// isField reports whether an instruction stores into a field that has no fields itself. Then the place has a cell of its own,
// which lost finds.
func isField(i *ssa.Store) bool {
	switch i.Val.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return shape.FieldOf(i.Addr) != nil
}

func (x *exploration) store(st *state, instr *ssa.Store, at, v val) {
	if len(at.refs) != 1 {
		x.give(st, v)
		return
	}
	r := at.refs[0]
	if !isField(instr) {
		st.touch(r.id)
	}
	x.drop(st, r.id, r.sub)
	if strings.HasSuffix(r.sub, "[]") {
		if v.null {
			st.release(r.id) // perhaps from the element that has the item
		}
		x.hold(st, r.id, "#held", v, instr)
		return
	}
	st.mem[loc{r.id, r.sub}] = cell{v: v, field: shape.FieldOf(instr.Addr), store: instr}
	for n, e := range v.elems {
		if len(e.refs) > 0 || e.cst != nil || e.null {
			st.mem[loc{r.id, r.sub + "." + strconv.Itoa(n)}] = cell{v: e, store: instr}
		}
	}
}
