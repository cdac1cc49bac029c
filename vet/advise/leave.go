package advise

import (
	"go/token"
	"go/types"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// fateOf follows a value that has just been made.
func (t *tracer) fateOf(v ssa.Value) *fate { return t.trailOf(v).fate }

// trailOf follows a value that has just been made, and returns all that may refer to its memory.
func (t *tracer) trailOf(v ssa.Value) *trail { return t.trailFrom(paramKey{v: v}, false).walk() }

// trailApart follows a struct that nothing may have in a field.
func (t *tracer) trailApart(v ssa.Value) *trail {
	return t.trailFrom(paramKey{v: v, apart: true}, false).walk()
}

// trailOfTyped does so for an interface's value of a known type.
func (t *tracer) trailOfTyped(v ssa.Value, typ types.Type) *trail {
	return t.trailFrom(paramKey{v: v, typ: typ}, false).walk()
}

// fateOfGrowth follows a slice that grows: from its root, and from appends that may come before that. If each round of a
// loop has a slice of its own, births are the blocks where that begins.
func (t *tracer) fateOfGrowth(root ssa.Value, appends []*ssa.Call, births []*ssa.BasicBlock) *fate {
	return t.trailWithout(nil, root, appends, births).fate
}

// trailWithout follows memory, which may grow, as if one use were that of a copy.
func (t *tracer) trailWithout(use ssa.Instruction, root ssa.Value, appends []*ssa.Call, births []*ssa.BasicBlock) *trail {
	tr := t.trailFrom(paramKey{v: root}, false)
	tr.copied, tr.births = use, births
	for _, a := range appends {
		tr.follow(a)
	}
	return tr.walk()
}

func (t *tracer) trailFrom(key paramKey, param bool) *trail {
	tr := &trail{tracer: t, fate: new(fate), root: key.v, typ: key.typ, elem: key.elem, with: key.with, param: param, holds: key.holds, apart: key.apart, seen: map[ssa.Value]bool{}, grown: map[ssa.Value][]ssa.Instruction{}}
	switch list, ok := first(key.v.Type()).Underlying().(*types.Slice); {
	case isOfGeneric(key.v):
		tr.elem = nil // there it may be that of a type parameter
	case ok && key.elem == nil && !key.holds:
		tr.elem = list.Elem()
	}
	if made, ok := key.v.(ssa.Instruction); ok && inLoop(made) {
		tr.births = []*ssa.BasicBlock{made.Block()}
	}
	return tr
}

// isOfGeneric reports whether a value is one of a function that may have type parameters.
func isOfGeneric(v ssa.Value) bool {
	fn := outermost(v)
	return fn == nil || fn.TypeParams().Len() > 0
}

// walk follows the root of a trail to all ends.
func (t *trail) walk() *trail {
	t.follow(t.root)
	for known := -1; known != len(t.seen)+len(t.invokes); { // until no call leads to more values
		known = len(t.seen) + len(t.invokes)
		for _, i := range slices.Clone(t.invokes) {
			t.past(i.through, func() { t.invoke(i) })
		}
	}
	for _, w := range t.carriers { // now that all of their fields are known
		t.throughFields(w)
	}
	t.takenApart()
	for v, all := range t.grown {
		t.forked = t.forked || t.captured && !setsAgain(v, all) || forked(v, all)
	}
	t.several = t.several || t.splits()
	t.twice = t.extendsTwice()
	return t
}

// fateOfParam follows a parameter that is the memory, once.
func (t *tracer) fateOfParam(p *ssa.Parameter) *fate { return t.fateOfKey(paramKey{v: p}) }

// fateOfArgument follows the parameter for which a call passes a value, and others beside.
func (t *trail) fateOfArgument(v ssa.Value, p *ssa.Parameter, with beside) *fate {
	uses, ok := t.usesElsewhere(p.Parent().Object(), slices.Index(p.Parent().Params, p), p.Type(), !t.apart && t.isPart(v))
	if !ok {
		f := new(fate)
		f.leave(isKept, keptByTwin)
		return f
	}
	key := paramKey{v: p, holds: !t.isPart(v), elem: t.elem, apart: t.apart, with: with}
	for {
		change, ok := v.(*ssa.ChangeInterface)
		if !ok {
			break
		}
		v = change.X
	}
	if made, ok := v.(*ssa.MakeInterface); ok && ofLibrary(made.X.Type()) {
		key.typ = made.X.Type()
	} else if v == t.root {
		key.typ = t.typ
	}
	return t.fateOfKey(key).with(uses)
}

// ofLibrary reports whether a type is one of the standard library or another one whose functions have models, or a pointer to one.
func ofLibrary(typ types.Type) bool {
	if p, ok := typ.(*types.Pointer); ok {
		typ = p.Elem()
	}
	n, ok := types.Unalias(typ).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	root, _, _ := strings.Cut(n.Obj().Pkg().Path(), "/")
	return roots[root] || effects.Lends(n.Obj().Pkg())
}

func (t *tracer) fateOfKey(key paramKey) *fate {
	if f := t.params[key]; f != nil {
		f.assumed = f.assumed || !f.done // the function calls itself
		return f
	}
	f := new(fate)
	if t.depth >= maxDepth {
		f.leave(isUnknown, "is passed on further than this looks")
		return f
	}
	// If the function calls itself, it needs a fate before that is known. The first one is that of memory that stays. The
	// walk repeats with each fate that it finds, until it finds the same.
	const most = 10
	for range most {
		known := len(t.order)
		t.params[key] = f
		t.depth++
		found := t.trailFrom(key, true).walk().fate
		t.depth--
		if !f.assumed || found.equals(f) {
			found.done = true
			found.relyOn(t.moduleOf(key.v.Parent()))
			t.params[key], t.order = found, append(t.order, key)
			return found
		}
		for _, other := range t.order[known:] { // they rely on the assumption
			delete(t.params, other)
		}
		t.order, f = t.order[:known], found
	}
	delete(t.params, key)
	f = new(fate)
	f.leave(isUnknown, "is passed on to the same function")
	return f
}

// follow looks at all uses of a value that is the memory, or leads to it.
func (t *trail) follow(v ssa.Value) {
	if v == nil || t.seen[v] || v.Referrers() == nil {
		return
	}
	t.seen[v] = true
	if phi, ok := v.(*ssa.Phi); ok && v != t.root {
		t.carried = t.carried || slices.ContainsFunc(t.births, func(b *ssa.BasicBlock) bool {
			return phi.Block().Dominates(b) && reaches(b, phi.Block(), nil)
		})
	}
	for _, use := range *v.Referrers() {
		switch {
		case t.isDead(v, use):
		case isString(v.Type()):
			t.useText(v, use)
		default:
			t.use(v, use)
		}
	}
}

func (t *trail) use(v ssa.Value, use ssa.Instruction) {
	if use == t.copied {
		return
	}
	switch u := use.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.If, *ssa.Range, *ssa.Lookup, *ssa.Index:
	case *ssa.Slice:
		if u.X == v {
			t.slice(u)
		}
	case *ssa.IndexAddr:
		if u.X == v {
			t.follow(u)
		}
	case *ssa.TypeAssert:
		t.assert(u)
	case *ssa.Extract:
		if leads(u.Type()) {
			t.follow(u)
		}
	case *ssa.ChangeInterface, *ssa.MakeInterface:
		face, ok := u.(ssa.Value).Type().Underlying().(*types.Interface)
		t.asserted = t.asserted || ok && face.NumMethods() == 0 // such as an argument that fmt prints with %T
		t.follow(u.(ssa.Value))
	case *ssa.FieldAddr, *ssa.Phi, *ssa.ChangeType, *ssa.SliceToArrayPointer, *ssa.MultiConvert:
		t.follow(u.(ssa.Value))
	case *ssa.Convert:
		switch {
		case isUnsafe(u.Type()):
			t.leave(isKept, "becomes an unsafe.Pointer")
		case !isString(u.Type()): // which is a copy
			t.follow(u)
		}
	case *ssa.UnOp:
		t.load(u)
	case *ssa.Store:
		if u.Val == v {
			t.store(u)
		}
	default:
		t.useElsewhere(v, use)
	}
}

