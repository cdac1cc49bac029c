package facts

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// Local returns the fact of a function of this package, as its callers see it.
func (p *Package) Local(fn *ssa.Function) *Fact {
	if f := p.lists[fn]; f != nil {
		return f
	}
	return p.locals.Of(fn, nil, func(fn *ssa.Function) (f *Fact) {
		if p.mayPut(fn) || p.mayGet(fn) || p.mayAlias(fn) || p.mayShare(fn) || p.companions[fn] || p.wraps(fn) {
			f = p.explore(fn)
		}
		if f == nil && shape.ComparesOnly(fn) {
			f = &Fact{Calm: true, Looks: true}
		}
		return f
	})
}

// Of returns the fact of a function of this package or of another one, or nil.
func (p *Package) Of(object *types.Func, callee *ssa.Function) *Fact {
	switch {
	case object == nil || callee == nil:
		return nil
	case len(callee.Blocks) > 0 && callee.Pkg == p.SSA:
		return p.Local(callee)
	}
	return p.Imported(object)
}

// mayPut reports whether a call of the function may put something.
func (p *Package) mayPut(fn *ssa.Function) bool {
	return p.puts.Of(shape.Generic(fn), false, func(fn *ssa.Function) (may bool) {
		for i := range shape.Instructions(fn) {
			if c, ok := i.(ssa.CallInstruction); ok && p.CallPuts(c) {
				may = true
			}
			if u, ok := i.(*ssa.UnOp); ok {
				if g, ok := u.X.(*ssa.Global); ok && p.SetOnce[g] != nil && p.mayPut(p.SetOnce[g]) {
					may = true
				}
			}
		}
		for _, a := range fn.AnonFuncs {
			may = p.mayPut(a) || may
		}
		return may
	})
}

// CallPuts reports whether a call may put something that its caller knows.
func (p *Package) CallPuts(c ssa.CallInstruction) bool {
	object, callee := p.Callee(c.Common())
	if object != nil {
		if m := p.Row(object); m != nil {
			return m.Puts()
		}
		if f := p.Imported(object); f != nil && callee != nil && len(f.Puts) > 0 {
			return true
		}
	}
	if callee != nil {
		if puts, known := p.bodyPuts(callee); known {
			return puts
		}
	}
	// A closure or a method value that is kept in a variable.
	for _, op := range c.Operands(nil) {
		if m, ok := (*op).(*ssa.MakeClosure); ok && p.mayPut(m.Fn.(*ssa.Function)) {
			return true
		}
	}
	return false
}

// bodyPuts reports whether a function with a body at hand may put something that its caller knows.
func (p *Package) bodyPuts(fn *ssa.Function) (puts, known bool) {
	fn = shape.Generic(fn)
	switch {
	case p.lists[fn] != nil:
		return len(p.lists[fn].Puts) > 0, true
	case fn.Parent() != nil:
		return p.mayPut(fn), true
	case fn.Pkg == p.SSA:
		if !p.mayPut(fn) || shape.ReturnsFunction(fn) { // it may return a function that puts
			return p.mayPut(fn), true
		}
		// Otherwise only Puts of the callee's arguments count.
		f := p.Local(fn)
		return f != nil && len(f.Puts) > 0, true
	case len(fn.FreeVars) > 0 && len(fn.Blocks) > 0:
		return p.mayPut(fn), true
	}
	return false, false
}

// mayGet reports whether a function gets memory, for which it may forget the Put.
func (p *Package) mayGet(fn *ssa.Function) bool {
	for i := range shape.Instructions(fn) {
		if c, ok := i.(*ssa.Call); ok && p.callGets(c) {
			return true
		}
	}
	return false
}

func (p *Package) callGets(c *ssa.Call) bool {
	object, callee := p.Callee(&c.Call)
	if object == nil {
		return false
	}
	if m := p.Row(object); m != nil {
		return m.Get || m.Detach != effects.None
	}
	if callee != nil {
		callee = shape.Generic(callee)
	}
	f := p.Of(object, callee)
	return f != nil && len(f.Gets) > 0
}

// mayShare reports whether a function starts a goroutine itself, or sends one of its arguments, perhaps with the help of
// another function.
func (p *Package) mayShare(fn *ssa.Function) bool {
	return p.shares.Of(shape.Generic(fn), false, func(fn *ssa.Function) (may bool) {
		for i := range shape.Instructions(fn) {
			may = may || len(fn.Params) > 0 && p.sharesIn(i)
		}
		return may
	})
}

