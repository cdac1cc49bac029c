package places

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// Lent reports whether the value that an instruction stores into a place may be needed from there until the function
// returns: by the function, by a function that it calls, or by a goroutine that it waits for. Such a store is a loan, and
// nobody may look at the place afterwards. A callee that changes the place may end the loan.
func (x *Index) Lent(store ssa.Instruction, p Place) bool {
	fn := store.Parent()
	for i := range after(store) {
		if i != store && (contains(reads(i), p) || x.waits(i, p) || x.callUses(i, p)) {
			return true
		}
	}
	// A deferred call runs later, wherever it stands.
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok && x.callUses(d, p) {
				return true
			}
		}
	}
	return false
}

func contains(ps []Place, p Place) bool {
	for _, q := range ps {
		if p == q {
			return true
		}
	}
	return false
}

// after yields the instructions that may follow an instruction in its function.
func after(i ssa.Instruction) func(func(ssa.Instruction) bool) {
	return func(yield func(ssa.Instruction) bool) {
		seen := map[*ssa.BasicBlock]bool{}
		work := []*ssa.BasicBlock{}
		visit := func(instrs []ssa.Instruction, succs []*ssa.BasicBlock) bool {
			for _, i := range instrs {
				if !yield(i) {
					return false
				}
			}
			work = append(work, succs...)
			return true
		}
		b := i.Block()
		for n, other := range b.Instrs {
			if other == i && !visit(b.Instrs[n+1:], b.Succs) {
				return
			}
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !seen[b] {
				seen[b] = true
				if !visit(b.Instrs, b.Succs) {
					return
				}
			}
		}
	}
}

// waits reports whether an instruction lets another goroutine go on that may use a place.
func (x *Index) waits(i ssa.Instruction, p Place) bool {
	switch i := i.(type) {
	case *ssa.Send, *ssa.Select, *ssa.Go:
		return x.usedBeside(i.Parent(), p)
	case *ssa.UnOp:
		return i.Op == token.ARROW && x.usedBeside(i.Parent(), p)
	case ssa.CallInstruction:
		f := i.Common().StaticCallee()
		return f != nil && f.Name() == "Wait" && f.Signature.Recv() != nil && x.usedBeside(i.Parent(), p)
	}
	return false
}

// usedBeside reports whether another function than fn may use a place.
func (x *Index) usedBeside(fn *ssa.Function, p Place) bool {
	if o, ok := p.(*types.Var); ok && o.Exported() {
		return true
	}
	if g, ok := p.(*ssa.Global); ok && g.Object() != nil && g.Object().Exported() {
		return true
	}
	n := len(x.users[p])
	if x.users[p][fn] {
		n--
	}
	return isParameter(p) || n > 0
}

// callUses reports whether a call may use a place.
func (x *Index) callUses(i ssa.Instruction, p Place) bool {
	c, ok := i.(ssa.CallInstruction)
	if !ok || !x.usedBeside(i.Parent(), p) {
		return false
	}
	common := c.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return false
	}
	if par, ok := p.(*ssa.Parameter); ok {
		return passes(common, par)
	}
	callee := common.StaticCallee()
	if o := shape.Declared(c); o != nil && x.quiet(o) {
		return false
	}
	if callee == nil {
		if common.IsInvoke() {
			return common.Method.Pkg() == x.pkg.Pkg && x.anyUses(p, x.methods[common.Method.Name()]) || x.passesOwn(common)
		}
		return true // a function value may be anything
	}
	if x.isOwn(callee) {
		return x.anyUses(p, []*ssa.Function{callee})
	}
	return x.passesOwn(common) || x.isMethodOf(callee, p)
}

// isMethodOf reports whether a function of another package is a method of the struct that has a field: it may use the
// field until it returns.
func (x *Index) isMethodOf(fn *ssa.Function, p Place) bool {
	f, ok := p.(*types.Var)
	if !ok || fn.Signature.Recv() == nil || f.Pkg() == x.pkg.Pkg {
		return false
	}
	t := fn.Signature.Recv().Type()
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for g := range s.Fields() {
		if g.Origin() == f {
			return true
		}
	}
	return false
}

// anyUses reports whether one of some functions, or a function that they call, uses a place.
func (x *Index) anyUses(p Place, funcs []*ssa.Function) bool {
	for _, fn := range funcs {
		for f := range x.closure(fn) {
			if x.users[p][f] {
				return true
			}
		}
	}
	return false
}

// passes reports whether a call is given a value.
func passes(c *ssa.CallCommon, v ssa.Value) bool {
	for _, a := range c.Args {
		if a == v {
			return true
		}
		if m, ok := a.(*ssa.MakeInterface); ok && m.X == v {
			return true
		}
	}
	return false
}

// passesOwn reports whether a call of a function elsewhere is given something with methods of this package, or a function
// of it: they may be called back.
func (x *Index) passesOwn(c *ssa.CallCommon) bool {
	args := c.Args
	if c.IsInvoke() {
		args = append(args[:len(args):len(args)], c.Value)
	}
	for _, a := range args {
		if m, ok := a.(*ssa.MakeInterface); ok {
			a = m.X
		}
		t := a.Type()
		if _, ok := t.Underlying().(*types.Signature); ok && !shape.IsNil(a) {
			return true
		}
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() == x.pkg.Pkg {
			return true
		}
	}
	return false
}

// isOwn reports whether a function is one of this package, perhaps an instance or a literal.
func (x *Index) isOwn(fn *ssa.Function) bool {
	return origin(fn).Pkg == x.pkg || fn.Parent() != nil
}

// origin returns the function that an instance or a method value stands for.
func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	if m, ok := fn.Object().(*types.Func); ok && fn.Synthetic != "" {
		if f := fn.Prog.FuncValue(m); f != nil {
			return f
		}
	}
	return fn
}

// closure returns a function and those of the package that it calls or refers to, over others too.
func (x *Index) closure(fn *ssa.Function) map[*ssa.Function]bool {
	fn = origin(fn)
	if all, ok := x.callees[fn]; ok {
		return all
	}
	all := map[*ssa.Function]bool{}
	x.callees[fn] = all
	var work []*ssa.Function
	add := func(f *ssa.Function) {
		if f = origin(f); x.isOwn(f) && !all[f] {
			all[f] = true
			work = append(work, f)
		}
	}
	add(fn)
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				x.calls(i, add)
			}
		}
	}
	return all
}

// calls adds the functions that an instruction calls or refers to. A method of an interface of this package is any method
// of that name.
func (x *Index) calls(i ssa.Instruction, add func(*ssa.Function)) {
	for _, op := range i.Operands(nil) {
		if f, ok := (*op).(*ssa.Function); ok {
			add(f)
		}
	}
	if c, ok := i.(ssa.CallInstruction); ok && c.Common().IsInvoke() && c.Common().Method.Pkg() == x.pkg.Pkg {
		for _, m := range x.methods[c.Common().Method.Name()] {
			add(m)
		}
	}
}
