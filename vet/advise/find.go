package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// find looks for the allocation of a site. If there is none, it says why.
func (s *source) find(site *Site) (*allocation, string) {
	instrs, why := s.at(site)
	if why != "" {
		return nil, why
	}
	a, why := s.findIn(site, instrs)
	if a != nil {
		s.noteNested(a)
		s.noteOutgrown(a, site, instrs)
		s.noteReserve(a, site)
		s.noteReservedField(a, site)
		s.noteOverwritten(a)
		s.noteBoxed(a)
		s.noteMap(a, site, instrs)
		s.noteRoom(a, site)
	}
	return a, why
}

func (s *source) findIn(site *Site, instrs []ssa.Instruction) (*allocation, string) {
	if site.Calls != "" {
		return s.findCall(site, instrs)
	}
	return s.findLine(site, instrs)
}

// findCall looks for the call of a standard function.
func (s *source) findCall(site *Site, instrs []ssa.Instruction) (*allocation, string) {
	for _, instr := range slices.Concat(instrs, s.deferred(site)) {
		if call, ok := instr.(ssa.CallInstruction); ok && isCallOf(call.Common(), site.Calls) {
			if a := s.number(call, site.Calls); a != nil {
				return a, ""
			}
			return s.allocationOfCall(site, call), ""
		}
	}
	return nil, fmt.Sprintf("line %d does not call %s by name", site.Line, site.Calls)
}

// allocationOfCall returns what a call of a standard function allocates.
func (s *source) allocationOfCall(site *Site, call ssa.CallInstruction) *allocation {
	a := &allocation{kind: site.kind, instr: call, loop: inLoop(call), hint: hints[site.Calls] + site.hintOfDecoder(call) + s.hintOfWriter(site, call) + s.hintOfPrint(site, call) + hintOfQuery(site, call) + hintOfTimer(site, call)}
	v, _ := call.(ssa.Value)
	c := call.Common()
	switch {
	case packageOf(site.Calls) == "maps":
		a.other = "a map"
		return a
	case site.kind == kindCopy || site.kind == kindProxy: // a buffer that dies there
		a.fate = &fate{trusted: true}
		return a
	case site.kind == kindAppend && v != nil:
		a.to = nilDestination(call)
		s.grows(a, v)
		return a
	}
	if v != nil && a.isResult(site) {
		s.follow(a, site, v)
		return a
	}
	switch grown := bufferOf(site.kind, c); {
	case grown != nil:
		v = grown
	case ownPools[site.Calls] && v != nil:
		a.kind, a.fate, a.joins = kindPNG, &fate{trusted: true}, v
		a.pooled = setsField(c.Args[0], "BufferPool")
		return a
	case site.kind == "bufio" && takesBufio[site.Calls] != "": // which it makes if it is given none
		a.borrows = true
	case writerOf(c, site.kind) != nil:
		v = writerOf(c, site.kind)
	case v != nil && givesString(v.Type()):
		a.kind = kindString
		return a
	case site.writesBuffer():
		return s.allocationOfHidden(a, site)
	case site.isOfCallee(v):
		a.itself = true
		a.fate = new(fate)
		return a
	case site.kind == kindBuffer: // it is the function's own, such as that of xml.Marshal
		a.kind = kindOther
		if k := kindOf([]string{site.Calls}); k != kindLine {
			a.kind = k
		}
	}
	s.follow(a, site, v)
	return a
}

// givesString reports whether the first result of a call is a string, and no other is memory, such as a map.
func givesString(results types.Type) bool {
	if tuple, ok := results.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			if leads(v.Type()) {
				return false
			}
		}
	}
	return isString(first(results))
}

// bufferOf returns the Buffer or Builder that a call lets grow, or nil.
func bufferOf(k kind, c *ssa.CallCommon) ssa.Value {
	switch k {
	case kindBuilder:
		return argument(c, isBuilderPointer)
	case kindBuffer:
		args := grownBy(c)
		if v := among(args, isBufferPointer, 0); v != nil {
			return v
		}
		return among(args, isWriter, 0)
	}
	return nil
}

