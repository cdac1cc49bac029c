package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Verdict is one of these words.
type Verdict string

const (
	PoolIt      Verdict = "pool it"
	Reuse       Verdict = "reuse a variable"
	Preallocate Verdict = "preallocate"
	Stack       Verdict = "could stay on the stack"
	NeedsOwner  Verdict = "needs an owner"
	LongLived   Verdict = "long-lived"
	TooSmall    Verdict = "too small"
	TooRare     Verdict = "too rare"
	RuntimeFree Verdict = "the runtime will free it"
	DoNotPool   Verdict = "do not pool"
	NotJudged   Verdict = "not judged"
)

// Limits of the verdicts, which docs/advise.md explains.
const (
	rareShare = 0.005    // of all bytes
	rareBytes = 64 << 10 // a second
	smallSize = 128
	oldAge    = 10.0 // seconds
	freeSize  = 32 << 10
	stackSize = 64 << 10
)

// judge gives each site its verdict, and the report its summary.
func (r *Report) judge(src *source) {
	for _, s := range r.Sites {
		if s.missing = "there is no source"; src != nil {
			s.found, s.missing = src.find(s)
		}
	}
	if src != nil {
		r.join(src)
	}
	for _, s := range r.Sites {
		s.judge(r)
	}
	r.summarize()
}

// join makes one site of all places where the same memory grows: a buffer, a compressor, a slice.
func (r *Report) join(src *source) {
	groups := map[ssa.Value][]*Site{}
	r.Sites = slices.DeleteFunc(r.Sites, func(s *Site) bool {
		if s.found == nil || s.found.joins == nil {
			return false
		}
		groups[s.found.joins] = append(groups[s.found.joins], s)
		return true
	})
	for _, all := range groups { // the largest comes first
		first := all[0]
		at, t := first.place, first.tally
		for _, s := range all[1:] {
			t = t.plus(s.tally)
		}
		if first.found.kind != kindAppend {
			made := src.fset.PositionFor(first.found.instr.Pos(), false)
			if name := src.names[first]; name != made.Filename {
				at.file = made.Filename
			}
			at.line = int64(made.Line)
			if name := src.callerName(first.found.instr.Parent()); name != "" {
				at.function = name
			}
		}
		joined := newSite(at, t, r.heap)
		joined.found = first.found
		for _, s := range all {
			if s.Line != joined.Line || s.File != joined.File {
				joined.Lines = append(joined.Lines, fmt.Sprintf("%s:%d", base(s.File), s.Line))
			}
		}
		slices.Sort(joined.Lines)
		joined.Lines = slices.Compact(joined.Lines)
		src.names[joined] = src.fset.PositionFor(first.found.instr.Pos(), false).Filename
		r.Sites = append(r.Sites, joined)
	}
	r.sort()
}

func (s *Site) say(v Verdict, format string, args ...any) {
	s.Verdict, s.Reason = v, fmt.Sprintf(format, args...)
}

func (s *Site) judge(r *Report) {
	found := s.found
	if found != nil {
		s.kind = found.kind
		s.Kind = string(s.kind)
	}
	switch {
	case s.kind == kindString:
		s.say(NotJudged, "Strings cannot be written to, so nothing can reuse them.")
	case s.kind == kindBuilder:
		s.say(Preallocate, "Its memory becomes the string, so nothing can reuse it; if you know the length, call Grow first.")
	case found != nil && found.other != "":
		s.Kind = found.other
		s.say(NotJudged, "This is %s, which is no buffer to reuse.", found.other)
	case found != nil && found.itself:
		s.Kind = "memory of " + s.Calls
		s.say(DoNotPool, "%s, or a function that it calls, makes this memory, and cannot be given any.%s", s.Calls, hints[s.Calls])
	case strings.HasSuffix(s.File, "_test.go"):
		s.say(DoNotPool, "This is test code, which does not run in production.")
	case s.Share < rareShare:
		s.say(TooRare, "This is less than %s of the program's allocations.", percent(rareShare))
	case r.Seconds > 0 && s.Bytes < rareBytes:
		s.say(TooRare, "It allocates %s a second, which no collector notices.", bytesText(s.Bytes))
	case s.Samples < 10:
		s.say(NotJudged, "Only %s: let the program work longer between the profiles.", plural(s.Samples, "sample"))
	case found == nil:
		s.judgeUnseen(s.missing)
	default:
		s.judgeFound(r, found)
	}
	if (s.Verdict == LongLived || s.Verdict == NeedsOwner) && s.isBufio() {
		s.Reason += waits
	}
}

