package facts

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// A free list is a slice or a channel of memory that a program uses as a pool: one function takes an item out of it, or makes
// a new one if it is empty, and another function adds its argument. A stack looks the same, so the name has to say that the
// list is a pool.

// IsFreeList reports whether the name and the type of a variable, a field or a channel type may be those of a free list.
func IsFreeList(name string, t types.Type) bool {
	var elem types.Type
	switch t := t.Underlying().(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Chan:
		elem = t.Elem()
	default:
		return false
	}
	switch elem.Underlying().(type) {
	case *types.Slice, *types.Pointer:
	default:
		return false
	}
	return IsFreeName(name)
}

// IsFreeName reports whether a name says that it is that of a pool.
func IsFreeName(name string) bool {
	name = strings.ToLower(name)
	for _, hint := range []string{"free", "pool", "recycl", "spare", "unused", "reus"} {
		if strings.Contains(name, hint) {
			return true
		}
	}
	return false
}

// freeLists returns the facts of functions that take an item out of a free list, and of those that add one.
func freeLists(funcs []*ssa.Function) map[*ssa.Function]*Fact {
	gets, puts := map[any][]*ssa.Function{}, map[any]map[*ssa.Function]int{}
	for _, fn := range funcs {
		if fn.Parent() != nil || len(fn.Blocks) > 12 {
			continue
		}
		if list := takenFrom(fn); list != nil {
			gets[list] = append(gets[list], fn)
		}
		if list, arg := addedTo(fn); list != nil {
			if puts[list] == nil {
				puts[list] = map[*ssa.Function]int{}
			}
			puts[list][fn] = arg
		}
	}
	found := map[*ssa.Function]*Fact{}
	for list, fns := range gets {
		if len(puts[list]) == 0 {
			continue
		}
		for _, fn := range fns {
			found[fn] = &Fact{Gets: []int{0}}
		}
		for fn, arg := range puts[list] {
			found[fn] = &Fact{Puts: []Put{{Arg: arg, at: fn.Pos()}}}
		}
	}
	return found
}

// listAt returns the free list that a value is: a field, a variable of the package, or the type of a channel.
func listAt(v ssa.Value) any {
	if c, ok := v.(*ssa.ChangeType); ok {
		v = c.X
	}
	if l, ok := v.(*ssa.UnOp); ok && l.Op == token.MUL {
		if f := shape.FieldOf(l.X); f != nil && IsFreeList(f.Name(), f.Type()) {
			return f
		}
		if g, ok := l.X.(*ssa.Global); ok && IsFreeList(g.Name(), l.Type()) {
			return g
		}
	}
	if n, ok := types.Unalias(v.Type()).(*types.Named); ok && IsFreeList(n.Obj().Name(), n) {
		return n.Obj()
	}
	return nil
}

// takenFrom returns the free list from which the only result of a function comes, if it is not new.
func takenFrom(fn *ssa.Function) (list any) {
	if fn.Signature.Results().Len() != 1 {
		return nil
	}
	isNew := false
	for _, b := range fn.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, v := range sources(r.Results[0], 6) {
			switch v := v.(type) {
			case *ssa.MakeSlice, *ssa.Alloc, *ssa.Call:
				isNew = true
			case *ssa.Extract: // of a receive operation that does not wait
				if s, ok := v.Tuple.(*ssa.Select); ok && !s.Blocking && len(s.States) == 1 && v.Index == 2 {
					list = listAt(s.States[0].Chan)
				}
			case *ssa.UnOp: // an element of a slice, which is taken out
				if e, ok := v.X.(*ssa.IndexAddr); ok && v.Op == token.MUL && shortens(fn, listAt(e.X)) {
					list = listAt(e.X)
				}
			}
		}
	}
	if !isNew {
		return nil
	}
	return list
}

// sources returns the values that a value may be, or may be the front of.
func sources(v ssa.Value, depth int) (from []ssa.Value) {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			from = append(from, sources(e, depth-1)...)
		}
		return from
	case *ssa.Slice:
		if v.Low == nil {
			return append(sources(v.X, depth-1), v)
		}
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL { // a result with a name
			for _, s := range shape.Stores(a) {
				from = append(from, sources(s, depth-1)...)
			}
			return from
		}
	}
	return []ssa.Value{v}
}

// shortens reports whether a function sets a list to a part of itself.
func shortens(fn *ssa.Function, list any) bool {
	for i := range shape.Instructions(fn) {
		if s, ok := i.(*ssa.Store); ok && list != nil {
			if part, ok := s.Val.(*ssa.Slice); ok && listAt(part.X) == list && storesTo(s, list) {
				return true
			}
		}
	}
	return false
}

// storesTo reports whether an instruction sets a list.
func storesTo(s *ssa.Store, list any) bool {
	f := shape.FieldOf(s.Addr)
	return f != nil && list == any(f) || list == any(s.Addr)
}

// addedTo returns the free list to which a function adds a parameter, and the number of that parameter.
func addedTo(fn *ssa.Function) (list any, arg int) {
	for i := range shape.Instructions(fn) {
		switch i := i.(type) {
		case *ssa.Select: // a send operation that does not wait
			if !i.Blocking && len(i.States) == 1 && i.States[0].Send != nil {
				if n := paramOf(fn, i.States[0].Send); n >= 0 && listAt(i.States[0].Chan) != nil {
					return listAt(i.States[0].Chan), n
				}
			}
		case *ssa.Store:
			c, ok := i.Val.(*ssa.Call)
			if !ok {
				continue
			}
			b, ok := c.Call.Value.(*ssa.Builtin)
			if !ok || b.Name() != "append" || listAt(c.Call.Args[0]) == nil || !storesTo(i, listAt(c.Call.Args[0])) {
				continue
			}
			if n := appended(fn, c.Call.Args[1]); n >= 0 {
				return listAt(c.Call.Args[0]), n
			}
		}
	}
	return nil, -1
}

// appended returns the number of the parameter that is the only element of the list of arguments, or -1.
func appended(fn *ssa.Function, args ssa.Value) int {
	s, ok := args.(*ssa.Slice)
	if !ok {
		return -1
	}
	a, ok := s.X.(*ssa.Alloc)
	if !ok {
		return -1
	}
	for _, r := range *a.Referrers() {
		if e, ok := r.(*ssa.IndexAddr); ok {
			for _, r := range *e.Referrers() {
				if s, ok := r.(*ssa.Store); ok {
					return paramOf(fn, s.Val)
				}
			}
		}
	}
	return -1
}

// paramOf returns the number of the parameter that a value is, or is the front of, or -1.
func paramOf(fn *ssa.Function, v ssa.Value) int {
	if s, ok := v.(*ssa.Slice); ok && s.Low == nil {
		v = s.X
	}
	for n, p := range fn.Params {
		if p == v {
			return n
		}
	}
	return -1
}
