package advise

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Memory that leaves a function has a holder: a struct whose field gets it, or the caller to whom it is returned. Along the stacks
// of a profile, the holder of that is known, too, and may be a value from a pool. Then the memory is pooled with it.

// A holder has memory in one function of a stack. The zero holder is one of which no pool is known.
type holder struct {
	param  ssa.Value  // a parameter of the function, or one or a variable of a function around it
	result int        // of the function, counted from 1
	from   lent       // or it is a value from a pool
	field  *types.Var // or a pointer that a function of the stack sets a field to
	anew   *ssa.Store // of the memory in a field, whatever that had
}

// addFrames adds the packages of functions on the stacks of large sites.
func (s *source) addFrames(sites []*Site) {
	for _, site := range sites {
		if !site.hasShare() || s.names[site] == "" {
			continue
		}
		for stack := range site.tally.stacks {
			for _, f := range framesOf(stack) {
				if path := packageOf(f.function); s.own[path] != nil {
					s.wanted[path] = true
				}
			}
		}
	}
}

// findLineage finds the pools whose values hold the memory of a site, and their share of its bytes.
func (s *source) findLineage(site *Site) {
	a := site.found
	if a == nil || a.pooled || a.fate == nil || a.fate.way == stays || site.tally == nil || !site.hasShare() {
		return
	}
	first := s.tracer.firstHolders(a)
	if len(first) == 0 {
		return
	}
	var all, deep, pooled int64
	pools := map[*types.Var]int64{} // nil for those without a name
	anew := map[*ssa.Store]int64{}
	for _, stack := range slices.Sorted(maps.Keys(site.tally.stacks)) {
		bytes := site.tally.stacks[stack]
		frames := framesOf(stack)
		if all += bytes; len(frames) > 1 {
			deep += bytes
		}
		if h := (&lineage{s, map[rung]bool{}}).along(frames, first); h.from.ok {
			pooled += bytes
			pools[h.from.pool] += bytes
			anew[h.anew] += bytes
		}
	}
	if all == 0 {
		return
	}
	for set, bytes := range anew {
		if set != nil && float64(bytes) >= mostInherited*float64(all) {
			a.anew = set
		}
	}
	a.share = float64(pooled) / float64(all)
	if a.got = a.share >= mostInherited || a.got && deep == 0; a.share >= leastInherited {
		if a.inPool = s.largestOf(pools); len(pools) == 1 {
			a.pools = slices.DeleteFunc(slices.Collect(maps.Keys(pools)), func(v *types.Var) bool { return v == nil })
		}
	}
}

// largestOf names the pool that has the most memory, or says that it is one of several.
func (s *source) largestOf(pools map[*types.Var]int64) (name string) {
	most := int64(0)
	for v, bytes := range pools {
		if named := s.poolNameOf(v); bytes > most || bytes == most && named < name {
			most, name = bytes, named
		}
	}
	if len(pools) > 1 && name != "" {
		name = "such as " + name
	}
	return name
}

const (
	leastInherited = 0.1  // share of a site that is worth a word
	mostInherited  = 0.75 // share that decides its verdict
)

// shareText says which part of memory pools have, if that does not decide the verdict.
func (a *allocation) shareText() string {
	if a.share < leastInherited || a.got {
		return ""
	}
	return " " + percent(a.share) + " of it belongs to values from a pool" + a.ofPool() + "."
}

// firstHolders returns the holders of memory in the function that makes it.
func (t *tracer) firstHolders(a *allocation) []holder {
	if a.held != nil {
		return t.holdersOf(a.held, map[ssa.Value]bool{})
	}
	if v, ok := a.instr.(ssa.Value); ok {
		return t.takersOf(v, map[ssa.Value]bool{})
	}
	return nil
}

// A lineage follows memory along one stack. Holders often meet again in a function further out, which is looked at once.
type lineage struct {
	*source
	seen map[rung]bool
}

// A rung is a holder in a function with so many frames of the stack around it.
type rung struct {
	holder
	frames int
}