// writesBuffer reports whether a method of a Buffer, or a writer in front of one, lets it grow.
func (s *Site) writesBuffer() bool {
	return s.kind == kindBuffer && (isWrite(s.Calls) || writesOn.MatchString(s.Calls))
}

// signs matches functions whose results are small beside the numbers that they compute with.
var signs = regexp.MustCompile(`^crypto/(dsa|ecdh|ecdsa|ed25519|elliptic|rsa|x509)\.`)

// isOfCallee reports whether the memory is that of the standard function itself, and not that of its result.
func (s *Site) isOfCallee(v ssa.Value) bool {
	if v == nil {
		return true
	}
	result := first(v.Type())
	switch {
	case isPackaged(s.kind) && makers[packageOf(s.Calls)] != s.kind, !leads(result), signs.MatchString(s.Calls):
		return true
	case isBytes(result) || strings.HasPrefix(unqualified(s.Calls), "New"):
		return false
	}
	return slices.Contains([]kind{kindOther, kindBuffer, "json", "xml"}, s.kind)
}

// rootOf returns the value that callers pass for a parameter, or that a field has, or else v. It returns nil if there are
// several, which it has followed.
func (s *source) rootOf(a *allocation, site *Site, v ssa.Value) ssa.Value {
	v = settled(captured(v))
	if p, ok := v.(*ssa.Parameter); ok && p.Parent().Parent() == nil {
		if owner := s.owner(site.Callers, p, 0); owner != nil {
			v = writerBehind(owner, a.kind)
		} else if s.followSeveral(a, site, p) {
			return nil
		}
	}
	if field := anyField(v); field != nil {
		v = field
	}
	field, ok := v.(*ssa.FieldAddr)
	if !ok {
		return v
	}
	if made := s.setBy(field, a.kind); made != nil {
		return made
	}
	if s.followFields(a, site, field) {
		return nil
	}
	return v
}

// follow finds out where a value is made, and where it goes.
func (s *source) follow(a *allocation, site *Site, v ssa.Value) {
	if v = s.rootOf(a, site, v); v == nil {
		return
	}
	a.isPartOf(s.tracer.isPooled(v))
	switch made := v.(type) {
	case *ssa.Parameter:
		a.fate, a.held = new(fate), made
		a.fate.leave(isKept, "belongs to the caller, who passes it as %s", made.Name())
	case *ssa.FieldAddr:
		a.fate, a.held = new(fate), made
		a.fate.storeIn(fieldAt(made))
		if types.IsInterface(made.Type().Underlying().(*types.Pointer).Elem()) {
			a.fate.leave(isStored, "belongs to the value of field %s", fieldName(made))
		} else {
			a.fate.leave(isStored, "is field %s", fieldName(made))
		}
	case *ssa.Global, *ssa.FreeVar, *ssa.UnOp:
		a.fate = new(fate)
		a.fate.leave(isStored, "is in a variable that others have too")
	default:
		if p := parameterAmong(v); p != nil {
			a.fate, a.held = new(fate), p
			a.fate.leave(isKept, "belongs to the caller, who passes it as %s, unless the function has its own", p.Name())
			break
		}
		a.fate = s.tracer.fateOf(v)
		if method := madeByMethod(v); method != "" && isPackaged(a.kind) {
			a.fate = new(fate)
			a.fate.leave(isKept, "is made by method %s of an interface, which may have a pool", method)
			break
		}
		if made, ok := madeBy(v).(ssa.Instruction); ok && (a.kind == kindBuffer || a.kind == kindBuilder || isPackaged(a.kind)) {
			a.whole = isWholeBy(a.instr, made)
			a.instr, a.loop, a.joins = made, inLoop(made), made.(ssa.Value)
		}
	}
	s.finish(a)
}

// parameterAmong returns a parameter that is one of several values of a variable, or nil.
func parameterAmong(v ssa.Value) *ssa.Parameter {
	for _, e := range merged(settled(v)) {
		if p, ok := e.(*ssa.Parameter); ok && e != v {
			return p
		}
	}
	return nil
}

