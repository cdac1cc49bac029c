package facts

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// Writes returns the writes of a function and of those that it calls.
func (p *Package) Writes(fn *ssa.Function) *Writes {
	return p.effect.Of(shape.Generic(fn), &Writes{Unknown: true}, func(fn *ssa.Function) *Writes {
		w := &Writes{Fields: map[*types.Var]bool{}, Emptied: map[*types.Var]bool{}, Unknown: len(fn.Blocks) == 0}
		for i := range shape.Instructions(fn) {
			switch i := i.(type) {
			case *ssa.Store:
				if f := shape.FieldOf(i.Addr); f != nil && reslices(i) {
					w.Emptied[f] = true
				} else if f != nil {
					w.Fields[f] = true
				} else if _, ok := i.Addr.(*ssa.Alloc); !ok {
					w.Others = true
				}
			case ssa.CallInstruction:
				w.add(p.writesOfCall(i.Common()))
			}
		}
		return w
	})
}

// writesOfCall returns the writes of the function that is called.
func (p *Package) writesOfCall(c *ssa.CallCommon) *Writes {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return &Writes{}
	}
	object, callee := p.Callee(c)
	switch {
	case object != nil && (p.Row(object) != nil || effects.Calm(object.Pkg())):
		return &Writes{}
	case callee == nil || callee.Pkg != p.SSA:
		return &Writes{Unknown: true}
	}
	return p.Writes(callee)
}

func (w *Writes) add(o *Writes) {
	w.Unknown = w.Unknown || o.Unknown
	w.Others = w.Others || o.Others
	maps.Copy(w.Fields, o.Fields)
	maps.Copy(w.Emptied, o.Emptied)
}

// None reports whether nothing is written.
func (w *Writes) None() bool { return !w.Unknown && !w.Others && len(w.Fields)+len(w.Emptied) == 0 }

// reslices reports whether an instruction sets a field to the front of the field's own slice, as in b.buf = b.buf[:0].
func reslices(i *ssa.Store) bool {
	s, ok := i.Val.(*ssa.Slice)
	if !ok || s.Low != nil || s.Max != nil {
		return false
	}
	l, ok := s.X.(*ssa.UnOp)
	if !ok || l.Op != token.MUL {
		return false
	}
	from, ok := l.X.(*ssa.FieldAddr)
	to, isField := i.Addr.(*ssa.FieldAddr)
	return ok && isField && from.X == to.X && from.Field == to.Field
}

// Pure reports whether a function of the package only looks at its arguments and
// returns a number or a bool: called again, it returns the same.
func (p *Package) Pure(fn *ssa.Function) bool {
	fn = shape.Generic(fn)
	if fn.Pkg != p.SSA || len(fn.Blocks) > 6 || fn.Signature.Results().Len() != 1 {
		return false
	}
	return shape.IsBasic(fn.Signature.Results().At(0).Type(), types.IsBoolean|types.IsInteger) && p.Writes(fn).None()
}
