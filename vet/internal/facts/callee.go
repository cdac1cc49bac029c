package facts

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// Callee returns the declaration of the function that a call calls, and its body, if they are known. The method of an
// interface has a body if one type alone implements the interface.
func (p *Package) Callee(c *ssa.CallCommon) (object *types.Func, callee *ssa.Function) {
	if c.IsInvoke() {
		if callee = p.implementation(c); callee == nil {
			return c.Method, nil
		}
	} else if callee = c.StaticCallee(); callee == nil {
		return nil, nil
	}
	object, _ = callee.Object().(*types.Func)
	return object, callee
}

// implementation returns the method that a call of an interface's method calls, or nil if it may be one of several. The
// interface must be one that no other package can name.
func (p *Package) implementation(c *ssa.CallCommon) *ssa.Function {
	n, ok := types.Unalias(c.Value.Type()).(*types.Named)
	if !ok || n.Obj().Pkg() != p.Pass.Pkg || n.Obj().Exported() || n.TypeArgs().Len() > 0 {
		return nil
	}
	return p.Method(p.sole.Of(n, nil, soleImplementation), c.Method)
}

// Method returns the method of a type, a pointer, that a call of an interface's method calls. The type may be nil.
func (p *Package) Method(typ types.Type, of *types.Func) *ssa.Function {
	if ptr, ok := typ.(*types.Pointer); !ok || types.IsInterface(ptr.Elem()) {
		return nil
	}
	m, _, _ := types.LookupFieldOrMethod(typ, false, of.Pkg(), of.Name())
	f, ok := m.(*types.Func)
	if !ok || f.Pkg() != p.Pass.Pkg {
		return nil
	}
	if r, ok := f.Signature().Recv().Type().(*types.Pointer); !ok || !types.Identical(r, typ) {
		return nil // the receiver is a copy, or it is a part of the value
	}
	return p.SSA.Prog.FuncValue(f)
}

// soleImplementation returns the only type of a package that implements one of its interfaces, a pointer, or nil.
func soleImplementation(iface *types.Named) (sole types.Type) {
	scope := iface.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || o.IsAlias() || types.IsInterface(o.Type()) {
			continue
		}
		n, ok := o.Type().(*types.Named)
		if !ok || !types.Implements(types.NewPointer(n), iface.Underlying().(*types.Interface)) {
			continue
		}
		if sole != nil || n.TypeParams().Len() > 0 {
			return nil
		}
		sole = types.NewPointer(n)
	}
	return sole
}

// Fails reports whether a call returns an error that is not nil: it asks a context that has ended, or calls a function that
// always returns an error.
func (p *Package) Fails(c *ssa.Call) bool {
	if c.Call.IsInvoke() {
		return c.Call.Method.Name() == "Err" && effects.FullName(c.Call.Method) == "(context.Context).Err" && shape.HasEnded(c, c.Call.Value)
	}
	if o := shape.Declared(c); o != nil && effects.FullName(o) == "context.Cause" {
		return shape.HasEnded(c, c.Call.Args[0])
	}
	f := c.Call.StaticCallee()
	return f != nil && f.Pkg == p.SSA && p.alwaysFails(f)
}

// alwaysFails reports whether the only result of a function of the package is an error that is never nil.
func (p *Package) alwaysFails(fn *ssa.Function) bool {
	return p.failing.Of(fn, false, func(fn *ssa.Function) bool {
		r := fn.Signature.Results()
		always := r.Len() == 1 && shape.IsError(r.At(0).Type()) && len(fn.Blocks) > 0 && len(fn.Blocks) <= 12
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && always {
				always = p.isFailure(ret.Results[0], 4)
			}
		}
		return always
	})
}

// isFailure reports whether an error is certainly not nil.
func (p *Package) isFailure(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true // even if it has a nil pointer
	case *ssa.ChangeInterface:
		return p.isFailure(v.X, depth-1)
	case *ssa.UnOp:
		g, ok := v.X.(*ssa.Global)
		return ok && v.Op == token.MUL && (strings.HasPrefix(g.Name(), "Err") || strings.HasPrefix(g.Name(), "err"))
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !p.isFailure(e, depth-1) {
				return false
			}
		}
		return true
	case *ssa.Call:
		if e := RowOf(v); e != nil {
			return e.Fails
		}
		return p.Fails(v)
	}
	return false
}

// RowOf returns the effect of the function that an instruction calls, or nil.
func RowOf(i ssa.Instruction) *effects.Effect {
	if c, ok := i.(ssa.CallInstruction); ok {
		if f := shape.Declared(c); f != nil {
			return effects.Of(f)
		}
	}
	return nil
}