// useElsewhere looks at a use by another function, or by a value that outlives this one.
func (t *trail) useElsewhere(v ssa.Value, use ssa.Instruction) {
	switch u := use.(type) {
	case *ssa.MapUpdate:
		if u.Key == v || u.Value == v { // or the map is the memory
			t.leave(isStored, "is stored in a map")
		}
	case *ssa.Send, *ssa.Select:
		t.leave(isSent, "is sent on a channel")
	case *ssa.Return:
		t.leaveBy(v, u)
	case *ssa.Go:
		if !joins(u) && !t.waitsFor(u) {
			t.leave(isShared, "goes to a goroutine")
			return
		}
		t.trusted, t.hidden = true, true // and never on the stack
		t.outlive(u)
		t.call(v, u)
	case *ssa.MakeClosure:
		t.capture(v, u)
	case ssa.CallInstruction:
		t.call(v, u)
	default:
		t.leave(isKept, "is used in a way that is not known")
	}
}

// slice looks at a part of a value.
func (t *trail) slice(u *ssa.Slice) {
	made, ok := u.X.(*ssa.Alloc)
	if whole := ok && made.Comment == "makeslice"; !whole && t.canBe(u.Type()) && (u.High != nil && !isZero(u.High) && !isWithin(u) && !(t.within != nil && t.within(u)) || u.Max != nil) {
		t.resliced = true
	}
	t.follow(u)
}

// leaveBy looks at a return statement that has the memory.
func (t *trail) leaveBy(v ssa.Value, u *ssa.Return) {
	for i, r := range u.Results {
		if r == v {
			t.returned |= 1 << min(i, 63)
		}
	}
	if t.param {
		return
	}
	if made, ok := t.root.(ssa.Instruction); ok && made.Parent() == u.Parent() && !slices.Contains(t.fate.returns, u) {
		t.fate.returns = append(t.fate.returns, u)
	}
	t.leave(isReturned, "is returned from %s", name(u.Parent()))
}

// isWithin reports whether a slice expression surely ends at the length of its operand or before: b[:len(b)-1].
func isWithin(u *ssa.Slice) bool {
	return u.Max == nil && (isWithinLen(u.High, u.X) || isGuarded(u))
}

// isWithinLen reports whether a number is at most the length of a slice, whatever else it is.
func isWithinLen(n, slice ssa.Value) bool {
	natural := func(v ssa.Value) bool { return isNaturalConst(v) || isNatural(v, map[ssa.Value]bool{}) }
	switch n := n.(type) {
	case *ssa.BinOp:
		switch n.Op {
		case token.SUB, token.SHR, token.QUO, token.REM: // of a length, which is not negative
			return isWithinLen(n.X, slice) && isLen(n.X) && natural(n.Y)
		}
	case *ssa.Call:
		b, ok := n.Call.Value.(*ssa.Builtin)
		if !ok {
			return isLenOfBuffer(n, slice)
		}
		switch b.Name() {
		case "len", "copy":
			return n.Call.Args[0] == slice
		case "min":
			return slices.ContainsFunc(n.Call.Args, func(v ssa.Value) bool { return isWithinLen(v, slice) })
		}
	}
	return false
}

// isLen reports whether a number is a length.
func isLen(n ssa.Value) bool {
	call, ok := n.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && (b.Name() == "len" || b.Name() == "copy") || isCalled(call, "bytes.(*Buffer).Len")
}

// load looks at a value read from an address.
func (t *trail) load(u *ssa.UnOp) {
	if u.Op != token.MUL {
		if u.Op == token.ARROW {
			t.leave(isSent, "is received from")
		}
		return
	}
	if isBuffer(u.Type()) || isBuilder(u.Type()) {
		t.leave(isCopied, "is copied as a value")
		return
	}
	if mayHold(u.Type()) && !t.isOther(u) && !t.isElement(u.X) && t.canHold(u.Type()) { // of a variable or a field that may have it
		t.past(t.isInField(u.X), func() { t.follow(u) })
	}
}

// past follows memory by a function. The ways that this finds are those of a value that a field of the memory has, or not.
func (t *trail) past(field bool, follow func()) {
	was := t.through
	t.through = was || field
	follow()
	t.through = was
}

// isInField reports whether an address is that of a field of the memory, or in one. The value there is the memory only if that has
// itself in a field.
func (t *trail) isInField(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return t.isInField(a.X) || !t.isHolder(a.X)
	case *ssa.IndexAddr:
		return t.isInField(a.X)
	}
	return isStructPointer(addr.Type()) && !t.isHolder(addr) // of all fields
}

// isStructPointer reports whether a type is that of pointers to structs.
func isStructPointer(typ types.Type) bool {
	p, ok := typ.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Struct)
	return ok
}

// canHold reports whether a value of a type can lead to the memory. A slice of other elements, which lead nowhere, cannot, if
// the memory is a slice that has no array of them.
func (t *trail) canHold(typ types.Type) bool {
	list, ok := typ.Underlying().(*types.Slice)
	return !ok || mayAlias(list.Elem()) || t.canBe(typ)
}

// canBe reports whether a value of a type can be a part of the memory.
func (t *trail) canBe(typ types.Type) bool {
	list, ok := typ.Underlying().(*types.Slice)
	return !ok || t.elem == nil || types.Identical(t.elem, list.Elem()) || hasArray(t.elem, list.Elem())
}

// hasArray reports whether values of a type have an array of such elements in them.
func hasArray(typ, elem types.Type) bool {
	switch u := typ.Underlying().(type) {
	case *types.Array:
		return types.Identical(u.Elem(), elem) || hasArray(u.Elem(), elem)
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return hasArray(f.Type(), elem) })
	}
	return false
}

// isElement reports whether an address is that of an element of the memory, or in one. A load from there gives other memory.
func (t *trail) isElement(addr ssa.Value) bool {
	if t.holds {
		return false
	}
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return t.isElement(a.X)
	case *ssa.IndexAddr:
		if _, ok := a.X.Type().Underlying().(*types.Slice); ok {
			return t.isList(a.X, map[ssa.Value]bool{})
		}
		return t.isElement(a.X)
	}
	return false
}

// isHolder reports whether a value is not the memory, but may hold it.
func (t *trail) isHolder(v ssa.Value) bool { return t.holds || !t.isList(v, map[ssa.Value]bool{}) }

// isPart reports whether a value is the memory or, if that is apart, in it. Otherwise the value may have the memory.
func (t *trail) isPart(v ssa.Value) bool {
	if t.apart {
		return t.isInside(v)
	}
	return !t.isHolder(v)
}

// isList reports whether a slice is the memory, and not one that has the memory in an element.
func (t *trail) isList(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == t.root || seen[v] || isNil(v) {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Slice:
		if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
			return t.isList(v.X, seen)
		}
	case *ssa.UnOp:
		variable, stored := setHere(v)
		return variable != nil && !slices.ContainsFunc(stored, func(e ssa.Value) bool { return !t.isList(e, seen) })
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !t.isList(e, seen) })
	case *ssa.Extract:
		return v.Tuple == t.root && v.Index == 0
	case *ssa.ChangeType:
		return t.isList(v.X, seen)
	case *ssa.Call:
		if to := extended(v); to != nil {
			return t.isList(to, seen)
		}
		if fn := v.Call.StaticCallee(); fn != nil && strings.HasPrefix(runtimeName(fn), "bytes.Trim") { // a part of its argument
			return t.isList(v.Call.Args[0], seen)
		}
	}
	return false
}

