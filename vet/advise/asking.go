package advise

import (
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The standard library calls methods of values that it gets as interfaces, and of values in these. A few packages call methods of a
// few names only. Of the others, it may be any method that has an exported name.

// An asking is a set of packages, by the methods that they call.
type asking uint8

const (
	byJSON asking = 1 << iota
	byXML
	byGob
	byPrinting
	bySorting
	byOthers

	byAll asking = 1<<iota - 1
)

// askers are packages that call methods of a few names only, if a parameter has any type, or one with the methods of sort.Interface.
var askers = map[string]asking{"encoding/json": byJSON, "encoding/xml": byXML, "encoding/gob": byGob, "fmt": byPrinting, "log": byPrinting, "sort": bySorting}

// askersOf has the packages that call a method of a value that they get.
var askersOf = map[string]asking{
	"MarshalJSON": byJSON, "MarshalJSONTo": byJSON, "UnmarshalJSON": byJSON, "UnmarshalJSONFrom": byJSON, "IsZero": byJSON,
	"MarshalText": byJSON | byXML, "AppendText": byJSON | byXML, "UnmarshalText": byJSON | byXML,
	"MarshalXML": byXML, "MarshalXMLAttr": byXML, "UnmarshalXML": byXML, "UnmarshalXMLAttr": byXML,
	"MarshalBinary": byGob, "AppendBinary": byGob, "UnmarshalBinary": byGob, "GobEncode": byGob, "GobDecode": byGob,
	"Format": byPrinting, "String": byPrinting, "GoString": byPrinting, "Error": byPrinting, "Scan": byPrinting,
	"Len": bySorting, "Less": bySorting, "Swap": bySorting,
}

// calls reports whether one of the packages may call a method of an argument.
func (a asking) calls(method string) bool {
	return token.IsExported(method) && (a&byOthers != 0 || a&askersOf[method] != 0)
}

// methodsOf has the methods of a type that one of the packages may call.
func (a asking) methodsOf(typ types.Type) iter.Seq[*types.Func] {
	return func(yield func(*types.Func) bool) {
		for m := range types.NewMethodSet(typ).Methods() {
			if fn, ok := m.Obj().(*types.Func); ok && a.calls(fn.Name()) && !yield(fn) {
				return
			}
		}
	}
}

// encodes are methods that package reflect finds in values in other values, to write or to print these.
var encodes = map[string]bool{"MarshalJSON": true, "MarshalJSONTo": true, "MarshalText": true, "AppendText": true, "MarshalBinary": true, "AppendBinary": true,
	"MarshalXML": true, "MarshalXMLAttr": true, "GobEncode": true, "String": true, "Error": true, "Format": true, "GoString": true, "IsZero": true}

// askingOf returns the package of a function that gets an argument of a type, or all if that type has other methods.
func askingOf(fn *ssa.Function, param types.Type) asking {
	if list, ok := param.Underlying().(*types.Slice); ok {
		param = list.Elem()
	}
	face, ok := param.Underlying().(*types.Interface)
	by := askers[packageOf(runtimeName(fn))]
	if by == 0 || !ok || (by == bySorting) != (face.NumMethods() > 0) {
		return byAll
	}
	return by
}

// anyMethod stands for all methods that packages may call on a value.
var anyMethod = func() (all [byAll + 1]*types.Func) {
	for by := range all {
		all[by] = types.NewFunc(token.NoPos, nil, "of the standard library's choice", types.NewSignatureType(nil, nil, nil, nil, nil, false))
	}
	return all
}()

// mayInvoke looks at an interface that the standard library gets, which holds the memory or is that. If it is a parameter,
// callers know the type.
func (t *trail) mayInvoke(i invocation, by asking) {
	d := dynamic{seen: map[ssa.Value]bool{}}
	t.dynamicTypes(i.of, &d)
	if d.ofCaller && !slices.Contains(t.invoked, i.method) {
		t.invoked = append(t.invoked, i.method)
	}
	for _, typ := range d.types {
		if types.IsInterface(typ) || ofLibrary(typ) {
			continue
		}
		for m := range types.NewMethodSet(typ).Methods() {
			t.mayCall(i.of, t.prog.MethodValue(m), by)
		}
	}
	if face := faceOf(i.of.Type()); d.unknown && face != nil {
		for _, fn := range t.methods {
			if types.Implements(fn.Signature.Recv().Type(), face) && by.calls(fn.Name()) && t.fateOfArgument(i.of, fn.Params[0], beside{}).way.isCertain() {
				t.leave(isKept, "is in a value whose method %s the standard library may call, and which may keep it", fn.Name())
			}
		}
	}
}

// mayCall looks at a method that packages may call on a value.
func (t *trail) mayCall(v ssa.Value, fn *ssa.Function, by asking) {
	switch {
	case fn == nil || !by.calls(fn.Name()):
	case len(fn.Blocks) == 0:
		t.leave(isKept, "is in a value whose method %s is not known", fn.Name())
	default:
		t.pass(v, fn.Params[0], beside{}, nil)
	}
}

// callback looks at the methods that a function of the standard library may call on a value that holds the memory.
func (t *trail) callback(v ssa.Value, called *ssa.Function, args []ssa.Value) {
	at, sig := slices.Index(args, v), called.Signature
	if sig.Recv() != nil {
		at--
	}
	// Packages of images call methods, such as Opaque, that their arguments need not have.
	if at < 0 || at >= sig.Params().Len() || strings.HasPrefix(types.TypeString(sig.Params().At(at).Type(), nil), "image") {
		t.leave(isKept, "is in a value whose methods the standard library may call")
		return
	}
	typ, param := v.(*ssa.MakeInterface).X.Type(), sig.Params().At(at).Type()
	face, ok := param.Underlying().(*types.Interface)
	methods := methodsAsked(typ, face)
	if by := askingOf(called, param); by != byAll {
		methods = by.methodsOf(typ)
	} else if !ok || face.NumMethods() == 0 {
		t.leave(isKept, "is in a value whose methods the standard library may call")
		return
	}
	for m := range methods {
		fn := t.prog.LookupMethod(typ, m.Pkg(), m.Name())
		if fn == nil || len(fn.Blocks) == 0 {
			t.leave(isKept, "is in a value whose method %s is not known", m.Name())
			return
		}
		t.pass(v, fn.Params[0], beside{}, nil)
	}
}

// reflected looks at a value that a function gets as one of any type, and may take apart: a method of what is in it may keep the
// memory.
func (t *trail) reflected(v ssa.Value, by *ssa.Function) {
	asking := askingOf(by, v.Type())
	made, ok := v.(*ssa.MakeInterface)
	if !ok && holdsInterface(v.Type()) {
		t.printed |= asking
	}
	if ok {
		t.reflectedAs(made.X.Type(), asking)
	}
}

// reflectedAs does so for a value of a type.
func (t *trail) reflectedAs(typ types.Type, by asking) {
	if ofLibrary(typ) {
		return
	}
	for _, fn := range t.methods {
		if !encodes[fn.Name()] || !by.calls(fn.Name()) || !leadsTo(typ, fn, map[types.Type]bool{}) {
			continue
		}
		own := paramKey{v: fn.Params[0], apart: t.apart}
		if t.fateOfParam(fn.Params[0]).way != stays || t.fateOfKey(own).way != stays {
			t.leave(isKept, "is in a value whose method %s may keep it", name(fn))
		}
	}
}

// takenApart looks at the values of interfaces that a function of the standard library may get in a list, or from a caller.
func (t *trail) takenApart() {
	if t.printed == 0 {
		return
	}
	var all []ssa.Value
	for v := range t.seen {
		if typeMade(v) != nil {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b ssa.Value) int { return int(a.Pos() - b.Pos()) }) // the first way that memory leaves is told
	for _, v := range all {
		t.reflectedAs(typeMade(v), t.printed)
	}
}
