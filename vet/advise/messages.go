package advise

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// The functions of protobuf keep nothing: they copy bytes and strings, and messages that they make are new. Their source does not
// show that, as it leads to interfaces, and to formats that generated messages do not have. So the table of effects has them,
// for messages of generated types. Others, such as those with an Unmarshal of their own, are followed by the source.

// messagePackages are the packages with these functions.
var messagePackages = map[string]bool{"google.golang.org/protobuf/proto": true, "github.com/golang/protobuf/proto": true}

// isOfMessages reports whether a function is one that encodes or decodes messages, or the like.
func isOfMessages(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.Pkg() != nil && messagePackages[obj.Pkg().Path()] && effects.Of(obj.Origin()) != nil
}

// modelApart does the same as modelOf, but for functions that are trusted with some types only, as their arguments may be of others.
func modelApart(fn *ssa.Function, obj *types.Func) *model {
	if isOfMessages(fn) || isOfCopiers(fn) {
		return nil
	}
	return modelOf(obj)
}

// copiesAll reports whether a call is that of such a function, and all messages are of generated types, or that of another one that
// keeps nothing of its arguments.
func copiesAll(c *ssa.CallCommon, fn *ssa.Function) bool {
	return isOfMessages(fn) && hasGeneratedMessages(c) || keepsNoPlain(c, fn)
}

// extendsArgument reports whether such a function appends to an argument.
func extendsArgument(c *ssa.CallCommon, fn *ssa.Function, v ssa.Value) bool {
	e := effects.Of(fn.Object().(*types.Func).Origin())
	return e.Part != effects.None && c.Args[e.Part] == v
}

// hasGeneratedMessages reports whether all messages that a call has are of generated types.
func hasGeneratedMessages(c *ssa.CallCommon) bool {
	return !slices.ContainsFunc(c.Args, func(arg ssa.Value) bool {
		if _, param := types.Unalias(arg.Type()).(*types.TypeParam); !types.IsInterface(arg.Type()) && !param {
			return false // bytes, or options
		}
		return !isMessage(unwrap(arg).Type(), map[types.Type]bool{})
	})
}

// isMessage reports whether a type is a pointer to a message that is generated, and has only such ones in it.
func isMessage(typ types.Type, seen map[types.Type]bool) bool {
	p, ok := types.Unalias(typ).(*types.Pointer)
	if !ok {
		return false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if _, named := types.Unalias(p.Elem()).(*types.Named); !ok || !named {
		return false
	}
	if seen[p.Elem()] || isOfImplementation(p.Elem()) {
		return true
	}
	seen[p.Elem()] = true
	state := false
	for f := range s.Fields() {
		if isOfImplementation(f.Type()) {
			_, name := named(f.Type())
			state = state || name == "MessageState"
		} else if !hasMessagesOnly(f.Type(), seen) {
			return false
		}
	}
	return state
}

// hasMessagesOnly reports whether the type of a field leads to no struct but generated messages.
func hasMessagesOnly(typ types.Type, seen map[types.Type]bool) bool {
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		return hasMessagesOnly(u.Elem(), seen)
	case *types.Array:
		return hasMessagesOnly(u.Elem(), seen)
	case *types.Map:
		return hasMessagesOnly(u.Elem(), seen)
	case *types.Pointer:
		_, basic := u.Elem().Underlying().(*types.Basic) // an optional number
		_, list := u.Elem().Underlying().(*types.Slice)
		return basic || list && hasMessagesOnly(u.Elem(), seen) || isMessage(typ, seen)
	case *types.Interface:
		return isChoice(u, seen)
	}
	return false
}

// isChoice reports whether an interface is one of generated code, whose values are structs with one of several fields.
func isChoice(face *types.Interface, seen map[types.Type]bool) bool {
	if face.NumMethods() != 1 || face.Method(0).Exported() {
		return false
	}
	scope := face.Method(0).Pkg().Scope()
	for _, name := range scope.Names() {
		of, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || of.IsAlias() || types.IsInterface(of.Type()) || !types.Implements(types.NewPointer(of.Type()), face) {
			continue
		}
		s, ok := of.Type().Underlying().(*types.Struct)
		if !ok || s.NumFields() != 1 {
			return false
		}
		if !seen[of.Type()] {
			seen[of.Type()] = true
			if !hasMessagesOnly(s.Field(0).Type(), seen) {
				return false
			}
		}
	}
	return true
}

// isOfImplementation reports whether a type belongs to the implementation of protobuf.
func isOfImplementation(typ types.Type) bool {
	if p, ok := types.Unalias(typ).(*types.Pointer); ok {
		typ = p.Elem()
	}
	pkg, _ := named(typ)
	return strings.HasPrefix(pkg, "google.golang.org/protobuf/")
}