// store looks at where the memory is written to.
func (t *trail) store(u *ssa.Store) {
	if t.isOwn(u.Addr) {
		t.leave(isStored, "is stored in itself, or %s", placeOf(u.Addr, "behind a pointer"))
		return
	}
	switch addr := u.Addr.(type) {
	case *ssa.Alloc:
		t.storeInVariable(addr)
	case *ssa.IndexAddr:
		if list, ok := addr.X.(*ssa.Alloc); ok && (list.Comment == "varargs" || list.Comment == "slicelit") {
			t.carry(list)
			t.follow(list)
			return
		}
		lists := map[ssa.Value]bool{}
		if !listsOf(addr.X, lists) {
			t.leave(isStored, "is stored %s", placeOf(addr, ""))
			return
		}
		if len(t.births) > 0 {
			t.carried, t.list = true, "a slice"
		}
		for _, list := range slices.SortedFunc(maps.Keys(lists), func(a, b ssa.Value) int { return int(a.Pos() - b.Pos()) }) {
			t.follow(list)
		}
	case *ssa.FieldAddr:
		t.storeIn(fieldAt(addr))
		if local, ok := addr.X.(*ssa.Alloc); ok {
			t.carry(local)
			t.follow(local)
			return
		}
		if t.isOwnField(addr) || t.own != nil && t.own == fieldAt(addr) {
			return
		}
		t.leave(isStored, "is stored %s", placeOf(addr, ""))
	case *ssa.FreeVar:
		if around, ok := captured(addr).(*ssa.Alloc); ok && isLoopBody(addr.Parent()) { // a loop of the function around it
			t.outside, t.carried = true, t.carried || len(t.births) > 0
			t.storeInVariable(around)
			return
		}
		if !t.seen[addr] { // or it is followed already
			t.leave(isStored, "is stored %s", placeOf(addr, ""))
		}
	default:
		t.leave(isStored, "is stored %s", placeOf(addr, "behind a pointer"))
	}
}

// placeOf says where an address is, or else returns this text.
func placeOf(addr ssa.Value, otherwise string) string {
	switch addr := addr.(type) {
	case *ssa.IndexAddr:
		return "in an element of " + describe(addr.X)
	case *ssa.FieldAddr:
		return "in field " + fieldName(addr)
	case *ssa.Global:
		return "in the variable " + addr.Name() + " of the package"
	case *ssa.FreeVar:
		if isLoopBody(addr.Parent()) {
			return "in a variable outside of the loop"
		}
		return "in a variable outside of the function literal" + variableOf(addr)
	}
	return otherwise
}

// isOwnField reports whether an address is that of a field of the struct that is or holds the memory. All that the trail of a
// parameter has was read from there, so that a store changes nothing about what the struct leads to: d.rest = d.rest[4:].
func (t *trail) isOwnField(addr *ssa.FieldAddr) bool {
	return t.param && addr.X == t.root
}

// storeInVariable looks at a variable that has the memory.
func (t *trail) storeInVariable(addr *ssa.Alloc) {
	t.carry(addr)
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == addr {
				t.leave(isStored, "is stored %s", placeOf(r.Addr, "by the address of its variable"))
			}
		case *ssa.UnOp:
			t.follow(r)
		case *ssa.DebugRef:
		case *ssa.MakeClosure:
			t.capture(addr, r)
		case *ssa.Convert:
			t.cast(addr, r)
		default:
			if _, ok := addr.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct); ok {
				t.follow(addr)
				return
			}
			t.leave(isKept, "is in a variable whose address is taken")
		}
	}
}

// listsOf collects the slices of the function that a slice may be, or a part of. It reports false if there may be others.
func listsOf(v ssa.Value, lists map[ssa.Value]bool) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		if made := madeSlice(v); made != nil {
			return listsOf(made, lists)
		}
	case *ssa.MakeSlice:
		lists[v] = true
		return true
	case *ssa.Slice:
		if made, ok := v.X.(*ssa.Alloc); ok && made.Comment == "makeslice" {
			lists[made] = true
			return true
		}
		if _, ok := v.X.Type().Underlying().(*types.Slice); ok {
			return listsOf(v.X, lists)
		}
	}
	return false
}

// carry notes that a variable has the memory, which may still do so in the next round of a loop.
func (t *trail) carry(variable *ssa.Alloc) {
	t.carried = t.carried || slices.ContainsFunc(t.births, func(b *ssa.BasicBlock) bool {
		return b.Parent() == variable.Parent() && reaches(b, b, variable.Block())
	})
}

// capture looks at a function literal that refers to v: the memory, or a variable that has it. A literal that is only
// called, here or when the function returns, is a part of the function.
func (t *trail) capture(v ssa.Value, c *ssa.MakeClosure) {
	lent := false // to a function that only calls it
	for _, r := range *c.Referrers() {
		if ends, shared := t.endsBefore(v, c, r); ends {
			lent, t.trusted, t.hidden = true, t.trusted || shared, true
			t.outlive(r)
			continue
		}
		if t.keepsLiteral(c, r) {
			lent, t.trusted, t.hidden = true, true, true
			continue
		}
		call, ok := r.(ssa.CallInstruction)
		if _, isGo := r.(*ssa.Go); !ok || isGo || call.Common().Value != c || slices.Contains(call.Common().Args, ssa.Value(c)) {
			way, text := isKept, byLiteral
			if slices.ContainsFunc(*c.Referrers(), func(r ssa.Instruction) bool { _, ok := r.(*ssa.Go); return ok }) {
				way, text = isShared, "is captured by a goroutine"
			}
			t.leave(way, "%s", text)
			return
		}
		if d, ok := r.(*ssa.Defer); ok && !t.deferred(d, "function that was") {
			return
		}
	}
	if p, ok := v.Type().Underlying().(*types.Pointer); ok {
		_, slice := p.Elem().Underlying().(*types.Slice)
		t.captured = t.captured || slice
	}
	for i, b := range c.Bindings {
		if b == v {
			t.bind(v, c, i, lent)
		}
	}
}

// endsBefore reports whether an instruction runs a function literal only before its function ends, or the memory is put. The literal
// refers to v. Shared tells that a goroutine may run it.
func (t *trail) endsBefore(v ssa.Value, c *ssa.MakeClosure, r ssa.Instruction) (ends, shared bool) {
	switch {
	case t.joinsAround(v, r):
		return true, true
	case t.isLent(c, r):
		return true, sharesFunction(c, r)
	}
	late := t.runs(c, r) && t.waitsFor(r)
	return late, late
}

// bind looks at a free variable of a function literal that has the memory.
func (t *trail) bind(v ssa.Value, c *ssa.MakeClosure, i int, lent bool) {
	f := t.fateOfKey(paramKey{v: c.Fn.(*ssa.Function).FreeVars[i], holds: !t.isPart(v) && !(t.apart && t.isBound(v)), elem: t.elem, apart: t.apart})
	switch {
	case f.way != stays && isLoopBody(c.Fn.(*ssa.Function)):
		t.leave(f.way, "%s", f.where)
	case f.way != stays && calledOfC(c.Fn.(*ssa.Function)) != "":
		t.leave(f.way, "is passed to %s, which may keep it", calledOfC(c.Fn.(*ssa.Function)))
	case f.way != stays:
		t.leave(f.way, byLiteral+", where it %s", f.where)
	}
	t.keptIn(f)
	if lent && f.returned != 0 {
		t.leave(isKept, "is returned by a function literal to a function that calls it")
	}
	t.merge(f)
	for _, m := range f.invoked {
		t.called(invocation{v, m, nil, t.through})
	}
	t.forked = t.forked || t.captured && f.grows
	for _, r := range *c.Referrers() {
		if call, ok := r.(*ssa.Call); ok {
			t.followResults(call, f.returned)
		}
	}
}

// precedes reports whether the memory is made before an instruction of its function runs, if both happen.
func (t *trail) precedes(instr ssa.Instruction) bool {
	made, ok := t.root.(ssa.Instruction)
	if !ok {
		return true // a parameter or a free variable
	}
	if made.Block() == instr.Block() {
		return slices.Index(made.Block().Instrs, made) < slices.Index(made.Block().Instrs, instr)
	}
	return made.Block().Dominates(instr.Block()) || made.Parent() == instr.Parent() && !reaches(instr.Block(), made.Block(), nil)
}

// deferred looks at a deferred call that has the memory. It reports false if that runs later than a deferred Put.
func (t *trail) deferred(d *ssa.Defer, kind string) bool {
	if len(t.births) > 0 { // it runs after all rounds
		t.carried, t.list = true, "a deferred call"
	}
	t.byDefer = true
	before := t.precedes(d)
	if !before {
		t.leave(isKept, "is used by a %s deferred before, and so runs later than a Put", kind)
	}
	return before
}