// waits is for a bufio.Reader or Writer that is kept.
const waits = " If it lives as long as a connection, take one of package basinio: it holds no memory while the connection waits."

// isBufio reports whether package bufio makes a Reader or a Writer here, and the program calls it.
func (s *Site) isBufio() bool {
	return s.kind == "bufio" && (strings.HasPrefix(s.Calls, "bufio.NewReader") || strings.HasPrefix(s.Calls, "bufio.NewWriter"))
}

// judgeUnseen judges without source.
func (s *Site) judgeUnseen(why string) {
	call := pooledBy[s.kind]
	switch {
	case s.isOld():
		s.say(LongLived, "%s.", s.oldText())
	case call == "":
		s.say(NotJudged, "The profile does not say how this line allocates, and %s.", why)
	case s.meanSize() < smallSize:
		s.say(TooSmall, "%s each: a pool costs as much as the allocator.", bytesText(s.meanSize()))
	default:
		s.Call = call
		s.say(PoolIt, "Only if nothing keeps the memory, which the source would show: %s.", why)
	}
}

func (s *Site) judgeFound(r *Report, a *allocation) {
	f, size := a.fate, s.meanSize()
	a.largest = s.Sizes[len(s.Sizes)-1].Size
	switch {
	case a.pooled:
		s.say(DoNotPool, "It is pooled already; these are the Gets that its pool cannot serve.")
	case a.knownEnd != "" && f.way != isStored:
		s.say(Preallocate, "It grows in a loop over %s, whose length is known: make it with that capacity before the loop.", a.knownEnd)
	case s.isOld():
		s.say(LongLived, "%s; it %s.", s.oldText(), f.text())
	case f.way == isUnknown:
		s.say(DoNotPool, "Where the memory goes is not known: it %s.", f.where)
	case f.way != stays:
		s.say(NeedsOwner, "The memory leaves %s: it %s. Its last user would have to put it back.", s.short(), f.where)
	case size < smallSize && !isPackaged(a.kind): // which have small parts beside large ones
		s.say(TooSmall, "%s each: a pool costs as much as the allocator.", bytesText(size))
	case a.kind == kindPointer && !f.trusted:
		s.say(Stack, "It does not leave %s; an interface or a function value often is the reason that the compiler cannot see that.", s.short())
	case a.kind == kindHash && hasArguments(a.instr):
		s.say(DoNotPool, "The arguments of its constructor, such as a key, may differ from call to call, and Reset does not change them.")
	case a.loop && f.carried:
		s.say(DoNotPool, "A round of the loop may still use the memory of the round before, so that one variable is not enough.")
	case a.loop && !slices.Contains([]kind{kindReadAll, kindOther, kindCopy, kindProxy, kindPNG}, a.kind):
		s.say(Reuse, "It does not leave the loop: declare it before the loop, and cut it to length 0 in each round.")
	case a.kind == kindAppend && size <= freeSize && !a.pointers:
		s.say(RuntimeFree, "It grows and dies in %s without pointers. A Go toolchain that was built with GOEXPERIMENT=runtimefreegc frees the arrays that it outgrows; a released one ignores that setting.", s.short())
	case a.constant && size <= stackSize && a.kind == kindMake && !f.trusted:
		s.say(Stack, "Its size is constant and it does not leave %s.", s.short())
	case a.kind == kindMake && !f.trusted && len(s.Sizes) == 1 && size <= stackSize:
		s.say(Stack, "It does not leave %s, and its size is always about %s: make a slice of constant size, and cut it.", s.short(), bytesText(size))
	default:
		s.Call = a.call()
		if s.Call == "" {
			s.say(DoNotPool, "Nothing in basin fits memory that %s makes.", s.Calls)
			return
		}
		s.say(PoolIt, "The memory does not leave %s.", s.short())
	}
}

// short names the function for a reader: the body of a loop is a part of it.
func (s *Site) short() string { return rangeBody.ReplaceAllString(shortFunction(s.Function), "") }

