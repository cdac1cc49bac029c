package pooled

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

func (p *packageInfo) writesOf(fn *ssa.Function) *writes {
	return p.effect.of(shape.Generic(fn), &writes{unknown: true}, func(fn *ssa.Function) *writes {
		w := &writes{fields: map[*types.Var]bool{}, unknown: len(fn.Blocks) == 0}
		for i := range shape.Instructions(fn) {
			switch i := i.(type) {
			case *ssa.Store:
				if f := shape.FieldOf(i.Addr); f != nil {
					w.fields[f] = true
				} else if _, ok := i.Addr.(*ssa.Alloc); !ok {
					w.others = true
				}
			case ssa.CallInstruction:
				w.add(p.writesOfCall(i.Common()))
			}
		}
		return w
	})
}

// writesOfCall returns the writes of the function that is called.
func (p *packageInfo) writesOfCall(c *ssa.CallCommon) *writes {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return &writes{}
	}
	object, callee := p.calleeOf(c)
	switch {
	case object != nil && (p.model(object) != nil || effects.Calm(object.Pkg())):
		return &writes{}
	case callee == nil || callee.Pkg != p.ssa:
		return &writes{unknown: true}
	}
	return p.writesOf(callee)
}

func (w *writes) add(o *writes) {
	w.unknown = w.unknown || o.unknown
	w.others = w.others || o.others
	for f := range o.fields {
		w.fields[f] = true
	}
}

// none reports whether nothing is written.
func (w *writes) none() bool { return !w.unknown && !w.others && len(w.fields) == 0 }

// pure reports whether a function of the package only looks at its arguments and
// returns a number or a bool: called again, it returns the same.
func (p *packageInfo) pure(fn *ssa.Function) bool {
	fn = shape.Generic(fn)
	if fn.Pkg != p.ssa || len(fn.Blocks) > 6 || fn.Signature.Results().Len() != 1 {
		return false
	}
	if b, _ := fn.Signature.Results().At(0).Type().Underlying().(*types.Basic); b == nil || b.Info()&(types.IsBoolean|types.IsInteger) == 0 {
		return false
	}
	return p.writesOf(fn).none()
}