// call looks at a call that has the memory as an argument.
func (t *trail) call(v ssa.Value, u ssa.CallInstruction) {
	c := u.Common()
	result, _ := u.(ssa.Value) // none of a deferred call
	if d, ok := u.(*ssa.Defer); ok {
		result = nil
		t.deferred(d, "call that was")
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		t.builtin(v, u, b, result)
		return
	}
	if c.IsInvoke() {
		t.callMethod(v, u, result)
		return
	}
	fn := c.StaticCallee()
	if fn == nil {
		if c.Value == v {
			if t.isOwnFunction(v) && !slices.Contains(c.Args, v) {
				return
			}
			t.leave(isKept, "leads to a function value that is called, and may keep it")
			return
		}
		t.passToValue(v, u, result)
		return
	}
	if copiesAll(c, fn) {
		t.passMessage(v, u, fn, result)
		return
	}
	if len(fn.Blocks) == 0 || t.isTrusted(fn) && slices.Index(c.Args, v) > 0 {
		t.callOther(v, u, fn, result)
		return
	}
	for i, arg := range c.Args {
		if arg != v || i >= len(fn.Params) {
			continue
		}
		with := t.givenTo(c, fn)
		if t.fateOfArgument(v, fn.Params[i], with).grows {
			t.append(v, u)
		}
		t.pass(v, fn.Params[i], with, result)
	}
}

// passMessage looks at a message or the like, or at bytes, as an argument of a function that encodes or decodes it.
func (t *trail) passMessage(v ssa.Value, u ssa.CallInstruction, fn *ssa.Function, result ssa.Value) {
	t.trusted, t.hidden = true, true // never on the stack
	if extendsArgument(u.Common(), fn, v) {
		t.append(v, u)
		t.results(result)
	}
}

// callMethod looks at a call of an interface's method.
func (t *trail) callMethod(v ssa.Value, u ssa.CallInstruction, result ssa.Value) {
	c := u.Common()
	switch {
	case handles(c) && t.handle(v, c):
	case c.Value != v && keepsNothing(c.Method) && isBytes(v.Type()): // and no address of a connection
		t.trust(c.Method.Name(), c.Value) // the contract of io.Writer or the like
		if !extendsFirst[c.Method.Name()] {
			return
		}
		if c.Args[0] == v {
			t.append(v, u)
		}
		t.results(result)
	case c.Value == v && !slices.Contains(c.Args, v):
		t.called(invocation{v, c.Method, result, t.through})
	default:
		t.passToMethods(v, u, result)
	}
}

// passToMethods looks at the memory as an argument of a method that is called through an interface.
func (t *trail) passToMethods(v ssa.Value, u ssa.CallInstruction, result ssa.Value) {
	c := u.Common()
	methods, known := t.methodsOf(c.Value, c.Method)
	if !known && !t.isHolder(v) && isLikeReader(c.Method, v.Type()) && !t.declareElse(c.Method.Name()) { // those of other modules are trusted, as with io.Reader
		methods, known = t.sameMethods(c.Method)
	}
	if !known || c.Value == v {
		t.keepAs(u, v, "is passed to method %s of an interface, which may keep it", c.Method.Name())
		return
	}
	t.trusted, t.hidden = true, true // never on the stack
	for _, fn := range byName(methods) {
		for i, arg := range c.Args {
			if arg == v {
				if t.fateOfArgument(v, fn.Params[i+1], beside{}).grows {
					t.append(v, u)
				}
				t.pass(v, fn.Params[i+1], beside{}, result)
			}
		}
	}
}

// callOther looks at a call of a function of another module.
func (t *trail) callOther(v ssa.Value, u ssa.CallInstruction, fn *ssa.Function, result ssa.Value) {
	c := u.Common()
	var m *model
	obj, ok := fn.Object().(*types.Func)
	if ok {
		m = modelApart(fn, obj)
	}
	switch {
	case handles(c) && t.handle(v, c):
	case ok && t.keptBy(v, obj) != "":
		t.keepAs(u, v, "is passed to %s, "+t.keptBy(v, obj), name(fn))
	case ok && t.assembly[obj] && !t.staysElsewhere(v, c.Args, obj):
		t.keepAs(u, v, "is passed to %s, where it "+keptByTwin, name(fn))
	case ok && t.assembly[obj]:
		_, list := v.Type().Underlying().(*types.Slice)
		t.sized = t.sized || list // it may read the capacity
	case m == nil && ok && isOfAny(obj) && slices.Index(c.Args, v) > 0:
		t.trustOther(fn)
		if extendsFirst[obj.Name()] {
			t.append(v, u)
			t.results(result)
		}
	case m == nil && t.callsBack(v, u, fn, result):
	case m == nil:
		t.noteUnread(fn)
		t.keepAs(u, v, "is passed to %s, which may keep it", name(fn))
	default:
		t.asks(v, c, fn)
		t.callKnown(v, u, m, result)
	}
}

// staysElsewhere reports whether a function of assembly keeps its argument on no other system, if it is called with it.
func (t *trail) staysElsewhere(v ssa.Value, args []ssa.Value, fn *types.Func) bool {
	for i, arg := range args {
		if arg != v {
			continue
		}
		uses, ok := t.usesElsewhere(fn, i, v.Type(), !t.apart && t.isPart(v))
		if !ok {
			return false
		}
		t.sized, t.resliced = t.sized || uses.sized, t.resliced || uses.resliced
	}
	return true
}

// asks looks at the methods that a function of the standard library may call on a value, or on elements of it.
func (t *trail) asks(v ssa.Value, c *ssa.CallCommon, fn *ssa.Function) {
	if asksNothing[packageOf(runtimeName(fn))] {
		return
	}
	switch _, made := v.(*ssa.MakeInterface); {
	case t.hasMethods(v):
		t.callback(v, fn, c.Args)
	case !made && types.IsInterface(v.Type()):
		t.called(invocation{v, anyMethod[askingOf(fn, v.Type())], nil, t.through})
	}
	t.reflected(v, fn)
}

// callKnown looks at a call of a function that has a model.
func (t *trail) callKnown(v ssa.Value, u ssa.CallInstruction, m *model, result ssa.Value) {
	c, fn := u.Common(), u.Common().StaticCallee()
	switch {
	case m.keeps && slices.Index(c.Args, v) > 0:
		t.keep(c.Args[0], fn)
	case m.decodes && slices.ContainsFunc(t.keepers, func(k *ssa.Function) bool { return isUnmarshaler(k) && decodesInto(c.Args, v, k) }):
		t.leave(isKept, "may be passed to an Unmarshal method of the program, which keeps it")
	default:
		t.callModeled(v, u, m, result)
	}
}

// callModeled looks at a call of a function that keeps nothing.
func (t *trail) callModeled(v ssa.Value, u ssa.CallInstruction, m *model, result ssa.Value) {
	hidden := t.hidden || types.IsInterface(v.Type()) || t.isHolder(v)
	for _, arg := range u.Common().Args {
		t.trust("", arg)
	}
	t.hidden = hidden // the compiler sees the function
	fn := u.Common().StaticCallee()
	if extends.MatchString(fn.Name()) {
		t.append(v, u)
	}
	if !m.fresh && !givesColor(fn) || m.fresh && t.isHolder(v) && copiesElements(fn) {
		t.results(result)
	}
}

// passToValue looks at the memory as an argument of a function value.
func (t *trail) passToValue(v ssa.Value, u ssa.CallInstruction, result ssa.Value) {
	c := u.Common()
	callees := map[*ssa.Function]bool{}
	known := t.functionsOf(t.passed(c.Value), callees, map[ssa.Value]bool{})
	switch {
	case known && t.staysIn(callees, v, c):
	case handles(c) && t.handle(v, c):
		return
	case !known:
		t.keepAs(u, v, "is passed to a function value, which may keep it")
		return
	}
	for _, fn := range byName(callees) {
		for i, arg := range c.Args {
			if arg == v {
				if t.fateOfArgument(v, fn.Params[i], beside{}).grows {
					t.append(v, result.(ssa.Instruction))
				}
				t.pass(v, fn.Params[i], beside{}, result)
			}
		}
	}
}

