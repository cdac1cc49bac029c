package paths

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

// decide returns the truth of a condition, if that is known.
func (x *exploration) decide(st *state, c val) (truth, known bool) {
	if c.cst != nil && c.cst.Kind() == constant.Bool {
		return constant.BoolVal(c.cst), true
	}
	sym, want := strings.TrimPrefix(c.sym, "!"), !strings.HasPrefix(c.sym, "!")
	if t, ok := st.facts[sym]; ok {
		return t == want, true
	}
	return false, false
}

// firstIndex returns the index of the first round of a range loop over a list, if an instruction calculates that.
func (x *exploration) firstIndex(st *state, i *ssa.BinOp) (val, bool) {
	if i.Op != token.ADD || x.get(st, i.X).sym != "-1" || x.get(st, i.Y).sym != "1" {
		return val{}, false
	}
	return zero(i.Type(), val{}), true
}

// binary returns the value of a comparison or of a calculation. Comparisons become == and <, perhaps negated.
func (x *exploration) binary(st *state, i *ssa.BinOp) val {
	a, b := x.get(st, i.X), x.get(st, i.Y)
	op, negate := i.Op, false
	switch op {
	case token.NEQ:
		op, negate = token.EQL, true
	case token.GTR:
		op, a, b = token.LSS, b, a
	case token.LEQ:
		op, negate, a, b = token.LSS, true, b, a
	case token.GEQ:
		op, negate = token.LSS, true
	}
	var r val
	if op == token.EQL && (a.null || b.null) {
		if a.null && !b.null {
			a, b = b, a
		}
		truth, known := st.isNil(a)
		if known = known || len(a.refs) == 0 && shape.IsError(i.X.Type()); known { // a number in an interface, see outcome
			return answer(truth != negate)
		}
		if len(a.refs) == 1 {
			r.nilOf = a.refs[0].id
		}
	}
	if truth, known := st.compared(op, a, b); known {
		return answer(truth != negate)
	}
	if op == token.EQL && a.cst != nil {
		a, b = b, a
	}
	r.emptied = emptyIf(op, a, b)
	if len(a.sym)+len(b.sym) > 200 {
		r.sym = "v" + i.Name()
		return r
	}
	r.sym = fmt.Sprintf("(%s %s %s)", op, a.sym, b.sym)
	if negate {
		r.sym = "!" + r.sym
	}
	return r
}

// isNil reports whether a value is nil, if that is known.
func (st *state) isNil(a val) (truth, known bool) {
	switch {
	case a.null:
		return true, true
	case a.fn != nil:
		return false, true
	case len(a.refs) != 1:
		return false, false
	}
	o := st.objs[a.refs[0].id]
	if o.null {
		return true, true
	}
	return false, a.refs[0].sub != "" || o.nonnil || o.kind == local || o.kind == made || o.kind == global || st.isErrorValue(o)
}

// isErrorValue reports whether an object is the value of a variable such as io.EOF or fs.ErrNotExist, which is never nil.
func (st *state) isErrorValue(o *object) bool {
	if o.owner == 0 || o.typ == nil || !shape.IsError(o.typ) || st.objs[o.owner].kind != global {
		return false
	}
	name := st.objs[o.owner].name
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.HasPrefix(name, "Err") || strings.HasPrefix(name, "err") || name == "EOF"
}

// compared returns the outcome of == or <, if it is known.
func (st *state) compared(op token.Token, a, b val) (truth, known bool) {
	if op != token.EQL && op != token.LSS {
		return false, false
	}
	if a.cst != nil && b.cst != nil && a.cst.Kind() == b.cst.Kind() {
		return constant.Compare(a.cst, op, b.cst), true
	}
	// Get returns as much as it was asked for.
	return false, op == token.LSS && a.sizeOf != 0 && st.objs[a.sizeOf].size != "" && st.objs[a.sizeOf].size == b.sym
}

