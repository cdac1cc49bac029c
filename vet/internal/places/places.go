// Package places tells who looks at a field or a variable of a package, and whether a function that stores into one
// still needs the value itself. A buffer in a field is often only lent to the methods that the function calls next.
//
// Touch it if a check calls such a loan a mistake, or takes a mistake for a loan. It knows no pools.
package places

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Place is a field, for all values of its struct, a variable of the package, or the memory that a parameter points at:
// a *types.Var, a *ssa.Global or a *ssa.Parameter.
type Place any

// An Index has the functions of a package by the places that they read or change.
type Index struct {
	pkg     *ssa.Package
	users   map[Place]map[*ssa.Function]bool
	callees map[*ssa.Function]map[*ssa.Function]bool // that a function calls in this package, over others too
	methods map[string][]*ssa.Function               // by name
	quiet   func(*types.Func) bool
}

// NewIndex looks at all functions of a package, function literals included. A function of another package is quiet if it
// calls nothing back, and leaves what it is given to others.
func NewIndex(pkg *ssa.Package, funcs []*ssa.Function, quiet func(*types.Func) bool) *Index {
	x := &Index{pkg, map[Place]map[*ssa.Function]bool{}, map[*ssa.Function]map[*ssa.Function]bool{}, map[string][]*ssa.Function{}, quiet}
	for _, fn := range funcs {
		if fn.Signature.Recv() != nil {
			x.methods[fn.Name()] = append(x.methods[fn.Name()], fn)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, p := range append(reads(i), Of(i)) {
					if x.users[p] == nil {
						x.users[p] = map[*ssa.Function]bool{}
					}
					x.users[p][fn] = true
				}
			}
		}
	}
	return x
}

// Of returns the place whose value an instruction changes: by assignment, to an element, with append, or by a method of
// the value. It is nil if the place is none of those.
func Of(i ssa.Instruction) Place {
	switch i := i.(type) {
	case *ssa.Store:
		if e, ok := i.Addr.(*ssa.IndexAddr); ok {
			if !isSlot(e) {
				return nil
			}
			if p := at(e.X); p != nil {
				return p // an array
			}
			return loaded(e.X)
		}
		return at(i.Addr)
	case *ssa.MapUpdate:
		return loaded(i.Map)
	case *ssa.Call:
		if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() != "append" || len(i.Call.Args) == 0 {
			return nil
		}
		if p := at(i.Call.Args[0]); p != nil {
			return p // the receiver of a method such as sync.Map's Store
		}
		return loaded(i.Call.Args[0])
	}
	return nil
}

// at returns the place with this address, or nil.
func at(addr ssa.Value) Place {
	switch a := addr.(type) {
	case *ssa.Global:
		return a
	case *ssa.Parameter:
		return a
	case *ssa.FieldAddr:
		return a.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(a.Field).Origin()
	}
	return nil
}

// loaded returns the place that a value was loaded from, or nil.
func loaded(v ssa.Value) Place {
	for {
		switch u := v.(type) {
		case *ssa.Slice:
			v = u.X
		case *ssa.UnOp:
			if u.Op == token.MUL {
				return at(u.X)
			}
			return nil
		default:
			return nil
		}
	}
}

// Loaded returns the place that a value, or a slice of it, was loaded from, or nil.
func Loaded(v ssa.Value) Place { return loaded(v) }

// reads returns the places whose values an instruction needs, or whose addresses it passes on.
func reads(i ssa.Instruction) (found []Place) {
	switch i := i.(type) {
	case *ssa.FieldAddr:
		return nil // its uses count
	case *ssa.UnOp:
		if p := at(i.X); p != nil && i.Op == token.MUL && !onlyChanged(i, p) {
			return []Place{p}
		}
		return nil
	case *ssa.Store:
		if p := at(i.Val); p != nil && !isParameter(p) {
			return []Place{p}
		}
		return nil
	case *ssa.IndexAddr, *ssa.DebugRef:
		return nil
	}
	for _, op := range i.Operands(nil) {
		if p := at(*op); p != nil && !isParameter(p) {
			found = append(found, p)
		}
	}
	return found
}

func isParameter(p Place) bool {
	_, ok := p.(*ssa.Parameter)
	return ok
}

// onlyChanged reports whether a loaded slice or map is needed for nothing but to add to it.
func onlyChanged(l *ssa.UnOp, p Place) bool {
	for _, r := range *l.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.MapUpdate:
			if r.Map != l {
				return false
			}
		case *ssa.IndexAddr:
			if !isSlot(r) || !onlyStored(r) {
				return false
			}
		case *ssa.Call:
			b, ok := r.Call.Value.(*ssa.Builtin)
			if !ok || b.Name() != "append" && b.Name() != "delete" || r.Call.Args[0] != l || !backTo(r, p) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isSlot reports whether an element can have an item of a pool. The bytes of a slice are the item itself.
func isSlot(e *ssa.IndexAddr) bool {
	_, basic := e.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Basic)
	return !basic
}

// onlyStored reports whether the address of an element is only stored to.
func onlyStored(e *ssa.IndexAddr) bool {
	for _, r := range *e.Referrers() {
		if s, ok := r.(*ssa.Store); !ok || s.Addr != e {
			return false
		}
	}
	return true
}

// backTo reports whether the result of a call goes to a place, if anywhere.
func backTo(c *ssa.Call, p Place) bool {
	for _, r := range *c.Referrers() {
		if s, ok := r.(*ssa.Store); ok && at(s.Addr) == p {
			continue
		}
		if _, ok := r.(*ssa.DebugRef); !ok {
			return false
		}
	}
	return true
}
