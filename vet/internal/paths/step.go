package paths

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// step carries out an instruction that is no jump.
func (x *exploration) step(st *state, instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.Store:
		at := x.get(st, i.Addr)
		x.use(st, i, at, UseAfterPut)
		x.store(st, i, at, x.get(st, i.Val))
	case *ssa.MapUpdate:
		x.mapUpdate(st, i)
	case *ssa.Send:
		v := x.get(st, i.X)
		x.useReach(st, i, []val{v}, SentAfterPut)
		x.yield(st, false)
		x.share(st, i, v)
	case *ssa.Go:
		x.launch(st, i)
	case *ssa.Defer:
		fn, args := x.operands(st, &i.Call)
		f := st.top()
		f.defers = append(f.defers, deferred{instr: i, fn: fn, args: args})
	case *ssa.Call:
		fn, args := x.operands(st, &i.Call)
		x.invoke(st, i, fn, args, false)
	case *ssa.UnOp:
		x.unary(st, i)
	case *ssa.Slice:
		x.slice(st, i)
	case *ssa.Convert:
		x.convert(st, i, i.X)
	case *ssa.MultiConvert:
		x.convert(st, i, i.X)
	case *ssa.TypeAssert:
		x.typeAssert(st, i)
	case *ssa.Select:
		x.selects(st, i)
		delete(st.top().env, i)
	case ssa.Value:
		if v, known := x.evaluate(st, i); known {
			st.top().env[i] = v
		} else {
			delete(st.top().env, i)
		}
	}
}

// evaluate returns the value of an instruction that changes nothing, if something is known of it.
func (x *exploration) evaluate(st *state, v ssa.Value) (_ val, known bool) {
	switch i := v.(type) {
	case *ssa.Alloc: // a callee that is not followed may keep the address
		return st.make(local, i), true
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		return st.make(made, i), true
	case *ssa.FieldAddr:
		return within(x.get(st, i.X), "."+strconv.Itoa(i.Field)), true
	case *ssa.IndexAddr:
		return within(x.get(st, i.X), element(i)), true
	case *ssa.Field:
		return x.field(st, i), true
	case *ssa.BinOp:
		if shape.IsBasic(i.X.Type(), types.IsString) {
			x.useRefs(st, i, slices.Concat(x.get(st, i.X).refs, x.get(st, i.Y).refs), UseAfterPut)
		}
		if v, ok := x.firstIndex(st, i); ok {
			return v, true
		}
		return x.binary(st, i), true
	case *ssa.ChangeType:
		return x.get(st, i.X), true
	case *ssa.ChangeInterface:
		return x.get(st, i.X), true
	case *ssa.SliceToArrayPointer:
		return x.get(st, i.X), true
	case *ssa.MakeInterface:
		return x.inInterface(st, i), true
	case *ssa.Extract:
		return x.extracted(st, i), true
	case *ssa.MakeClosure:
		v := val{sym: "v" + i.Name(), fn: i.Fn.(*ssa.Function)}
		for _, b := range i.Bindings {
			v.binds = append(v.binds, x.get(st, b))
		}
		return v, true
	case *ssa.Lookup:
		x.use(st, i, x.get(st, i.X), UseAfterPut)
	case *ssa.Range:
		x.use(st, i, x.get(st, i.X), UseAfterPut)
	}
	return val{}, false
}

// mapUpdate carries out an assignment to an element of a map.
func (x *exploration) mapUpdate(st *state, i *ssa.MapUpdate) {
	m := x.get(st, i.Map)
	x.use(st, i, m, UseAfterPut)
	for _, r := range m.refs {
		if x.get(st, i.Value).null {
			st.release(r.id) // perhaps the value that is the item
		}
		x.hold(st, r.id, "#held", x.get(st, i.Key), i)
		x.hold(st, r.id, "#held", x.get(st, i.Value), i)
	}
}

// field returns a field of a struct that is no variable.
func (x *exploration) field(st *state, i *ssa.Field) val {
	v := x.get(st, i.X)
	if i.Field < len(v.elems) && (v.elems[i.Field].sym != "" || len(v.elems[i.Field].refs) > 0) {
		return v.elems[i.Field]
	}
	return x.fresh(st, i, i.Type())
}

// inInterface returns a value in an interface, which is never nil.
func (x *exploration) inInterface(st *state, i *ssa.MakeInterface) val {
	v := x.get(st, i.X)
	if !shape.PointerLike(i.X.Type()) && len(v.refs) == 0 {
		v = val{sym: "v" + i.Name(), elems: v.elems, cst: v.cst}
	}
	v.null = false
	return v
}

// extracted returns one of the results of a call, or of another instruction with several.
func (x *exploration) extracted(st *state, i *ssa.Extract) val {
	t := x.get(st, i.Tuple)
	if i.Index < len(t.elems) {
		return t.elems[i.Index]
	}
	v := x.fresh(st, i, i.Type())
	v.sym = fmt.Sprintf("(x %s %d)", t.sym, i.Index)
	return v
}

// typeAssert carries out a type assertion. With two results, the second may tell whether a
// pool was empty.
func (x *exploration) typeAssert(st *state, i *ssa.TypeAssert) {
	v := x.get(st, i.X)
	if !shape.PointerLike(i.AssertedType) {
		v = val{sym: "v" + i.Name(), elems: v.elems, refs: nil}
	}
	if !i.CommaOk {
		st.top().env[i] = v
		return
	}
	ok := val{sym: fmt.Sprintf("(x v%s 1)", i.Name())}
	st.top().env[i] = val{sym: "v" + i.Name(), elems: []val{v, ok}}
	if len(v.refs) == 1 && st.objs[v.refs[0].id].kind == pooled && decidesAlone(i) {
		st.await(v.refs[0].id, pending{sym: ok.sym}) // the pool was empty, and its New is nil
	}
}