// emptyIf returns the object of which a comparison tells whether it is empty.
func emptyIf(op token.Token, a, b val) emptiness {
	switch {
	case a.sizeOf != 0 && (op == token.EQL && b.sym == "0" || op == token.LSS && b.sym == "1"):
		return emptiness{a.sizeOf, true}
	case b.sizeOf != 0 && op == token.LSS && a.sym == "0":
		return emptiness{b.sizeOf, false}
	}
	return emptiness{}
}

// assume notes the truth of a condition on a path, and reports whether that is
// possible.
func (x *exploration) assume(st *state, instr *ssa.If, c val, truth bool) bool {
	sym := c.sym
	if strings.HasPrefix(sym, "!") {
		sym, truth = sym[1:], !truth
	}
	if params, ok := shape.SizeTest(x.root, instr.Cond); ok {
		st.sizes |= params
		st.chance = st.chance || selects(instr.Cond)
	} else {
		st.decided = true
	}
	if measured := shape.Measures(instr.Cond, 3); measured != nil && x.limitsPut(instr) {
		x.excuse(st, measured)
	}
	if err := errorSeen(instr.Cond); err != nil && truth {
		x.settle(st, "(== "+x.get(st, err).sym+" nil)", false)
	}
	if c.nilOf != 0 && truth {
		if st.objs[c.nilOf].dead != nil {
			// A handle that has been put is not nil.
			return false
		}
		st.edit(c.nilOf).null = true
	} else if c.nilOf != 0 {
		st.edit(c.nilOf).nonnil = true
	}
	if c.emptied.id != 0 && c.emptied.truth == truth {
		if st.hollow == nil {
			st.hollow = map[objID]bool{}
		}
		st.hollow[c.emptied.id] = true
	}
	if settled := x.settle(st, sym, truth); sym != "" && (settled || x.condsOf(instr.Parent()).repeated[instr]) {
		st.facts[sym] = truth
	}
	return true
}

// errorSeen returns the error that is not nil if a condition is true: errors.Is(err, fs.ErrNotExist) or err == io.EOF.
func errorSeen(cond ssa.Value) ssa.Value {
	switch c := cond.(type) {
	case *ssa.Call:
		if e := facts.RowOf(c); e != nil && e.Error != effects.None {
			return c.Call.Args[e.Error]
		}
	case *ssa.BinOp:
		if l, ok := c.Y.(*ssa.UnOp); ok && c.Op == token.EQL && l.Op == token.MUL && shape.IsError(l.Type()) {
			if _, ok := l.X.(*ssa.Global); ok {
				return c.X
			}
		}
	}
	return nil
}

// settle carries out pending deaths and shares that wait for the truth of a condition, and reports whether there were any.
func (x *exploration) settle(st *state, sym string, truth bool) (settled bool) {
	for id, o := range st.objects() {
		i := slices.IndexFunc(o.later, func(p pending) bool { return p.sym == sym })
		if i < 0 {
			continue
		}
		settled = true
		p, o := o.later[i], st.edit(id)
		o.later = append(append([]pending(nil), o.later[:i]...), o.later[i+1:]...)
		switch {
		case p.truth != truth:
		case p.share != nil:
			o.given = true
			o.shared = p.share
		case p.death == nil:
			o.null = true
		case o.dead == nil:
			o.dead = p.death
			x.killOwned(st, id, p.death, nil, 1, func(*object) {})
			if c, ok := st.mem[p.clear]; ok && c.v.has(id) {
				st.mem[p.clear] = cell{v: val{sym: "nil", null: true}}
			}
		}
	}
	return settled
}

// selects reports whether a condition asks which case of a select was chosen.
func selects(cond ssa.Value) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	e, ok := b.X.(*ssa.Extract)
	if !ok {
		return false
	}
	_, ok = e.Tuple.(*ssa.Select)
	return ok
}

// excuse notes that a pooled value is put only within a limit of its capacity, so that
// a path without a Put drops it on purpose.
func (x *exploration) excuse(st *state, v ssa.Value) {
	for _, r := range x.get(st, v).refs {
		id := r.id
		for range 4 {
			if o := st.objs[id]; o.kind != pooled && o.owner != 0 {
				id = o.owner
			}
		}
		if st.objs[id].kind == pooled {
			st.edit(id).given = true
		}
	}
}
