package pools

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// NeverPut reports whether somebody gets from a pool, and nobody can put into it.
func (p *Pool) NeverPut() bool {
	return len(p.Gets) > 0 && len(p.Puts) == 0 && !p.Open.IsValid() && !p.Shown
}

// Overwritten returns the assignments that replace a pool while others may have its memory. They stand outside of
// initialization, and the pool is used and has been set up elsewhere.
func (p *Pool) Overwritten() (found []*ssa.Store) {
	if len(p.Gets) == 0 || len(p.Puts) == 0 {
		return nil
	}
	first := 0
	for _, s := range p.sets {
		switch {
		case isFirst(s):
			first++
		case !asksForNil(s):
			found = append(found, s)
		}
	}
	if global, ok := p.Var.(*types.Var); first == 0 && (!ok || global.IsField() || isPointer(global.Type())) {
		return nil // the zero value is usable, but a program seldom uses that of a field before it sets the field
	}
	return found
}

// isFirst reports whether a store initializes a variable of the package, or a field of a new struct.
func isFirst(s *ssa.Store) bool {
	switch a := s.Addr.(type) {
	case *ssa.Global:
		fn := s.Parent()
		return fn.Parent() == nil && fn.Signature.Recv() == nil && (fn.Synthetic != "" || strings.HasPrefix(fn.Name(), "init#") || fn.Name() == "main")
	case *ssa.FieldAddr:
		v := a.X
		for {
			f, ok := v.(*ssa.FieldAddr)
			if !ok {
				break
			}
			v = f.X
		}
		_, isNew := v.(*ssa.Alloc)
		return isNew
	}
	return false
}

// asksForNil reports whether the function of a store compares the same variable with nil: it makes the pool on demand.
func asksForNil(s *ssa.Store) bool {
	for _, b := range s.Parent().Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(*ssa.BinOp)
			if !ok || !shape.IsNil(c.Y) {
				continue
			}
			if l, ok := c.X.(*ssa.UnOp); ok && l.Op == token.MUL && samePlace(l.X, s.Addr) {
				return true
			}
		}
	}
	return false
}

func samePlace(a, b ssa.Value) bool {
	f, ok := a.(*ssa.FieldAddr)
	g, ok2 := b.(*ssa.FieldAddr)
	return a == b || ok && ok2 && shape.FieldOf(f) == shape.FieldOf(g)
}

// NeverSet returns the calls that put the value of a field which nobody sets, with the field, one call for each field. Only
// fields that no other package can set count. putOf returns the argument that a call puts, or nil.
func NeverSet(funcs []*ssa.Function, putOf func(ssa.CallInstruction) ssa.Value) (puts []ssa.CallInstruction, fields []*types.Var) {
	set := map[*types.Var]bool{}
	met := map[*types.Var]bool{}
	for i := range shape.Instructions(funcs...) {
		switch i := i.(type) {
		case *ssa.FieldAddr:
			if !neverGiven(i) {
				set[shape.FieldOf(i)] = true
			}
		case *ssa.ChangeType:
			settled(i.Type(), set)
		case *ssa.Convert:
			settled(i.Type(), set)
		}
		c, ok := i.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if f := loadedField(putOf(c)); f != nil && !f.Exported() && !met[f] {
			met[f] = true
			puts, fields = append(puts, c), append(fields, f)
		}
	}
	n := 0
	for i, f := range fields {
		if !set[f] {
			puts[n], fields[n] = puts[i], f
			n++
		}
	}
	return puts[:n], fields[:n]
}

// settled notes that all fields of a struct are set, because a value or a pointer is converted to it.
func settled(t types.Type, set map[*types.Var]bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			set[f.Origin()] = true
		}
	}
}

// neverGiven reports whether the address of a field is used for nothing but to load the field, or to set it to nil.
func neverGiven(f *ssa.FieldAddr) bool {
	for _, r := range *f.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Store:
			if r.Addr != f || !shape.IsNil(r.Val) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// loadedField returns the field, a pointer or a slice, that a value is loaded from, or nil.
func loadedField(v ssa.Value) *types.Var {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	l, ok := v.(*ssa.UnOp)
	if !ok || l.Op != token.MUL {
		return nil
	}
	f, ok := l.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	switch l.Type().Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return shape.FieldOf(f)
	}
	return nil
}
