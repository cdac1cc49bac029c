package advise

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A field alone has its slice if nothing uses a value that was read from the field after the slice may have got longer, or shorter.

// fieldUses are the uses of a field whose slice grows.
type fieldUses struct {
	*source
	of        *types.TypeName
	field     *types.Var
	isBuffer  bool // a Buffer or a pointer to one, and no slice
	isPointer bool // to a Buffer
	boxed     bool // an interface may have it
	cut       bool // it may be empty, and not nil, after a cut or the like
}

// isGrowth reports whether all uses of a field, at an address, are plain reads, or make the slice longer or shorter. Some structs may
// get their first slice there.
func (u *fieldUses) isGrowth(v ssa.Value, begun []*beginning) bool {
	at, ok := v.(*ssa.FieldAddr)
	if !ok {
		return false // the struct is copied
	}
	if u.isBuffer {
		return u.tracer.isBuffers(at, u.isPlainRead)
	}
	return !slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return !u.isForGrowth(r) && !u.isPlainRead(r)
		case *ssa.Store:
			return !setsFirst(at, r, begun) && !u.isExtended(at, r)
		}
		return true
	})
}

// setsFirst reports whether a store gives a struct a new slice without elements. One that can begin with a slice of a pool gets that
// instead, if it is the only one.
func setsFirst(at *ssa.FieldAddr, st *ssa.Store, begun []*beginning) bool {
	local, ok := at.X.(*ssa.Alloc)
	if !ok || !isEmptySlice(st.Val) || isCopyOfParameter(local) {
		return false
	}
	i := slices.IndexFunc(begun, func(b *beginning) bool { return b.local == local })
	if i < 0 {
		return true
	}
	again := begun[i].first != nil
	begun[i].first = st
	return !again
}

// isEmptySlice reports whether a value is a new slice without elements, or nil.
func isEmptySlice(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.MakeSlice:
		return isZero(v.Len)
	case *ssa.Slice:
		array, ok := v.X.(*ssa.Alloc)
		if !ok {
			return false
		}
		list, ok := array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		return ok && (array.Comment == "makeslice" && v.High != nil && isZero(v.High) || array.Comment == "slicelit" && list.Len() == 0)
	}
	return false
}

// isOnlyRead reports whether a copy of a struct is given to no function, which could append to its slice.
func isOnlyRead(local *ssa.Alloc) bool {
	return !slices.ContainsFunc(*local.Referrers(), func(r ssa.Instruction) bool {
		switch r.(type) {
		case *ssa.DebugRef, *ssa.Store, *ssa.FieldAddr:
			return false
		}
		return true
	})
}

// areRead reports whether all functions that get the memory from others only read it.
func (u *fieldUses) areRead(tr *fieldTrail) bool {
	return !slices.ContainsFunc(tr.results.given(), func(call *ssa.Call) bool { return !u.isPlainRead(call) })
}

// isPlainRead reports whether no use of a slice asks for its capacity, extends it beyond its length, or tells nil from an empty
// slice. None comes after the field may have got another array, where a pool's larger one stays.
func (u *fieldUses) isPlainRead(v ssa.Value) bool {
	t := u.tracer.trailFrom(paramKey{v: v}, false)
	t.within = u.isShorter
	t.walk()
	if t.sized || t.resliced || t.forked || !isAlikeEmpty(v, 0) {
		return false
	}
	read := v.(ssa.Instruction)
	grows := slices.DeleteFunc(u.growsAt(v.Parent()), func(i ssa.Instruction) bool { return i == read })
	for alias := range t.seen {
		if _, merges := alias.(*ssa.Phi); merges || alias.Parent() != v.Parent() {
			return false
		}
		for _, use := range *alias.Referrers() {
			switch use := use.(type) {
			case *ssa.Defer, *ssa.Go, *ssa.MakeClosure:
				return false
			case *ssa.Call:
				if t.grows && !u.isStored(use) && takesSlice(use, alias) || slices.Contains(grows, ssa.Instruction(use)) {
					return false
				}
			}
			if slices.ContainsFunc(grows, func(g ssa.Instruction) bool { return g != use && comes(read, g, nil) && comes(g, use, read) }) {
				return false
			}
		}
	}
	return true
}

// isForGrowth reports whether a slice is only read to set the field again, which isExtended looks at.
func (u *fieldUses) isForGrowth(v ssa.Value) bool {
	if len(*v.Referrers()) != 1 {
		return false
	}
	switch use := (*v.Referrers())[0].(type) {
	case *ssa.Slice:
		return use.X == v && u.isForGrowth(use)
	case *ssa.Call:
		return extended(use) == v && u.isForGrowth(use)
	case *ssa.Store:
		at, ok := use.Addr.(*ssa.FieldAddr)
		return ok && fieldAt(at) == u.field
	}
	return false
}

// takesSlice reports whether a call may append to a slice: it is no len or the like.
func takesSlice(call *ssa.Call, v ssa.Value) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return !ok || b.Name() == "append" && call.Call.Args[0] == v
}

