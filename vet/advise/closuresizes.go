package advise

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A function literal has the values of small variables that nothing sets again, and the addresses of others. Only the latter are on the
// heap by themselves.

// isCapturedByValue reports whether function literals have the value of a variable, of which nothing else takes the address.
func isCapturedByValue(variable *ssa.Alloc) bool {
	const most = 128 // bytes, as the compiler has it
	if size := sizeOfType(variable.Type().Underlying().(*types.Pointer).Elem()); size == 0 || size > most {
		return false
	}
	stored, known := storedIn(variable)
	return known && len(stored) <= 1
}

// sizeOfClosure is the size of a function literal with its variables, or 0 if that differs between the instances of a generic function.
func sizeOfClosure(made *ssa.MakeClosure) int64 {
	fields := []*types.Var{types.NewField(0, nil, "_", types.Typ[types.Uintptr], false)}
	isLiteral := made.Fn.(*ssa.Function).Parent() != nil // and no method value, which has its receiver
	for _, b := range made.Bindings {
		typ := b.Type()
		if v, ok := captured(b).(*ssa.Alloc); isLiteral && ok && isCapturedByValue(v) {
			typ = typ.Underlying().(*types.Pointer).Elem()
		}
		if !isSized(typ) {
			return 0
		}
		fields = append(fields, types.NewField(0, nil, "_", typ, false))
	}
	return sizeOfType(types.NewStruct(fields, nil))
}
