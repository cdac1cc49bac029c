package facts

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// PutsElements returns the parameters of a function, and the fields of what they point at, whose elements it puts, each of
// them: in every round of a loop over all elements that every call of the function comes to.
func (p *Package) PutsElements(fn *ssa.Function) (puts []Put) {
	for i := range shape.Instructions(fn) {
		c, ok := i.(*ssa.Call)
		if !ok {
			continue
		}
		list := elementOf(p.PutBy(c))
		if list == nil || !shape.InWholeLoop(p.Loops(fn), c.Block()) {
			continue
		}
		path := ""
		if l, ok := list.(*ssa.UnOp); ok && l.Op == token.MUL {
			f, ok := l.X.(*ssa.FieldAddr)
			if !ok || setsField(fn, shape.FieldOf(f)) {
				continue
			}
			list, path = f.X, fmt.Sprintf(".%d>", f.Field)
		}
		for n, param := range fn.Params {
			if param == list {
				puts = append(puts, Put{Arg: n, Path: path + Elements, Keeps: true, at: c.Pos()})
			}
		}
	}
	return puts
}

// setsField reports whether a function sets a field.
func setsField(fn *ssa.Function, f *types.Var) bool {
	for i := range shape.Instructions(fn) {
		if s, ok := i.(*ssa.Store); ok && shape.FieldOf(s.Addr) == f {
			return true
		}
	}
	return false
}

// PutBy returns the argument that a call always puts, or nil.
func (p *Package) PutBy(c *ssa.Call) ssa.Value {
	object, callee := p.Callee(&c.Call)
	if object == nil {
		return nil
	}
	if m := p.Row(object); m != nil {
		if m.Put >= 0 && m.Put < len(c.Call.Args) {
			return c.Call.Args[m.Put]
		}
		return nil
	}
	fact := p.Of(object, callee)
	if fact == nil || c.Call.IsInvoke() {
		return nil
	}
	for _, put := range fact.Puts {
		if put.Path == "" && put.When == Always && put.Arg < len(c.Call.Args) {
			return c.Call.Args[put.Arg]
		}
	}
	return nil
}

// elementOf returns the list whose element at the index of a loop a value is, or nil.
func elementOf(v ssa.Value) ssa.Value {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	l, ok := v.(*ssa.UnOp)
	if !ok || l.Op != token.MUL {
		return nil
	}
	e, ok := l.X.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	switch e.Index.(type) {
	case *ssa.Phi, *ssa.BinOp:
		return e.X
	}
	return nil
}

// Guarded reports whether a function asks whether a field of its receiver is nil, and sets that field to nil: a
// second call does nothing.
func Guarded(fn *ssa.Function) bool {
	asked, emptied := map[int]bool{}, map[int]bool{}
	field := func(at ssa.Value) int {
		if f, ok := at.(*ssa.FieldAddr); ok && len(fn.Params) > 0 && f.X == fn.Params[0] {
			return f.Field
		}
		return -1
	}
	for i := range shape.Instructions(fn) {
		switch i := i.(type) {
		case *ssa.BinOp:
			if l, ok := i.X.(*ssa.UnOp); ok && l.Op == token.MUL && shape.IsNil(i.Y) {
				asked[field(l.X)] = true
			}
		case *ssa.Store:
			if shape.IsNil(i.Val) {
				emptied[field(i.Addr)] = true
			}
		}
	}
	for n := range asked {
		if n >= 0 && emptied[n] {
			return true
		}
	}
	return false
}

// Choosy reports whether a function puts only memory within a limit that a field has. A
// test can set that field to anything.
func Choosy(fn *ssa.Function) bool {
	for i := range shape.Instructions(fn) {
		c, ok := i.(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := c.Cond.(*ssa.BinOp)
		if !ok || !shape.IsLimit(cond.X) && !shape.IsLimit(cond.Y) {
			continue
		}
		if params, ok := shape.SizeTest(fn, cond); ok && params != 0 {
			return true
		}
	}
	return false
}

// ReadsOf finds the uses of a function's arguments on every path: those in the first
// block.
func ReadsOf(fn *ssa.Function) []Read {
	var found []Read
	for _, i := range fn.Blocks[0].Instrs {
		var at ssa.Value
		switch i := i.(type) {
		case *ssa.Call:
			for _, r := range passedOn(fn, i) {
				if !slices.Contains(found, r) {
					found = append(found, r)
				}
			}
			continue
		case *ssa.UnOp:
			if i.Op != token.MUL {
				continue
			}
			at = i.X
		case *ssa.Store:
			at = i.Addr
		default:
			continue
		}
		for depth := 0; depth < 4; depth++ {
			switch a := at.(type) {
			case *ssa.FieldAddr:
				at = a.X
				continue
			case *ssa.IndexAddr:
				at = a.X
				continue
			}
			break
		}
		l, ok := at.(*ssa.UnOp) // the pointer in a field of a parameter
		if !ok || l.Op != token.MUL {
			continue
		}
		f, ok := l.X.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for n, param := range fn.Params {
			if f.X == param {
				r := Read{n, fmt.Sprintf(".%d", f.Field)}
				if !slices.Contains(found, r) {
					found = append(found, r)
				}
			}
		}
	}
	return found
}

// passedOn returns the slices in fields of a function's arguments that a call reads: one of copy, append, a function in the
// table, a method of an interface or a function value.
func passedOn(fn *ssa.Function, c *ssa.Call) (found []Read) {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() != "copy" && b.Name() != "append" {
		return nil
	}
	e := RowOf(c)
	if e == nil && c.Call.StaticCallee() != nil || e != nil && (e.OfPool() || e.Keeps() || e.Ignore) {
		return nil
	}
	for _, a := range c.Call.Args {
		l, ok := a.(*ssa.UnOp)
		if !ok || l.Op != token.MUL || !shape.IsSlice(l.Type()) {
			continue
		}
		path, at := "", l.X
		for f, ok := at.(*ssa.FieldAddr); ok; f, ok = at.(*ssa.FieldAddr) {
			path, at = fmt.Sprintf(".%d%s", f.Field, path), f.X
		}
		for n, param := range fn.Params {
			if at == param && path != "" {
				found = append(found, Read{n, path})
			}
		}
	}
	return found
}

// LooksAtSize reports whether a function that gets from a pool passes its last
// argument, a size, on or compares it, instead of just making something new of it.
func LooksAtSize(fn *ssa.Function) bool {
	if n := fn.Signature.Params().Len(); n == 0 || !shape.IsInteger(fn.Signature.Params(), n-1) {
		return false
	}
	for _, r := range *fn.Params[len(fn.Params)-1].Referrers() {
		switch r := r.(type) {
		case *ssa.Call:
			return true
		case *ssa.BinOp:
			if types.Identical(r.Type().Underlying(), types.Typ[types.Bool]) {
				return true
			}
		}
	}
	return false
}
