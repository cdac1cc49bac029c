package pooled

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// invoke carries out a call, be it deferred or not.
func (x *exploration) invoke(st *state, instr ssa.CallInstruction, fn val, args []val, isDeferred bool) {
	common := instr.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		x.builtin(st, instr, b.Name(), args)
		return
	}
	object, callee := x.calleeAt(common, fn)
	if object != nil {
		if m := x.model(object); m != nil {
			x.apply(st, instr, m, object, args, isDeferred)
			return
		}
	}
	if callee != nil && x.followed(st, callee) && len(args) == len(callee.Params) {
		f := newFrame(callee)
		for i, p := range callee.Params {
			f.env[p] = args[i]
		}
		f.free = fn.binds
		f.call = instr
		st.frames = append(st.frames, f)
		return
	}
	if fact := x.factOf(object, callee); fact != nil {
		x.applyFact(st, instr, fact, object, callee, args, isDeferred)
		return
	}
	x.unknownCall(st, instr, object, callee, args)
	if callee != nil && x.pure(callee) {
		name := callee.String()
		for _, a := range args {
			name += "," + a.sym
		}
		if len(name) < 200 {
			x.result(st, instr, val{sym: "(" + name + ")"})
		}
	}
}

// calleeAt is calleeOf, but it also knows the functions of function values on this path.
func (x *exploration) calleeAt(c *ssa.CallCommon, fn val) (object *types.Func, callee *ssa.Function) {
	object, callee = x.calleeOf(c)
	if c.IsInvoke() {
		return object, callee
	}
	if callee == nil && fn.fn != nil {
		callee = fn.fn
		object, _ = callee.Object().(*types.Func)
	}
	if callee == nil {
		return nil, nil
	}
	callee = shape.Generic(callee)
	if callee == fn.fn && len(fn.binds) > 0 {
		object = nil
	}
	return object, callee
}

// followed reports whether a path goes on in a function that it calls. It follows into closures, which use variables of the
// path, and into functions that return closures.
func (x *exploration) followed(st *state, callee *ssa.Function) bool {
	switch {
	case len(callee.Blocks) == 0 || len(callee.Blocks) > 40 || len(st.frames) >= maxDepth || active(st, callee):
		return false
	case callee.Parent() != nil || len(callee.FreeVars) > 0:
		return true
	}
	return callee.Pkg == x.ssa && shape.ReturnsFunction(callee)
}

func active(st *state, fn *ssa.Function) bool {
	for _, f := range st.frames {
		if f.fn == fn {
			return true
		}
	}
	return false
}

// unknownCall carries out a call of a function that has neither a model nor a summary.
func (x *exploration) unknownCall(st *state, instr ssa.CallInstruction, f *types.Func, callee *ssa.Function, args []val) {
	isTest := x.inTest(instr.Pos())
	address := shape.PrintsAddress(instr.Common())
	x.useArgs(st, instr, args, nil, func(i int) bool { return address || isTest && x.boxed(instr.Common(), i) })
	isCalm := f != nil && effects.Calm(f.Pkg())
	x.yield(st, isCalm)
	if !isCalm {
		var e *writes
		if callee != nil && callee.Pkg == x.ssa {
			e = x.writesOf(callee)
		}
		for _, a := range args {
			x.escape(st, a)
			for _, r := range a.refs {
				if o := st.objs[r.id]; o.kind == param && !o.touched && (e == nil || e.unknown || len(e.fields) > 0) {
					st.edit(r.id).touched = true
				}
			}
		}
		x.havoc(st, e)
	}
	x.unknownResult(st, instr)
}
