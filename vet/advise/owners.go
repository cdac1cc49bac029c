package advise

import (
	"go/token"
	"go/types"
	"math/bits"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Memory that a function of the package returns can be put by those that call the function, if these are all known: each
// of them has it alone, and lets it go nowhere.

// isClosed reports whether the function that makes a compressor or the like, or a literal in it, also closes it.
func (a *allocation) isClosed() bool {
	made, ok := a.instr.(*ssa.Call)
	return ok && isPackaged(a.kind) && closes(made.Parent(), made)
}

// closes reports whether a function, or a literal in it, closes the value of a call.
func closes(fn *ssa.Function, made *ssa.Call) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || calledName(call.Common()) != "Close" || len(arguments(call.Common())) != 1 {
				continue
			}
			if isOneOf(arguments(call.Common())[0], made) {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return closes(lit, made) })
}

// isOneOf reports whether a value may be that of an instruction.
func isOneOf(v ssa.Value, made ssa.Instruction) bool {
	return slices.ContainsFunc(merged(settled(v)), func(v ssa.Value) bool { return madeBy(v) == made.(ssa.Value) })
}

// holder names the struct that has the value of a call in a field, or else says "it".
func (a *allocation) holder() string {
	for _, b := range a.instr.Parent().Blocks {
		for _, instr := range b.Instrs {
			st, ok := instr.(*ssa.Store)
			if !ok || !isOneOf(st.Val, a.instr) {
				continue
			}
			if field, ok := st.Addr.(*ssa.FieldAddr); ok {
				if _, name := named(field.X.Type().Underlying().(*types.Pointer).Elem()); name != "" {
					return "the " + name
				}
			}
		}
	}
	return "it"
}

// findOwners notes the calls whose functions can put the memory of a site.
func (s *source) findOwners(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.fate.ways != 1<<isReturned || a.loop || !a.apart && (a.fate.sized || a.fate.forked || a.fate.several) {
		return
	}
	fn := a.instr.Parent()
	root := a.root()
	if root == nil || !s.isCalledOnly(fn) {
		return
	}
	result := a.onlyResult(root)
	if result < 0 || !a.isOwnable() {
		return
	}
	of := &ownership{source: s, a: a, result: result}
	if !of.add(fn, 3) || len(of.keeping) > 0 && (len(of.put) == 0 || s.shareOn(site, callersOf(of.keeping)) > mostCopied) {
		return
	}
	if a.owners, a.keeping, a.result = of.put, of.keeping, result; !a.each {
		a.knownEnd = "" // its capacity might be too large
	}
	if a.apart {
		a.nils = nilsOf(fn, result, root)
	}
}

// An ownership has the calls of a function whose callers can put its memory, and those whose callers keep it, and can have copies.
type ownership struct {
	*source
	a            *allocation
	result       int
	put, keeping []*ssa.Call
}

// add adds the calls of a function, and reports whether all callers are known to be one or the other. A function may pass the memory on to
// its own callers, over so many steps.
func (o *ownership) add(fn *ssa.Function, steps int) bool {
	return !slices.ContainsFunc(o.callers[fn], func(c calledIn) bool {
		call, ok := c.call.(*ssa.Call)
		switch {
		case !ok:
			return true
		case slices.Contains(o.put, call) || slices.Contains(o.keeping, call): // a function passes it on twice
		case o.mayOwn(call, o.a, o.result):
			o.put = append(o.put, call)
		case steps > 0 && o.passesOn(call, fn, o.a, o.result):
			return !o.add(call.Parent(), steps-1)
		case o.a.mayCopy(call, o.result, o.trailOfResult(resultOf(call, o.result), o.a).fate):
			o.keeping = append(o.keeping, call)
		default:
			return true
		}
		return false
	})
}

// callersOf returns the functions that have some calls.
func callersOf(calls []*ssa.Call) (all []*ssa.Function) {
	for _, call := range calls {
		all = append(all, call.Parent())
	}
	return all
}