// byName returns functions in an order that is the same each time, as the first way by which memory leaves is told.
func byName(all map[*ssa.Function]bool) []*ssa.Function {
	return slices.SortedFunc(maps.Keys(all), func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
}

// staysIn reports whether an argument of a call stays in all functions that it may call.
func (t *trail) staysIn(callees map[*ssa.Function]bool, v ssa.Value, c *ssa.CallCommon) bool {
	for _, fn := range byName(callees) { // fates depend on the order, too, where functions call each other
		for i, arg := range c.Args {
			if arg == v && t.fateOfArgument(v, fn.Params[i], beside{}).way != stays {
				return false
			}
		}
	}
	return true
}

// functionsOf collects the functions of the program that a value may be. It reports false if there may be others.
func (t *tracer) functionsOf(v ssa.Value, all map[*ssa.Function]bool, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	each := func(values []ssa.Value) bool {
		return !slices.ContainsFunc(values, func(v ssa.Value) bool { return !t.functionsOf(v, all, seen) })
	}
	switch v := v.(type) {
	case *ssa.Const: // nil, whose call panics
		return true
	case *ssa.Function:
		all[v] = true
		return len(v.Blocks) > 0
	case *ssa.MakeClosure:
		return t.functionsOf(v.Fn, all, seen)
	case *ssa.ChangeType:
		return t.functionsOf(v.X, all, seen)
	case *ssa.Phi:
		return each(v.Edges)
	case *ssa.UnOp:
		if at, ok := v.X.(*ssa.FieldAddr); ok {
			sets, known := t.setsOf(fieldVar(at))
			return known && each(sets)
		}
		variable, ok := captured(v.X).(*ssa.Alloc)
		if v.Op != token.MUL || !ok {
			return false
		}
		stored, known := storedIn(variable)
		return known && each(stored)
	case *ssa.Parameter:
		fn := v.Parent()
		i := slices.Index(fn.Params, v)
		return fn.Parent() == nil && t.closed(fn) && !slices.ContainsFunc(t.calls[fn], func(c ssa.CallInstruction) bool {
			return c.Common().IsInvoke() || i >= len(c.Common().Args) || !t.functionsOf(c.Common().Args[i], all, seen)
		})
	}
	return false
}

// hasMethods reports whether a value is an interface's, made of a type of the program that has methods.
func (t *trail) hasMethods(v ssa.Value) bool {
	made, ok := v.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	typ := made.X.Type()
	if p, ok := typ.(*types.Pointer); ok {
		typ = p.Elem()
	}
	n, ok := types.Unalias(typ).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !ofLibrary(typ) && types.NewMethodSet(made.X.Type()).Len() > 0
}

// keep looks at a value of the standard library that keeps the memory, which leaves with the value.
func (t *trail) keep(holder ssa.Value, by *ssa.Function) {
	made := holder
	if x, ok := made.(*ssa.Extract); ok {
		made = x.Tuple
	}
	switch made := made.(type) {
	case *ssa.Alloc:
	case *ssa.Call:
		// Package bufio returns its argument if that is a Reader or Writer already.
		if fn := made.Call.StaticCallee(); !isModeled(fn) || len(fn.Blocks) > 0 || !strings.HasPrefix(fn.Name(), "New") ||
			packageOf(runtimeName(fn)) == "bufio" && fn.Name() != "NewScanner" {
			t.leave(isKept, "is passed to %s, which keeps it", name(by))
			return
		}
	default:
		t.leave(isKept, "is passed to %s, which keeps it", name(by))
		return
	}
	if len(t.births) > 0 {
		t.carried = true // the value may be of a round before
		if p, ok := holder.Type().Underlying().(*types.Pointer); ok && !inLoop(made.(ssa.Instruction)) {
			t.list = "a " + types.TypeString(p.Elem(), (*types.Package).Name)
		}
	}
	t.follow(holder)
}

func (t *trail) called(i invocation) {
	if !slices.Contains(t.invokes, i) {
		t.invokes = append(t.invokes, i)
	}
}

// faceOf returns a type that is an interface, or that of a variable which has one, as an interface, or nil.
func faceOf(t types.Type) *types.Interface {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	face, _ := t.Underlying().(*types.Interface)
	return face
}

// invoke looks at a method call through an interface that holds the memory. If that is a parameter, callers know the type.
func (t *trail) invoke(i invocation) {
	if by := slices.Index(anyMethod[:], i.method); by >= 0 {
		t.mayInvoke(i, asking(by))
		return
	}
	if isHash(i.of.Type()) && !slices.ContainsFunc(t.methods, isSum) {
		t.trusted, t.hidden = true, true // its Sum appends to the argument
		return
	}
	d := dynamic{seen: map[ssa.Value]bool{}}
	t.dynamicTypes(i.of, &d)
	if d.unknown {
		t.invokeAny(i)
		return
	}
	if d.ofCaller && !slices.Contains(t.invoked, i.method) {
		t.invoked = append(t.invoked, i.method)
	}
	if d.ofCaller || d.standard { // the standard library keeps nothing of itself
		t.trusted, t.hidden = t.trusted || d.standard, true
		t.results(i.result)
	}
	for _, typ := range d.types {
		var fn *ssa.Function
		if !types.IsInterface(typ) && types.NewMethodSet(typ).Lookup(i.method.Pkg(), i.method.Name()) != nil {
			fn = t.prog.LookupMethod(typ, i.method.Pkg(), i.method.Name())
		}
		switch {
		case fn == nil: // of a type parameter
			t.leave(isKept, "has its method %s called through an interface, and may be kept by that", i.method.Name())
		case len(fn.Blocks) > 0:
			t.pass(i.of, fn.Params[0], beside{}, i.result)
		default:
			if !isModeled(fn) {
				t.noteUnread(fn)
				t.leave(isKept, "is passed to %s, which may keep it", name(fn))
				continue
			}
			if !givesColor(fn) {
				t.results(i.result)
			}
		}
	}
}

// invokeAny does so for an interface that may hold the memory, or another value that comes from elsewhere.
func (t *trail) invokeAny(i invocation) {
	methods, known := t.methodsOf(i.of, i.method)
	if !known {
		t.leave(isKept, "has its method %s called through an interface, and may be kept by that", i.method.Name())
		return
	}
	t.trusted, t.hidden = true, true
	for _, fn := range byName(methods) {
		t.pass(i.of, fn.Params[0], beside{}, i.result)
	}
}

// A dynamic has the types that the memory may have in an interface.
type dynamic struct {
	types    []types.Type
	standard bool // also the type of a value that the standard library made
	ofCaller bool // also the type that a caller passes
	unknown  bool
	seen     map[ssa.Value]bool
}

// dynamicTypes looks for the places where the memory came into an interface.
func (t *trail) dynamicTypes(v ssa.Value, d *dynamic) {
	if d.seen[v] {
		return
	}
	d.seen[v] = true
	if v == t.root && t.typ != nil {
		d.types = append(d.types, t.typ)
		return
	}
	switch x := v.(type) {
	case *ssa.MakeInterface:
		d.types = append(d.types, x.X.Type())
		return
	case *ssa.ChangeInterface:
		t.dynamicTypes(x.X, d)
		return
	case *ssa.TypeAssert:
		t.dynamicTypes(x.X, d)
		return
	case *ssa.Extract:
		t.dynamicTypes(x.Tuple, d)
		return
	case *ssa.UnOp:
		if x.Op == token.MUL {
			t.dynamicTypes(x.X, d)
			return
		}
	case *ssa.Alloc: // a variable
		t.dynamicTypesOf(storesTo(x), d)
		return
	case *ssa.Phi:
		t.dynamicTypesOf(x.Edges, d)
		return
	case *ssa.Call:
		if fn := x.Call.StaticCallee(); isModeled(fn) && len(fn.Blocks) == 0 {
			d.standard = true
			return
		}
	}
	if v == t.root && t.param {
		d.ofCaller = true
	} else {
		d.unknown = true
	}
}

// dynamicTypesOf does the same for those of some values that have the memory.
func (t *trail) dynamicTypesOf(values []ssa.Value, d *dynamic) {
	for _, v := range values {
		if t.seen[v] {
			t.dynamicTypes(v, d)
		}
	}
}

// pass looks at the memory as a parameter of a function of the program.
func (t *trail) pass(v ssa.Value, p *ssa.Parameter, with beside, result ssa.Value) {
	f, fn := t.fateOfArgument(v, p, with), p.Parent()
	if local := structOf(v); f.way != stays && !t.apart && local != nil && ssa.Value(local) != t.root && fn.Signature.Recv() != nil && p == fn.Params[0] { // or the struct is the memory
		t.carriers = append(t.carriers, carrier{local, []*ssa.Function{fn}, false})
		return
	}
	if f.way != stays {
		to := "is passed to " + name(fn) + ", where it "
		t.past(f.behind, func() { t.leave(f.way, "%s%s", to, strings.TrimPrefix(f.where, to)) }) // an instance of a generic function has a wrapper
		t.keptIn(f)
	}
	t.merge(f)
	for _, m := range f.invoked {
		t.called(invocation{v, m, nil, t.through})
	}
	t.followResults(result, f.returned)
}

// structOf returns the variable of the function that has a struct, of which a value is made, or nil.
func structOf(v ssa.Value) *ssa.Alloc {
	v = unwrap(v)
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	if local, ok := v.(*ssa.Alloc); ok {
		if _, isStruct := local.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct); isStruct {
			return local
		}
	}
	return nil
}