// hasArguments reports whether a call has arguments other than constants, functions and variables of a package.
func hasArguments(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	return ok && slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool {
		load, ok := arg.(*ssa.UnOp)
		if ok {
			arg = load.X
		}
		switch arg.(type) {
		case *ssa.Const, *ssa.Function, *ssa.Global:
			return false
		}
		return true
	})
}

// text says where memory goes.
func (f *fate) text() string {
	if f.way == stays {
		return "does not leave the function, which takes that long"
	}
	return f.where
}

// isOld reports whether values surely live long. Without a time it is enough that most of
// those that were ever made are live.
func (s *Site) isOld() bool {
	if s.Age != nil {
		return s.Age.Min > oldAge || s.alive > 0.5 && s.Age.Samples >= fewSamples
	}
	return s.alive > 0.5 && s.Samples >= fewSamples
}

func (s *Site) oldText() string {
	if s.Age != nil && s.Age.Min > oldAge {
		return "Its values live for " + seconds(s.Age.Min) + " and more"
	}
	return percent(s.alive) + " of all values that it made are still live"
}

// An allocation is a site's instruction in the source.
type allocation struct {
	kind     kind
	instr    ssa.Instruction
	fate     *fate
	other    string // a map, a channel or the like
	itself   bool   // a standard function makes it, and takes none instead
	borrows  bool   // a standard function makes it unless its argument is a bufio.Reader or Writer
	loop     bool
	pooled   bool          // by a sync.Pool
	constant bool          // its size
	pointers bool          // in its elements
	more     []*allocation // of the same kind in the same line
	largest  int64         // size of the profile
	joins    ssa.Value     // its owner, if that may grow at several lines
	knownEnd string        // it grows in a loop that ranges over this expression
}

// isConversion reports whether a string becomes bytes.
func isConversion(instr ssa.Instruction) bool {
	c, ok := instr.(*ssa.Convert)
	return ok && isBytes(c.Type()) && isString(c.X.Type())
}

// call is the call of basin that fits.
func (a *allocation) call() string {
	m, ok := a.instr.(*ssa.MakeSlice)
	switch {
	case a.kind == kindMake && ok && isZero(m.Len), isConversion(a.instr):
		return "basin.Make and basin.Put"
	case a.kind == kindAppend && !isBytes(a.instr.(ssa.Value).Type()):
		return pooledBy[kindSlice]
	case a.borrows:
		c := a.instr.(*ssa.Call).Call
		t := "Reader"
		if strings.HasSuffix(c.Args[0].Type().String(), "Writer") {
			t = "Writer"
		}
		return "a basin.Pool of *bufio." + t + ", with Reset, for the argument of " + name(c.StaticCallee())
	}
	if v, ok := a.instr.(ssa.Value); ok && (a.kind == "json" || a.kind == "xml") && !isBytes(first(v.Type())) {
		return "" // an encoder or decoder
	}
	if v, ok := a.instr.(ssa.Value); ok && isPackaged(a.kind) {
		name := types.TypeString(first(v.Type()), (*types.Package).Name)
		switch {
		case name == "*bufio.Scanner":
			return "basin.Get, and Scanner.Buffer"
		case name == "*zstd.Decoder":
			return "a basin.Pool of *zstd.Decoder, with Reset in place of Close, and Drop to close it"
		case name == "*zstd.Encoder":
			return "a basin.Pool of *zstd.Encoder, with Reset, and Drop to close it"
		default:
			return "a basin.Pool of " + name + ", with Reset"
		}
	}
	if v, ok := a.instr.(ssa.Value); ok && a.kind == kindPointer && isCloser(v.Type()) {
		return pooledBy[kindPointer] + ", with Drop to close it"
	}
	return pooledBy[a.kind]
}

// isCloser reports whether values of type t have a method Close without arguments.
func isCloser(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, "Close")
	f, ok := m.(*types.Func)
	return ok && f.Signature().Params().Len() == 0
}

// find looks for the allocation of a site. If there is none, it says why.
func (s *source) find(site *Site) (*allocation, string) {
	instrs, why := s.at(site)
	if why != "" {
		return nil, why
	}
	if site.Calls != "" {
		return s.findCall(site, instrs)
	}
	return s.findLine(site, instrs)
}

