package pooled

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

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
	if settled := x.settle(st, sym, truth); sym != "" && (settled || x.repeated(instr)) {
		st.facts[sym] = truth
	}
	return true
}

// settle carries out pending deaths and shares that wait for the truth of a condition, and reports whether there were any.
func (x *exploration) settle(st *state, sym string, truth bool) (settled bool) {
	for id, o := range st.objs {
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