// handle looks at a struct that has the memory and is given to a handler of HTTP requests as its ResponseWriter. Until the
// handler returns, it may call all methods, and keep what they return.
func (t *trail) handle(v ssa.Value, c *ssa.CallCommon) bool {
	args := c.Args
	if args[len(args)-2] != v || slices.Contains(args[:len(args)-2], v) {
		return false
	}
	given, ok := t.givenStructs(v)
	if !ok || t.apart { // whose methods may store it
		return false
	}
	t.trusted = true
	for _, fn := range t.handlers {
		if !t.isNear(fn, v.Parent()) {
			continue
		}
		if t.fateOfParam(fn.Params[len(fn.Params)-2]).way.isCertain() {
			t.leave(isBroken, "is passed to a handler, which may be %s, which keeps it", name(fn))
			return true
		}
	}
	for _, v := range given {
		w := carrier{structOf(v), nil, true}
		methods := t.prog.MethodSets.MethodSet(unwrap(v).Type())
		for m := range methods.Methods() {
			w.methods = append(w.methods, t.prog.MethodValue(m))
		}
		if ssa.Value(w.local) == t.root {
			t.givesItself(w.methods)
		}
		t.carriers = append(t.carriers, w)
	}
	return true
}

// givesItself looks at methods of a struct that is the memory, which may keep it or give it away.
func (t *trail) givesItself(methods []*ssa.Function) {
	for _, fn := range methods {
		if fn == nil || len(fn.Blocks) == 0 || t.fateOfParam(fn.Params[0]).way != stays || t.fateOfParam(fn.Params[0]).returned != 0 {
			t.leave(isKept, "is a value whose methods may keep it")
		}
	}
}

// givenStructs returns the structs of the function that an interface's value may be. It reports false if there may be others
// that have the memory.
func (t *trail) givenStructs(v ssa.Value) (all []ssa.Value, ok bool) {
	edges := []ssa.Value{v}
	if phi, ok := v.(*ssa.Phi); ok {
		edges = phi.Edges
	}
	for _, e := range edges {
		_, isParam := e.(*ssa.Parameter)
		switch local := structOf(e); {
		case local != nil && types.IsInterface(e.Type()) && hasOwnFields(local.Type()):
			all = append(all, e)
		case isParam && e != t.root, isNil(e): // which have it not
		default:
			return nil, false
		}
	}
	return all, true
}

// hasOwnFields reports whether a pointer points to a struct whose fields are those of no other: its type has a name, and is
// no instance of a generic one.
func hasOwnFields(pointer types.Type) bool {
	n, ok := types.Unalias(pointer.Underlying().(*types.Pointer).Elem()).(*types.Named)
	return ok && n.TypeArgs().Len() == 0
}

// throughFields looks at the fields of a struct that have the memory, as methods use them.
func (t *trail) throughFields(w carrier) {
	for _, r := range *w.local.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == ssa.Value(w.local) && t.seen[r.Val] {
				t.leave(isKept, "is in a struct that is copied to %s", describe(w.local))
			}
		case *ssa.FieldAddr:
			for _, st := range *r.Referrers() {
				if st, ok := st.(*ssa.Store); ok && st.Addr == ssa.Value(r) && t.seen[st.Val] {
					t.throughField(w, r, st.Val)
				}
			}
		}
	}
}

// throughField does so for a field that gets a value.
func (t *trail) throughField(w carrier, field *ssa.FieldAddr, stored ssa.Value) {
	u := &fieldTrail{tracer: t.tracer, fate: t.fate, field: fieldVar(field), seen: map[ssa.Value]bool{}}
	if stored = unwrap(stored); !types.IsInterface(stored.Type()) {
		u.typ = stored.Type()
	}
	for _, fn := range w.methods {
		if fn == nil || len(fn.Blocks) == 0 {
			t.leave(isKept, "is in field %s, which a method has that is not known", fieldName(field))
			return
		}
		u.follow(fn.Params[0])
	}
	if !w.given {
		return
	}
	if u.field.Exported() && isExported(w.local.Type()) {
		t.leave(isKept, "is in field %s, which other packages can read", fieldName(field))
	}
	for _, at := range t.fields[u.field] {
		if !t.seen[at] && !u.seen[at] && isRead(at) {
			t.leave(isKept, "is in field %s, which %s uses", fieldName(field), name(at.Parent()))
		}
	}
}

// isExported reports whether other packages may name the type that a pointer points to.
func isExported(pointer types.Type) bool {
	n, ok := types.Unalias(pointer.Underlying().(*types.Pointer).Elem()).(*types.Named)
	return !ok || n.Obj().Exported()
}

// isRead reports whether the address of a field is used for more than to store a value there.
func isRead(at ssa.Value) bool {
	_, address := at.(*ssa.FieldAddr)
	return !address || slices.ContainsFunc(*at.Referrers(), func(r ssa.Instruction) bool {
		st, ok := r.(*ssa.Store)
		_, debug := r.(*ssa.DebugRef)
		return !debug && !(ok && st.Addr == at)
	})
}

// A fieldTrail follows a struct in its methods, but only to the memory that one of its fields has.
type fieldTrail struct {
	*tracer
	*fate
	field *types.Var
	typ   types.Type // of the field's value, if the field is an interface
	own   bool       // the field alone may get its memory again
	seen  map[ssa.Value]bool

	results *scratchResults                                // of functions that may return the memory, or nil
	also    func(self ssa.Value, use ssa.Instruction) bool // looks at further uses of the struct, and reports whether none keeps it, or nil
}

// isOf reports whether the memory is in a field.
func (t *fieldTrail) isOf(field *types.Var) bool {
	return field != nil && field.Origin() == t.field.Origin()
}

// follow looks at all uses of the struct, or of a pointer to it.
func (t *fieldTrail) follow(self ssa.Value) {
	if t.seen[self] {
		return
	}
	t.seen[self] = true
	if t.depth >= maxDepth {
		t.leave(isUnknown, "is passed on further than this looks")
		return
	}
	t.depth++
	defer func() { t.depth-- }()
	for _, use := range *self.Referrers() {
		switch u := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.FieldAddr:
			if t.isOf(fieldVar(u)) {
				t.load(u)
			}
		case *ssa.ChangeType:
			if to := u.Type(); !hasFieldOf(to, t.field) { // or it is an instance of a generic type, or back
				t.leave(isKept, "is in a struct that becomes a %s", types.TypeString(to, (*types.Package).Name))
				return
			}
			t.follow(u)
		case *ssa.Field:
			if slices.ContainsFunc(fieldsIn(u), t.isOf) {
				t.seen[u] = true
				t.use(u)
			}
		case *ssa.UnOp:
			t.follow(u)
		case *ssa.Store:
			local, ok := u.Addr.(*ssa.Alloc)
			switch {
			case u.Val != self: // another struct takes its place
			case ok:
				t.follow(local)
			default:
				t.leave(isStored, "is in a struct that is stored %s", placeOf(u.Addr, "behind a pointer"))
			}
		case ssa.CallInstruction:
			t.call(self, u)
		default:
			if t.also == nil || !t.also(self, use) {
				t.leave(isKept, "is in a struct that %s may keep", name(use.Parent()))
			}
		}
	}
}