// passesOn reports whether the function that has a call does nothing with the memory but return it, by the same result. It returns
// only such memory there, or nil.
func (s *source) passesOn(call *ssa.Call, from *ssa.Function, a *allocation, result int) bool {
	by, v := call.Parent(), resultOf(call, result)
	if v == nil || a.apart || a.kind == kindImage || inLoop(call) || by == from || !s.isCalledOnly(by) {
		return false
	}
	f := s.trailOfResult(v, a).fate
	if f.ways != 1<<isReturned || f.returned != 1<<result || f.sized || f.forked || f.several || f.resliced || f.grows {
		return false
	}
	return !slices.ContainsFunc(by.Blocks, func(b *ssa.BasicBlock) bool {
		ret, ok := lastOf(b).(*ssa.Return)
		return ok && slices.ContainsFunc(merged(ret.Results[result]), func(v ssa.Value) bool { return !isNil(v) && !isResultOf(v, from, result) })
	})
}

// isResultOf reports whether a value is this result of a call of a function.
func isResultOf(v ssa.Value, fn *ssa.Function, result int) bool {
	made, index := v, 0
	if x, ok := v.(*ssa.Extract); ok {
		made, index = x.Tuple, x.Index
	}
	call, ok := made.(*ssa.Call)
	return ok && call.Call.StaticCallee() == fn && index == result
}

// isOwnable reports whether callers can put memory of this kind.
func (a *allocation) isOwnable() bool {
	return isBytes(first(a.root().Type())) || a.kind == kindAppend || a.kind == kindSlice || a.kind == kindImage && !a.fate.grows || a.apart
}

// mayOwn reports whether the function that has a call can put the memory that it gets as a result.
func (s *source) mayOwn(call *ssa.Call, a *allocation, result int) bool {
	v := resultOf(call, result)
	if v == nil {
		return true // it drops the result at once
	}
	return s.mayPut(v, a, isBytes(first(a.root().Type()))) && (!inLoop(call) || s.mayPutInRound(v, a))
}

// trailOfResult follows memory as the function that gets it from a call.
func (s *source) trailOfResult(v ssa.Value, a *allocation) *trail {
	if a.apart {
		return s.tracer.trailApart(v)
	}
	return s.tracer.trailOfTyped(v, typeIn(v, a))
}

// mayPut reports whether the function that has a value can put its memory.
func (s *source) mayPut(v ssa.Value, a *allocation, bytes bool) bool {
	f := s.trailOfResult(v, a).fate
	if a.apart {
		return f.way == stays
	}
	list, ok := v.Type().Underlying().(*types.Slice)
	zeros := ok && clears(list) // behind its length
	return f.way == stays && !f.sized && !f.forked && !f.several && !(f.resliced && a.growing() && !zeros) && !(f.grows && !bytes)
}

// mayPutInRound reports whether nothing but the block that has a value may use its memory, so that the block can put it at its
// end. A variable from before the block, which had it too, would merge it with another value behind the block.
func (s *source) mayPutInRound(v ssa.Value, a *allocation) bool {
	t := s.tracer.trailOf(v)
	if a.apart {
		t = s.tracer.trailApart(v)
	}
	if t.carried || t.list != "" || t.grows && !a.apart {
		return false
	}
	made := v.(ssa.Instruction).Block()
	for alias := range t.seen {
		switch alias := alias.(type) {
		case *ssa.Phi:
			if !made.Dominates(alias.Block()) {
				return false
			}
		case *ssa.Alloc:
			if alias.Comment != "varargs" {
				return false
			}
		case *ssa.UnOp:
			if _, variable := alias.X.(*ssa.Alloc); variable {
				return false
			}
		}
	}
	return true
}

// typeIn returns the type of the memory's value if an interface has it.
func typeIn(v ssa.Value, a *allocation) types.Type {
	if types.IsInterface(v.Type()) && a.kind == kindImage {
		return a.root().Type()
	}
	return nil
}