// along follows the holders of memory from the first function of a stack outwards.
func (s *lineage) along(frames []frame, now []holder) holder {
	for _, h := range now {
		at := rung{h, len(frames)}
		if s.seen[at] {
			continue
		}
		s.seen[at] = true
		switch {
		case h.field != nil:
			h = s.in(frames, h.field)
		case h.param != nil || h.result > 0:
			h = s.above(frames, h)
		}
		if h.from.ok {
			h.anew = cmp.Or(h.anew, at.anew)
			return h
		}
	}
	return holder{}
}

// above does so for a holder that is a parameter or a result of the first function of the stack.
func (s *lineage) above(frames []frame, h holder) holder {
	if len(frames) < 2 {
		return holder{}
	}
	if p, ok := h.param.(*ssa.Parameter); h.param != nil && (!ok || s.literalName(p.Parent()) != frames[0].function) {
		return s.around(frames, h.param)
	}
	fn := s.functionsNamed()[frames[0].function]
	frames = frames[1:]
	for len(frames) > 0 && isStandard(frames[0].function, "") { // which passes on a writer
		if h.param == nil {
			return holder{}
		}
		frames = frames[1:]
	}
	if fn == nil || len(frames) == 0 {
		return holder{}
	}
	var next []holder
	calls := s.callsAt(frames[0], fn)
	for _, call := range calls {
		switch v := argumentFor(call, fn, h.param); {
		case h.result > 0:
			next = append(next, s.tracer.takersOf(resultOf(call, h.result-1), map[ssa.Value]bool{})...)
		case v == nil:
			return holder{}
		default:
			next = append(next, s.tracer.holdersOf(v, map[ssa.Value]bool{})...)
		}
	}
	return s.along(frames, next)
}

// in follows the pointer or interface that a function of a stack sets a field to.
func (s *lineage) in(frames []frame, field *types.Var) holder {
	values := s.tracer.setTo(field)
	for i, f := range frames {
		fn := s.functionsNamed()[f.function]
		for _, v := range values {
			if fn == nil || v.Parent() != fn || isNil(v) {
				continue
			}
			next := s.tracer.holdersOf(v, map[ssa.Value]bool{})
			if i == 0 { // where other fields may lead back to this one
				next = slices.DeleteFunc(next, func(h holder) bool { return h.field != nil })
			}
			return s.along(frames[i:], next)
		}
	}
	return holder{}
}

// around follows a value of a function around a literal.
func (s *lineage) around(frames []frame, v ssa.Value) holder {
	for i, f := range frames {
		if i > 0 && f.function == s.literalName(v.Parent()) {
			return s.along(frames[i:], s.tracer.holdersOf(v, map[ssa.Value]bool{}))
		}
	}
	return holder{}
}

// callsAt returns the calls of a frame that may be those of a function, or, of a standard function, pass on its receiver.
func (s *source) callsAt(f frame, callee *ssa.Function) []ssa.CallInstruction {
	return slices.DeleteFunc(s.callsIn(f), func(call ssa.CallInstruction) bool { return !mayRun(call.Common(), callee) })
}

// mayRun reports whether a call may run a function, itself or within a standard function that gets the receiver.
func mayRun(c *ssa.CallCommon, fn *ssa.Function) bool {
	if c.IsInvoke() {
		return c.Method.Name() == fn.Name()
	}
	if callee := c.StaticCallee(); callee != nil {
		return callee == fn || callee.Origin() == fn || isOfStandard(callee) && receiverAmong(c, fn, 2) != nil
	}
	_, builtin := c.Value.(*ssa.Builtin)
	return !builtin && types.Identical(c.Signature().Params(), fn.Signature.Params())
}

// isOfStandard reports whether a function, which may be nil, is of the standard library, or of a module that is taken for a part of it.
func isOfStandard(fn *ssa.Function) bool {
	return fn != nil && (isRooted(packageOf(runtimeName(fn))) || isModeled(fn))
}