// call looks at a call that has the struct as an argument.
func (t *fieldTrail) call(self ssa.Value, u ssa.CallInstruction) {
	c := u.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "ssa:wrapnilchk" {
		t.follow(u.(ssa.Value))
		return
	}
	fn := c.StaticCallee()
	if _, isGo := u.(*ssa.Go); isGo || fn == nil || len(fn.Blocks) == 0 || t.isVariant(fn.Object()) {
		if !isGo && t.also != nil && t.also(self, u) {
			return
		}
		t.noteUnread(fn)
		t.leave(isKept, "is in a struct that %s may keep", name(u.Parent()))
		return
	}
	t.relyOn(t.moduleOf(fn))
	t.results.note(u)
	for i, arg := range c.Args {
		if arg == self {
			t.follow(fn.Params[i])
		}
	}
}

// load looks at the address of the field.
func (t *fieldTrail) load(at *ssa.FieldAddr) {
	t.seen[at] = true
	if _, inside := fieldVar(at).Type().Underlying().(*types.Struct); inside && t.own { // a Buffer
		t.use(at)
		return
	}
	for _, r := range *at.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr != ssa.Value(at) {
				t.leave(isStored, "is in a field whose address is stored")
			}
		case *ssa.UnOp:
			t.use(r)
		default:
			t.leave(isKept, "is in a field whose address is taken")
		}
	}
}

// use looks at the value of the field.
func (t *fieldTrail) use(v ssa.Value) {
	tr := t.trailFrom(paramKey{v: v, holds: !t.own, typ: t.typ}, true)
	if t.own {
		tr.own = t.field
	}
	f := tr.walk().fate
	switch {
	case f.way != stays:
		t.leave(f.way, "%s", f.where)
	case f.returned != 0 && !t.results.add(v, tr):
		t.leave(isKept, "is returned by %s", name(v.Parent()))
	case len(f.invoked) > 0:
		t.leave(isKept, "has its method %s called through an interface, and may be kept by that", f.invoked[0].Name())
	}
	t.merge(f)
}

// results follows the results of a call of the standard library that may alias an argument.
func (t *trail) results(v ssa.Value) {
	if v == nil {
		return
	}
	if _, ok := v.Type().(*types.Tuple); ok || leads(v.Type()) {
		t.follow(v)
	}
}

// returns follows the results of a call of a function of the program, errors too.
func (t *trail) followResults(v ssa.Value, which uint64) {
	if v == nil || which == 0 {
		return
	}
	if _, ok := v.Type().(*types.Tuple); !ok {
		t.follow(v)
		return
	}
	for _, r := range *v.Referrers() {
		if x, ok := r.(*ssa.Extract); ok && which&(1<<min(x.Index, 63)) != 0 {
			t.follow(x)
		}
	}
}

// append notes that a call may write behind the end of a slice.
func (t *trail) append(v ssa.Value, u ssa.Instruction) {
	t.grows = true
	t.grown[v] = append(t.grown[v], u)
}

func (t *trail) builtin(v ssa.Value, u ssa.CallInstruction, b *ssa.Builtin, result ssa.Value) {
	args := u.Common().Args
	switch b.Name() {
	case "clear", "delete":
		t.shrinks = true
	case "len", "print", "println":
	case "SliceData", "String": // of package unsafe
		t.resliced = t.resliced || b.Name() == "String" && !isLenAt(args[1], args[0])
		t.follow(result)
	case "cap":
		t.sized = t.sized || t.canBe(v.Type())
	case "append", "copy":
		if b.Name() == "append" && args[0] == v {
			if t.canBe(v.Type()) {
				t.append(v, u)
			}
			t.results(result)
		}
		if s, ok := v.Type().Underlying().(*types.Slice); ok && args[1] == v && mayHold(s.Elem()) && t.isHolder(v) {
			list := describe(args[0])
			if strings.HasPrefix(list, "field ") {
				list = "an element of " + list
			}
			t.leave(isStored, "is stored in %s", list)
		}
	case "ssa:wrapnilchk":
		t.results(result)
	default:
		t.leave(isKept, "is passed to the built-in function %s", b.Name())
	}
}

// findKeepers finds the methods of the program that have a contract and surely break it, or pass their argument on to one
// that does.
func (t *tracer) findKeepers() {
	for more := true; more; {
		more = false
		for _, fn := range t.methods {
			if !isContract(fn) || slices.Contains(t.keepers, fn) {
				continue
			}
			for _, p := range fn.Params[1:] {
				if types.IsInterface(p.Type()) { // the address of a connection
					continue
				}
				if t.fateOfParam(p).way.isCertain() {
					more, t.keepers = true, append(t.keepers, fn)
					break
				}
			}
		}
		clear(t.params) // these fates did not know all keepers
		t.order = nil
	}
}

// madeSlice returns the slice that a value is, or that the variable has from which it is read, or nil.
func madeSlice(v ssa.Value) *ssa.MakeSlice {
	if load, ok := v.(*ssa.UnOp); ok {
		if _, stored := setHere(load); len(stored) == 1 {
			v = stored[0]
		}
	}
	made, _ := v.(*ssa.MakeSlice)
	return made
}

// copiesElements reports whether the result of a function that makes new memory has the elements of an argument.
func copiesElements(fn *ssa.Function) bool {
	pkg := packageOf(runtimeName(fn))
	return pkg == "slices" || pkg == "maps"
}

// callsBack looks at such a call. It reports false for others.
func (t *trail) callsBack(v ssa.Value, u ssa.CallInstruction, fn *ssa.Function, result ssa.Value) bool {
	c := u.Common()
	switch {
	case runtimeName(fn) == "bufio.(*Scanner).Split" && v == c.Args[0]:
		t.split(c.Args[1])
	case readsElements(fn) && !t.isHolder(v) && !passesWhole(v, c.Args):
		t.callModeled(v, u, &model{}, result)
	default:
		return false
	}
	return true
}

// split looks at the function to which a Scanner passes parts of its memory, to get a part of that back as the next token.
func (t *trail) split(f ssa.Value) {
	if change, ok := f.(*ssa.ChangeType); ok {
		f = change.X
	}
	if fn, ok := f.(*ssa.Function); ok && packageOf(runtimeName(fn)) == "bufio" {
		return
	}
	all := map[*ssa.Function]bool{}
	if !t.functionsOf(f, all, map[ssa.Value]bool{}) {
		t.leave(isKept, "is passed to a SplitFunc, which may keep it")
		return
	}
	const token = 1 << 1
	for _, fn := range byName(all) {
		f := t.fateOfArgument(t.root, fn.Params[0], beside{})
		switch {
		case f.way != stays:
			t.leave(f.way, "is passed to %s, where it %s", name(fn), f.where)
		case f.returned&^token != 0 || f.grows:
			t.leave(isKept, "is passed to %s, which may keep it", name(fn))
		}
		t.merge(f)
	}
}

// readsElements reports whether a function of package slices passes copies of elements to the function that it is given, and
// neither a slice nor the address of an element.
func readsElements(fn *ssa.Function) bool {
	return packageOf(runtimeName(fn)) == "slices" && strings.HasSuffix(unqualified(runtimeName(fn)), "Func") && !givesFunction(fn.Signature)
}

// passesWhole reports whether a function among arguments may get a value as it is, which is no slice, or the target of a search.
func passesWhole(v ssa.Value, args []ssa.Value) bool {
	typ := typeBefore(v).Underlying()
	if _, list := typ.(*types.Slice); !list {
		return true
	}
	for _, arg := range args {
		if f, ok := typeBefore(arg).Underlying().(*types.Signature); ok {
			for p := range f.Params().Variables() {
				if _, open := types.Unalias(p.Type()).(*types.TypeParam); open || types.Identical(p.Type().Underlying(), typ) {
					return true
				}
			}
		}
	}
	return false
}