// findCall looks for the call of a standard function.
func (s *source) findCall(site *Site, instrs []ssa.Instruction) (*allocation, string) {
	for _, instr := range slices.Concat(instrs, s.deferred(site)) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok || !isCallOf(call.Common(), site.Calls) {
			continue
		}
		a := &allocation{kind: site.kind, instr: instr, loop: inLoop(instr)}
		if packageOf(site.Calls) == "maps" {
			a.other = "a map"
			return a, ""
		}
		v, _ := instr.(ssa.Value)
		c := call.Common()
		switch {
		case site.kind == kindCopy || site.kind == kindProxy: // a buffer that dies there
			a.fate = &fate{trusted: true}
			return a, ""
		case site.kind == kindAppend && v != nil:
			s.grows(a, v)
			return a, ""
		case site.kind == kindBuffer && argument(c, isBufferPointer, 0) != nil:
			v = argument(c, isBufferPointer, 0)
		case site.kind == kindBuffer && argument(c, isWriterParam, 0) != nil:
			v = argument(c, isWriterParam, 0)
		case site.kind == kindBuffer && c.IsInvoke() && fieldOf(c.Value) != nil:
			v = fieldOf(c.Value)
		case ownPools[site.Calls] && v != nil:
			a.kind, a.fate, a.joins = kindPNG, &fate{trusted: true}, v
			a.pooled = setsField(c.Args[0], "BufferPool")
			return a, ""
		case site.kind == "bufio" && takesBufio[site.Calls]: // which it makes if it is given none
			a.borrows = true
		case writerOf(c, site.kind) != nil:
			v = writerOf(c, site.kind)
		case v != nil && isString(first(v.Type())):
			a.kind = kindString
			return a, ""
		case v == nil || isPackaged(site.kind) && makers[packageOf(site.Calls)] != site.kind || !leads(first(v.Type())) ||
			slices.Contains([]kind{kindOther, kindBuffer, "json", "xml"}, site.kind) && !isBytes(first(v.Type())) && !strings.HasPrefix(unqualified(site.Calls), "New"):
			a.itself = true
			a.fate = new(fate)
			return a, ""
		case site.kind == kindBuffer: // it is the function's own, such as that of xml.Marshal
			a.kind = kindOther
			if k := kindOf([]string{site.Calls}); k != kindLine {
				a.kind = k
			}
		}
		s.follow(a, site, v)
		return a, ""
	}
	return nil, fmt.Sprintf("line %d does not call %s by name", site.Line, site.Calls)
}

// follow finds out where a value is made, and where it goes.
func (s *source) follow(a *allocation, site *Site, v ssa.Value) {
	v = captured(v)
	if p, ok := v.(*ssa.Parameter); ok && p.Parent().Parent() == nil {
		if owner := s.owner(site.Callers, p, 0); owner != nil {
			v = owner
			if w, _ := behind(owner, a.kind, map[ssa.Value]bool{}); w != nil {
				v = w
			}
		}
	}
	if field := fieldOf(v); field != nil {
		v = field
	}
	switch made := v.(type) {
	case *ssa.Parameter:
		a.fate = new(fate)
		a.fate.leave(isKept, "belongs to the caller, who passes it as %s", made.Name())
	case *ssa.FieldAddr:
		a.fate = new(fate)
		if types.IsInterface(made.Type().Underlying().(*types.Pointer).Elem()) {
			a.fate.leave(isStored, "belongs to the value of field %s", fieldName(made))
		} else {
			a.fate.leave(isStored, "is field %s", fieldName(made))
		}
	case *ssa.Global, *ssa.FreeVar, *ssa.UnOp:
		a.fate = new(fate)
		a.fate.leave(isStored, "is in a variable that others have too")
	default:
		a.fate = s.tracer.fateOf(v)
		if made, ok := madeBy(v).(ssa.Instruction); ok && (a.kind == kindBuffer || isPackaged(a.kind)) {
			a.instr, a.loop, a.joins = made, inLoop(made), made.(ssa.Value)
		}
	}
	a.finish()
}

// madeBy returns the call that has a value among its results, or the value.
func madeBy(v ssa.Value) ssa.Value {
	if x, ok := v.(*ssa.Extract); ok {
		return x.Tuple
	}
	return v
}