// madeByMethod returns the method of an interface that may make a value, or nothing.
func madeByMethod(v ssa.Value) string {
	for _, e := range merged(settled(v)) {
		if call, ok := madeBy(e).(*ssa.Call); ok && call.Call.IsInvoke() {
			return call.Call.Method.Name()
		}
	}
	return ""
}

// writerBehind returns the writer, reader or Buffer of a kind behind a value, or the value.
func writerBehind(v ssa.Value, k kind) ssa.Value {
	if w, _ := behind(v, k, map[ssa.Value]bool{}); w != nil {
		return w
	}
	if k == kindBuffer {
		if b := among([]ssa.Value{v}, isBufferPointer, 0); b != nil {
			return b
		}
	}
	return v
}

// setBy returns the value of a field, if it is known to be made by one function, or nil.
func (s *source) setBy(field *ssa.FieldAddr, k kind) ssa.Value {
	if made := s.madeFor(field, k); made != nil || k != kindBuffer {
		return made
	}
	if made := setOnce(field); made != nil && isMadeHere(made, k) {
		return made
	}
	return nil
}

// madeFor returns the value that all structs have in a field, if they are variables of the one function that makes the value,
// or nil.
func (s *source) madeFor(field *ssa.FieldAddr, k kind) (only ssa.Value) {
	v := fieldVar(field)
	if v == nil || v.Exported() && isExported(field.X.Type()) {
		return nil // others may set it
	}
	for _, of := range s.tracer.fields[v] {
		at, ok := of.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, r := range *at.Referrers() {
			st, ok := r.(*ssa.Store)
			if !ok || st.Addr != ssa.Value(at) || isNil(st.Val) {
				continue
			}
			if _, local := at.X.(*ssa.Alloc); !local {
				return nil
			}
			for _, made := range merged(settled(st.Val)) {
				switch {
				case isMadeHere(made, k) && (only == nil || only == made):
					only = made
				case !isNil(made) && !isOtherMaker(made, k):
					return nil
				}
			}
		}
	}
	return only
}

// setOnce returns the value that the function sets a field of its own struct to, if it does so once, or nil.
func setOnce(field *ssa.FieldAddr) ssa.Value {
	local, ok := field.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	if all := setTo(local, field.Field, nil); len(all) == 1 {
		return settled(all[0])
	}
	return nil
}

// setTo adds the values that a function sets a field of a variable to, and those of the literals that it sets the variable to.
func setTo(local *ssa.Alloc, field int, all []ssa.Value) []ssa.Value {
	for _, r := range *local.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			for _, use := range *r.Referrers() {
				if st, ok := use.(*ssa.Store); ok && r.Field == field && st.Addr == ssa.Value(r) {
					all = append(all, st.Val)
				}
			}
		case *ssa.Store:
			load, ok := r.Val.(*ssa.UnOp)
			if !ok || r.Addr != ssa.Value(local) {
				continue
			}
			if literal, ok := load.X.(*ssa.Alloc); ok && literal.Comment == "complit" && literal != local {
				all = setTo(literal, field, all)
			}
		}
	}
	return all
}

// isOtherMaker reports whether a value is a new compressor or the like, but of another kind.
func isOtherMaker(v ssa.Value, k kind) bool {
	for _, other := range makers {
		if other != k && isMadeHere(v, other) {
			return true
		}
	}
	return false
}

// followSeveral looks at the Buffers that callers pass for a parameter, if they pass different ones. Those that stay in
// their functions can come from a pool, if some of the function's callers in the profile are among these.
func (s *source) followSeveral(a *allocation, site *Site, p *ssa.Parameter) bool {
	if a.kind != kindBuffer && a.kind != kindBuilder {
		return false
	}
	all := s.passed(p, site.Callers, 0, nil, map[*ssa.Parameter]bool{})
	if len(all) == 0 {
		return false
	}
	a.several = "Callers pass different Buffers"
	s.take(a, all)
	return true
}