// receiverAmong returns the argument of a call that may be the receiver of a method: of its type, or an interface's value. It may be
// behind a standard value that was made of it, such as a multipart.Writer.
func receiverAmong(c *ssa.CallCommon, fn *ssa.Function, depth int) ssa.Value {
	if fn.Signature.Recv() == nil {
		return nil
	}
	for _, arg := range c.Args {
		typ := arg.Type()
		if types.Identical(typ, fn.Signature.Recv().Type()) {
			return arg
		}
		if made, ok := settled(captured(arg)).(*ssa.Call); ok && depth > 0 && isOfStandard(made.Call.StaticCallee()) {
			if v := receiverAmong(&made.Call, fn, depth-1); v != nil {
				return v
			}
		}
		if face, ok := typ.Underlying().(*types.Interface); ok && face.NumMethods() > 0 && types.Implements(fn.Signature.Recv().Type(), face) {
			return arg
		}
	}
	return nil
}

// argumentFor returns the argument of a call for a parameter, or nil.
func argumentFor(call ssa.CallInstruction, fn *ssa.Function, param ssa.Value) ssa.Value {
	c := call.Common()
	p, ok := param.(*ssa.Parameter)
	if !ok {
		return nil
	}
	i := slices.Index(fn.Params, p)
	callee := c.StaticCallee()
	switch {
	case c.IsInvoke() && i == 0:
		return c.Value
	case c.IsInvoke():
		i--
	case callee != nil && callee != fn && callee.Origin() != fn:
		if i > 0 {
			return nil
		}
		return receiverAmong(c, fn, 2)
	}
	if i < 0 || i >= len(c.Args) {
		return nil
	}
	return c.Args[i]
}

// takersOf returns the holders that get memory in a function, to which a value leads. Without any, the function has it alone.
func (t *tracer) takersOf(v ssa.Value, seen map[ssa.Value]bool) []holder {
	if v == nil || seen[v] || v.Referrers() == nil {
		return nil
	}
	seen[v] = true
	var all []holder
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Slice, *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Extract, *ssa.SliceToArrayPointer:
			if value := r.(ssa.Value); !isString(value.Type()) {
				all = append(all, t.takersOf(value, seen)...)
			}
		case *ssa.UnOp: // of a struct by value
			if _, ok := v.(*ssa.Alloc); ok && r.Op == token.MUL {
				all = append(all, t.takersOf(r, seen)...)
			}
		case *ssa.Store:
			if r.Val == v {
				all = append(all, setAnew(r, t.takersBy(r.Addr, seen))...)
			}
		case *ssa.Return:
			if i := slices.Index(r.Results, v); i >= 0 {
				all = append(all, holder{result: i + 1})
			}
		case *ssa.MapUpdate, *ssa.Send:
			all = append(all, holder{})
		case ssa.CallInstruction:
			all = append(all, t.takersIn(r, v, seen)...)
		}
	}
	return all
}

// setAnew notes a store of memory for its holders, if nothing there depends on the memory that the field of a struct had.
func setAnew(set *ssa.Store, holders []holder) []holder {
	field, ok := set.Addr.(*ssa.FieldAddr)
	if !ok || !isSliceType(set.Val.Type()) || isNewStruct(field.X) || isConditional(set.Block(), field.X) || dependsOn(set.Val, field.X, 6) {
		return holders
	}
	for i := range holders {
		holders[i].anew = cmp.Or(holders[i].anew, set)
	}
	return holders
}

// isNewStruct reports whether a pointer is that of a struct that its function makes.
func isNewStruct(v ssa.Value) bool {
	_, ok := captured(settled(v)).(*ssa.Alloc)
	return ok
}

// takersBy returns the holders of an address to which memory is written.
func (t *tracer) takersBy(addr ssa.Value, seen map[ssa.Value]bool) (all []holder) {
	local, ok := captured(addr).(*ssa.Alloc)
	if !ok {
		return t.holdersOf(addr, maps.Clone(seen)) // a struct may be in a field of its own
	}
	for _, r := range *local.Referrers() {
		if load, ok := r.(*ssa.UnOp); ok {
			all = append(all, t.takersOf(load, seen)...)
		}
	}
	return all
}

