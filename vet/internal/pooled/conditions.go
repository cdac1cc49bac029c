package pooled

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
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
			if arg := measured(v); arg != nil {
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
	if f := fieldOf(addr); f != nil {
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
	return sizeTest(root, v, map[*ssa.Phi]bool{})
}

func sizeTest(root *ssa.Function, v ssa.Value, seen map[*ssa.Phi]bool) (params uint64, ok bool) {
	if v.Parent() != root && v.Parent() != nil {
		return 0, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return 0, true
	case *ssa.BinOp:
		return comparesSizes(root, v, seen)
	case *ssa.Call:
		if a := measured(v); a != nil {
			return paramOf(a)
		}
	case *ssa.Extract:
		if t, ok := v.Tuple.(*ssa.TypeAssert); ok {
			return paramOf(t.X)
		}
		_, ok := v.Tuple.(*ssa.Select) // no caller knows which channel is ready
		return 0, ok && v.Index == 0
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return sizeTest(root, v.X, seen)
		}
		_, ok := v.X.(*ssa.Global)
		return 0, ok
	case *ssa.Phi: // a number that a loop counts up or down
		return countTest(root, v, seen)
	case *ssa.Convert:
		return sizeTest(root, v.X, seen)
	}
	return 0, false
}

// comparesSizes is sizeTest for a comparison. One side may be any limit, if the other is the size of a parameter.
func comparesSizes(root *ssa.Function, v *ssa.BinOp, seen map[*ssa.Phi]bool) (params uint64, ok bool) {
	if isNil(v.Y) {
		return paramOf(v.X)
	}
	a, okA := sizeTest(root, v.X, seen)
	b, okB := sizeTest(root, v.Y, seen)
	if isLimit(v.X) || isLimit(v.Y) {
		return a | b, a|b != 0 && (okA || isLimit(v.X)) && (okB || isLimit(v.Y))
	}
	return a | b, okA && okB
}

// countTest is sizeTest for a value that depends on the path.
func countTest(root *ssa.Function, v *ssa.Phi, seen map[*ssa.Phi]bool) (params uint64, ok bool) {
	if seen[v] {
		return 0, true
	}
	seen[v] = true
	if b, _ := v.Type().Underlying().(*types.Basic); b == nil || b.Info()&types.IsInteger == 0 {
		return 0, false
	}
	ok = true
	for _, e := range v.Edges {
		of, isSize := sizeTest(root, e, seen)
		params, ok = params|of, ok && isSize
	}
	return params, ok
}

// measured returns the value whose length or capacity a call returns, or nil.
func measured(c *ssa.Call) ssa.Value {
	name, args := nameOf(&c.Call)
	switch name {
	case "len", "cap", "Len", "Cap", "Size", "Capacity":
		if len(args) == 1 {
			return args[0]
		}
	}
	return nil
}

// nameOf returns the name of the function that a call calls, and its arguments with the receiver.
func nameOf(c *ssa.CallCommon) (name string, args []ssa.Value) {
	if c.IsInvoke() {
		return c.Method.Name(), append([]ssa.Value{c.Value}, c.Args...)
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name(), c.Args
	}
	if f := c.StaticCallee(); f != nil {
		return f.Name(), c.Args
	}
	return "", c.Args
}

// measures returns the value whose capacity a condition looks at, or nil.
func measures(v ssa.Value, depth int) ssa.Value {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		if m := measures(v.X, depth-1); m != nil {
			return m
		}
		return measures(v.Y, depth-1)
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return measures(v.X, depth-1)
		}
	case *ssa.Convert:
		return measures(v.X, depth-1)
	case *ssa.Call:
		if name, _ := nameOf(&v.Call); strings.HasPrefix(strings.ToLower(name), "cap") {
			return measured(v)
		}
	}
	return nil
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

// isLimit reports whether a value is a number from a field.
func isLimit(v ssa.Value) bool {
	if c, ok := v.(*ssa.Convert); ok {
		v = c.X
	}
	u, ok := v.(*ssa.UnOp)
	return ok && u.Op == token.MUL && fieldOf(u.X) != nil
}

// paramOf returns the parameter that a value is, or is a part of.
func paramOf(v ssa.Value) (params uint64, ok bool) {
	for range 10 {
		if p, ok := v.(*ssa.Parameter); ok {
			i := slices.Index(p.Parent().Params, p)
			return 1 << i, i < 64
		}
		if v = wholeOf(v); v == nil {
			break
		}
	}
	return 0, false
}

// wholeOf returns the value of which another one is a part, or which it is in another form, or nil.
func wholeOf(v ssa.Value) ssa.Value {
	switch u := v.(type) {
	case *ssa.UnOp:
		return u.X
	case *ssa.FieldAddr:
		return u.X
	case *ssa.Field:
		return u.X
	case *ssa.Convert:
		return u.X
	case *ssa.TypeAssert:
		return u.X
	case *ssa.Extract:
		if t, ok := u.Tuple.(*ssa.TypeAssert); ok {
			return t
		}
		return nil
	case *ssa.ChangeInterface:
		return nil
	case *ssa.Call:
		f := u.Call.StaticCallee()
		if f == nil || f.Name() != "Bytes" || len(u.Call.Args) != 1 {
			return nil
		}
		return u.Call.Args[0]
	case *ssa.Alloc: // a parameter whose address is taken
		for _, r := range *u.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == u {
				return s.Val
			}
		}
		return nil
	}
	return passed(v)
}
