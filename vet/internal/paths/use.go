package paths

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// use notes that memory is read, written or handed on.
func (x *exploration) use(st *state, instr ssa.Instruction, v val, kind HitKind) {
	x.useRefs(st, instr, v.refs, kind)
}

// useRefs notes one event that concerns several pieces of memory.
func (x *exploration) useRefs(st *state, instr ssa.Instruction, refs []ref, kind HitKind) {
	for _, r := range refs {
		o := st.objs[r.id]
		switch {
		case o.null:
		case o.dead != nil:
			if !inAnotherRound(instr, o, o.dead) && !x.gotAgain(st, instr, o) {
				x.hit(st, kind, instr, o, o.dead)
			}
			x.markUsed(st, o.dead)
		case o.stale != nil && (kind == UseAfterPut || kind == ReturnedAfterPut) && position(instr) != position(o.stale):
			x.hit(st, StaleView, instr, o, &death{instr: o.stale})
		default:
			x.noteLive(st, instr, kind, o)
		}
	}
}

// inAnotherRound reports whether an event comes after the Put only in another round of a
// loop, for memory that is found through a field. The field may have other memory then.
func inAnotherRound(instr ssa.Instruction, o *object, d *death) bool {
	_, isDefer := instr.(*ssa.Defer)
	return o.owner != 0 && !d.deferred && !isDefer && position(instr) <= position(d.instr)
}

// gotAgain reports whether a test puts memory, gets from the same pool again and then looks
// at the memory that it put: to see whether both are the same.
func (x *exploration) gotAgain(st *state, instr ssa.Instruction, o *object) bool {
	put := o.dead.instr
	for range 3 {
		if o.kind == pooled || o.owner == 0 {
			break
		}
		o = st.objs[o.owner] // the object that the pool points at
	}
	if o.kind != pooled || o.pool == "" || !x.InTest(instr.Pos()) {
		return false
	}
	for _, p := range st.objects() {
		if p.kind == pooled && p.dead == nil && p.pool == o.pool && p.instr != nil && position(p.instr) > position(put) {
			return true
		}
	}
	return false
}

// useArgs notes the memory that a call is given, also in a reader or in a variadic slice.
func (x *exploration) useArgs(st *state, instr ssa.CallInstruction, args []val, prints printing, except func(int) bool) {
	var refs []ref
	for i, a := range args {
		if except != nil && except(i) {
			continue
		}
		refs = append(refs, a.refs...)
		for _, r := range a.refs {
			if c, ok := st.mem[loc{r.id, "#held"}]; ok {
				for _, e := range c.v.elems {
					refs = append(refs, e.refs...)
				}
			}
			o := st.objs[r.id]
			if o.kind != local || o.typ == nil || !shape.IsArray(o.typ) {
				continue
			}
			for _, l := range st.placesIn(r.id) {
				read, known := prints[l.sub]
				if known && !read {
					continue
				}
				for _, e := range st.mem[l].v.refs {
					if t := st.objs[e.id]; read || t.owned || shape.IsSlice(t.typ) || e.bits&partial != 0 {
						refs = append(refs, e)
					}
				}
			}
		}
	}
	x.useRefs(st, instr, refs, UseAfterPut)
}

// boxed reports whether an argument is converted to any just to be passed: tests
// compare values from Get with those that they have put.
func (x *exploration) boxed(c *ssa.CallCommon, i int) bool {
	if c.IsInvoke() {
		i--
	}
	if i < 0 || i >= len(c.Args) {
		return false
	}
	switch a := c.Args[i].(type) {
	case *ssa.MakeInterface:
		_, slice := a.X.Type().Underlying().(*types.Slice)
		return !slice
	case *ssa.Slice:
		return true
	}
	return false
}

func (x *exploration) markUsed(st *state, d *death) {
	for id, o := range st.objects() {
		if (o.dead == d || o.kept == d) && !o.used {
			st.edit(id).used = true
		}
	}
}

// useReach notes that all memory that vs lead to is passed on.
func (x *exploration) useReach(st *state, instr ssa.Instruction, vs []val, kind HitKind) {
	var refs []ref
	for _, v := range vs {
		x.reach(st, v, 3, func(r ref, direct, captured bool) {
			o := st.objs[r.id]
			if captured && o.dead != nil && o.dead.field {
				return // the function literal has the owner of the field, and does not need the field
			}
			if o.dead != nil && !direct && r.bits&partial == 0 && !o.owned {
				return
			}
			refs = append(refs, r)
		})
	}
	x.useRefs(st, instr, refs, kind)
}

// printing tells, for the arguments of a call that prints, whether their memory is read with them. It names an argument by
// its place in the array of the call, as in "[0]".
type printing map[string]bool

// printingOf returns nil if the call prints nothing.
func printingOf(c *ssa.CallCommon, e *effects.Effect, f *types.Func) printing {
	if e.Prints == effects.None || len(c.Args) == 0 {
		return nil
	}
	s, ok := c.Args[len(c.Args)-1].(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	verbs, formatted := "", strings.HasSuffix(f.Name(), "f")
	if formatted {
		verbs = verbsOf(c.Args[len(c.Args)-2])
	}
	p := printing{}
	for _, r := range *array.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		i, ok := at.Index.(*ssa.Const)
		if !ok {
			continue
		}
		n := int(i.Int64())
		p[element(at)] = isPrinted(at) && (!formatted || n < len(verbs) && !strings.ContainsRune("pT", rune(verbs[n])))
	}
	return p
}

// verbsOf returns the verbs of a format, one for each operand. For a format that is unknown, or whose operands are not in
// order, it has none.
func verbsOf(format ssa.Value) string {
	k, ok := format.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.String {
		return ""
	}
	var verbs []byte
	text := constant.StringVal(k.Value)
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		for i++; i < len(text) && strings.IndexByte("+-# 0123456789.*", text[i]) >= 0; i++ {
			if text[i] == '*' {
				verbs = append(verbs, 'p') // a width, not an operand
			}
		}
		switch {
		case i >= len(text) || text[i] == '[':
			return ""
		case text[i] != '%':
			verbs = append(verbs, text[i])
		}
	}
	return string(verbs)
}

// isPrinted reports whether an argument is printed with the memory that it points at. Of a pointer to a number or to
// another pointer, only the address is.
func isPrinted(at *ssa.IndexAddr) bool {
	for _, r := range *at.Referrers() {
		s, ok := r.(*ssa.Store)
		if !ok {
			continue
		}
		m, ok := s.Val.(*ssa.MakeInterface)
		if !ok {
			return true // an interface
		}
		t := m.X.Type().Underlying()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem().Underlying()
		}
		switch t.(type) {
		case *types.Struct, *types.Array, *types.Slice, *types.Map, *types.Interface:
			return true
		}
	}
	return false
}
