package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// Packages of YAML and msgpack copy all that they decode, and keep nothing of their arguments. They use reflection, so that their source
// does not show it. Types with methods, which they may call, are followed by the source all the same.

// copiers are the packages with Marshal and Unmarshal that do so.
var copiers = map[string]bool{"gopkg.in/yaml.v2": true, "gopkg.in/yaml.v3": true, "go.yaml.in/yaml/v2": true, "go.yaml.in/yaml/v3": true,
	"github.com/vmihailenco/msgpack/v5": true}

// isOfCopiers reports whether a function is one that encodes or decodes values of any type by a copy.
func isOfCopiers(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.Pkg() != nil && copiers[obj.Pkg().Path()] && effects.Of(obj.Origin()) != nil
}

// keepsNoPlain reports whether a call is that of such a function, and no value in its arguments has methods.
func keepsNoPlain(c *ssa.CallCommon, fn *ssa.Function) bool {
	return isOfCopiers(fn) && !slices.ContainsFunc(c.Args, func(arg ssa.Value) bool {
		made, ok := arg.(*ssa.MakeInterface)
		return !ok && types.IsInterface(arg.Type()) || ok && !leadsToNoMethods(made.X.Type(), map[types.Type]bool{})
	})
}

// leadsToNoMethods reports whether the values of a type lead to none with methods, but for types of the standard library. An
// interface may have one.
func leadsToNoMethods(typ types.Type, seen map[types.Type]bool) bool {
	if pkg, _ := named(typ); seen[typ] || isRooted(pkg) && !types.IsInterface(typ) {
		return true
	}
	seen[typ] = true
	if n, ok := types.Unalias(typ).(*types.Named); ok && types.NewMethodSet(types.NewPointer(n)).Len() > 0 {
		return false
	}
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Pointer:
		return leadsToNoMethods(u.Elem(), seen)
	case *types.Slice:
		return leadsToNoMethods(u.Elem(), seen)
	case *types.Array:
		return leadsToNoMethods(u.Elem(), seen)
	case *types.Map:
		return leadsToNoMethods(u.Key(), seen) && leadsToNoMethods(u.Elem(), seen)
	case *types.Struct:
		return !slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return !leadsToNoMethods(f.Type(), seen) })
	}
	return false
}