// isStored reports whether a call appends, and the result is only stored in the field, maybe by a further append.
func (u *fieldUses) isStored(call *ssa.Call) bool {
	return extended(call) != nil && !slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Store:
			to, ok := r.Addr.(*ssa.FieldAddr)
			return !ok || fieldAt(to) != u.field
		case *ssa.Call:
			return extended(r) != ssa.Value(call) || !u.isStored(r)
		}
		return true
	})
}

// growsAt returns the instructions of a function by which the slice of the field may grow: it sets the field, or passes the struct
// to another function.
func (u *fieldUses) growsAt(fn *ssa.Function) (all []ssa.Instruction) {
	if u.isBuffer {
		all = u.tracer.bufferWrites(fn, u.field)
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Store:
				if to, ok := i.Addr.(*ssa.FieldAddr); ok && fieldAt(to) == u.field {
					all = append(all, i)
				}
			case ssa.CallInstruction:
				if u.getsStruct(i) {
					all = append(all, i)
				}
			}
		}
	}
	return all
}

// getsStruct reports whether a call has a pointer to the struct as an argument, or an interface that may have it.
func (u *fieldUses) getsStruct(call ssa.CallInstruction) bool {
	c := call.Common()
	return c.IsInvoke() && u.mayBeStruct(c.Value) || slices.ContainsFunc(c.Args, u.mayBeStruct)
}

// mayBeStruct reports whether a value may be a pointer to the struct.
func (u *fieldUses) mayBeStruct(v ssa.Value) bool {
	if isStructPointer(v.Type()) {
		return hasFieldOf(v.Type(), u.field)
	}
	face, ok := v.Type().Underlying().(*types.Interface)
	return ok && u.boxed && types.Implements(types.NewPointer(u.of.Type()), face)
}

// isExtended reports whether a store sets the field of a struct to its own slice, from the beginning: to the result of appends to
// it, or to the first elements. No function gets the struct between the reading and the setting.
func (u *fieldUses) isExtended(at *ssa.FieldAddr, st *ssa.Store) bool {
	if copied, ok := at.X.(*ssa.Alloc); ok && isCopyOfParameter(copied) {
		return false
	}
	v, whole := st.Val, true
	for {
		switch x := v.(type) {
		case *ssa.Call:
			to := extended(x)
			if to == nil || len(*x.Referrers()) != 1 || x.Block() != st.Block() {
				return false
			}
			u.cut = u.cut || !addsElements(x)
			v = to
		case *ssa.Slice:
			if !whole || !u.isBegin(x) {
				return false
			}
			u.cut, whole = true, false
			v = x.X
		case *ssa.UnOp:
			return u.isOf(x, at) && x.Block() == st.Block() && len(*x.Referrers()) == 1 && !u.passesBetween(x, st)
		default:
			return false
		}
	}
}

// isBegin reports whether a part of the slice, which has no other use, begins with that, and ends with it or before.
func (u *fieldUses) isBegin(part *ssa.Slice) bool {
	return (part.Low == nil || isZero(part.Low)) && part.Max == nil && part.High != nil && u.isShorter(part) && len(*part.Referrers()) == 1
}

// addsElements reports whether a call returns nil for nil only if it appends nothing.
func addsElements(call *ssa.Call) bool {
	if isAppend(call) {
		return true
	}
	switch packageOf(runtimeName(call.Call.StaticCallee())) {
	case "strconv", "unicode/utf8", "encoding/binary":
		return true
	}
	return false
}

// isOf reports whether a value is read from the field of the same struct as that of an address.
func (u *fieldUses) isOf(load *ssa.UnOp, at *ssa.FieldAddr) bool {
	from, ok := load.X.(*ssa.FieldAddr)
	return ok && load.Op == token.MUL && from.X == at.X && from.Field == at.Field
}

// isShorter reports whether a slice of the field surely ends at its length or before. The length may be read from the field anew.
func (u *fieldUses) isShorter(part *ssa.Slice) bool {
	if isZero(part.High) {
		return true
	}
	load, ok := part.X.(*ssa.UnOp)
	less, isLess := part.High.(*ssa.BinOp)
	if !ok || !isLess || less.Op != token.SUB || !isNaturalConst(less.Y) || !isLen(less.X) {
		return false
	}
	other, ok := less.X.(*ssa.Call).Call.Args[0].(*ssa.UnOp)
	from, isField := load.X.(*ssa.FieldAddr)
	return ok && isField && u.isOf(other, from) && other.Block() == load.Block() && !u.passesBetween(load, other) && !u.passesBetween(other, load)
}

// passesBetween reports whether a function may get the struct between two instructions of a block, or the field is set there.
func (u *fieldUses) passesBetween(from, to ssa.Instruction) bool {
	instrs := from.Block().Instrs
	i, j := slices.Index(instrs, from), slices.Index(instrs, to)
	return i < j && slices.ContainsFunc(u.growsAt(from.Parent()), func(g ssa.Instruction) bool {
		k := slices.Index(instrs, g)
		return i < k && k < j
	})
}
