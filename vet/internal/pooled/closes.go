package pooled

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

// A Closer is a method Close of a reader or a writer that puts memory each time it is called.
type Closer struct {
	Close *ssa.Function
	Put   *facts.Put
	Read  ssa.CallInstruction // in the method Read, which puts the same memory before; or nil
}

// Closers returns the methods Close that put memory and do not remember it: a second call puts that memory once more.
func (r *Result) Closers() (found []Closer) {
	for _, fn := range r.Funcs {
		recv := fn.Signature.Recv()
		if fn.Name() != "Close" || recv == nil || fn.Signature.Params().Len() > 0 || len(fn.Blocks) == 0 || facts.Guarded(fn) || r.InTest(fn.Pos()) {
			continue
		}
		read, write := r.method(recv.Type(), "Read"), r.method(recv.Type(), "Write")
		fact := r.info.Local(fn)
		if fact == nil || read == nil && write == nil {
			continue
		}
		for i := range fact.Puts {
			p := &fact.Puts[i]
			if p.Arg == 0 && p.When == facts.Always && !p.Once && !p.Clear && p.Path != facts.Pointee {
				c := Closer{Close: fn, Put: p}
				if read != nil {
					c.Read = r.putIn(read, p.Path)
				}
				found = append(found, c)
				break
			}
		}
	}
	return found
}

// method returns the method of a type that the package declares for it, or nil.
func (r *Result) method(t types.Type, name string) *ssa.Function {
	o, _, _ := types.LookupFieldOrMethod(t, true, r.Pass.Pkg, name)
	f, ok := o.(*types.Func)
	if !ok || f.Pkg() != r.Pass.Pkg || !types.Identical(f.Signature().Recv().Type(), t) {
		return nil
	}
	return r.info.SSA.Prog.FuncValue(f)
}

// putIn returns a call in a method that puts the receiver's memory at a path, if the method does not set the field there.
func (r *Result) putIn(fn *ssa.Function, path string) ssa.CallInstruction {
	for i := range shape.Instructions(fn) {
		s, ok := i.(*ssa.Store)
		if !ok {
			continue
		}
		if f, ok := s.Addr.(*ssa.FieldAddr); ok && strings.HasPrefix(path+">", pathOf(f, fn)+">") {
			return nil
		}
	}
	for i := range shape.Instructions(fn) {
		if c, ok := i.(ssa.CallInstruction); ok && slices.Contains(r.putsAt(c, fn), path) {
			return c
		}
	}
	return nil
}

// putsAt returns the paths from the receiver of a method to the memory that a call in the method puts for good.
func (r *Result) putsAt(c ssa.CallInstruction, fn *ssa.Function) (paths []string) {
	args := c.Common().Args
	if e := facts.RowOf(c); e != nil {
		if e.Put >= 0 && e.Put < len(args) {
			paths = append(paths, pathOf(args[e.Put], fn))
		}
		return paths
	}
	f := shape.Declared(c)
	if f == nil || c.Common().IsInvoke() {
		return nil
	}
	if fact := r.fact(f); fact != nil {
		for _, p := range fact.Puts {
			if p.Arg >= len(args) || p.Once || p.Clear || p.When != facts.Always {
				continue
			}
			if at := pathOf(args[p.Arg], fn); at == "" {
				paths = append(paths, p.Path)
			} else if p.Path == "" {
				paths = append(paths, at)
			}
		}
	}
	return paths
}

// pathOf returns the path from the receiver of a method to a value, or to the field that an address is of. It is "?" if there
// is none.
func pathOf(v ssa.Value, fn *ssa.Function) string {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	if l, ok := v.(*ssa.UnOp); ok {
		v = l.X
	}
	if v == fn.Params[0] {
		return ""
	}
	if f, ok := v.(*ssa.FieldAddr); ok && f.X == fn.Params[0] {
		return "." + strconv.Itoa(f.Field)
	}
	return "?"
}
