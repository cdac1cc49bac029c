package advise

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

func name(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return "a function literal in " + name(fn.Parent())
	}
	s := plain(fn.RelString(nil))
	s = strings.TrimSuffix(strings.TrimSuffix(s, "$bound"), "$thunk") // of method values and expressions
	if obj := fn.Object(); obj != nil && obj.Pkg() != nil {           // v2 is no name
		return strings.Replace(s, obj.Pkg().Path()+".", obj.Pkg().Name()+".", 1)
	}
	return s[strings.LastIndexByte(s, '/')+1:]
}

func describe(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		return describe(v.X)
	case *ssa.FieldAddr:
		return "field " + fieldName(v)
	case *ssa.Global:
		return "the variable " + v.Name() + " of the package"
	case *ssa.Slice:
		return describe(v.X)
	case *ssa.Alloc:
		switch v.Comment {
		case "":
		case "slicelit":
			return "a slice literal"
		case "makeslice", "varargs", "complit", "new", "slice":
			return "another slice"
		default:
			return v.Comment
		}
	case *ssa.Phi:
		if v.Comment != "" {
			return v.Comment
		}
	case *ssa.Call:
		if isAppend(v) {
			return describe(v.Call.Args[0])
		}
	}
	return "another slice"
}

func fieldName(a *ssa.FieldAddr) string {
	field := fieldAt(a)
	if field == nil {
		return "of a struct"
	}
	if _, name := named(a.X.Type().Underlying().(*types.Pointer).Elem()); name != "" {
		return name + "." + field.Name()
	}
	return field.Name()
}

// fieldAt returns the field that has an address, as it is declared, or nil.
func fieldAt(a *ssa.FieldAddr) *types.Var {
	s, ok := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return s.Field(a.Field).Origin()
}

// fieldVar returns the field of a struct that an address is of.
func fieldVar(a *ssa.FieldAddr) *types.Var {
	s, ok := a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return s.Field(a.Field)
}

// fieldsIn returns the fields of structs that an instruction takes the address or the value of, or converts.
func fieldsIn(instr ssa.Instruction) (all []*types.Var) {
	switch u := instr.(type) {
	case *ssa.FieldAddr:
		if v := fieldVar(u); v != nil {
			return []*types.Var{v}
		}
	case *ssa.Field:
		return []*types.Var{u.X.Type().Underlying().(*types.Struct).Field(u.Field)}
	case *ssa.ChangeType:
		t := u.X.Type().Underlying()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem().Underlying()
		}
		if s, ok := t.(*types.Struct); ok {
			for f := range s.Fields() {
				all = append(all, f)
			}
		}
	}
	return all
}

// hasField reports whether a type is the struct that declares a field.
func hasField(t types.Type, field *types.Var) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Origin() == field {
			return true
		}
	}
	return false
}

// hasFieldOf reports whether a type, or the element of a pointer type, is a struct with this field.
func hasFieldOf(typ types.Type, field *types.Var) bool {
	if p, ok := typ.Underlying().(*types.Pointer); ok {
		typ = p.Elem()
	}
	return hasField(typ, field.Origin())
}

// extended returns the slice that a call appends to, or nil.
func extended(call *ssa.Call) ssa.Value {
	if isAppend(call) {
		return call.Call.Args[0]
	}
	fn := call.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) > 0 || !strings.HasPrefix(fn.Name(), "Append") && runtimeName(fn) != "slices.Grow" {
		return nil
	}
	for _, arg := range call.Call.Args {
		if types.Identical(arg.Type(), call.Type()) {
			return arg
		}
	}
	return nil
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Sign(c.Value) == 0
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.UnsafePointer || b.Kind() == types.Uintptr)
}

// named returns the package and the name of a type that has one.
func named(t types.Type) (pkg, name string) {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path(), n.Obj().Name()
	}
	return "", ""
}

func isBuffer(t types.Type) bool {
	pkg, name := named(t)
	return pkg == "bytes" && name == "Buffer"
}

func isBuilder(t types.Type) bool {
	pkg, name := named(t)
	return pkg == "strings" && name == "Builder"
}

// isHash reports whether a type is an interface of package hash.
func isHash(t types.Type) bool {
	pkg, _ := named(t)
	return pkg == "hash"
}

// leads reports whether a result of the standard library can lead to memory of an argument. Its errors do not.
func leads(t types.Type) bool {
	return mayAlias(t) && !types.Identical(t, types.Universe.Lookup("error").Type())
}

// mayAlias reports whether a value of a type can lead to memory that something else has.
func mayAlias(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			if mayAlias(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return mayAlias(u.Elem())
	}
	return true
}

