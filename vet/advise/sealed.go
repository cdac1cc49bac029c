package advise

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// A method that is called through an interface is known if all types are known that the interface may hold there. They are
// where the value comes from: this function, or others of the module. Otherwise they may be all types that the program
// converts to the interface, if no other code can.

// methodsOf returns the methods that a call of one through an interface may run. It reports false if there may be others.
func (t *tracer) methodsOf(v ssa.Value, m *types.Func) (all map[*ssa.Function]bool, known bool) {
	face, ok := v.Type().Underlying().(*types.Interface)
	if _, generic := types.Unalias(v.Type()).(*types.TypeParam); generic || !ok {
		return nil, false
	}
	held := &heldTypes{known: map[any]bool{}}
	if !t.typesIn(v, held) {
		return t.declared(m)
	}
	all = map[*ssa.Function]bool{}
	for _, typ := range held.all {
		if types.IsInterface(typ) { // a type parameter
			return t.declared(m)
		}
		if !types.Implements(typ, face) {
			continue // a type assertion has sorted it out
		}
		fn := t.methodOf(typ, m)
		if fn == nil || len(fn.Blocks) == 0 {
			t.noteUnread(fn)
			return nil, false
		}
		all[fn] = true
	}
	return all, len(all) > 0 // or the interface is of other code
}

// methodOf returns the method of a type, or nil. A method that is not promoted needs no wrapper.
func (t *tracer) methodOf(typ types.Type, m *types.Func) *ssa.Function {
	selection := types.NewMethodSet(typ).Lookup(m.Pkg(), m.Name())
	if selection == nil {
		return nil
	}
	if obj := selection.Obj().(*types.Func); len(selection.Index()) == 1 && obj.Origin() == obj {
		if fn := t.prog.FuncValue(obj); fn != nil {
			return fn
		}
	}
	return t.prog.MethodValue(selection)
}

// declared returns the methods that a call of a method with an unexported name may run. Only its package can declare them:
// types of others have them from one that they embed.
func (t *tracer) declared(m *types.Func) (all map[*ssa.Function]bool, known bool) {
	if p := t.packages[m.Pkg()]; m.Exported() || p == nil || declareElsewhere(p, m.Name()) {
		return nil, false
	}
	return t.sameMethods(m)
}

// sameMethods returns the methods of the program with the name and the signature of one that an interface of the program has. It reports
// false if there are none, or some that cannot be looked at.
func (t *tracer) sameMethods(m *types.Func) (all map[*ssa.Function]bool, known bool) {
	if t.packages[m.Pkg()] == nil {
		return nil, false
	}
	all = map[*ssa.Function]bool{}
	for _, fn := range t.methods {
		if fn.Name() != m.Name() || !m.Exported() && fn.Object().Pkg() != m.Pkg() {
			continue
		}
		switch {
		case fn.Signature.RecvTypeParams() != nil || len(fn.Blocks) == 0:
			return nil, false
		case types.Identical(fn.Signature, m.Signature()):
			all[fn] = true
		}
	}
	return all, len(all) > 0
}

// heldTypes are the types that an interface may hold.
type heldTypes struct {
	all   []types.Type
	known map[any]bool // values and interfaces, by whether all of their types are known
	order []any        // those that are, or may be
}

// find looks for the types of a value or an interface once. While it does so, these count as known.
func (h *heldTypes) find(of any, look func() bool) bool {
	if known, ok := h.known[of]; ok {
		return known
	}
	begin := len(h.order)
	h.known[of], h.order = true, append(h.order, of)
	if look() {
		return true
	}
	for _, other := range h.order[begin:] { // they may rely on it
		delete(h.known, other)
	}
	h.known[of], h.order = false, h.order[:begin]
	return false
}

// typesIn collects the types that an interface's value may have. It reports false if there may be others.
func (t *tracer) typesIn(v ssa.Value, held *heldTypes) bool {
	return held.find(v, func() bool { return isNil(v) || t.typesFrom(v, held) || t.typesOf(v.Type(), held) })
}

