// Package shape tells what the SSA form of a function looks like: its loops, its conditions and the values that lead to one
// another. It knows no pools and follows no path.
//
// Touch it for a form of code that the analyses do not recognize. Its functions look at one function of the program, and keep
// nothing.
package shape

import (
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// FieldOf returns the field that an address is of, or nil.
func FieldOf(addr ssa.Value) *types.Var {
	f, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	ptr, ok := f.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	s, ok := ptr.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return s.Field(f.Field).Origin()
}

// IsNil reports whether a value is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// Passed returns the operand of an instruction that passes memory on, or nil.
func Passed(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Slice:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.Extract:
		return v.Tuple
	}
	return nil
}

// WholeOf returns the value of which another one is a part, or which it is in another form, or nil.
func WholeOf(v ssa.Value) ssa.Value {
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
	return Passed(v)
}

// ParamOf returns the parameter that a value is, or is a part of.
func ParamOf(v ssa.Value) (params uint64, ok bool) {
	for range 10 {
		if p, ok := v.(*ssa.Parameter); ok {
			i := slices.Index(p.Parent().Params, p)
			return 1 << i, i < 64
		}
		if v = WholeOf(v); v == nil {
			break
		}
	}
	return 0, false
}

// Stores returns the values stored into a variable, or into its fields or elements.
func Stores(v ssa.Value) (vs []ssa.Value) {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == v {
				vs = append(vs, r.Val)
			}
		case *ssa.FieldAddr:
			vs = append(vs, Stores(r)...)
		case *ssa.IndexAddr:
			vs = append(vs, Stores(r)...)
		}
	}
	return vs
}

// NameOf returns the name of the function that a call calls, and its arguments with the receiver.
func NameOf(c *ssa.CallCommon) (name string, args []ssa.Value) {
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

// Measured returns the value whose length or capacity a call returns, or nil.
func Measured(c *ssa.Call) ssa.Value {
	name, args := NameOf(&c.Call)
	switch name {
	case "len", "cap", "Len", "Cap", "Size", "Capacity":
		if len(args) == 1 {
			return args[0]
		}
	}
	return nil
}

// Measures returns the value whose capacity a condition looks at, or nil.
func Measures(v ssa.Value, depth int) ssa.Value {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		if m := Measures(v.X, depth-1); m != nil {
			return m
		}
		return Measures(v.Y, depth-1)
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return Measures(v.X, depth-1)
		}
	case *ssa.Convert:
		return Measures(v.X, depth-1)
	case *ssa.Call:
		if name, _ := NameOf(&v.Call); strings.HasPrefix(strings.ToLower(name), "cap") {
			return Measured(v)
		}
	}
	return nil
}

// IsLimit reports whether a value is a number from a field.
func IsLimit(v ssa.Value) bool {
	if c, ok := v.(*ssa.Convert); ok {
		v = c.X
	}
	u, ok := v.(*ssa.UnOp)
	return ok && u.Op == token.MUL && FieldOf(u.X) != nil
}

// Generic returns the function that an instance is made of, or the function itself.
func Generic(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// IsArgument reports whether a value is a parameter with memory.
func IsArgument(v ssa.Value) bool {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	_, ok := v.(*ssa.Parameter)
	return ok && PointerLike(v.Type())
}

// HasArgument reports whether a value is a parameter with memory, or a struct literal with one in a field.
func HasArgument(v ssa.Value) bool {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	if l, ok := v.(*ssa.UnOp); ok && l.Op == token.MUL {
		v = l.X
	}
	a, ok := v.(*ssa.Alloc)
	if !ok {
		return IsArgument(v)
	}
	for _, r := range *a.Referrers() {
		if f, ok := r.(*ssa.FieldAddr); ok && slices.ContainsFunc(Stores(f), IsArgument) {
			return true
		}
	}
	return false
}

// OnlyStored returns the value of a variable that is assigned once, be it captured or
// not, or nil.
func OnlyStored(a *ssa.Alloc) (val ssa.Value) {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr != a || val != nil {
				return nil
			}
			val = r.Val
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == a && !onlyLoaded(r.Fn.(*ssa.Function).FreeVars[i]) {
					return nil
				}
			}
		default:
			return nil
		}
	}
	return val
}

func onlyLoaded(v *ssa.FreeVar) bool {
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.UnOp); !ok {
			return false
		}
	}
	return true
}

// Instructions yields the instructions of functions.
func Instructions(funcs ...*ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, fn := range funcs {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if !yield(i) {
						return
					}
				}
			}
		}
	}
}

// Declared returns the declaration of the function or of the interface's method that a call calls, or nil.
func Declared(c ssa.CallInstruction) *types.Func {
	if c.Common().IsInvoke() {
		return c.Common().Method
	}
	if f := c.Common().StaticCallee(); f != nil {
		o, _ := f.Object().(*types.Func)
		return o
	}
	return nil
}

// WithLiterals returns a function and the function literals in it.
func WithLiterals(fn *ssa.Function) []*ssa.Function {
	all := []*ssa.Function{fn}
	for _, a := range fn.AnonFuncs {
		all = append(all, WithLiterals(a)...)
	}
	return all
}

// Outermost returns the declared function that a function literal is in.
func Outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// ReturnsFunction reports whether a function returns a function. That one often puts another result.
func ReturnsFunction(fn *ssa.Function) bool {
	for v := range fn.Signature.Results().Variables() {
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}
