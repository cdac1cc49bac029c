package pooled

import (
	"fmt"
	"go/constant"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
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
		if known {
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

func answer(truth bool) val { return val{sym: fmt.Sprint(truth), cst: constant.MakeBool(truth)} }

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
	return false, a.refs[0].sub != "" || o.nonnil || o.kind == local || o.kind == made || o.kind == global
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