// isCallOf reports whether c calls the function that a profile names, or may call it as a method of an interface.
func isCallOf(c *ssa.CallCommon, name string) bool {
	if c.IsInvoke() {
		return c.Method.Name() == unqualified(name) && strings.Count(name[packageEnd(name):], ".") > 1
	}
	fn := c.StaticCallee()
	return fn != nil && runtimeName(fn) == name
}

// fieldOf returns the address of the field that a value is read from, or nil.
func fieldOf(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if f, ok := load.X.(*ssa.FieldAddr); ok {
			return f
		}
	}
	return nil
}

// argument returns an argument of c that matches, or one of a call that made an argument of c, such as a writer.
func argument(c *ssa.CallCommon, matches func(ssa.Value) bool, depth int) ssa.Value {
	for _, arg := range arguments(c) {
		if arg = unwrap(arg); matches(arg) {
			return arg
		}
		made, ok := arg.(*ssa.Call)
		if ok && depth <= 3 && isModeled(made.Call.StaticCallee()) {
			if v := argument(&made.Call, matches, depth+1); v != nil {
				return v
			}
		}
	}
	return nil
}

func isBufferPointer(v ssa.Value) bool {
	p, ok := v.Type().Underlying().(*types.Pointer)
	return ok && isBuffer(p.Elem())
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
	known := map[string]bool{}
	for _, c := range s.callers[fn] {
		if len(callers) > 0 && !slices.ContainsFunc(callers, func(by Caller) bool { return strings.HasPrefix(by.Name, s.callerName(c.in)+":") }) {
			continue
		}
		known[s.callerName(c.in)] = true
		arg := captured(unwrap(c.Args[i]))
		if up, ok := arg.(*ssa.Parameter); ok {
			if depth >= deep || up == p {
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
	for _, by := range callers {
		if name, _, _ := strings.Cut(by.Name, ":"); !known[name] {
			return nil
		}
	}
	return owner
}

// callerName names a function as the callers of a profile are named, as far as is known.
func (s *source) callerName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return ""
	}
	name := runtimeName(fn)
	if s.program && fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" {
		return "main" + name[packageEnd(name):]
	}
	return name
}

// grows judges the growth of a slice by append, or by a standard function like it.
func (s *source) grows(a *allocation, v ssa.Value) {
	g := &growth{seen: map[ssa.Value]bool{}}
	g.back(v)
	root := v
	switch {
	case len(g.bases) == 1:
		switch g.bases[0].(type) {
		case *ssa.MakeSlice, *ssa.Alloc, *ssa.Parameter:
			root = g.bases[0]
		}
	case len(g.bases) == 0 && g.phi != nil:
		root = g.phi
	}
	a.loop = root == v && inLoop(a.instr) // otherwise it is one slice that grows in the loop
	if root != v {
		a.joins = root
	}
	if p, ok := root.(*ssa.Parameter); ok {
		a.fate = new(fate)
		a.fate.leave(isKept, "belongs to the caller, who passes it as %s", p.Name())
	} else {
		a.fate = s.tracer.fateOf(root)
	}
	if g.appends == 1 {
		a.knownEnd = s.knownEnd(a)
	}
	a.finish()
}

// A growth has the values that a slice has while it grows.
type growth struct {
	seen    map[ssa.Value]bool
	bases   []ssa.Value // that it begins with, other than nil
	phi     *ssa.Phi    // the outermost
	appends int
}

func (g *growth) back(v ssa.Value) {
	if g.seen[v] {
		return
	}
	g.seen[v] = true
	switch x := v.(type) {
	case *ssa.Const:
	case *ssa.Slice:
		if _, ok := x.X.Type().Underlying().(*types.Pointer); ok {
			g.bases = append(g.bases, x)
			return
		}
		g.back(x.X)
	case *ssa.ChangeType:
		g.back(x.X)
	case *ssa.Phi:
		if g.phi == nil || x.Block().Dominates(g.phi.Block()) {
			g.phi = x
		}
		for _, e := range x.Edges {
			g.back(e)
		}
	case *ssa.Call:
		if to := extended(x); to != nil {
			g.appends++
			g.back(to)
			return
		}
		g.bases = append(g.bases, x)
	default:
		g.bases = append(g.bases, v)
	}
}

