package advise

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A function that prints gets its arguments in a list of interfaces, perhaps by way of others. Their types are known where they become
// interfaces.

// typeMade returns the type of a value that becomes one of an interface, or of a type parameter, which may become one. For others,
// it returns nil.
func typeMade(v ssa.Value) types.Type {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X.Type()
	case *ssa.ChangeType:
		if _, open := types.Unalias(v.Type()).(*types.TypeParam); open {
			return v.X.Type()
		}
	}
	return nil
}

// holdsInterface reports whether values of a type are those of interfaces, or lists of such.
func holdsInterface(typ types.Type) bool {
	if list, ok := typ.Underlying().(*types.Slice); ok {
		typ = list.Elem()
	}
	return types.IsInterface(typ)
}
