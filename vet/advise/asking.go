package advise

import (
	"go/token"
	"go/types"
	"iter"

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

// asksNothing are packages whose functions call no methods of the elements that they are given, whatever types these have.
var asksNothing = map[string]bool{"slices": true, "maps": true}

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
