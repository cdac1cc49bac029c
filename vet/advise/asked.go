package advise

import (
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// The standard library asks values for methods that the type of its parameter does not name: io.Copy for WriteTo, and
// encoding/json those in the fields of a struct for MarshalJSON.

// asked are methods for which values of interfaces are asked.
var asked = map[string]bool{"WriteTo": true, "ReadFrom": true, "WriteString": true, "WriteByte": true, "WriteRune": true, "ReadByte": true,
	"UnreadByte": true, "ReadRune": true, "UnreadRune": true, "Flush": true, "Close": true, "Seek": true, "Size": true, "Len": true, "Name": true}

// methodsAsked has the methods of an interface, and others of the type of its value that the standard library asks for.
func methodsAsked(typ types.Type, face *types.Interface) iter.Seq[*types.Func] {
	return func(yield func(*types.Func) bool) {
		for m := range face.Methods() {
			if !yield(m) {
				return
			}
		}
		for m := range types.NewMethodSet(typ).Methods() {
			fn, ok := m.Obj().(*types.Func)
			if named := types.NewMethodSet(face).Lookup(fn.Pkg(), fn.Name()) != nil; ok && asked[fn.Name()] && !named && !yield(fn) {
				return
			}
		}
	}
}

// encodes are methods that package reflect finds in values in other values, to write or to print these.
var encodes = map[string]bool{"MarshalJSON": true, "MarshalJSONTo": true, "MarshalText": true, "AppendText": true, "MarshalBinary": true, "AppendBinary": true,
	"MarshalXML": true, "MarshalXMLAttr": true, "GobEncode": true, "String": true, "Error": true, "Format": true, "GoString": true, "IsZero": true}

// reflected looks at a value that a function gets as one of any type, and may take apart: a method of what is in it may keep the
// memory.
func (t *trail) reflected(v ssa.Value) {
	made, ok := v.(*ssa.MakeInterface)
	if !ok || ofLibrary(made.X.Type()) {
		return
	}
	for _, fn := range t.methods {
		if !encodes[fn.Name()] || !leadsTo(made.X.Type(), fn, map[types.Type]bool{}) {
			continue
		}
		if t.fateOfParam(fn.Params[0]).way != stays {
			t.leave(isKept, "is in a value whose method %s may keep it", name(fn))
		}
	}
}

// keptBy says what may keep an argument of a function of the standard library that keeps no others, or returns nothing.
func (t *trail) keptBy(v ssa.Value, fn *types.Func) string {
	e := effects.Of(fn)
	switch pkg := fn.Pkg(); {
	case pkg == nil:
	case pkg.Path() == "net" && isAddress(v.Type()) && fn.Signature().Recv() != nil:
		return "whose error may have it"
	case pkg.Path() == "log/slog" && e != nil && e.Prints != effects.None && t.isHolder(v):
		return "whose handler may keep it"
	}
	return ""
}

// isAddress reports whether a type is that of addresses of package net.
func isAddress(typ types.Type) bool {
	text := types.TypeString(typ, nil)
	return text == "net.Addr" || strings.HasPrefix(text, "*net.") && strings.HasSuffix(text, "Addr")
}

// isSum reports whether a method is that of a hash of the program.
func isSum(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.Name() == "Sum" && hasContract(obj)
}