// followFields looks at the Buffers that a field has, if different functions set it in structs of their own. Those that stay in
// their functions can come from a pool, if these call the site's function in the profile.
func (s *source) followFields(a *allocation, site *Site, field *ssa.FieldAddr) bool {
	if a.kind != kindBuffer {
		return false
	}
	var all []*allocation
	for _, of := range s.tracer.fields[fieldVar(field)] {
		at, ok := of.(*ssa.FieldAddr)
		if !ok || !s.isAmong(site.Callers, at.Parent()) {
			continue
		}
		if _, local := at.X.(*ssa.Alloc); !local {
			continue
		}
		for _, r := range *at.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(at) {
				all = s.staying(settled(st.Val), all)
			}
		}
	}
	if len(all) == 0 {
		return false
	}
	a.several = "Field " + fieldName(field) + " has different Buffers"
	s.take(a, all)
	return true
}

// take makes the allocation the first of several, which have the others beside them.
func (s *source) take(a *allocation, all []*allocation) {
	a.instr, a.loop, a.fate = all[0].instr, all[0].loop, all[0].fate
	for _, one := range all[1:] {
		one.kind = a.kind
		s.finish(one)
		a.more = append(a.more, one)
	}
	s.finish(a)
}

// passed collects the Buffers that stay in the functions that pass them for a parameter, themselves or through others.
func (s *source) passed(p *ssa.Parameter, profile []Caller, depth int, all []*allocation, seen map[*ssa.Parameter]bool) []*allocation {
	const deep = 4
	if depth > deep || seen[p] {
		return all
	}
	seen[p] = true
	fn := p.Parent()
	i := slices.Index(fn.Params, p)
	for _, c := range s.callsOf(fn) {
		if !s.isAmong(profile, c.in) {
			continue
		}
		arg := captured(unwrap(arguments(c.CallCommon)[i]))
		if up, ok := arg.(*ssa.Parameter); ok {
			all = s.passed(up, nil, depth+1, all, seen)
			continue
		}
		all = s.staying(arg, all)
	}
	return all
}

// staying adds a Buffer that its function makes, if it stays there and is none of those already.
func (s *source) staying(v ssa.Value, all []*allocation) []*allocation {
	made, ok := madeBy(v).(ssa.Instruction)
	if !ok || !isBufferPointer(v) && !isBuilderPointer(v) || slices.ContainsFunc(all, func(a *allocation) bool { return a.instr == made }) {
		return all
	}
	switch made.(type) {
	case *ssa.Alloc, *ssa.Call:
	default:
		return all
	}
	if f := s.tracer.fateOf(v); f.way == stays && (!inLoop(made) || !f.carried) {
		all = append(all, &allocation{instr: made, loop: inLoop(made), fate: f})
	}
	return all
}

// callsOf returns the calls of a function, also those of a method through an interface whose types are known.
func (s *source) callsOf(fn *ssa.Function) []calledIn {
	all := slices.Clone(s.callers[fn])
	for _, c := range s.invoked[idOf(fn)] {
		if methods, known := s.tracer.methodsOf(c.Value, c.Method); known && methods[fn] {
			all = append(all, c)
		}
	}
	return all
}

// idOf returns the name of a function, with the package of an unexported one.
func idOf(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.Id()
	}
	return fn.Name()
}

// isCallOf reports whether c calls the function that a profile names, or may call it as a method of an interface.
func isCallOf(c *ssa.CallCommon, name string) bool {
	if c.IsInvoke() {
		return c.Method.Name() == unqualified(name) && strings.Count(name[packageEnd(name):], ".") > 1
	}
	fn := c.StaticCallee()
	return fn != nil && (runtimeName(fn) == name || cgoName(fn.Name()) == name)
}

// anyField returns the address of a field from which a value is read, or one of several that it may be, or nil.
func anyField(v ssa.Value) ssa.Value {
	phi, ok := v.(*ssa.Phi)
	if !ok {
		return fieldOf(v)
	}
	for _, e := range phi.Edges {
		if field := fieldOf(unwrap(e)); field != nil {
			return field
		}
	}
	return nil
}