// typesFrom does so by the instructions that make the value.
func (t *tracer) typesFrom(v ssa.Value, held *heldTypes) bool {
	each := func(values []ssa.Value) bool {
		return !slices.ContainsFunc(values, func(v ssa.Value) bool { return !t.typesIn(v, held) })
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		held.all = append(held.all, v.X.Type())
		return true
	case *ssa.ChangeInterface:
		return t.typesIn(v.X, held)
	case *ssa.TypeAssert:
		return !v.CommaOk && t.typesIn(v.X, held)
	case *ssa.Phi:
		return each(v.Edges)
	case *ssa.UnOp:
		variable, ok := captured(v.X).(*ssa.Alloc)
		if v.Op != token.MUL || !ok {
			return false
		}
		stored, known := storedIn(variable)
		return known && each(stored)
	case *ssa.Call:
		return t.typesReturned(v, 0, held)
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.TypeAssert:
			return t.typesIn(tuple.X, held)
		case *ssa.Call:
			return t.typesReturned(tuple, v.Index, held)
		}
	case *ssa.Parameter:
		fn := v.Parent()
		i := slices.Index(fn.Params, v)
		return fn.Parent() == nil && t.closed(fn) && !slices.ContainsFunc(t.calls[fn], func(c ssa.CallInstruction) bool {
			return i >= len(c.Common().Args) || !t.typesIn(c.Common().Args[i], held)
		})
	}
	return false
}

// typesReturned does so for a result of a call.
func (t *tracer) typesReturned(call *ssa.Call, i int, held *heldTypes) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 {
		return false
	}
	for _, b := range fn.Blocks {
		if ret, ok := lastOf(b).(*ssa.Return); ok && !t.typesIn(ret.Results[i], held) {
			return false
		}
	}
	return true
}

// typesOf collects the types that the program converts to an interface, or may. It reports false if other code may convert more.
func (t *tracer) typesOf(typ types.Type, held *heldTypes) bool {
	face, ok := types.Unalias(typ).(*types.Named)
	if !ok || !types.IsInterface(face) || face.TypeArgs().Len() > 0 || !t.isSealed(face) {
		return false
	}
	return held.find(face, func() bool {
		for _, made := range t.interfaces {
			if types.Unalias(made.Type()) == face {
				held.all = append(held.all, made.X.Type())
			}
		}
		for _, name := range face.Obj().Pkg().Scope().Names() { // tests of the package may convert others of its types
			of, _ := face.Obj().Pkg().Scope().Lookup(name).(*types.TypeName)
			if of == nil || of.IsAlias() || types.IsInterface(of.Type()) || of.Type().(*types.Named).TypeParams() != nil {
				continue
			}
			held.all = append(held.all, of.Type(), types.NewPointer(of.Type()))
		}
		return !slices.ContainsFunc(t.conversions, func(c ssa.Value) bool {
			to, from := converted(c)
			return types.Unalias(to) == face && !t.typesIn(from, held)
		})
	})
}

// converted returns the type to which an instruction converts an interface, and the value.
func converted(c ssa.Value) (to types.Type, from ssa.Value) {
	switch c := c.(type) {
	case *ssa.TypeAssert:
		return c.AssertedType, c.X
	case *ssa.ChangeType:
		return c.Type(), c.X
	}
	return c.Type(), c.(*ssa.ChangeInterface).X
}

// isSealed reports whether the functions of its package alone can convert values to an interface.
func (t *tracer) isSealed(face *types.Named) bool {
	known, ok := t.sealed[face]
	if !ok {
		p := t.packages[face.Obj().Pkg()]
		is := func(typ types.Type) bool { return typ == types.Type(face) }
		known = p != nil && isPlainGo(p) && (!face.Obj().Exported() || p.Name == "main") && face.TypeParams() == nil && !isOffered(p, is) &&
			!t.isReflected(is) && !t.isArgument(p, is)
		t.sealed[face] = known
	}
	return known
}

// isPlainGo reports whether all code of a package is known, and cannot make values of other types behind the back of their own:
// it has no files for other systems or in other languages, and does not import unsafe.
func isPlainGo(p *packages.Package) bool {
	return len(p.IgnoredFiles) == 0 && len(p.OtherFiles) == 0 && !slices.Contains(p.Types.Imports(), types.Unsafe)
}

