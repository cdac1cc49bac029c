package pooled

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// elements is the path of the elements of a list, which a function puts one by one.
const elements = "[]"

// putsElements returns the parameters of a function whose elements it puts, each of them: in every round of a loop over all
// elements that every call of the function comes to.
func (p *packageInfo) putsElements(fn *ssa.Function) (puts []Put) {
	for i := range shape.Instructions(fn) {
		c, ok := i.(*ssa.Call)
		if !ok {
			continue
		}
		list := elementOf(p.putBy(c))
		if list == nil || !shape.InWholeLoop(p.loopsOf(fn), c.Block()) {
			continue
		}
		for n, param := range fn.Params {
			if param == list {
				puts = append(puts, Put{Arg: n, Path: elements, Keeps: true, at: c.Pos()})
			}
		}
	}
	return puts
}

// putBy returns the argument that a call always puts, or nil.
func (p *packageInfo) putBy(c *ssa.Call) ssa.Value {
	object, callee := p.calleeOf(&c.Call)
	if object == nil {
		return nil
	}
	if m := p.model(object); m != nil {
		if m.Put >= 0 && m.Put < len(c.Call.Args) {
			return c.Call.Args[m.Put]
		}
		return nil
	}
	fact := p.factOf(object, callee)
	if fact == nil || c.Call.IsInvoke() {
		return nil
	}
	for _, put := range fact.Puts {
		if put.Path == "" && put.When == Always && put.Arg < len(c.Call.Args) {
			return c.Call.Args[put.Arg]
		}
	}
	return nil
}

// elementOf returns the list whose element at the index of a loop a value is, or nil.
func elementOf(v ssa.Value) ssa.Value {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	l, ok := v.(*ssa.UnOp)
	if !ok || l.Op != token.MUL {
		return nil
	}
	e, ok := l.X.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	switch e.Index.(type) {
	case *ssa.Phi, *ssa.BinOp:
		return e.X
	}
	return nil
}

// elementsOf returns the known elements of a list: values that were stored or appended.
func (st *state) elementsOf(list val) (vs []val) {
	if len(list.refs) != 1 {
		return nil
	}
	for l, c := range st.mem {
		if l.id != list.refs[0].id {
			continue
		}
		if l.sub == "#held" {
			vs = append(vs, c.v.elems...)
		} else if strings.HasPrefix(l.sub, "[") && strings.HasSuffix(l.sub, "]") {
			vs = append(vs, c.v)
		}
	}
	return vs
}

// deadElement returns an element of a list that the function has made, if all its elements were put.
func (st *state) deadElement(list objID) (val, bool) {
	if o := st.objs[list]; o.kind != local && o.kind != made || o.away {
		return val{}, false
	}
	all := st.elementsOf(val{refs: []ref{{id: list}}})
	for _, v := range all {
		if len(v.refs) != 1 || st.objs[v.refs[0].id].dead == nil {
			return val{}, false
		}
	}
	if len(all) == 0 {
		return val{}, false
	}
	return all[0], true
}

// split returns an element of a list that a library function has made of the parts of its argument, such as bytes.Split.
func (st *state) split(list objID, elem types.Type) (val, bool) {
	o := st.objs[list]
	call, ok := o.instr.(*ssa.Call)
	if !ok || o.kind != local {
		return val{}, false
	}
	e := effectOf(call)
	if e == nil || e.Holds == effects.None || !types.Identical(call.Call.Args[e.Holds].Type(), elem) {
		return val{}, false
	}
	held := st.mem[loc{list, "#held"}].v.elems
	if len(held) != 1 {
		return val{}, false
	}
	v := mark(held[0], partial)
	v.sym, v.cst = "", nil
	return v, true
}
