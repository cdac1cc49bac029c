package pooled

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// conditions tells which conditions of a function are worth remembering.
type conditions struct {
	repeated map[*ssa.If]bool
	tested   map[ssa.Value]bool
}

func (p *packageInfo) condsOf(fn *ssa.Function) *conditions {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if c := p.conds[fn]; c != nil {
		return c
	}
	c := &conditions{repeated: map[*ssa.If]bool{}, tested: map[ssa.Value]bool{}}
	count := map[any]int{}
	leaves := map[*ssa.If]map[any]bool{}
	var look func(fn *ssa.Function)
	look = func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				cond, ok := i.(*ssa.If)
				if !ok {
					continue
				}
				set := map[any]bool{}
				p.leaves(cond.Cond, set, c.tested, 6)
				leaves[cond] = set
				for l := range set {
					count[l]++
				}
			}
		}
		for _, a := range fn.AnonFuncs {
			look(a)
		}
	}
	look(fn)
	for cond, set := range leaves {
		for l := range set {
			if count[l] > 1 {
				c.repeated[cond] = true
			}
		}
	}
	p.conds[fn] = c
	return c
}

// leaves adds to set the variables, fields and functions that a condition depends on, and to
// tested all values on the way to them.
func (p *packageInfo) leaves(v ssa.Value, set map[any]bool, tested map[ssa.Value]bool, depth int) {
	tested[v] = true
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case *ssa.Const:
		return
	case *ssa.BinOp:
		p.leaves(v.X, set, tested, depth-1)
		p.leaves(v.Y, set, tested, depth-1)
		return
	case *ssa.UnOp:
		if v.Op == token.MUL {
			set[variable(v.X)] = true
		} else {
			p.leaves(v.X, set, tested, depth-1)
		}
		return
	case *ssa.Phi:
		set[v] = true
		for _, e := range v.Edges {
			if !tested[e] {
				p.leaves(e, set, tested, depth-1)
			}
		}
		return
	case *ssa.Call:
		if f := v.Call.StaticCallee(); f != nil && p.pure(f) {
			set[f] = true // it says the same each time
			return
		}
		if _, ok := v.Call.Value.(*ssa.Builtin); ok {
			if arg := shape.Measured(v); arg != nil {
				p.leaves(arg, set, tested, depth-1)
				return
			}
		}
	case *ssa.Convert:
		p.leaves(v.X, set, tested, depth-1)
		return
	case *ssa.ChangeType:
		p.leaves(v.X, set, tested, depth-1)
		return
	}
	set[v] = true
}

// variable returns the variable or the field that an address is of. A variable that is captured is known by its name.
func variable(addr ssa.Value) any {
	if f := shape.FieldOf(addr); f != nil {
		return f
	}
	switch a := addr.(type) {
	case *ssa.FreeVar:
		return a.Name()
	case *ssa.Alloc:
		return a.Comment
	}
	return addr
}

func (p *packageInfo) repeated(i *ssa.If) bool { return p.condsOf(i.Parent()).repeated[i] }

func (p *packageInfo) tested(fn *ssa.Function, v ssa.Value) bool { return p.condsOf(fn).tested[v] }

// sizeTest reports whether a condition asks only for the size, the type or the
// presence of parameters, and of which ones. For such reasons, a wrapper of Put may
// drop a value.
func (p *packageInfo) sizeTest(root *ssa.Function, v ssa.Value) (params uint64, ok bool) {
	return shape.SizeTest(root, v, map[*ssa.Phi]bool{})
}

// limitsPut reports whether one of the branches of a condition, and only that, leads to
// a Put.
func (p *packageInfo) limitsPut(i *ssa.If) bool {
	puts := [2]bool{}
	for n, s := range i.Block().Succs {
		if len(s.Preds) > 1 {
			continue
		}
		for _, b := range i.Parent().Blocks {
			if !s.Dominates(b) {
				continue
			}
			for _, instr := range b.Instrs {
				if c, ok := instr.(ssa.CallInstruction); ok && !puts[n] && p.callPuts(c) {
					puts[n] = true
				}
			}
		}
	}
	return puts[0] != puts[1]
}