// isWriterParam reports whether a value is a parameter that is an interface, such as an io.Writer.
func isWriterParam(v ssa.Value) bool {
	p, ok := v.(*ssa.Parameter)
	if !ok {
		return false
	}
	face, ok := p.Type().Underlying().(*types.Interface)
	return ok && face.NumMethods() > 0
}

// owner returns the value that all callers pass for a parameter, or nil if they pass different ones. The callers are those
// of a profile or, without any, all that there are.
func (s *source) owner(callers []Caller, p *ssa.Parameter, depth int) (owner ssa.Value) {
	const deep = 4
	fn := p.Parent()
	i := slices.Index(fn.Params, p)
	known, again := map[string]bool{}, false
	for _, c := range s.callers[fn] {
		if !s.isAmong(callers, c.in) {
			continue
		}
		known[s.callerName(c.in)] = true
		arg := settled(captured(unwrap(c.Args[i])))
		if up, ok := arg.(*ssa.Parameter); ok {
			if up == p { // the function calls itself: the others tell
				again = true
				continue
			}
			if depth >= deep {
				return nil
			}
			if arg = s.owner(nil, up, depth+1); arg == nil {
				return nil
			}
		}
		if owner != nil && owner != arg {
			return nil
		}
		owner = arg
	}
	if again && owner == nil && len(callers) > 0 && depth < deep {
		return s.owner(nil, p, depth+1)
	}
	for _, by := range callers {
		if name, _, _ := strings.Cut(by.Name, ":"); !known[name] {
			return nil
		}
	}
	return owner
}

// isAmong reports whether a function is one of the callers of a profile, which may have none.
func (s *source) isAmong(callers []Caller, fn *ssa.Function) bool {
	return len(callers) == 0 || slices.ContainsFunc(callers, func(by Caller) bool { return strings.HasPrefix(by.Name, s.callerName(fn)+":") })
}

// grows judges the growth of a slice by append, or by a standard function like it.
func (s *source) grows(a *allocation, v ssa.Value) {
	if s.visits(a, v) {
		s.finish(a)
		a.once = s.tracer.onceIn(a.visit.variable.Parent(), 4)
		return
	}
	g := &growth{seen: map[ssa.Value]bool{}}
	g.back(v)
	root := v
	switch {
	case len(g.bases) == 1:
		switch g.bases[0].(type) {
		case *ssa.MakeSlice, *ssa.Alloc, *ssa.Slice, *ssa.Parameter:
			root = g.bases[0]
		}
	case len(g.bases) == 0 && g.shared != nil:
		root = g.shared
	case len(g.bases) == 0 && g.first != nil && (g.phi == nil || g.first.Block().Dominates(g.phi.Block())):
		root = g.first
	case len(g.bases) == 0 && g.phi != nil:
		root = g.phi
	}
	a.isPartOf(s.tracer.isPooled(root), anyOf(g.bases, s.tracer.isPooled), s.tracer.refills(v))
	s.followGrowth(a, g, root, v)
	a.grown, a.single, a.freed = g, g.single(), s.frees
	s.noteLoop(a, g)
	if a.joins == nil && a.knownEnd == "" {
		a.joinsField = grownField(v)
	}
	s.finish(a)
}

// noteLoop notes the length of the loop that fills a slice, unless a pool is better: it has all of the memory, however many rounds append.
func (s *source) noteLoop(a *allocation, g *growth) {
	if a.each = s.fillsEach(a); len(g.appends) != 1 || !a.each && a.fate.way == stays {
		return
	}
	a.knownEnd = s.knownEnd(a)
	switch {
	case a.atMost && a.fate.way == stays:
		a.knownEnd = ""
	case a.knownEnd != "":
		s.noteLater(a, g.appends[0])
	}
}

