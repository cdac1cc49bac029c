package advise

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A scratch struct may be the value of an interface, such as the io.Writer of fmt.Fprintf, if that goes to functions only that call
// its methods. Functions may also get the struct as methods of an interface whose types are known.

// trailOfScratch follows the memory of the field of a struct that a function has. Functions may return it to that.
func (t *tracer) trailOfScratch(self ssa.Value, b *beginning) *fieldTrail {
	u := &fieldTrail{tracer: t, fate: new(fate), field: b.field, own: true, seen: map[ssa.Value]bool{}}
	u.results = &scratchResults{owner: self.Parent(), gives: map[*ssa.Function]bool{}, invoked: map[*ssa.Function]bool{}}
	u.also = u.passOn
	u.follow(self)
	for more := true; more; {
		more = false
		for _, call := range slices.Clone(u.results.calls) {
			if u.results.gives[call.Call.StaticCallee()] && !u.seen[call] {
				u.seen[call], more = true, true
				u.use(call)
			}
		}
	}
	for fn := range u.results.gives {
		if u.results.invoked[fn] {
			u.leave(isKept, "is returned by %s through an interface", name(fn))
		}
	}
	return u
}

// passOn looks at a use of the struct as a result, as a value of an interface, or by a method that is called through one. It reports
// false if the struct may be kept there.
func (t *fieldTrail) passOn(self ssa.Value, use ssa.Instruction) bool {
	switch u := use.(type) {
	case *ssa.Return:
		return t.results.addStruct(u)
	case *ssa.MakeInterface:
		return t.box(u, self.Type())
	case ssa.CallInstruction:
		return t.passToMethods(self, u)
	}
	return false
}

// methodsAskedBy are functions of the standard library that keep no writer, with its methods that they call.
var methodsAskedBy = map[string][]string{"fmt.Fprint": {"Write"}, "fmt.Fprintf": {"Write"}, "fmt.Fprintln": {"Write"},
	"io.WriteString": {"Write", "WriteString"}, "encoding/binary.Write": {"Write"}}

// box looks at an interface that has the struct as its value. It reports false if that may go elsewhere.
func (t *fieldTrail) box(v ssa.Value, self types.Type) bool {
	if t.seen[v] {
		return true
	}
	t.seen[v] = true
	for _, use := range *v.Referrers() {
		switch u := use.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeInterface:
			if !t.box(u, self) {
				return false
			}
		case *ssa.Call:
			if !t.passBoxed(v, u, self) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// passBoxed looks at a call that has such an interface. It reports false if the call may keep it.
func (t *fieldTrail) passBoxed(v ssa.Value, call *ssa.Call, self types.Type) bool {
	c := &call.Call
	fn := c.StaticCallee()
	switch {
	case c.IsInvoke():
		return c.Value == v && !slices.Contains(c.Args, v) && t.invokeOf(self, c.Method.Pkg(), c.Method.Name(), true)
	case fn == nil || len(t.variants[fn.Object()]) > 0:
		return false
	case len(fn.Blocks) > 0:
		t.relyOn(t.moduleOf(fn))
		t.results.note(call)
		for i, arg := range c.Args {
			if arg == v && !t.box(fn.Params[i], self) {
				return false
			}
		}
		return true
	}
	methods := methodsAskedBy[runtimeName(fn)]
	if methods == nil || c.Args[0] != v || slices.Contains(c.Args[1:], v) {
		return false
	}
	for _, name := range methods {
		if !t.invokeOf(self, nil, name, name == "Write") {
			return false
		}
	}
	return true
}

// invokeOf follows the struct into its method of a name. It reports false if the method is not known, or returns the memory, or if there
// must be one.
func (t *fieldTrail) invokeOf(self types.Type, pkg *types.Package, name string, must bool) bool {
	of := types.NewMethodSet(self).Lookup(pkg, name)
	if of == nil {
		return !must
	}
	fn := t.prog.MethodValue(of)
	promoted := isBufferField(t.field) && fn != nil && strings.HasPrefix(fn.Synthetic, "wrapper ") // that of the Buffer
	if fn == nil || len(fn.Blocks) == 0 || fn.Synthetic != "" && !promoted || !types.Identical(fn.Params[0].Type(), self) || len(t.variants[fn.Object()]) > 0 {
		return false
	}
	t.results.invoked[fn] = true
	t.follow(fn.Params[0])
	return true
}

// passToMethods follows the struct into the methods that a call through an interface may be of, if these are known.
func (t *fieldTrail) passToMethods(self ssa.Value, u ssa.CallInstruction) bool {
	c := u.Common()
	if c.Value == self || !c.IsInvoke() {
		return false
	}
	methods, known := t.methodsOf(c.Value, c.Method)
	if !known {
		return false
	}
	for _, fn := range byName(methods) {
		if len(t.variants[fn.Object()]) > 0 || len(fn.Params) != len(c.Args)+1 {
			return false
		}
		t.relyOn(t.moduleOf(fn))
		t.results.invoked[fn] = true
		for i, arg := range c.Args {
			if arg == self {
				t.follow(fn.Params[i+1])
			}
		}
	}
	return true
}
