package advise

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A call that lets a Buffer or a compressor grow has that as an argument, or behind one: a writer has another writer.

// grownBy returns the arguments of a call of which one is, or leads to, the Buffer that it lets grow.
func grownBy(c *ssa.CallCommon) []ssa.Value {
	args := arguments(c)
	if bound, ok := c.Value.(*ssa.MakeClosure); ok { // a method of a value
		args = append(slices.Clone(bound.Bindings), args...)
	}
	fn := c.StaticCallee()
	switch {
	case c.IsInvoke() && strings.HasPrefix(c.Method.Name(), "Write") && c.Method.Name() != "WriteTo": // the writer grows, or one behind it, and not the memory that it gets
		return args[:1]
	case fn == nil:
	case fn.Name() == "WriteTo" && len(args) > 0: // it is the writer that grows, not the receiver
		return args[1:]
	case strings.HasPrefix(runtimeName(fn), "io.Copy"):
		return args[:1]
	}
	return args
}

// argument returns an argument of c that matches, or one of a call that made an argument of c, such as a writer.
func argument(c *ssa.CallCommon, matches func(ssa.Value) bool) ssa.Value {
	return among(arguments(c), matches, 0)
}

// among does so for some arguments.
func among(args []ssa.Value, matches func(ssa.Value) bool, depth int) ssa.Value {
	for _, arg := range args {
		arg = unwrap(arg)
		if !matches(arg) {
			arg = settled(captured(arg))
		}
		if matches(arg) {
			return arg
		}
		inner := writersIn(arg)
		made, ok := arg.(*ssa.Call)
		if ok && isModeled(made.Call.StaticCallee()) {
			inner = arguments(&made.Call)
		}
		if depth <= 3 {
			if v := among(inner, matches, depth+1); v != nil {
				return v
			}
		}
	}
	return nil
}

// writersIn returns the writers in the list of a variadic call, such as that of io.MultiWriter.
func writersIn(v ssa.Value) (all []ssa.Value) {
	list, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := list.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" || !canWrite(list.Type().Underlying().(*types.Slice).Elem()) {
		return nil
	}
	for _, r := range *array.Referrers() {
		if at, ok := r.(*ssa.IndexAddr); ok {
			for _, r := range *at.Referrers() {
				if st, ok := r.(*ssa.Store); ok {
					all = append(all, st.Val)
				}
			}
		}
	}
	return all
}

// isWriter reports whether a value is a parameter, or read from a field, and an interface that may let a Buffer grow.
func isWriter(v ssa.Value) bool {
	_, isParam := v.(*ssa.Parameter)
	return (isParam || fieldOf(v) != nil) && canWrite(v.Type())
}

// canWrite reports whether a type is an interface with a method by which a Buffer grows.
func canWrite(t types.Type) bool {
	face, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range face.Methods() {
		if isWrite("bytes.(*Buffer)." + m.Name()) {
			return true
		}
	}
	return false
}

// isMadeHere reports whether a value is a new one of a kind.
func isMadeHere(v ssa.Value, k kind) bool {
	switch made := madeBy(v).(type) {
	case *ssa.Alloc:
		return k == kindBuffer && isBufferPointer(v) || k == kindBuilder && isBuilderPointer(v)
	case *ssa.MakeMap:
		return k == kindMap
	case *ssa.Call:
		return (isOfMaker(v.Type(), k) || k == kindBuffer && isBufferPointer(v)) && isModeled(made.Call.StaticCallee()) && len(made.Call.StaticCallee().Blocks) == 0
	}
	return false
}

// arguments has the receiver of an interface's method too.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
}

// isOfMaker reports whether a type is a pointer to one of the package of a kind.
func isOfMaker(t types.Type, k kind) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && named.Obj().Pkg() != nil && makers[named.Obj().Pkg().Path()] == k
}

// madeBy returns the call that has a value among its results, or the value.
func madeBy(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		return x.Tuple
	}
	return v
}