// followGrowth finds out where a slice goes that grows to v.
func (s *source) followGrowth(a *allocation, g *growth, root, v ssa.Value) {
	a.loop = root == v && inLoop(a.instr)
	if root != v || g.first == root {
		a.joins = root
	}
	switch p, ok := root.(*ssa.Parameter); {
	case ok:
		if a.fate = s.tracer.fateOf(v); a.fate.way != isStored && a.fate.way != isSent && !a.fate.unsafe && !s.noteFull(a, g, p, a.fate) {
			a.fate = new(fate)
			a.fate.leave(isKept, "belongs to the caller, who passes it as %s", p.Name())
		}
	case a.joins == nil:
		a.fate = s.tracer.fateOf(root)
	default: // one slice that grows
		a.fate = s.tracer.fateOfGrowth(root, g.appends, g.rounds())
		a.loop = a.loop || len(g.rounds()) > 0 && a.fate.way == stays
	}
	a.loop = a.loop && !slices.ContainsFunc(g.bases, isAround)
}

// isAround reports whether a value is that of a variable of the function around the body of a range over a function.
func isAround(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	free, ok := load.X.(*ssa.FreeVar)
	return ok && isLoopBody(free.Parent())
}

// setsField reports whether the function sets a field of a struct that it makes.
func setsField(v ssa.Value, field string) bool {
	made, ok := v.(*ssa.Alloc)
	return ok && slices.ContainsFunc(*made.Referrers(), func(r ssa.Instruction) bool {
		a, ok := r.(*ssa.FieldAddr)
		return ok && strings.HasSuffix(fieldName(a), "."+field)
	})
}

// writerOf returns the writer or reader of a kind that a call has, as its receiver or
// as an argument: the writer keeps its allocations. It may be in an interface.
func writerOf(c *ssa.CallCommon, k kind) ssa.Value {
	if !isPackaged(k) {
		return nil
	}
	var holder ssa.Value
	for _, arg := range arguments(c) {
		w, held := behind(arg, k, map[ssa.Value]bool{})
		if w != nil {
			return w
		}
		if holder == nil {
			holder = held
		}
	}
	if fn := c.StaticCallee(); fn != nil && (!writes.MatchString(packageOf(runtimeName(fn))) || makers[packageOf(runtimeName(fn))] == k) {
		return nil // it may make one
	}
	return holder
}

// behind returns the writer or reader of a kind in a value, or else a field or the like that has the value.
func behind(v ssa.Value, k kind, seen map[ssa.Value]bool) (w, holder ssa.Value) {
	if seen[v] {
		return nil, nil
	}
	seen[v] = true
	v = captured(unwrap(v))
	if isOfMaker(v.Type(), k) {
		return v, nil
	}
	several := func(all []ssa.Value) (w, holder ssa.Value) {
		for _, e := range all {
			if w, h := behind(e, k, seen); w != nil {
				return w, nil
			} else if holder == nil {
				holder = h
			}
		}
		return nil, holder
	}
	switch x := v.(type) {
	case *ssa.TypeAssert:
		return behind(x.X, k, seen)
	case *ssa.Phi:
		return several(x.Edges)
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return behind(x.X, k, seen)
		}
	case *ssa.Alloc:
		return several(storesTo(x))
	case *ssa.Call: // of a writer that writes to another
		fn := x.Call.StaticCallee()
		if fn == nil || len(fn.Blocks) > 0 || !writes.MatchString(packageOf(runtimeName(fn))) {
			return nil, nil
		}
		return several(x.Call.Args)
	case *ssa.FieldAddr, *ssa.Global:
		return nil, v
	case *ssa.Parameter:
		if isWriterParam(x) {
			return nil, v
		}
	}
	return nil, nil
}