// extended returns the slice that a call appends to, or nil.
func extended(call *ssa.Call) ssa.Value {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
		return call.Call.Args[0]
	}
	fn := call.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) > 0 || !strings.HasPrefix(fn.Name(), "Append") && runtimeName(fn) != "slices.Grow" {
		return nil
	}
	for _, arg := range call.Call.Args {
		if types.Identical(arg.Type(), call.Type()) {
			return arg
		}
	}
	return nil
}

// captured returns the variable that a function literal has as a free one.
func captured(v ssa.Value) ssa.Value {
	free, ok := v.(*ssa.FreeVar)
	if !ok {
		return v
	}
	fn := free.Parent()
	for _, b := range fn.Parent().Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == ssa.Value(fn) {
				return captured(c.Bindings[slices.Index(fn.FreeVars, free)])
			}
		}
	}
	return v
}

// arguments has the receiver of an interface's method too.
func arguments(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
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
	if p, ok := v.Type().Underlying().(*types.Pointer); ok {
		if named, ok := types.Unalias(p.Elem()).(*types.Named); ok && named.Obj().Pkg() != nil && makers[named.Obj().Pkg().Path()] == k {
			return v, nil
		}
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
		var stored []ssa.Value
		for _, r := range *x.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == v {
				stored = append(stored, st.Val)
			}
		}
		return several(stored)
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

// isPackaged reports whether a kind is that of a package.
func isPackaged(k kind) bool {
	return slices.Contains(slices.Collect(maps.Values(makers)), k)
}

// unwrap returns the value in an interface.
func unwrap(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// first returns the type of a call's first result, or an invalid one.
func first(t types.Type) types.Type {
	tuple, ok := t.(*types.Tuple)
	switch {
	case !ok:
		return t
	case tuple.Len() == 0:
		return types.Typ[types.Invalid]
	}
	return tuple.At(0).Type()
}

// findLine looks for allocations of a line itself. Of several, buffers come first: they
// fill profiles.
func (s *source) findLine(site *Site, instrs []ssa.Instruction) (*allocation, string) {
	var best *allocation
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
	for _, instr := range instrs {
		if _, ok := instr.(*ssa.Defer); best == nil && converts(instr) {
			best = &allocation{kind: kindOther, instr: instr, other: "an interface value"}
		} else if best == nil && ok {
			best = &allocation{kind: kindOther, instr: instr, other: "a deferred call"}
		}
	}
	if best == nil {
		return nil, fmt.Sprintf("line %d allocates nothing that can be seen", site.Line)
	}
	if best.other != "" || best.kind == kindString {
		return best, ""
	}
	if buffer := bufferAround(best.instr.(ssa.Value)); buffer != nil {
		best.kind, best.instr, best.constant = kindBuffer, buffer, false
	}
	if best.kind == kindAppend {
		s.grows(best, best.instr.(ssa.Value))
		return best, ""
	}
	best.loop = inLoop(best.instr)
	best.fate = s.tracer.fateOf(best.instr.(ssa.Value))
	if best.kind == kindBuffer {
		best.joins = best.instr.(ssa.Value)
	}
	best.finish()
	for _, a := range best.more {
		a.loop, a.fate = inLoop(a.instr), s.tracer.fateOf(a.instr.(ssa.Value))
		a.finish()
	}
	return best, ""
}

// converts reports whether a call has an argument that becomes an interface's value, which has no line of its own.
func converts(instr ssa.Instruction) bool {
	if r, ok := instr.(*ssa.Return); ok {
		return returnsInterface(r)
	}
	call, ok := instr.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(call.Common().Args, func(arg ssa.Value) bool {
		switch arg := arg.(type) {
		case *ssa.MakeInterface:
			return true
		case *ssa.Slice:
			list, ok := arg.X.(*ssa.Alloc)
			return ok && list.Comment == "varargs"
		}
		return false
	})
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

func (a *allocation) finish() {
	a.pooled = strings.Contains(a.fate.where, "sync.Pool)") || fillsPool(a.instr.Parent())
	if s, ok := a.instr.(ssa.Value); ok {
		if slice, ok := s.Type().Underlying().(*types.Slice); ok {
			a.pointers = mayAlias(slice.Elem()) || isString(slice.Elem())
		}
	}
}

// fillsPool reports whether a function is the New of a sync.Pool.
func fillsPool(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false
	}
	for _, b := range fn.Parent().Blocks {
		for _, instr := range b.Instrs {
			st, ok := instr.(*ssa.Store)
			if !ok || st.Val != ssa.Value(fn) {
				continue
			}
			if addr, ok := st.Addr.(*ssa.FieldAddr); ok && fieldName(addr) == "Pool.New" {
				return true
			}
		}
	}
	return false
}

// allocationOf tells the kind of an instruction, and its rank among those of a line.
func allocationOf(instr ssa.Instruction) (*allocation, int) {
	switch instr := instr.(type) {
	case *ssa.MakeSlice:
		if isBytes(instr.Type()) {
			return &allocation{kind: kindMake, instr: instr}, 9
		}
		return &allocation{kind: kindSlice, instr: instr}, 8
	case *ssa.Alloc:
		switch t := instr.Type().Underlying().(*types.Pointer).Elem().Underlying().(type) {
		case *types.Array:
			k := kindSlice
			if types.Identical(t.Elem(), types.Typ[types.Byte]) {
				k = kindMake
			}
			if instr.Comment == "makeslice" {
				return &allocation{kind: k, instr: instr, constant: true}, 8
			}
			if instr.Comment == "varargs" {
				return nil, 0
			}
			return &allocation{kind: kindSlice, instr: instr, constant: true}, 4
		case *types.Struct:
			return &allocation{kind: kindPointer, instr: instr}, 5
		}
		return &allocation{kind: kindPointer, instr: instr}, 1
	case *ssa.Call:
		if b, ok := instr.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return &allocation{kind: kindAppend, instr: instr}, 7
		}
	case *ssa.Convert:
		if isString(instr.Type()) {
			return &allocation{kind: kindString, instr: instr}, 6
		}
		return &allocation{kind: kindSlice, instr: instr}, 6
	case *ssa.BinOp:
		return &allocation{kind: kindString, instr: instr}, 6
	case *ssa.MakeMap, *ssa.MapUpdate:
		return &allocation{kind: kindOther, instr: instr, other: "a map"}, 3
	case *ssa.MakeChan:
		return &allocation{kind: kindOther, instr: instr, other: "a channel"}, 3
	case *ssa.MakeInterface:
		return &allocation{kind: kindOther, instr: instr, other: "an interface value"}, 2
	case *ssa.MakeClosure:
		return &allocation{kind: kindOther, instr: instr, other: "a function literal"}, 2
	case *ssa.Go:
		return &allocation{kind: kindOther, instr: instr, other: "a goroutine"}, 2
	}
	return nil, 0
}

// knownEnd returns the range of a loop in which a value grows by one element in each
// round, or nothing.
func (s *source) knownEnd(a *allocation) string {
	f, call, path := s.callAt(a.instr)
	if call == nil || call.Ellipsis.IsValid() || len(call.Args) != 2 {
		return ""
	}
	target, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return ""
	}
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt:
			return ""
		case *ast.RangeStmt:
			v := f.pkg.TypesInfo.Uses[target]
			if v == nil || n.Body.Pos() <= v.Pos() && v.Pos() < n.End() {
				return ""
			}
			switch f.pkg.TypesInfo.TypeOf(n.X).Underlying().(type) {
			case *types.Slice, *types.Array, *types.Map:
				return types.ExprString(n.X)
			}
			return ""
		}
	}
	return ""
}

// runtimeName names a function as profiles do, if it is declared.
func runtimeName(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return objectName(obj)
	}
	return ""
}

func objectName(obj *types.Func) string {
	obj = obj.Origin()
	recv := obj.Signature().Recv()
	if recv == nil {
		return escaped(obj.Pkg().Path()) + "." + obj.Name()
	}
	t := types.Unalias(recv.Type())
	pointer, ok := t.(*types.Pointer)
	if ok {
		t = types.Unalias(pointer.Elem())
	}
	named, is := t.(*types.Named)
	if !is {
		return ""
	}
	if ok {
		return escaped(obj.Pkg().Path()) + ".(*" + named.Obj().Name() + ")." + obj.Name()
	}
	return escaped(obj.Pkg().Path()) + "." + named.Obj().Name() + "." + obj.Name()
}

func isBytes(t types.Type) bool {
	s, ok := types.Unalias(t).(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}
