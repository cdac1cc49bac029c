package paths

import (
	"fmt"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

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
		for _, r := range first.refs {
			delete(st.mem, loc{r.id, facts.Elements})
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
		delete(st.mem, loc{v.refs[0].id, facts.Elements}) // there are others, too
		x.holdAll(st, v.refs[0].id, src, call)
	}
	x.result(st, call, v)
}

// holdAll notes that a list has got the elements of another one.
func (x *exploration) holdAll(st *state, list objID, src val, instr ssa.Instruction) {
	for _, r := range src.refs {
		for _, l := range st.placesIn(r.id) {
			if c := st.mem[l]; len(c.v.refs)+len(c.v.elems)+len(c.v.binds) > 0 {
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
func (x *exploration) looped(b *ssa.BasicBlock) bool {
	for _, body := range x.Loops(b.Parent()) {
		if body[b] {
			return true
		}
	}
	return false
}