// takersIn returns the holders that a call gives memory to, and those of its results that may be the memory.
func (t *tracer) takersIn(call ssa.CallInstruction, v ssa.Value, seen map[ssa.Value]bool) (all []holder) {
	c := call.Common()
	if made, ok := call.(*ssa.Call); ok && extended(made) != nil {
		if extended(made) == v {
			return t.takersOf(made, seen)
		}
		return nil
	}
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if isPut(c, v) {
		return []holder{{from: lent{true, poolAt(c.Args[0])}}}
	}
	for i, arg := range c.Args {
		if arg != v || i >= len(fn.Params) || len(fn.Blocks) == 0 {
			continue
		}
		returned := t.fateOfParam(fn.Params[i]).returned
		for result := range fn.Signature.Results().Len() {
			if returned&(1<<min(result, 63)) != 0 {
				all = append(all, t.takersOf(resultOf(call, result), seen)...)
			}
		}
	}
	return all
}

// holdersOf returns the holders of a value that has memory, or of an address.
func (t *tracer) holdersOf(v ssa.Value, seen map[ssa.Value]bool) (all []holder) {
	for range 16 {
		if v = captured(settled(v)); seen[v] {
			return nil
		}
		seen[v] = true
		if l := t.isLentHere(v); l.ok {
			return []holder{{from: l}}
		}
		switch x := v.(type) {
		case *ssa.Phi:
			for _, e := range x.Edges {
				all = append(all, t.holdersOf(e, seen)...)
			}
			return all
		case *ssa.Parameter:
			return append(all, holder{param: x})
		case *ssa.Alloc:
			return append(all, t.holdersOfLocal(x, seen)...)
		}
		if field := t.pointerField(v); field != nil {
			all = append(all, holder{field: field})
		}
		if v = t.within(v); v == nil {
			break
		}
	}
	return append(all, holder{})
}

// isLentHere reports whether a value is one from a pool, by itself, its field or its type.
func (t *tracer) isLentHere(v ssa.Value) lent {
	if l := isGot(v); l.ok {
		return l
	}
	switch x := v.(type) {
	case *ssa.FieldAddr:
		return t.isSetToGot(fieldVar(x))
	case *ssa.Parameter:
		return t.ofPooledType(x)
	}
	return lent{}
}

// within returns the value of which another is a part, or nil.
func (t *tracer) within(v ssa.Value) ssa.Value {
	switch x := v.(type) {
	case *ssa.FieldAddr:
		if !t.isSetToNil(fieldVar(x)) { // or the value may be put without that memory
			return x.X
		}
	case *ssa.IndexAddr:
		return x.X
	case *ssa.Field:
		return x.X
	case *ssa.Slice:
		return x.X
	case *ssa.ChangeType:
		return x.X
	case *ssa.TypeAssert:
		return x.X
	case *ssa.Extract:
		return x.Tuple
	case *ssa.UnOp:
		if field, ok := x.X.(*ssa.FieldAddr); x.Op == token.MUL && (!ok || t.hasOwn(field)) {
			return x.X
		}
	case *ssa.Call:
		if isAppend(x) {
			return x.Call.Args[0]
		}
	}
	return nil
}

// holdersOfLocal returns the holders of a variable, or of a struct that the function makes: the values that it is set to, or
// those that get it.
func (t *tracer) holdersOfLocal(local *ssa.Alloc, seen map[ssa.Value]bool) (all []holder) {
	typ := local.Type().Underlying().(*types.Pointer).Elem()
	for _, stored := range storesTo(local) {
		all = append(all, t.holdersOf(stored, seen)...)
	}
	if mayAlias(typ) && len(all) == 0 {
		others := maps.Clone(seen)
		delete(others, local)
		all = t.takersOf(local, others)
	}
	if len(all) == 0 {
		return []holder{{}}
	}
	return all
}

// pointerField returns the field that a value is the address of, or is read from, if that leads to memory that is not its
// struct's, or nil.
func (t *tracer) pointerField(v ssa.Value) *types.Var {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	if field, ok := v.(*ssa.FieldAddr); ok && !t.hasOwn(field) {
		return fieldVar(field)
	}
	return nil
}

// hasOwn reports whether a field that leads to other memory has memory of its struct's own: it is a slice, or is only set to
// values that are made there.
func (t *tracer) hasOwn(field *ssa.FieldAddr) bool {
	switch fieldVar(field).Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return !slices.ContainsFunc(t.setTo(fieldVar(field)), func(v ssa.Value) bool {
			_, made := settled(v).(*ssa.Alloc)
			return !made && !isNil(v) && !isGot(settled(v)).ok
		})
	}
	return true
}