// typeBefore returns the type of a value before it became one of a type parameter.
func typeBefore(v ssa.Value) types.Type {
	if change, ok := v.(*ssa.ChangeType); ok {
		v = change.X
	}
	return v.Type()
}

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

// isLenAt reports whether a number is the length of the slice that has its first element at a pointer.
func isLenAt(n, pointer ssa.Value) bool {
	switch at := pointer.(type) {
	case *ssa.Call: // unsafe.SliceData
		return isLen(n) && n.(*ssa.Call).Call.Args[0] == at.Call.Args[0]
	case *ssa.IndexAddr:
		return isLen(n) && isZero(at.Index) && n.(*ssa.Call).Call.Args[0] == at.X
	}
	return false
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
	f := t.fateOfArgument(v, p, beside{})
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

// asked are methods for which values of interfaces are asked.
var asked = map[string]bool{"WriteTo": true, "ReadFrom": true, "WriteString": true, "WriteByte": true, "WriteRune": true, "ReadByte": true,
	"UnreadByte": true, "ReadRune": true, "UnreadRune": true, "Flush": true, "Close": true, "Seek": true, "Size": true, "Len": true, "Name": true}

// methodsAsked has the methods of an interface, and others of the type of its value that the standard library asks for.
func methodsAsked(typ types.Type, face *types.Interface) iter.Seq[*types.Func] {
	return func(yield func(*types.Func) bool) {
		for m := range face.Methods() {
			if !yield(m) {
				return
			}
		}
		for m := range types.NewMethodSet(typ).Methods() {
			fn, ok := m.Obj().(*types.Func)
			if named := types.NewMethodSet(face).Lookup(fn.Pkg(), fn.Name()) != nil; ok && asked[fn.Name()] && !named && !yield(fn) {
				return
			}
		}
	}
}

// keptBy says what may keep an argument of a function of the standard library that keeps no others, or returns nothing.
func (t *trail) keptBy(v ssa.Value, fn *types.Func) string {
	e := effects.Of(fn)
	switch pkg := fn.Pkg(); {
	case pkg == nil:
	case pkg.Path() == "reflect" && slices.Contains([]string{"Pointer", "UnsafePointer", "UnsafeAddr"}, fn.Name()):
		return "whose result is its address"
	case pkg.Path() == "net" && isAddress(v.Type()) && fn.Signature().Recv() != nil:
		return "whose error may have it"
	case pkg.Path() == "log/slog" && e != nil && e.Prints != effects.None && t.isHolder(v):
		return "whose handler may keep it"
	}
	return ""
}

// isAddress reports whether a type is that of addresses of package net.
func isAddress(typ types.Type) bool {
	text := types.TypeString(typ, nil)
	return text == "net.Addr" || strings.HasPrefix(text, "*net.") && strings.HasSuffix(text, "Addr")
}

// isSum reports whether a method is that of a hash of the program.
func isSum(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.Name() == "Sum" && hasContract(obj)
}

// mayInvoke looks at an interface that the standard library gets, which holds the memory or is that. If it is a parameter,
// callers know the type.
func (t *trail) mayInvoke(i invocation, by asking) {
	d := dynamic{seen: map[ssa.Value]bool{}}
	t.dynamicTypes(i.of, &d)
	if d.ofCaller && !slices.Contains(t.invoked, i.method) {
		t.invoked = append(t.invoked, i.method)
	}
	for _, typ := range d.types {
		if types.IsInterface(typ) || ofLibrary(typ) {
			continue
		}
		for m := range by.methodsOf(typ) {
			t.mayCall(i.of, t.prog.LookupMethod(typ, m.Pkg(), m.Name()))
		}
	}
	if face := faceOf(i.of.Type()); d.unknown && face != nil {
		for _, fn := range t.methods {
			if types.Implements(fn.Signature.Recv().Type(), face) && by.calls(fn.Name()) && t.fateOfArgument(i.of, fn.Params[0], beside{}).way.isCertain() {
				t.leave(isKept, "is in a value whose method %s the standard library may call, and which may keep it", fn.Name())
			}
		}
	}
}

// mayCall looks at a method that packages may call on a value.
func (t *trail) mayCall(v ssa.Value, fn *ssa.Function) {
	switch {
	case fn == nil:
	case len(fn.Blocks) == 0:
		t.leave(isKept, "is in a value whose method %s is not known", fn.Name())
	default:
		t.pass(v, fn.Params[0], beside{}, nil)
	}
}

// callback looks at the methods that a function of the standard library may call on a value that holds the memory.
func (t *trail) callback(v ssa.Value, called *ssa.Function, args []ssa.Value) {
	at, sig := slices.Index(args, v), called.Signature
	if sig.Recv() != nil {
		at--
	}
	// Packages of images call methods, such as Opaque, that their arguments need not have.
	if at < 0 || at >= sig.Params().Len() || strings.HasPrefix(types.TypeString(sig.Params().At(at).Type(), nil), "image") {
		t.leave(isKept, "is in a value whose methods the standard library may call")
		return
	}
	typ, param := v.(*ssa.MakeInterface).X.Type(), sig.Params().At(at).Type()
	face, ok := param.Underlying().(*types.Interface)
	methods := methodsAsked(typ, face)
	if by := askingOf(called, param); by != byAll {
		methods = by.methodsOf(typ)
	} else if !ok || face.NumMethods() == 0 {
		t.leave(isKept, "is in a value whose methods the standard library may call")
		return
	}
	for m := range methods {
		fn := t.prog.LookupMethod(typ, m.Pkg(), m.Name())
		if fn == nil || len(fn.Blocks) == 0 {
			t.leave(isKept, "is in a value whose method %s is not known", m.Name())
			return
		}
		t.pass(v, fn.Params[0], beside{}, nil)
	}
}

// reflected looks at a value that a function gets as one of any type, and may take apart: a method of what is in it may keep the
// memory.
func (t *trail) reflected(v ssa.Value, by *ssa.Function) {
	asking := askingOf(by, v.Type())
	made, ok := v.(*ssa.MakeInterface)
	if !ok && holdsInterface(v.Type()) {
		t.printed |= asking
	}
	if ok {
		t.reflectedAs(made.X.Type(), asking)
	}
}

// reflectedAs does so for a value of a type. The methods may have their receivers taken apart in turn, by methods that call each other. So
// those are looked at one by one, as if none of the others kept anything, until there are no more.
func (t *trail) reflectedAs(typ types.Type, by asking) {
	if ofLibrary(typ) {
		return
	}
	var all []paramKey
	for _, fn := range t.methods {
		if encodes[fn.Name()] && by.calls(fn.Name()) && leadsTo(typ, fn, map[types.Type]bool{}) {
			all = append(all, paramKey{v: fn.Params[0]}, paramKey{v: fn.Params[0], apart: t.apart})
		}
	}
	if t.taken != nil {
		t.taken.add(all)
		return
	}
	known := len(t.order)
	t.taken = &takenMethods{seen: map[paramKey]bool{}}
	t.taken.add(all)
	kept := t.firstKept()
	t.taken = nil
	if kept == nil {
		return
	}
	for _, other := range t.order[known:] { // they may rely on it
		delete(t.params, other)
	}
	t.order = t.order[:known]
	t.leave(isKept, "is in a value whose method %s may keep it", name(kept))
}

// firstKept returns a method that may keep its receiver, or nil. Others may come while it looks.
func (t *tracer) firstKept() *ssa.Function {
	for i := 0; i < len(t.taken.list); i++ {
		if key := t.taken.list[i]; t.fateOfKey(key).way != stays {
			return key.v.Parent()
		}
	}
	return nil
}

// takenApart looks at the values of interfaces that a function of the standard library may get in a list, or from a caller.
func (t *trail) takenApart() {
	if t.printed == 0 {
		return
	}
	var all []ssa.Value
	for v := range t.seen {
		if typeMade(v) != nil {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b ssa.Value) int { return int(a.Pos() - b.Pos()) }) // the first way that memory leaves is told
	for _, v := range all {
		t.reflectedAs(typeMade(v), t.printed)
	}
}
