package advise

import (
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Package unsafe makes a string of bytes without a copy: *(*string)(unsafe.Pointer(&b)), unsafe.String(&b[0], len(b)). Such a
// string is the memory. Everybody may keep a string, so few uses are known to leave it in the function.

// cast looks at the address of a variable with the memory as it becomes an unsafe.Pointer.
func (t *trail) cast(variable *ssa.Alloc, c *ssa.Convert) {
	strings, ok := stringsAt(c)
	if _, list := variable.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Slice); !ok || !list {
		t.leave(isKept, "is in a variable whose address becomes an unsafe.Pointer")
		return
	}
	for _, s := range strings {
		t.follow(s)
	}
}

// stringsAt returns the strings that are read at a pointer. It reports false if that is used for anything else.
func stringsAt(pointer ssa.Value) (all []ssa.Value, ok bool) {
	for _, r := range *pointer.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Convert:
			inner, ok := stringsAt(r)
			if !ok {
				return nil, false
			}
			all = append(all, inner...)
		case *ssa.UnOp:
			if r.Op != token.MUL || !isString(r.Type()) {
				return nil, false
			}
			all = append(all, r)
		default:
			return nil, false
		}
	}
	return all, true
}

// assert looks at an interface that is asked for its type. None has memory that is a string.
func (t *trail) assert(u *ssa.TypeAssert) {
	if t.asserted = true; !isString(u.Type()) {
		t.follow(u)
	}
}

// useText looks at a use of a string that is the memory.
func (t *trail) useText(v ssa.Value, use ssa.Instruction) {
	t.unsafe = true
	switch u := use.(type) {
	case *ssa.DebugRef, *ssa.Index, *ssa.Lookup, *ssa.Range:
	case *ssa.BinOp:
		if u.Op == token.ADD { // which is the same string if the other is empty
			t.follow(u)
		}
	case *ssa.Slice, *ssa.Phi, *ssa.ChangeType:
		t.follow(u.(ssa.Value))
	case *ssa.MakeInterface:
		if !isPrinted(u) {
			t.leaveAsText(isKept, "becomes the value of an interface")
		}
	case *ssa.Convert:
		if isString(u.Type()) { // and not a copy
			t.follow(u)
		}
	case *ssa.Return:
		if t.returnsText(v, u); !t.param {
			t.leaveAsText(isReturned, "is returned from "+name(u.Parent()))
		}
	case *ssa.Store:
		t.leaveAsText(isStored, "is stored "+placeOf(u.Addr, "in a variable that a function literal or a pointer has"))
	case *ssa.MapUpdate:
		t.leaveAsText(isStored, "is stored in a map")
	case *ssa.Send:
		t.leaveAsText(isSent, "is sent on a channel")
	case *ssa.Call:
		t.passText(v, u)
	default:
		t.leaveAsText(isKept, "is used in a way that is not known")
	}
}

// returnsText notes the results that are the string.
func (t *trail) returnsText(v ssa.Value, u *ssa.Return) {
	for i, r := range u.Results {
		if r == v {
			t.returned |= 1 << min(i, 63)
		}
	}
}

const byUnsafe = "becomes a string by package unsafe, which "

// leaveAsText says how the memory leaves as a string, which an argument may be already.
func (t *trail) leaveAsText(w way, how string) {
	if !isString(t.root.Type()) {
		how = byUnsafe + how
	}
	t.leave(w, "%s", how)
}

// passText looks at the string as an argument of a call.
func (t *trail) passText(v ssa.Value, call *ssa.Call) {
	c := &call.Call
	fn := c.StaticCallee()
	b, builtin := c.Value.(*ssa.Builtin)
	switch {
	case builtin && slices.Contains([]string{"len", "append", "copy", "print", "println"}, b.Name()):
	case builtin && (b.Name() == "min" || b.Name() == "max"):
		t.follow(call)
	case builtin:
		t.leaveAsText(isKept, "is passed to the built-in function "+b.Name())
	case c.IsInvoke():
		t.leaveAsText(isKept, "is passed to method "+c.Method.Name()+" of an interface, which may keep it")
	case fn == nil:
		t.leaveAsText(isKept, "is passed to a function value, which may keep it")
	case len(fn.Blocks) > 0:
		for i, arg := range c.Args {
			if arg == v {
				t.passTextTo(v, fn.Params[i], call)
			}
		}
	case !readsText(fn):
		t.leaveAsText(isKept, "is passed to "+name(fn)+", which may keep it")
	}
}

// passTextTo looks at the string as a parameter of a function of the program.
func (t *trail) passTextTo(v ssa.Value, p *ssa.Parameter, call *ssa.Call) {
	f := t.fateOfArgument(v, p, nil)
	if f.way != stays {
		t.leaveAsText(f.way, "is passed to "+name(p.Parent())+", where it "+f.where)
	}
	t.merge(f)
	t.followResults(call, f.returned)
}

// isPrinted reports whether an interface has a string only for a function of package fmt, which copies that.
func isPrinted(v *ssa.MakeInterface) bool {
	return types.NewMethodSet(v.X.Type()).Len() == 0 && !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		if _, debug := r.(*ssa.DebugRef); debug {
			return false
		}
		st, ok := r.(*ssa.Store)
		if !ok {
			return true
		}
		at, ok := st.Addr.(*ssa.IndexAddr)
		if !ok {
			return true
		}
		list, ok := at.X.(*ssa.Alloc)
		return !ok || list.Comment != "varargs" || slices.ContainsFunc(*list.Referrers(), func(r ssa.Instruction) bool {
			whole, ok := r.(*ssa.Slice)
			return ok && slices.ContainsFunc(*whole.Referrers(), func(r ssa.Instruction) bool {
				call, ok := r.(*ssa.Call)
				return !ok || call.Call.StaticCallee() == nil || !prints.MatchString(runtimeName(call.Call.StaticCallee()))
			})
		})
	})
}

// prints matches functions that write their arguments, or make another string of them.
var prints = regexp.MustCompile(`^fmt\.[FS]?[Pp]rint(f|ln)?$`)

// textReaders are functions that copy a string.
var textReaders = map[string]bool{"bytes.(*Buffer).WriteString": true, "strings.(*Builder).WriteString": true, "os.(*File).WriteString": true}

// readsText reports whether a function of the standard library has no string of its argument after it returns. Errors of package
// strconv have copies.
func readsText(fn *ssa.Function) bool {
	pkg := packageOf(runtimeName(fn))
	if pkg != "strings" && pkg != "strconv" && pkg != "unicode/utf8" || fn.Signature.Recv() != nil {
		return textReaders[runtimeName(fn)]
	}
	for r := range fn.Signature.Results().Variables() {
		if !isNumber(r.Type()) && !(pkg == "strconv" && types.Identical(r.Type(), types.Universe.Lookup("error").Type())) {
			return false
		}
	}
	return true
}