// isPlain reports whether values of a type that leads to no memory have no strings either.
func isPlain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString == 0
	case *types.Array:
		return isPlain(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !isPlain(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// runtimeName names a function as profiles do, if it is declared.
func runtimeName(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return objectName(obj)
	}
	return ""
}

func objectName(obj *types.Func) string {
	obj = obj.Origin()
	recv := obj.Signature().Recv()
	if recv == nil {
		return escaped(obj.Pkg().Path()) + "." + obj.Name()
	}
	t := types.Unalias(recv.Type())
	pointer, ok := t.(*types.Pointer)
	if ok {
		t = types.Unalias(pointer.Elem())
	}
	named, is := t.(*types.Named)
	if !is {
		return ""
	}
	if ok {
		return escaped(obj.Pkg().Path()) + ".(*" + named.Obj().Name() + ")." + obj.Name()
	}
	return escaped(obj.Pkg().Path()) + "." + named.Obj().Name() + "." + obj.Name()
}

func isBytes(t types.Type) bool {
	s, ok := types.Unalias(t).(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}

// first returns the type of a call's first result, or an invalid one.
func first(t types.Type) types.Type {
	tuple, ok := t.(*types.Tuple)
	switch {
	case !ok:
		return t
	case tuple.Len() == 0:
		return types.Typ[types.Invalid]
	}
	return tuple.At(0).Type()
}

// resultOf returns a result of a call, or nil.
func resultOf(c ssa.CallInstruction, i int) ssa.Value {
	call, ok := c.(*ssa.Call)
	if !ok || i < 0 {
		return nil
	}
	if _, several := call.Type().(*types.Tuple); !several {
		return call
	}
	for _, r := range *call.Referrers() {
		if x, ok := r.(*ssa.Extract); ok && x.Index == i {
			return x
		}
	}
	return nil
}

// callers are packages whose functions call a function that is passed, and do not keep it.
var callers = map[string]bool{"sort": true, "slices": true, "strings": true, "bytes": true}

// givesFunction reports whether a function returns one, such as an iterator.
func givesFunction(sig *types.Signature) bool {
	for r := range sig.Results().Variables() {
		if _, ok := r.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

func isBufferPointer(v ssa.Value) bool {
	p, ok := v.Type().Underlying().(*types.Pointer)
	return ok && isBuffer(p.Elem())
}

func isBuilderPointer(v ssa.Value) bool {
	p, ok := v.Type().Underlying().(*types.Pointer)
	return ok && isBuilder(p.Elem())
}

// calledOfC names the function of package C for whose call cgo makes a function literal, or returns nothing for other literals.
func calledOfC(lit *ssa.Function) string {
	for _, b := range lit.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
				if name := cgoName(call.Call.StaticCallee().Name()); name != "" {
					return name
				}
			}
		}
	}
	return ""
}

// unwrap returns the value in an interface.
func unwrap(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// isCalled reports whether a call is one of a function with a name.
func isCalled(call *ssa.Call, name string) bool {
	fn := call.Call.StaticCallee()
	return fn != nil && runtimeName(fn) == name
}

// runsBefore reports whether an instruction surely runs before another.
func runsBefore(first, then ssa.Instruction) bool {
	if first.Block() == then.Block() {
		all := first.Block().Instrs
		return slices.Index(all, first) < slices.Index(all, then)
	}
	return first.Block().Dominates(then.Block())
}

// givesColor reports whether a function of package image returns a color, which never has an image's memory.
func givesColor(fn *ssa.Function) bool {
	r := fn.Signature.Results()
	return packageOf(runtimeName(fn)) == "image" && r.Len() == 1 && types.TypeString(r.At(0).Type(), nil) == "image/color.Color"
}

// isLoopBody reports whether a function is the body of a range over a function.
func isLoopBody(fn *ssa.Function) bool { return fn.Synthetic == "range-over-func yield" }

// outermost returns the function that has a value, itself or in a literal, or nil.
func outermost(v ssa.Value) *ssa.Function {
	fn := v.Parent()
	for fn != nil && fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

func isAppend(call *ssa.Call) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append"
}

// lastOf returns the instruction that ends a block.
func lastOf(b *ssa.BasicBlock) ssa.Instruction { return b.Instrs[len(b.Instrs)-1] }

// receiverOf returns the named type whose method a function is, or nil.
func receiverOf(fn *ssa.Function) *types.Named {
	recv := fn.Signature.Recv()
	if recv == nil {
		return nil
	}
	t := recv.Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

func isSliceType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// calledName returns the name of the function or method that a call names, or nothing.
func calledName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.Name()
	}
	if fn := c.StaticCallee(); fn != nil {
		return fn.Name()
	}
	return ""
}