// findLine looks for allocations of a line itself. Of several, buffers come first: they
// fill profiles.
func (s *source) findLine(site *Site, instrs []ssa.Instruction) (*allocation, string) {
	instrs = growing(site, instrs)
	best := ofMostBytes(site, firstOf(instrs), instrs)
	for _, instr := range instrs {
		if _, ok := instr.(*ssa.Defer); best == nil && len(conversions(instr)) > 0 {
			best = &allocation{kind: kindOther, instr: instr, other: conversions(instr)[0].text}
		} else if best == nil && ok {
			best = &allocation{kind: kindOther, instr: instr, other: "a deferred call"}
		}
	}
	if best == nil {
		best = s.caseVariable(site)
	}
	if best == nil {
		return nil, fmt.Sprintf("line %d allocates nothing that can be seen", site.Line)
	}
	best.findBeside(site, instrs)
	if s.findTable(best, site) {
		return best, ""
	}
	if best.other != "" || best.kind == kindString {
		return best, ""
	}
	if buffer := bufferAround(best.instr.(ssa.Value)); buffer != nil {
		best.begins = best.kind != kindAppend
		best.kind, best.instr, best.constant = kindBuffer, buffer, false
	}
	if best.kind == kindAppend {
		s.grows(best, best.instr.(ssa.Value))
		element := appendedOfMostBytes(site, best)
		if element == nil || best.fills() {
			return best, ""
		}
		best = element
	}
	best.isPartOf(s.tracer.refills(best.instr.(ssa.Value)))
	best.loop = inLoop(best.instr)
	s.trace(best)
	if best.kind == kindBuffer {
		best.joins = best.instr.(ssa.Value)
	}
	s.finish(best)
	for _, a := range best.more {
		a.loop, a.fate = inLoop(a.instr), s.tracer.fateOf(a.instr.(ssa.Value))
		s.finish(a)
	}
	return best, ""
}

// firstOf returns the allocation of a line that fills profiles most, with others of the kind, or nil.
func firstOf(instrs []ssa.Instruction) (best *allocation) {
	rank := 0
	for _, instr := range instrs {
		a, r := allocationOf(instr)
		switch {
		case r > rank:
			best, rank = a, r
		case r > 0 && r == rank && a.kind == kindSlice:
			best.more = append(best.more, a)
		}
	}
	return best
}

// trace finds out where the memory of a line goes. A struct may be apart.
func (s *source) trace(a *allocation) {
	v := a.instr.(ssa.Value)
	a.fate = s.tracer.fateOf(v)
	if _, made := v.(*ssa.Alloc); a.fate.way == stays || a.kind != kindPointer || !made || !isStructPointer(v.Type()) {
		return
	}
	if f := s.tracer.trailApart(v).fate; f.ways&^(1<<isReturned) == 0 {
		a.fate, a.apart = f, true
	}
}

// bufferAround returns the call of bytes.NewBuffer that alone has a slice, or nil.
func bufferAround(v ssa.Value) *ssa.Call {
	if v.Referrers() == nil || len(*v.Referrers()) != 1 {
		return nil
	}
	switch use := (*v.Referrers())[0].(type) {
	case *ssa.Slice:
		return bufferAround(use)
	case *ssa.Call:
		if fn := use.Call.StaticCallee(); fn != nil && runtimeName(fn) == "bytes.NewBuffer" {
			return use
		}
	}
	return nil
}

func (s *source) finish(a *allocation) {
	s.joinLate(a)
	if a.fate.way == stays && a.loop {
		a.matrix = matrixOf(a.instr)
	}
	s.findPool(a)
	a.once = s.tracer.onceIn(a.instr.Parent(), 4)
	if v, ok := a.instr.(ssa.Value); ok {
		if slice, ok := v.Type().Underlying().(*types.Slice); ok {
			a.pointers = mayAlias(slice.Elem()) || isString(slice.Elem())
		}
	}
}

// joinLate finds out whether memory stays in its function and in goroutines for which that waits.
func (s *source) joinLate(a *allocation) {
	v := a.root()
	if a.fate.way != isShared && !strings.HasSuffix(a.fate.where, byLiteral) || a.loop || v == nil || !slices.Contains([]kind{kindMake, kindImage, kindSlice}, a.kind) {
		return
	}
	t := s.tracer.trailFrom(paramKey{v: v}, false)
	t.mayWait = true
	t.walk()
	if !t.byDefer && (t.fate.way == stays || t.fate.ways == 1<<isReturned) { // or the call would run after the Put
		a.fate = t.fate
	}
}