// decidesAlone reports whether a type assertion is the only one of its operand, and
// whether somebody looks at the outcome.
func decidesAlone(t *ssa.TypeAssert) bool {
	for _, r := range *t.X.Referrers() {
		if other, ok := r.(*ssa.TypeAssert); ok && other != t {
			return false
		}
	}
	for _, r := range *t.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == 1 && len(*e.Referrers()) > 0 {
			return true
		}
	}
	return false
}

// selects carries out a select statement. Where the program asks which case was chosen, an
// object that is sent passes to its receiver only on paths of that case.
func (x *exploration) selects(st *state, i *ssa.Select) {
	x.yield(st, false)
	for n, s := range i.States {
		if s.Send == nil {
			continue
		}
		v := x.get(st, s.Send)
		x.useReach(st, i, []val{v}, SentAfterPut)
		if len(shape.Choices(i, n)) == 0 { // the rest is the same whichever case was chosen
			x.shareBy(st, &share{i, s.Pos}, v)
			continue
		}
		// The memory is the receiver's if this case was chosen.
		chosen := pending{sym: fmt.Sprintf("(== (x v%s 0) %d)", i.Name(), n), truth: true, share: &share{i, s.Pos}}
		x.reach(st, v, 3, func(r ref, _, _ bool) {
			if o := st.objs[r.id]; o.dead == nil && !o.null && o.kind != global && o.count == 0 {
				st.await(r.id, chosen)
			}
		})
		if len(v.refs) != 1 || st.objs[v.refs[0].id].kind != pooled {
			x.escape(st, v)
		}
	}
}

// operands returns the function that is called and its arguments, first of them the receiver
// of a method of an interface.
func (x *exploration) operands(st *state, c *ssa.CallCommon) (fn val, args []val) {
	fn = x.get(st, c.Value)
	if c.IsInvoke() {
		args = append(args, fn)
	}
	for _, a := range c.Args {
		args = append(args, x.get(st, a))
	}
	return fn, args
}

func (x *exploration) unary(st *state, i *ssa.UnOp) {
	f := st.top()
	v := x.get(st, i.X)
	switch i.Op {
	case token.MUL:
		x.use(st, i, v, UseAfterPut)
		if g, ok := i.X.(*ssa.Global); ok && x.SetOnce[g] != nil {
			f.env[i] = val{sym: "v" + i.Name(), fn: x.SetOnce[g]}
			return
		}
		f.env[i] = x.load(st, i, v, shape.FieldOf(i.X), i.Type())
	case token.NOT:
		if v.cst != nil && v.cst.Kind() == constant.Bool {
			f.env[i] = answer(!constant.BoolVal(v.cst))
			return
		}
		if s, ok := strings.CutPrefix(v.sym, "!"); ok {
			v.sym = s
		} else {
			v.sym = "!" + v.sym
		}
		f.env[i] = v
	case token.ARROW:
		x.yield(st, false)
		delete(f.env, i)
	default:
		delete(f.env, i)
	}
}

func (x *exploration) slice(st *state, i *ssa.Slice) {
	f := st.top()
	v := x.get(st, i.X)
	f.env[i] = val{sym: "v" + i.Name()}
	if len(v.refs) == 0 {
		return
	}
	isConst := func(v ssa.Value, n int64) bool {
		c, ok := v.(*ssa.Const)
		return ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Compare(c.Value, token.EQL, constant.MakeInt64(n))
	}
	b := bits(0)
	if i.Low != nil && !isConst(i.Low, 0) {
		b |= cut | partial
	}
	if i.High != nil {
		b |= partial
	}
	if i.Max != nil {
		b |= clipped | partial
		if isConst(i.Max, 0) {
			b |= empty
		}
	}
	r := mark(v, b)
	r.sym, r.cst, r.null = "v"+i.Name(), nil, false
	f.env[i] = r
}

func (x *exploration) convert(st *state, i ssa.Value, from ssa.Value) {
	f := st.top()
	v := x.get(st, from)
	_, slice := from.Type().Underlying().(*types.Slice)
	if slice && shape.IsBasic(i.Type(), types.IsString) || shape.IsBasic(from.Type(), types.IsString) { // a copy
		x.use(st, i.(ssa.Instruction), v, UseAfterPut)
		f.env[i] = val{sym: "v" + i.Name()}
		if shape.PointerLike(i.Type()) {
			delete(f.env, i)
		}
		return
	}
	v.nilOf = 0
	if types.Identical(i.Type(), types.Typ[types.UnsafePointer]) {
		for _, r := range v.refs {
			st.edit(r.id).gone = true // under another type, what is stored there is not seen
		}
	}
	if v.cst != nil {
		v = val{sym: v.sym, cst: v.cst}
	}
	f.env[i] = v
}

// launch starts a goroutine.
func (x *exploration) launch(st *state, i *ssa.Go) {
	fn, args := x.operands(st, &i.Call)
	args = append(args, fn.binds...)
	x.useReach(st, i, args, GoAfterPut)
	x.yield(st, true)
	for _, a := range args {
		x.share(st, i, a)
		x.escape(st, a)
	}
}
