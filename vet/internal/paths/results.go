package paths

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

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

func (x *exploration) lastResult(st *state, call *ssa.Call) val {
	v := x.get(st, call)
	if n := len(v.elems); n > 0 {
		return v.elems[n-1]
	}
	return v
}

func (x *exploration) setResult(st *state, call *ssa.Call, i int, v val) {
	f := st.top()
	if _, ok := call.Type().(*types.Tuple); !ok {
		v.sym = "v" + call.Name()
		f.env[call] = v
		return
	}
	t := f.env[call]
	elems := append([]val(nil), t.elems...)
	v.sym = elems[i].sym
	elems[i] = v
	t.elems = elems
	f.env[call] = t
}

func (x *exploration) newPooled(st *state, instr ssa.CallInstruction, pool string) val {
	o := object{kind: pooled, typ: types.Typ[types.UnsafePointer], instr: instr, pool: pool}
	if call, ok := instr.(*ssa.Call); ok {
		o.typ = call.Type()
	}
	return val{refs: []ref{{id: st.add(o)}}}
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
	} else if !shape.IsBasic(t.At(t.Len()-1).Type(), types.IsBoolean) {
		return
	}
	st.await(id, p)
}

// later notes that v is put or shared if the last result says so. p says which of both.
func (x *exploration) later(st *state, instr ssa.CallInstruction, v val, when facts.When, p pending) {
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
	case facts.IfError, facts.IfNoError:
		p.sym, p.truth = "(== "+last.sym+" nil)", when == facts.IfNoError
	case facts.IfTrue, facts.IfFalse:
		p.sym, p.truth = last.sym, when == facts.IfTrue
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