// fillsEach reports whether an append is a statement of the body of a loop, so that each round may do it.
func (s *source) fillsEach(a *allocation) bool {
	_, _, path := s.callAt(a.instr)
	if len(path) < 3 {
		return false
	}
	switch path[2].(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// knownEnd returns the range of a loop in which a value grows by a constant number of elements in each
// round, or nothing.
func (s *source) knownEnd(a *allocation) string {
	f, call, path := s.callAt(a.instr)
	if call == nil || call.Ellipsis.IsValid() || len(call.Args) != 2 && !f.appendsSeveral(call) {
		return ""
	}
	a.perRound = len(call.Args) - 1
	v, field := f.grownIn(call.Args[0])
	if v == nil {
		return ""
	}
	a.inField, a.atMost, a.begun = field, !a.each, isParameterOf(path, v)
	known := ""
	for _, n := range path {
		switch n.(type) {
		case *ast.FuncLit:
			return known
		case *ast.ForStmt, *ast.RangeStmt:
			within := n.Pos() <= v.Pos() && v.Pos() < n.End()
			if within || known != "" { // it has the elements of several such loops, unless it is declared in the outer one
				if known != "" && within {
					return known
				}
				return ""
			}
			end, counts := f.rounds(n)
			if a.counts = counts; end == nil || field != "" && !f.keepsField(n, v, call) || field == "" && f.setsOtherwise(n, v) {
				return ""
			}
			a.atMost = a.atMost || endsRounds(n)
			known = types.ExprString(end)
		}
	}
	return known
}

// findTable looks for the map that a line makes or sets an element of, and reports whether it stays in the function that makes it.
func (s *source) findTable(a *allocation, site *Site) bool {
	made := s.tableOf(a, site)
	if made == nil || inLoop(made) || s.tracer.onceIn(made.Parent(), 4) != "" {
		return false
	}
	f := s.tracer.fateOf(made)
	table, ok := made.Type().Underlying().(*types.Map) // or it is of a type parameter
	if f.way != stays || f.shrinks || !ok || !isSmallPair(table) {
		return false
	}
	a.kind, a.other, a.instr, a.joins, a.fate = kindMap, "", made, made, f
	s.finish(a)
	return true
}

// tableOf returns the instruction that makes the map of an allocation, if that is the only one by which the map can be made.
func (s *source) tableOf(a *allocation, site *Site) *ssa.MakeMap {
	switch instr := a.instr.(type) {
	case *ssa.MakeMap:
		return instr
	case *ssa.MapUpdate:
		of := *a
		of.kind = kindMap
		v := s.rootOf(&of, site, instr.Map)
		if load, ok := v.(*ssa.UnOp); ok {
			v = settled(load)
		}
		made, _ := v.(*ssa.MakeMap)
		return made
	}
	return nil
}

// number returns the number whose words a call makes, if it stays in the function that makes it, or nil.
func (s *source) number(call ssa.CallInstruction, calls string) *allocation {
	c := call.Common()
	if !fillsNumber.MatchString(calls) || c.IsInvoke() || replacesNumber.MatchString(calls) && slices.Contains(c.Args[1:], c.Args[0]) {
		return nil
	}
	made, ok := numberOf(c.Args[0]).(ssa.Instruction)
	if !ok || inLoop(made) || s.tracer.onceIn(made.Parent(), 4) != "" || !isOwnNumber(made.(ssa.Value), map[ssa.Value]bool{}) {
		return nil
	}
	a := &allocation{kind: kindNumber, instr: made, joins: made.(ssa.Value), fate: &fate{trusted: true}}
	s.finish(a)
	return a
}

// allocationOfHidden returns the allocation of such a line.
func (s *source) allocationOfHidden(a *allocation, site *Site) *allocation {
	if v := s.hiddenBuffer(site); v != nil {
		s.follow(a, site, v)
		return a
	}
	a.fate = new(fate)
	a.fate.leave(isKept, "belongs to a Buffer that this line does not show")
	return a
}
