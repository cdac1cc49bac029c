package advise

import "golang.org/x/tools/go/ssa"

// A field of one struct may grow at several lines of a function, as a variable may. Then these lines are one site.

// grownField returns the address of the field that an append extends and sets: of several such addresses in the function, the first.
func grownField(v ssa.Value) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok || !isAppend(call) {
		return nil
	}
	at := extendedField(call)
	if at == nil {
		return nil
	}
	for _, b := range call.Parent().Blocks {
		for _, instr := range b.Instrs {
			if first, ok := instr.(*ssa.FieldAddr); ok && isSamePlace(first, at) {
				return first
			}
		}
	}
	return at
}

// extendedField returns the address of the field from which an append has its slice, and which it alone sets, or nil.
func extendedField(call *ssa.Call) *ssa.FieldAddr {
	v := ssa.Value(call)
	for range 4 { // appends to the result of another one
		use := onlyUse(v)
		if outer, ok := use.(*ssa.Call); ok && isAppend(outer) && outer.Call.Args[0] == v {
			v = outer
			continue
		}
		set, ok := use.(*ssa.Store)
		if !ok || set.Val != v {
			return nil
		}
		to, ok := set.Addr.(*ssa.FieldAddr)
		if !ok {
			return nil
		}
		from := begunWith(call)
		if from == nil || !isSamePlace(from, to) {
			return nil
		}
		return to
	}
	return nil
}

// begunWith returns the address of the field whose slice an append extends, perhaps after other appends, or nil.
func begunWith(call *ssa.Call) *ssa.FieldAddr {
	v := call.Call.Args[0]
	for {
		switch x := v.(type) {
		case *ssa.Call:
			if !isAppend(x) {
				return nil
			}
			v = x.Call.Args[0]
		case *ssa.UnOp:
			at, _ := x.X.(*ssa.FieldAddr)
			return at
		default:
			return nil
		}
	}
}

// isSamePlace reports whether two addresses are those of a field of one struct: of the same value, or of a field by value of that.
func isSamePlace(a, b *ssa.FieldAddr) bool {
	if a.Field != b.Field {
		return false
	}
	if settled(a.X) == settled(b.X) {
		return true
	}
	x, isX := a.X.(*ssa.FieldAddr)
	y, isY := b.X.(*ssa.FieldAddr)
	return isX && isY && isSamePlace(x, y)
}
