package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A pool of pointers to slices needs no limit if nothing sets the slice behind such a pointer again: it stays as large as the
// constant that it was made with.

// keepsSize reports whether the slices of a pool surely stay as they were made.
func (s *source) keepsSize(p *syncPool) bool {
	pkg := s.tracer.prog.Package(p.v.Pkg())
	if p.escapes || pkg == nil {
		return false
	}
	put := false
	for _, fn := range s.functionsOf(pkg) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if mayResize(instr, pkg) {
					return false
				}
				if call, ok := instr.(ssa.CallInstruction); ok && isPoolPut(call) && poolAt(call.Common().Args[0]) == p.v {
					if put = isSlicePointer(unwrap(call.Common().Args[1]).Type()); !put {
						return false
					}
				}
			}
		}
	}
	return put
}

// functionsOf returns the functions, methods and literals of a package.
func (s *source) functionsOf(pkg *ssa.Package) (all []*ssa.Function) {
	for _, m := range pkg.Members {
		if fn, ok := m.(*ssa.Function); ok {
			all = append(all, fn)
		}
	}
	for _, fn := range s.tracer.methods {
		if fn.Pkg == pkg {
			all = append(all, fn)
		}
	}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].AnonFuncs...)
	}
	return all
}

// isSlicePointer reports whether a type is a pointer to a slice of bytes.
func isSlicePointer(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	list, ok := p.Elem().Underlying().(*types.Slice)
	return ok && types.Identical(list.Elem().Underlying(), types.Typ[types.Byte])
}

func isPoolPut(call ssa.CallInstruction) bool {
	fn := call.Common().StaticCallee()
	return fn != nil && runtimeName(fn) == "sync.(*Pool).Put"
}

// mayResize reports whether an instruction may set a slice by a pointer, or makes such a pointer to a slice of another size, or
// gives one to code that is not seen.
func mayResize(instr ssa.Instruction, pkg *ssa.Package) bool {
	if pointsAtGlobal(instr) {
		return true
	}
	switch i := instr.(type) {
	case *ssa.Alloc:
		return isSlicePointer(i.Type()) && isPointedAt(i) && slices.ContainsFunc(storesTo(i), func(v ssa.Value) bool { return !isConstantSlice(v) })
	case *ssa.FieldAddr, *ssa.IndexAddr:
		v := i.(ssa.Value)
		return isSlicePointer(v.Type()) && isPointedAt(v)
	case *ssa.Store:
		switch i.Addr.(type) {
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
			return false
		}
		return isSlicePointer(i.Addr.Type()) && !isConstantSlice(i.Val)
	case *ssa.Convert:
		return isUnsafe(i.Type()) && isSlicePointer(i.X.Type())
	case *ssa.MakeInterface:
		return isSlicePointer(i.X.Type()) && slices.ContainsFunc(*i.Referrers(), func(r ssa.Instruction) bool {
			call, ok := r.(ssa.CallInstruction)
			_, returned := r.(*ssa.Return)
			return !returned && !(ok && isPoolPut(call))
		})
	case ssa.CallInstruction:
		fn := i.Common().StaticCallee()
		return (fn == nil || fn.Pkg != pkg) && slices.ContainsFunc(i.Common().Args, func(arg ssa.Value) bool { return isSlicePointer(arg.Type()) })
	}
	return false
}

// pointsAtGlobal reports whether an instruction uses the address of a slice that is a variable of a package.
func pointsAtGlobal(instr ssa.Instruction) bool {
	at := -1 // of the operand that is only read or written
	switch instr.(type) {
	case *ssa.UnOp, *ssa.Store:
		at = 0
	}
	for n, v := range instr.Operands(nil) {
		if g, ok := (*v).(*ssa.Global); ok && n != at && isSlicePointer(g.Type()) {
			return true
		}
	}
	return false
}

// isPointedAt reports whether anything but reads and writes of a variable uses its address.
func isPointedAt(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
			return false
		case *ssa.Store:
			return r.Addr != v
		}
		return true
	})
}

// isConstantSlice reports whether a value is a slice that is made with a constant size.
func isConstantSlice(v ssa.Value) bool {
	part, ok := v.(*ssa.Slice)
	if !ok {
		return false
	}
	array, ok := part.X.(*ssa.Alloc)
	return ok && array.Comment == "makeslice"
}