func (p *Package) sharesIn(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Go:
		return true
	case *ssa.Send:
		return shape.HasArgument(i.X)
	case *ssa.Select:
		return slices.ContainsFunc(i.States, func(s *ssa.SelectState) bool { return s.Send != nil && shape.HasArgument(s.Send) })
	case *ssa.Call:
		f := i.Call.StaticCallee()
		if f == nil || !slices.ContainsFunc(i.Call.Args, shape.IsArgument) {
			return false
		}
		if f.Pkg == p.SSA {
			return p.mayShare(f)
		}
		if o := shape.Declared(i); o != nil && p.Row(o) == nil {
			fact := p.Imported(o)
			return fact != nil && len(fact.Shares) > 0
		}
	}
	return false
}

// mayAlias reports whether a result of a function may be memory that it is given, or a
// part of it. From the return statements it follows slices, appends, conversions and
// calls back to the parameters.
func (p *Package) mayAlias(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 || len(fn.Blocks) > 40 || len(fn.Params) == 0 {
		return false
	}
	var work []ssa.Value
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			for _, v := range r.Results {
				if shape.HoldsPointers(v.Type()) && !shape.IsError(v.Type()) {
					work = append(work, v)
				}
			}
		}
	}
	seen := map[ssa.Value]bool{}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == nil || seen[v] {
			continue
		}
		seen[v] = true
		from, yes := p.aliasStep(fn, v)
		if yes {
			return true
		}
		work = append(work, from...)
	}
	return false
}

// aliasStep reports whether a value is memory that fn is given, or else returns the values
// through which it may be.
func (p *Package) aliasStep(fn *ssa.Function, v ssa.Value) (from []ssa.Value, yes bool) {
	if x := shape.Passed(v); x != nil {
		return []ssa.Value{x}, false
	}
	switch v := v.(type) {
	case *ssa.Parameter: // a method that returns its receiver is the business of rows
		return nil, shape.IsSlice(v.Type())
	case *ssa.Phi:
		return v.Edges, false
	case *ssa.MakeSlice:
		return shape.Stores(v), false
	case *ssa.Alloc: // a struct that is returned
		return shape.Stores(v), false
	case *ssa.Convert:
		b, ok := v.X.Type().Underlying().(*types.Basic)
		return nil, ok && b.Kind() == types.UnsafePointer
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return shape.Stores(a), false
		}
		return nil, v.Op == token.MUL && p.loadsArgument(v)
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		switch {
		case !ok:
			return nil, p.callAliases(fn, v)
		case b.Name() == "append":
			return v.Call.Args, false
		}
		return nil, b.Name() == "String" || b.Name() == "Slice"
	}
	return nil, false
}

// wraps reports whether a function stores an argument into a new struct of a type that has a method which puts.
func (p *Package) wraps(fn *ssa.Function) bool {
	if len(fn.Blocks) > 12 {
		return false
	}
	for i := range shape.Instructions(fn) {
		a, ok := i.(*ssa.Alloc)
		if !ok || !p.putters[a.Type().String()] {
			continue
		}
		for _, r := range *a.Referrers() {
			if f, ok := r.(*ssa.FieldAddr); ok && slices.ContainsFunc(shape.Stores(f), shape.IsArgument) {
				return true
			}
		}
	}
	return false
}

// loadsArgument reports whether a loaded value is memory of an argument: *b of a *[]byte, a slice in a field, or the memory
// of a field that is reused with its struct.
func (p *Package) loadsArgument(l *ssa.UnOp) bool {
	switch at := l.X.(type) {
	case *ssa.FieldAddr:
		if f := shape.FieldOf(at); f != nil && p.Reused(f) {
			return true
		}
		_, ok := at.X.(*ssa.Parameter)
		return ok && shape.IsSlice(l.Type())
	case *ssa.Parameter:
		return shape.IsSlice(l.Type())
	}
	return false
}

// callAliases reports whether a call that a function makes returns memory of a pool, or
// memory that it is given.
func (p *Package) callAliases(fn *ssa.Function, call *ssa.Call) bool {
	object, f := p.Callee(&call.Call)
	if object == nil {
		return false
	}
	if m := p.Row(object); m != nil {
		return m.Get || m.View != effects.None || m.Part != effects.None || m.Holds != effects.None
	}
	if f == nil {
		return false
	}
	fact := p.Imported(object)
	if f = shape.Generic(f); fact == nil && f.Pkg == p.SSA && f != fn {
		fact = p.Local(f)
	}
	return fact != nil && (len(fact.Gets) > 0 || len(fact.Aliases) > 0)
}
