package pooled

import (
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/shape"
)

// trials are the tests of a package, which may misuse memory on purpose.
type trials struct {
	*facts.Package
	panicking map[*ssa.Function]bool // results of expectsPanic
}

// intended reports whether a test misuses memory on purpose: to see that it panics, or
// that a pool of the package it tests refuses or resets values.
func (t *trials) intended(h *paths.Hit) bool {
	if !t.InTest(h.At) {
		return false
	}
	if t.expectsPanic(shape.Outermost(h.Use.Parent())) {
		return true
	}
	put, ok := h.PutInstr().(ssa.CallInstruction)
	if !ok || !t.own(put.Common()) {
		return false
	}
	switch h.Kind {
	case paths.DoublePut, paths.CutPut, paths.ClippedPut, paths.ForeignPut, paths.GrownPut, paths.OtherPool:
		return true
	case paths.UseAfterPut:
		return looks(h.Use)
	}
	return false
}

// own reports whether a call is one of the package that a test belongs to.
func (t *trials) own(c *ssa.CallCommon) bool {
	var f types.Object
	if c.IsInvoke() {
		f = c.Method
	} else if callee := c.StaticCallee(); callee != nil {
		f = shape.Outermost(callee).Object()
	}
	path := func(p *types.Package) string { return strings.TrimSuffix(p.Path(), "_test") }
	return f != nil && f.Pkg() != nil && path(f.Pkg()) == path(t.Pass.Pkg)
}

// looks reports whether an instruction looks at memory for a test. It may set a variable of the test. It reads a field or a
// length, calls a method that tells the state of a buffer, or hands the memory to a function
// that compares or prints it.
func looks(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.UnOp:
		return i.Op == token.MUL && (shape.FieldOf(i.X) != nil || onlyMeasured(i))
	case *ssa.Store:
		_, own := i.Addr.(*ssa.Alloc) // the test's variable gets the next value to put
		return own
	case *ssa.Call:
		name, args := shape.NameOf(&i.Call)
		if f := i.Call.StaticCallee(); f != nil {
			if o := f.Object(); o != nil && o.Pkg() != nil && (o.Pkg().Path() == "testing" || strings.Contains(o.Pkg().Path(), "testify/")) {
				return true
			}
		}
		switch name {
		case "Len", "Cap", "String", "Bytes":
			return len(args) == 1
		}
	}
	return false
}

// onlyMeasured reports whether nothing is asked of a value but its length and capacity.
func onlyMeasured(v ssa.Value) bool {
	measured := false
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			b, ok := r.Call.Value.(*ssa.Builtin)
			if !ok || b.Name() != "len" && b.Name() != "cap" {
				return false
			}
			measured = true
		default:
			return false
		}
	}
	return measured
}

// expectsPanic reports whether a function of a test, which is no function literal,
// expects a panic: it recovers, or calls a function such as Panics or mustPanic, or is
// called by a function that does.
func (t *trials) expectsPanic(fn *ssa.Function) bool {
	if t.panicking != nil {
		return t.panicking[fn]
	}
	t.panicking = map[*ssa.Function]bool{}
	for i := range shape.Instructions(t.Funcs...) {
		if c, ok := i.(ssa.CallInstruction); ok && awaitsPanic(c.Common()) && t.InTest(i.Parent().Pos()) {
			t.panicking[shape.Outermost(i.Parent())] = true
		}
	}
	callees := map[*ssa.Function]bool{}
	for i := range shape.Instructions(t.Funcs...) {
		if !t.panicking[shape.Outermost(i.Parent())] {
			continue
		}
		for _, op := range i.Operands(nil) {
			if callee, ok := (*op).(*ssa.Function); ok && callee.Parent() == nil && callee.Pkg == t.SSA {
				callees[callee] = true
			}
		}
	}
	maps.Copy(t.panicking, callees)
	return t.panicking[fn]
}

// awaitsPanic reports whether a call recovers from a panic, or is of a function that by
// its name expects one.
func awaitsPanic(c *ssa.CallCommon) bool {
	switch f := c.Value.(type) {
	case *ssa.Builtin:
		return f.Name() == "recover"
	case *ssa.Function:
		return strings.Contains(f.Name(), "Panic") || strings.HasPrefix(f.Name(), "panics")
	}
	return c.IsInvoke() && strings.Contains(c.Method.Name(), "Panic")
}
