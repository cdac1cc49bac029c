package shape

import "go/types"

// PointerLike reports whether a value of the type is an address, or has one in front.
func PointerLike(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface, *types.Chan:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	}
	return false
}

// HoldsPointers reports whether a value of the type can lead to memory.
func HoldsPointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.String
	case *types.Struct:
		for f := range u.Fields() {
			if HoldsPointers(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return HoldsPointers(u.Elem())
	}
	return true
}

// IsSlice reports whether a type is a slice. It may be nil.
func IsSlice(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// IsArray reports whether a type is a pointer to an array.
func IsArray(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		_, ok := p.Elem().Underlying().(*types.Array)
		return ok
	}
	return false
}

// IsBytes reports whether a type is a slice, or nil, as for the memory of a buffer.
func IsBytes(t types.Type) bool { return t == nil || IsSlice(t) }

// IsError reports whether a type is error.
func IsError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// IsInteger reports whether a parameter is there and is an integer.
func IsInteger(params *types.Tuple, i int) bool {
	return i < params.Len() && IsBasic(params.At(i).Type(), types.IsInteger)
}

// IsBasic reports whether a type is a basic one of a kind.
func IsBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// IsPointerTo reports whether a type is a pointer to another one.
func IsPointerTo(p, elem types.Type) bool {
	ptr, ok := p.Underlying().(*types.Pointer)
	return ok && types.Identical(ptr.Elem(), elem)
}
