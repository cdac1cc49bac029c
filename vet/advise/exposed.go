package advise

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// An exported method of a type with an unexported name is called by its package alone, if no other code gets values of the type.

// isHidden reports whether only its package has values of the type that has a method, and none of them in interfaces.
func (s *source) isHidden(recv *types.Var, p *packages.Package) bool {
	_, name := namedType(recv.Type())
	if s.exposed == nil {
		s.exposed = map[*types.TypeName]bool{}
		s.findExposed()
	}
	return name != nil && !name.Exported() && !s.exposed[name] && isPlainGo(p)
}

// namedType returns the type with a name that a receiver has or points to, and its name, or nil.
func namedType(typ types.Type) (*types.Named, *types.TypeName) {
	if p, ok := types.Unalias(typ).(*types.Pointer); ok {
		typ = p.Elem()
	}
	if n, ok := types.Unalias(typ).(*types.Named); ok {
		return n, n.Obj()
	}
	return nil, nil
}

// findExposed notes the types whose values interfaces of the loaded packages lead to, and those that other packages get or
// that have their methods promoted.
func (s *source) findExposed() {
	note := func(typ types.Type) bool {
		if n, ok := typ.(*types.Named); ok {
			s.exposed[n.Obj()] = true
		}
		return false
	}
	within := map[types.Type]bool{}
	var deep func(typ types.Type) bool // through fields, which package reflect finds
	deep = func(typ types.Type) bool {
		if st, ok := typ.(*types.Struct); ok {
			for f := range st.Fields() {
				mentions(f.Type(), deep, within)
			}
		}
		return note(typ)
	}
	for _, made := range s.tracer.interfaces {
		mentions(made.X.Type(), deep, within)
	}
	seen := map[types.Type]bool{}
	for _, p := range s.tracer.packages {
		for _, obj := range p.TypesInfo.Defs {
			v, isVar := obj.(*types.Var)
			if obj != nil && obj.Type() != nil && (obj.Exported() || isVar && v.Embedded()) {
				mentions(obj.Type(), note, seen)
			}
		}
		for id, inst := range p.TypesInfo.Instances { // generic code may call a method of its argument, or convert that
			obj := p.TypesInfo.Uses[id]
			if obj != nil && obj.Pkg() != nil && slices.Contains([]string{"slices", "maps", "sync", "sync/atomic"}, obj.Pkg().Path()) {
				continue
			}
			for arg := range inst.TypeArgs.Types() {
				mentions(arg, deep, within)
			}
		}
	}
}
