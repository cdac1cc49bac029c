// Package pools looks at each pool of a package as a whole: who gets from it, who puts, which types they expect, where its
// values go, and who replaces it. Paths through functions are the business of package paths.
//
// Touch it for a check that needs all uses of a pool at once. A pool is known only if the package uses it directly, as a
// variable or as a field. Whatever else happens to it makes it open, and nothing is said of an open pool.
package pools

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// A Role is the part of a call in the life of pooled memory.
type Role uint8

const (
	Neither Role = iota // of a method that leaves the pool as it is
	Get
	Put
)

// A Pool is a variable of the package, or a field, that has a pool or points at one.
type Pool struct {
	Var    types.Object
	Gets   []Access
	Puts   []Access
	Open   token.Pos // the first use that is not understood
	Shown  bool      // other packages can use it
	news   []newFunc
	anyNew bool // New is set to a function that is not known
	sets   []*ssa.Store
}

// An Access is a call of a method of a pool.
type Access struct {
	Call ssa.CallInstruction
	Root *ssa.Global // the variable that the field is a part of, or nil if that is not known
}

// A newFunc is the New of a sync.Pool.
type newFunc struct {
	fn   *ssa.Function
	root *ssa.Global
}

// Survey looks at all functions of a package, and returns its pools in the order in which they are met. isPool tells the
// types of pools, roleOf the roles of their methods.
func Survey(funcs []*ssa.Function, isPool func(types.Type) bool, roleOf func(*types.Func) Role) []*Pool {
	s := survey{byVar: map[types.Object]*Pool{}, isPool: isPool, roleOf: roleOf}
	for _, fn := range funcs {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				s.read(i)
			}
		}
	}
	return s.pools
}

type survey struct {
	byVar  map[types.Object]*Pool
	pools  []*Pool
	isPool func(types.Type) bool
	roleOf func(*types.Func) Role
}

// read notes the pools that an instruction uses. An address of a field is an instruction itself; its uses count.
func (s *survey) read(i ssa.Instruction) {
	if f, ok := i.(*ssa.FieldAddr); ok {
		if s.holdsPool(f.Type()) {
			p := s.pool(shape.FieldOf(f), exported(f.X.Type()))
			for _, r := range *f.Referrers() {
				s.use(p, f, rootOf(f), r)
			}
		}
		// The field of a pool itself, such as New, is no use.
		return
	}
	for _, op := range i.Operands(nil) {
		if g, ok := (*op).(*ssa.Global); ok && g.Object() != nil && s.holdsPool(g.Type()) {
			s.use(s.pool(g.Object(), true), g, g, i)
		}
	}
}

// holdsPool reports whether a variable, whose address has this type, is a pool or points at one.
func (s *survey) holdsPool(addr types.Type) bool {
	p, ok := addr.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	if e, ok := p.Elem().Underlying().(*types.Pointer); ok {
		return s.isPool(e.Elem())
	}
	return s.isPool(p.Elem())
}

// pool returns the pool of a variable or a field. Others can see the latter if they can see its struct.
func (s *survey) pool(v types.Object, inSight bool) *Pool {
	p := s.byVar[v]
	if p == nil {
		p = &Pool{Var: v, Shown: inSight && v.Exported() && v.Pkg().Name() != "main"}
		s.byVar[v] = p
		s.pools = append(s.pools, p)
	}
	return p
}

// use notes one use of the address of a pool, or of a variable that points at it.
func (s *survey) use(p *Pool, addr ssa.Value, root *ssa.Global, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.DebugRef:
		return
	case *ssa.FieldAddr:
		p.field(i, root)
		return
	case *ssa.Store:
		if i.Addr == addr {
			if p.sets = append(p.sets, i); len(p.sets) > 1 && isPointer(i.Val.Type()) {
				p.open(i) // it may be one pool now and another one then
			}
			p.literal(i.Val, root)
			return
		}
	case *ssa.UnOp:
		if i.Op == token.MUL && isPointer(i.Type()) {
			for _, r := range *i.Referrers() {
				s.use(p, i, root, r)
			}
			return
		}
	case ssa.CallInstruction:
		if s.call(p, addr, root, i) {
			return
		}
	case *ssa.BinOp: // compared with nil
		return
	}
	p.open(i)
}

// literal notes the New of a literal that a variable is set to.
func (p *Pool) literal(v ssa.Value, root *ssa.Global) {
	if l, ok := v.(*ssa.UnOp); ok {
		v = l.X
	}
	a, ok := v.(*ssa.Alloc)
	p.anyNew = p.anyNew || !ok
	if ok {
		for _, r := range *a.Referrers() {
			if f, ok := r.(*ssa.FieldAddr); ok {
				p.field(f, root)
			}
		}
	}
}

// field notes the New of a pool.
func (p *Pool) field(f *ssa.FieldAddr, root *ssa.Global) {
	for _, r := range *f.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == f && shape.FieldOf(f).Name() == "New" {
			if fn, ok := s.Val.(*ssa.Function); ok {
				p.news = append(p.news, newFunc{fn, root})
			} else {
				p.anyNew = true
			}
		}
	}
}

// call notes a call of a method of a pool, and reports whether it was one.
func (s *survey) call(p *Pool, addr ssa.Value, root *ssa.Global, i ssa.CallInstruction) bool {
	c := i.Common()
	f := c.StaticCallee()
	if f == nil || len(c.Args) == 0 || c.Args[0] != addr {
		return false
	}
	object, _ := f.Object().(*types.Func)
	if object == nil || object.Signature().Recv() == nil {
		return false
	}
	for _, a := range c.Args[1:] {
		if a == addr {
			return false
		}
	}
	switch s.roleOf(object) {
	case Get:
		p.Gets = append(p.Gets, Access{i, root})
	case Put:
		p.Puts = append(p.Puts, Access{i, root})
	}
	return true
}

func (p *Pool) open(i ssa.Instruction) {
	if !p.Open.IsValid() {
		p.Open = i.Parent().Pos()
		if i.Pos().IsValid() {
			p.Open = i.Pos()
		}
	}
}

// exported reports whether a pointer is to a type with a name that others can use.
func exported(p types.Type) bool {
	n, ok := types.Unalias(p.Underlying().(*types.Pointer).Elem()).(*types.Named)
	return ok && n.Obj().Exported()
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// rootOf returns the variable of the package that a field is a part of, or nil.
func rootOf(f *ssa.FieldAddr) *ssa.Global {
	for v := f.X; ; {
		switch u := v.(type) {
		case *ssa.Global:
			return u
		case *ssa.FieldAddr:
			v = u.X
		default:
			return nil
		}
	}
}