// onlyResult returns the number of the only result of the function by which the memory leaves, if that is the memory from its
// beginning, or nil. Otherwise it returns -1.
func (a *allocation) onlyResult(root ssa.Value) int {
	if a.kind == kindImage {
		return a.onlyImage(root)
	}
	result := bits.TrailingZeros64(a.fate.returned)
	if bits.OnesCount64(a.fate.returned) != 1 || result == 63 { // which stands for all others
		return -1
	}
	for _, b := range a.instr.Parent().Blocks {
		if ret, ok := lastOf(b).(*ssa.Return); ok {
			v := ret.Results[result]
			if !types.Identical(v.Type(), first(root.Type())) || !begins(v, root, a.growing(), map[ssa.Value]bool{}) {
				return -1
			}
		}
	}
	return result
}

// onlyImage returns the number of the only result that leads to memory, if that is the image, and never nil, or else -1.
func (a *allocation) onlyImage(root ssa.Value) int {
	result := -1
	for _, b := range a.instr.Parent().Blocks {
		ret, ok := lastOf(b).(*ssa.Return)
		if !ok {
			continue
		}
		for i, v := range ret.Results {
			switch {
			case !leads(v.Type()):
			case isMade(v, root) && (result < 0 || i == result):
				result = i
			default:
				return -1
			}
		}
	}
	return result
}

// begins reports whether a value is the memory from its beginning, or nil. If it grows, it may be in a later array.
func begins(v, root ssa.Value, grows bool, seen map[ssa.Value]bool) bool {
	if v == root || isNil(v) || seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Extract:
		return v.Tuple == root && v.Index == 0
	case *ssa.Slice:
		return (v.Low == nil || isZero(v.Low)) && v.Max == nil && begins(v.X, root, grows, seen)
	case *ssa.UnOp:
		variable, stored := setHere(v)
		return variable != nil && !slices.ContainsFunc(stored, func(e ssa.Value) bool { return !begins(e, root, grows, seen) })
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !begins(e, root, grows, seen) {
				return false
			}
		}
		return true
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return ok && grows && b.Name() == "append" && begins(v.Call.Args[0], root, grows, seen)
	}
	return false
}

// findGivers looks for a parameter whose place the memory takes in a result, and for callers that pass nil for it.
func (s *source) findGivers(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.to != "" || a.fate.way != isReturned && a.fate.way != isKept {
		return
	}
	p := a.replaces()
	if p == nil {
		return
	}
	for _, c := range s.callers[p.Parent()] {
		arg := c.Args[slices.Index(p.Parent().Params, p)]
		if n := name(c.in); s.isAmong(site.Callers, c.in) && isNil(arg) && !slices.Contains(a.givers, n) {
			a.givers = append(a.givers, n)
		}
	}
	if len(a.givers) > 0 {
		a.to = p.Name()
	}
}

// replaces returns the slice that is a parameter, and that a result of the function may be instead of the memory, or nil.
func (a *allocation) replaces() *ssa.Parameter {
	made, _ := a.instr.(ssa.Value)
	for i := range a.instr.Parent().Signature.Results().Len() {
		all := map[ssa.Value]bool{}
		for _, b := range a.instr.Parent().Blocks {
			if ret, ok := lastOf(b).(*ssa.Return); ok {
				cameFrom(ret.Results[i], all)
			}
		}
		if made == nil || !all[made] {
			continue
		}
		for _, p := range a.instr.Parent().Params {
			if _, ok := p.Type().Underlying().(*types.Slice); ok && all[p] && (a.kind == kindAppend && a.joins == ssa.Value(p) || isForWantOf(a.instr.Block(), p)) {
				return p
			}
		}
	}
	return nil
}

// isForWantOf reports whether a block is entered only if a slice is nil or has too little room.
func isForWantOf(b *ssa.BasicBlock, p *ssa.Parameter) bool {
	for at := b.Idom(); at != nil; at = at.Idom() {
		if branch, ok := lastOf(at).(*ssa.If); ok {
			cond, _ := branch.Cond.(*ssa.BinOp)
			if next := lacking(at.Succs, cond, p); next != nil && len(next.Preds) == 1 && next.Dominates(b) {
				return true
			}
		}
	}
	return false
}