// isOffered reports whether others can convert to a type: for a parameter, a field or a variable that they can reach. They
// cannot convert to a result.
func isOffered(p *packages.Package, is func(types.Type) bool) bool {
	leads := func(typ types.Type) bool { return mentions(typ, is, map[types.Type]bool{}) }
	for _, obj := range p.TypesInfo.Defs {
		if obj == nil || !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Var:
			if (obj.IsField() || p.Name != "main" && obj.Parent() == p.Types.Scope()) && leads(obj.Type()) { // a decoder may set a field
				return true
			}
		case *types.Func:
			results := slices.Collect(obj.Signature().Results().Variables())
			if p.Name != "main" && (leads(types.NewSignatureType(nil, nil, nil, obj.Signature().Params(), nil, false)) ||
				slices.ContainsFunc(results, func(v *types.Var) bool { return !is(types.Unalias(v.Type())) && leads(v.Type()) })) {
				return true
			}
		case *types.TypeName:
			if p.Name != "main" && leads(obj.Type()) {
				return true
			}
		}
	}
	return false
}

// isReflected reports whether an interface has a pointer that leads to a value of a type, which package reflect could set.
func (t *tracer) isReflected(is func(types.Type) bool) bool {
	return slices.ContainsFunc(t.interfaces, func(made *ssa.MakeInterface) bool {
		p, ok := made.X.Type().Underlying().(*types.Pointer)
		return ok && mentions(p.Elem(), is, map[types.Type]bool{})
	}) || slices.ContainsFunc(t.conversions, func(c ssa.Value) bool { // a pointer to another interface with these methods
		change, ok := c.(*ssa.ChangeType)
		return ok && !types.IsInterface(change.Type()) && mentions(change.Type(), is, map[types.Type]bool{}) != mentions(change.X.Type(), is, map[types.Type]bool{})
	})
}

// isArgument reports whether a type is an argument of generic code that may convert to it, such as errors.AsType.
func (t *tracer) isArgument(p *packages.Package, is func(types.Type) bool) bool {
	isParam := func(typ types.Type) bool { _, ok := typ.(*types.TypeParam); return ok }
	tame := !t.isReflected(isParam) && !slices.ContainsFunc(t.conversions, func(c ssa.Value) bool {
		to, _ := converted(c)
		return mentions(to, isParam, map[types.Type]bool{})
	})
	given := false // to generic code of the package
	for id, inst := range p.TypesInfo.Instances {
		obj := p.TypesInfo.Uses[id]
		if obj == nil || obj.Pkg() == nil {
			return true
		}
		if path := obj.Pkg().Path(); path == "slices" || path == "maps" {
			continue // they convert nothing
		}
		for arg := range inst.TypeArgs.Types() {
			own, leads := obj.Pkg() == p.Types, mentions(arg, is, map[types.Type]bool{})
			if leads && !own {
				return true
			}
			given = given || leads
			tame = tame && (own || !mentions(arg, isParam, map[types.Type]bool{}))
		}
	}
	return given && !tame
}

// mentions reports whether a value of a type leads to one of another, but not by the fields of a struct.
func mentions(typ types.Type, is func(types.Type) bool, seen map[types.Type]bool) bool {
	typ = types.Unalias(typ)
	if is(typ) {
		return true
	}
	if seen[typ] {
		return false
	}
	seen[typ] = true
	each := func(all *types.Tuple) bool {
		return slices.ContainsFunc(slices.Collect(all.Variables()), func(v *types.Var) bool { return mentions(v.Type(), is, seen) })
	}
	switch typ := typ.(type) {
	case *types.Named:
		return slices.ContainsFunc(slices.Collect(typ.TypeArgs().Types()), func(arg types.Type) bool { return mentions(arg, is, seen) }) ||
			mentions(typ.Underlying(), is, seen)
	case *types.Pointer:
		return mentions(typ.Elem(), is, seen)
	case *types.Slice:
		return mentions(typ.Elem(), is, seen)
	case *types.Array:
		return mentions(typ.Elem(), is, seen)
	case *types.Chan:
		return mentions(typ.Elem(), is, seen)
	case *types.Map:
		return mentions(typ.Key(), is, seen) || mentions(typ.Elem(), is, seen)
	case *types.Signature:
		return each(typ.Params()) || each(typ.Results())
	}
	return false
}
