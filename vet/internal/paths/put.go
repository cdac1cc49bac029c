package paths

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

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
	for _, l := range st.placesIn(id) {
		if slices.Contains(loses, l.sub) {
			continue
		}
		for _, r := range st.mem[l].v.refs {
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

func isSyncPut(put ssa.CallInstruction) bool {
	f := put.Common().StaticCallee()
	return f != nil && f.String() == "(*sync.Pool).Put"
}

func isLoad(i ssa.Instruction) bool {
	_, ok := i.(*ssa.UnOp)
	return ok
}