// lacking returns the block of two that is entered if a condition, which may be nil, shows that a slice lacks memory, or nil.
func lacking(of []*ssa.BasicBlock, cond *ssa.BinOp, p *ssa.Parameter) *ssa.BasicBlock {
	if cond == nil {
		return nil
	}
	x, y := cond.X, cond.Y
	switch cond.Op {
	case token.EQL, token.NEQ:
		if x != ssa.Value(p) || !isNil(y) {
			return nil
		}
		return of[map[token.Token]int{token.EQL: 0, token.NEQ: 1}[cond.Op]]
	case token.GTR, token.GEQ:
		x, y = y, x
	case token.LSS, token.LEQ:
	default:
		return nil
	}
	room := "cap"
	if !hasRoomOf(x, p, room) && !hasRoomOf(y, p, room) {
		room = "len"
	}
	switch {
	case hasRoomOf(x, p, room):
		return of[0]
	case hasRoomOf(y, p, room):
		return of[1]
	}
	return nil
}

// hasRoomOf reports whether a number is the length or capacity of a slice, or a sum or a difference with that.
func hasRoomOf(n ssa.Value, p *ssa.Parameter, builtin string) bool {
	switch n := n.(type) {
	case *ssa.BinOp:
		return (n.Op == token.ADD || n.Op == token.SUB) && (hasRoomOf(n.X, p, builtin) || n.Op == token.ADD && hasRoomOf(n.Y, p, builtin))
	case *ssa.Call:
		b, ok := n.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == builtin && n.Call.Args[0] == ssa.Value(p)
	}
	return false
}

// cameFrom collects the slices that a slice may be, or a part of.
func cameFrom(v ssa.Value, all map[ssa.Value]bool) {
	if all[v] {
		return
	}
	all[v] = true
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			cameFrom(e, all)
		}
	case *ssa.Slice:
		cameFrom(v.X, all)
	case *ssa.Call:
		if to := extended(v); to != nil {
			cameFrom(to, all)
		}
	}
}

// findBuilders looks for the functions that make the Builder of a site, if an interface has it there.
func (s *source) findBuilders(site *Site) {
	a := site.found
	if a == nil || site.kind != kindBuilder {
		return
	}
	call, ok := a.instr.(ssa.CallInstruction)
	if !ok || argument(call.Common(), isBuilderPointer) != nil {
		return
	}
	a.behind = true
	if p, ok := argument(call.Common(), isWriterParam).(*ssa.Parameter); ok {
		a.givers = s.makersOfBuilder(p, site.Callers, nil, map[*ssa.Parameter]bool{})
	}
}

// makersOfBuilder adds the functions from which a parameter gets a new Builder, through others or not.
func (s *source) makersOfBuilder(p *ssa.Parameter, callers []Caller, makers []string, seen map[*ssa.Parameter]bool) []string {
	if seen[p] {
		return makers
	}
	seen[p] = true
	for _, c := range s.callers[p.Parent()] {
		if !s.isAmong(callers, c.in) {
			continue
		}
		arg := captured(asserted(c.Args[slices.Index(p.Parent().Params, p)]))
		if up, ok := arg.(*ssa.Parameter); ok {
			makers = s.makersOfBuilder(up, nil, makers, seen)
		} else if made, ok := arg.(*ssa.Alloc); ok && isBuilderPointer(made) && !slices.Contains(makers, name(made.Parent())) {
			makers = append(makers, name(made.Parent()))
		}
	}
	return makers
}

// asserted returns the value of an interface, even if that is asked for its type before.
func asserted(v ssa.Value) ssa.Value {
	for {
		switch x := unwrap(v).(type) {
		case *ssa.TypeAssert:
			v = x.X
		case *ssa.Extract:
			a, ok := x.Tuple.(*ssa.TypeAssert)
			if !ok {
				return x
			}
			v = a.X
		default:
			return x
		}
	}
}
