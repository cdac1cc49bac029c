package pools

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// Mistyped reports whether a sync.Pool is given a type that the callers of its Get do not expect, and returns both types.
// It is certain only of a pool that no other package can get from, and whose values all go straight to a type assertion.
// A type parameter may be any type. A field of two variables may have another type in each.
func (p *Pool) Mistyped(put Access) (expects, given types.Type, ok bool) {
	c := put.Call.Common()
	if p.Open.IsValid() || len(c.Args) != 2 || p.Shown {
		return nil, nil, false
	}
	m, ok := c.Args[1].(*ssa.MakeInterface)
	if !ok || generic(m.X.Type(), nil) {
		return nil, nil, false
	}
	expected, ok := p.expected(put.Root)
	if !ok {
		return nil, nil, false
	}
	for _, t := range expected {
		if types.Identical(t, m.X.Type()) || types.IsInterface(t) || generic(t, nil) {
			return nil, nil, false
		}
	}
	if len(expected) == 0 {
		return nil, nil, false
	}
	return expected[0], m.X.Type(), true
}

// Unexpected returns the type assertions of Gets that always fail, because nobody puts such a type and New makes none.
func (p *Pool) Unexpected() (found []*ssa.TypeAssert) {
	given, ok := p.given()
	_, all := p.expected(nil)
	if !ok || !all || p.Open.IsValid() || p.Shown || p.anyNew {
		return nil
	}
	for _, g := range p.Gets {
		v, ok := g.Call.(ssa.Value)
		if !ok {
			continue
		}
		for _, r := range *v.Referrers() {
			t, ok := r.(*ssa.TypeAssert)
			if !ok || t.CommaOk || types.IsInterface(t.AssertedType) || generic(t.AssertedType, nil) {
				continue
			}
			if !slices.ContainsFunc(given, func(u types.Type) bool { return types.Identical(u, t.AssertedType) }) {
				found = append(found, t)
			}
		}
	}
	return found
}

// given returns the types that are put into a pool, and those that its New makes, if all are known and there are any.
func (p *Pool) given() (all []types.Type, ok bool) {
	for _, put := range p.Puts {
		c := put.Call.Common()
		m, ok := c.Args[len(c.Args)-1].(*ssa.MakeInterface)
		if !ok {
			return nil, false
		}
		all = append(all, m.X.Type())
	}
	for _, n := range p.news {
		all = append(all, results(n.fn)...)
	}
	unknown := func(t types.Type) bool { return types.IsInterface(t) || generic(t, nil) }
	return all, len(all) > 0 && !slices.ContainsFunc(all, unknown)
}

// expected returns the types of a pool's values, as callers of Get assert them and as New makes them. root is the
// variable that has the pool, or nil for any.
func (p *Pool) expected(root *ssa.Global) (all []types.Type, ok bool) {
	other := func(r *ssa.Global) bool { return r != nil && root != nil && r != root }
	for _, g := range p.Gets {
		if other(g.Root) {
			continue
		}
		asserted, ok := assertions(g.Call)
		if !ok {
			return nil, false
		}
		all = append(all, asserted...)
	}
	for _, n := range p.news {
		if !other(n.root) {
			all = append(all, results(n.fn)...)
		}
	}
	return all, true
}

// results returns the types that a New returns in its interface.
func results(fn *ssa.Function) (all []types.Type) {
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(r.Results) == 1 {
			t := r.Results[0].Type()
			if m, ok := r.Results[0].(*ssa.MakeInterface); ok {
				t = m.X.Type()
			}
			all = append(all, t)
		}
	}
	return all
}

// assertions returns the types that the result of a Get is asserted to have, and whether nothing else happens to it.
func assertions(get ssa.CallInstruction) (asserted []types.Type, all bool) {
	v, ok := get.(ssa.Value)
	if !ok {
		return nil, true // deferred: nobody has the result
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.TypeAssert:
			asserted = append(asserted, r.AssertedType)
		case *ssa.DebugRef:
		case *ssa.BinOp:
			if r.Op != token.EQL && r.Op != token.NEQ || !shape.IsNil(r.X) && !shape.IsNil(r.Y) {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return asserted, true
}

// generic reports whether a type depends on a type parameter.
func generic(t types.Type, seen []types.Type) bool {
	for _, s := range seen {
		if s == t {
			return false
		}
	}
	seen = append(seen, t)
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if generic(a, seen) {
				return true
			}
		}
	case interface{ Elem() types.Type }: // a pointer, slice, array, map or channel
		if m, ok := t.(*types.Map); ok && generic(m.Key(), seen) {
			return true
		}
		return generic(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if generic(f.Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		return true // not worth the search
	}
	return false
}
