package pooled

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/shape"
)

// A Fact describes a function's use of its arguments. It is exported for the packages
// that call the function.
type Fact struct {
	Puts    []Put
	Gets    []int // results that come from a pool or are new
	Aliases []Alias
	Shares  []Share
	Reads   []Read // uses on every path
	Calm    bool   // it changes nothing else
	Looks   bool   // it only compares where its arguments are
	Sized   bool   // it looks at its last argument, a size, and does not only make memory of it
}

// A Share is an argument that a goroutine or a receiver has when the function returns.
type Share struct {
	Arg  int
	When When
}

// A Read is a use of an argument's memory at Path.
type Read struct {
	Arg  int
	Path string
}

// A path leads from an argument to other memory. It joins fields and elements by > where
// a pointer is followed. The value that a pointer points at is written as pointee, and
// the empty path is the argument itself. All elements of a list have the path [].
const pointee = "*"

// A Put is an argument that a function puts, or the argument's memory at Path.
type Put struct {
	Arg   int
	Path  string
	When  When
	Keeps bool      // the memory that the fields point at is put with it,
	Loses []string  // except for the memory of these fields
	Clear bool      // the field at Path is nil afterwards
	Once  bool      // a second call puts nothing
	at    token.Pos // of the Put itself, in the same package
}

// An Alias is a result that is an argument or points into the argument's memory at
// Path.
type Alias struct {
	Result, Arg int
	Path        string
	Held        bool // the result has a pointer to that memory
	Owned       bool // the memory there is reused with the argument
	Grown       bool // append may have moved it
}

// When says on which returns a function has put its argument.
type When uint8

const (
	Always When = iota
	IfError
	IfNoError
	IfTrue
	IfFalse
)

var whens = []string{"", "if error", "if no error", "if true", "if false"}

// AFact marks a Fact as one.
func (*Fact) AFact() {}

func (f *Fact) String() string {
	var s []string
	for _, p := range f.Puts {
		s = append(s, strings.TrimSpace(fmt.Sprintf("puts %d%s %s", p.Arg, p.Path, whens[p.When])))
	}
	for _, g := range f.Gets {
		s = append(s, fmt.Sprintf("gets %d", g))
	}
	for _, a := range f.Aliases {
		s = append(s, fmt.Sprintf("result %d aliases %d%s", a.Result, a.Arg, a.Path))
	}
	for _, a := range f.Shares {
		s = append(s, strings.TrimSpace(fmt.Sprintf("shares %d %s", a.Arg, whens[a.When])))
	}
	for _, r := range f.Reads {
		s = append(s, fmt.Sprintf("reads %d%s", r.Arg, r.Path))
	}
	if f.Looks {
		s = append(s, "compares addresses")
	}
	return strings.Join(s, ", ")
}

// An exit is the knowledge at the end of one path.
type exit struct {
	dead    map[argPath]*argPut
	excused map[int]bool // arguments that were not put because they are nil, or too large
	spared  map[int]bool // excused, though not nil
	chance  bool         // the path depends on which channels were ready
	last    When         // IfError.. IfFalse of the last result, or Always if it is unknown
	results []alias
	shares  map[int]bool
}

type argPath struct {
	arg  int
	path string
}

type argPut struct {
	at           token.Pos
	keeps, clear bool
	once         bool
	loses        []string
}

type alias struct {
	Alias
	isAlias, get, nothing bool
}

// note adds an exit for the summary of the function.
func (x *exploration) note(st *state, results []val) {
	e := exit{dead: map[argPath]*argPut{}, excused: map[int]bool{}, spared: map[int]bool{}, shares: map[int]bool{}, chance: st.chance}
	x.noteArgs(st, &e)
	x.noteParts(st, &e)
	if n := len(results); n > 0 {
		e.last = x.classify(st, results[n-1], x.root.Signature.Results().At(n-1).Type())
	}
	for i, v := range results {
		a := x.noteResult(st, v)
		a.Result = i
		e.results = append(e.results, a)
	}
	x.exits = append(x.exits, e)
}

// noteArgs notes the arguments that were put or shared on this path, and why others were not.
func (x *exploration) noteArgs(st *state, e *exit) {
	var config uint64 // sizes of the receiver, which is a pool, say nothing of the memory put
	if x.root.Signature.Recv() != nil {
		config = 1
	}
	for i, id := range x.params {
		if id == 0 {
			continue
		}
		o := st.objs[id]
		if o.dead != nil && !o.dead.grow {
			e.dead[argPath{i, ""}] = &argPut{at: o.dead.place(), keeps: !o.touched, loses: st.lost(id)}
		} else if o.null || !st.decided && st.sizes&^(1<<i|config) == 0 {
			e.excused[i] = true
			e.spared[i] = !o.null
		}
		e.shares[i] = o.shared != nil && o.dead == nil
	}
}

// noteParts notes the memory that was put and to which arguments led.
func (x *exploration) noteParts(st *state, e *exit) {
	for id, o := range st.objs {
		if o.dead == nil || o.owner == 0 || o.dead.grow || st.objs[o.owner].dead != nil {
			continue
		}
		arg, path, ok := st.rootPath(o)
		if !ok {
			continue
		}
		// The Put counts if the owner still has the memory, or has nil there.
		if c, ok := st.mem[loc{o.owner, o.at}]; ok && (len(c.v.refs) == 1 && c.v.refs[0].id == id || c.v.null) || strings.Contains(o.at, "#") {
			e.dead[argPath{arg, path}] = &argPut{at: o.dead.place(), keeps: true, clear: ok && c.v.null, once: o.dead.once}
		}
	}
}

// noteResult classifies a result: an argument or a part of it, memory from a pool, nothing of a pool, or unknown.
func (x *exploration) noteResult(st *state, v val) (a alias) {
	if v.null || v.cst != nil {
		a.nothing = true
		return a
	}
	if len(v.refs) != 1 {
		return a
	}
	r := v.refs[0]
	o := st.objs[r.id]
	if o.null || o.dead == nil && st.hollow[r.id] && r.bits&grown == 0 {
		a.nothing = true
		return a
	}
	if o.dead != nil {
		return a
	}
	if arg, ok := st.argument(r, o); ok {
		return arg
	}
	switch {
	case o.kind == pooled && r.sub == "":
		a.get = true
	case o.owner != 0 && st.objs[o.owner].kind == pooled && shape.IsSlice(o.typ):
		a.get = true // the object that the pool points at
	case o.kind == local || o.kind == made:
		a.nothing = true
		if arg, ok := st.heldArgument(r.id); ok {
			a.nothing, a.isAlias, a.Arg, a.Held = false, true, arg, true
		}
	}
	return a
}

// argument tells which argument, or which part of one, an object is. It is not ok if the object is none.
func (st *state) argument(r ref, o *object) (a alias, ok bool) {
	if o.kind == param && r.sub == "" && o.index >= 0 {
		a.isAlias, a.Arg, a.Grown = true, o.index, r.bits&grown != 0
		return a, true
	}
	if o.owner == 0 || !st.attached(r.id) || !o.owned && !shape.IsSlice(o.typ) {
		return a, false
	}
	if arg, path, ok := st.rootPath(o); ok {
		a.isAlias, a.Arg, a.Path, a.Owned = true, arg, path, o.owned
		return a, true
	}
	return a, st.objs[o.owner].kind != pooled // a part of something else
}

// heldArgument returns an argument, of which something new holds a part.
func (st *state) heldArgument(id objID) (arg int, ok bool) {
	for _, h := range st.mem[loc{id, "#held"}].v.elems {
		for _, r := range h.refs {
			if t := st.objs[r.id]; t.kind == param && t.index >= 0 && shape.IsSlice(t.typ) && r.bits&partial != 0 {
				arg, ok = t.index, true
			}
		}
	}
	return arg, ok
}

// rootPath tells which parameter leads to an object, and over which fields.
func (st *state) rootPath(o *object) (arg int, path string, ok bool) {
	for range 3 {
		if o.owner == 0 || strings.Contains(o.at, "[") {
			return 0, "", false
		}
		if path != "" {
			path = ">" + path
		}
		at := o.at
		if at == "" {
			at = pointee
		}
		path = at + path
		o = st.objs[o.owner]
		if o.kind == param {
			return o.index, path, o.index >= 0
		}
	}
	return 0, "", false
}

// resolve returns the value of an argument at a path.
func (x *exploration) resolve(st *state, v val, path string) (val, bool) {
	if path == "" {
		return v, true
	}
	l, ok := x.locate(st, v, path)
	if !ok {
		return val{}, false
	}
	c, ok := st.mem[l]
	if !ok {
		o := st.objs[l.id]
		child := object{kind: unknown, owner: l.id, at: l.sub, null: o.null, owned: strings.Contains(l.sub, "#")}
		if child.owned {
			child.dead = o.dead
		}
		c = cell{v: val{refs: []ref{{id: st.add(child)}}}}
		st.mem[l] = c
	}
	if c.v.null {
		return val{}, false
	}
	return val{sym: c.v.sym, refs: c.v.refs}, true
}

// locate returns the location that a path, which is not empty, leads to.
func (x *exploration) locate(st *state, v val, path string) (loc, bool) {
	last := path
	if i := strings.LastIndexByte(path, '>'); i >= 0 {
		var ok bool
		if v, ok = x.resolve(st, v, path[:i]); !ok {
			return loc{}, false
		}
		last = path[i+1:]
	}
	if len(v.refs) != 1 {
		return loc{}, false
	}
	if last == pointee {
		last = ""
	}
	return loc{v.refs[0].id, v.refs[0].sub + last}, true
}

// attached reports whether the owner of an object still has it.
func (st *state) attached(id objID) bool {
	o := st.objs[id]
	c, ok := st.mem[loc{o.owner, o.at}]
	return ok && len(c.v.refs) == 1 && c.v.refs[0].id == id
}

// lost are the fields of an object that have been given something else.
func (st *state) lost(id objID) []string {
	var subs []string
	for l, c := range st.mem {
		if l.id != id || c.store == nil {
			continue
		}
		own := false
		for _, r := range c.v.refs {
			own = own || st.objs[r.id].owner == id && st.objs[r.id].at == l.sub
		}
		if !own {
			subs = append(subs, l.sub)
		}
	}
	slices.Sort(subs)
	return subs
}

// classify tells errors from none, and true from false.
func (x *exploration) classify(st *state, v val, t types.Type) When {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
		if truth, known := x.decide(st, v); known {
			if truth {
				return IfTrue
			}
			return IfFalse
		}
		return Always
	}
	if !types.Identical(t, types.Universe.Lookup("error").Type()) {
		return Always
	}
	switch {
	case v.null:
		return IfNoError
	case len(v.refs) == 0:
		return IfError // a struct or the like in an interface; all else that may be nil is an object
	}
	if len(v.refs) == 1 {
		o := st.objs[v.refs[0].id]
		switch {
		case o.null:
			return IfNoError
		case o.nonnil || o.kind == local || o.kind == made || v.refs[0].sub != "":
			return IfError
		case isCall(o.instr) && x.fails(o.instr.(*ssa.Call)):
			return IfError
		case o.owner != 0 && st.objs[o.owner].kind == global:
			return IfError // a variable such as io.EOF
		}
	}
	return Always
}

func isCall(i ssa.Instruction) bool {
	_, ok := i.(*ssa.Call)
	return ok
}

// summary returns the fact of a function of this package, as its callers see it.
func (p *packageInfo) summary(fn *ssa.Function) *Fact {
	return p.summaries.of(fn, nil, func(fn *ssa.Function) (f *Fact) {
		if p.mayPut(fn) || p.mayGet(fn) || p.mayAlias(fn) || p.mayShare(fn) || p.companions[fn] {
			f = p.explore(fn)
		}
		if f == nil && shape.ComparesOnly(fn) {
			f = &Fact{Calm: true, Looks: true}
		}
		return f
	})
}

// mayGet reports whether a function gets memory itself, for which it may forget the Put.
func (p *packageInfo) mayGet(fn *ssa.Function) bool {
	for i := range shape.Instructions(fn) {
		if c, ok := i.(*ssa.Call); ok && p.callGets(c) {
			return true
		}
	}
	return false
}

func (p *packageInfo) callGets(c *ssa.Call) bool {
	object, _ := p.calleeOf(&c.Call)
	if object == nil {
		return false
	}
	if m := p.model(object); m != nil {
		return m.Get || m.Detach != effects.None
	}
	f := p.imported(object)
	return f != nil && len(f.Gets) > 0
}

// mayShare reports whether a function starts a goroutine itself, or sends one of its arguments, perhaps with the help of
// another function.
func (p *packageInfo) mayShare(fn *ssa.Function) bool {
	return p.shares.of(shape.Generic(fn), false, func(fn *ssa.Function) (may bool) {
		for i := range shape.Instructions(fn) {
			may = may || len(fn.Params) > 0 && p.sharesIn(i)
		}
		return may
	})
}

func (p *packageInfo) sharesIn(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Go:
		return true
	case *ssa.Send:
		return shape.IsArgument(i.X)
	case *ssa.Select:
		return slices.ContainsFunc(i.States, func(s *ssa.SelectState) bool { return s.Send != nil && shape.IsArgument(s.Send) })
	case *ssa.Call:
		f := i.Call.StaticCallee()
		if f == nil || !slices.ContainsFunc(i.Call.Args, shape.IsArgument) {
			return false
		}
		if f.Pkg == p.ssa {
			return p.mayShare(f)
		}
		if o := shape.Declared(i); o != nil && p.model(o) == nil {
			fact := p.imported(o)
			return fact != nil && len(fact.Shares) > 0
		}
	}
	return false
}

// mayAlias reports whether a result of a function may be memory that it is given, or a
// part of it. From the return statements it follows slices, appends, conversions and
// calls back to the parameters.
func (p *packageInfo) mayAlias(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 || len(fn.Blocks) > 40 || len(fn.Params) == 0 {
		return false
	}
	var work []ssa.Value
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			for _, v := range r.Results {
				if shape.HoldsPointers(v.Type()) && !shape.IsError(v.Type()) {
					work = append(work, v)
				}
			}
		}
	}
	seen := map[ssa.Value]bool{}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == nil || seen[v] {
			continue
		}
		seen[v] = true
		from, yes := p.aliasStep(fn, v)
		if yes {
			return true
		}
		work = append(work, from...)
	}
	return false
}

// aliasStep reports whether a value is memory that fn is given, or else returns the values
// through which it may be.
func (p *packageInfo) aliasStep(fn *ssa.Function, v ssa.Value) (from []ssa.Value, yes bool) {
	if x := shape.Passed(v); x != nil {
		return []ssa.Value{x}, false
	}
	switch v := v.(type) {
	case *ssa.Parameter: // a method that returns its receiver is the business of models
		return nil, shape.IsSlice(v.Type())
	case *ssa.Phi:
		return v.Edges, false
	case *ssa.MakeSlice:
		return shape.Stores(v), false
	case *ssa.Alloc: // a struct that is returned
		return shape.Stores(v), false
	case *ssa.Convert:
		b, ok := v.X.Type().Underlying().(*types.Basic)
		return nil, ok && b.Kind() == types.UnsafePointer
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return shape.Stores(a), false
		}
		return nil, v.Op == token.MUL && p.loadsArgument(v)
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		switch {
		case !ok:
			return nil, p.callAliases(fn, v)
		case b.Name() == "append":
			return v.Call.Args, false
		}
		return nil, b.Name() == "String" || b.Name() == "Slice"
	}
	return nil, false
}

// loadsArgument reports whether a loaded value is memory of an argument: *b of a *[]byte, a slice in a field, or the memory
// of a field that is reused with its struct.
func (p *packageInfo) loadsArgument(l *ssa.UnOp) bool {
	switch at := l.X.(type) {
	case *ssa.FieldAddr:
		if f := shape.FieldOf(at); f != nil && p.reused(f) {
			return true
		}
		_, ok := at.X.(*ssa.Parameter)
		return ok && shape.IsSlice(l.Type())
	case *ssa.Parameter:
		return shape.IsSlice(l.Type())
	}
	return false
}

// callAliases reports whether a call that a function makes returns memory of a pool, or
// memory that it is given.
func (p *packageInfo) callAliases(fn *ssa.Function, call *ssa.Call) bool {
	object, f := p.calleeOf(&call.Call)
	if object == nil {
		return false
	}
	if m := p.model(object); m != nil {
		return m.Get || m.View != effects.None || m.Part != effects.None || m.Holds != effects.None
	}
	if f == nil {
		return false
	}
	if fact := p.imported(object); fact != nil {
		return len(fact.Gets) > 0 || len(fact.Aliases) > 0
	}
	f = shape.Generic(f)
	return f.Pkg == p.ssa && f != fn && p.calleeAliases(f)
}

// calleeAliases reports whether a callee has results from a pool or from its arguments. For a function that is just being
// summarized, it returns false.
func (p *packageInfo) calleeAliases(fn *ssa.Function) bool {
	f := p.summary(fn)
	return f != nil && (len(f.Gets) > 0 || len(f.Aliases) > 0)
}

// fact condenses the exits of all paths to their common part. An alias of a result is
// known from one path, so some paths are enough for that.
func (x *exploration) fact() *Fact {
	if len(x.exits) == 0 {
		return nil
	}
	f := &Fact{Aliases: x.exits.aliases()}
	if x.cutOff && len(f.Aliases) == 0 {
		return nil
	}
	if x.cutOff {
		return f
	}
	f.Puts, f.Gets, f.Reads = append(x.exits.puts(x.root), x.putsElements(x.root)...), x.exits.gets(), x.reads(x.root)
	slices.SortFunc(f.Puts, func(a, b Put) int { return cmp.Or(a.Arg-b.Arg, strings.Compare(a.Path, b.Path)) })
	for i := range x.params {
		if when, ok := x.exits.shareWhen(i); ok {
			f.Shares = append(f.Shares, Share{i, when})
		}
	}
	if len(f.Puts)+len(f.Gets)+len(f.Aliases)+len(f.Shares)+len(f.Reads) == 0 {
		return nil
	}
	f.Sized = len(f.Gets) > 0 && looksAtSize(x.root)
	f.Calm = x.writesOf(x.root).none()
	return f
}

// exits are the ends of all paths of a function.
type exits []exit

// puts returns the arguments, and the memory to which they lead, that a function puts on returns that a caller can tell.
func (es exits) puts(root *ssa.Function) (puts []Put) {
	all := map[argPath]bool{}
	for _, e := range es {
		for a := range e.dead {
			all[a] = true
		}
	}
	for a := range all {
		when, ok := es.when(a)
		if !ok {
			continue
		}
		p := Put{Arg: a.arg, Path: a.path, When: when, Keeps: true}
		for _, e := range es {
			d := e.dead[a]
			if d == nil {
				p.Once = p.Once || e.spared[a.arg] && a.path != "" && guarded(root)
				continue
			}
			p.at = d.at
			p.Once = p.Once || d.once
			p.Keeps = p.Keeps && d.keeps
			p.Clear = p.Clear || d.clear
			p.Loses = append(p.Loses, d.loses...)
		}
		slices.Sort(p.Loses)
		p.Loses = slices.Compact(p.Loses)
		puts = append(puts, p)
	}
	return puts
}

// gets returns the results that come from a pool on all paths, or are nothing.
func (es exits) gets() (results []int) {
	for i := range es[0].results {
		gets, others := 0, 0
		for _, e := range es {
			switch a := e.results[i]; {
			case a.nothing:
			case a.get:
				gets++
			default:
				others++
			}
		}
		if gets > 0 && others == 0 {
			results = append(results, i)
		}
	}
	return results
}

// aliases has, for each result, an argument that it is or points into on some path.
func (es exits) aliases() (found []Alias) {
	for i := range es[0].results {
		var first *alias
		same := true
		for _, e := range es {
			a := e.results[i]
			switch {
			case a.get:
				same = false
			case !a.isAlias:
			case first == nil:
				first = &a
			case first.Path != a.Path || first.Arg != a.Arg:
				same = false
			case a.Grown || a.Held:
				first = &a
			}
		}
		if first != nil && same {
			found = append(found, first.Alias)
		}
	}
	return found
}

// looksAtSize reports whether a function that gets from a pool passes its last
// argument, a size, on or compares it, instead of just making something new of it.
func looksAtSize(fn *ssa.Function) bool {
	if len(fn.Params) == 0 || !shape.IsInteger(fn.Signature.Params(), fn.Signature.Params().Len()-1) {
		return false
	}
	for _, r := range *fn.Params[len(fn.Params)-1].Referrers() {
		switch r := r.(type) {
		case *ssa.Call:
			return true
		case *ssa.BinOp:
			if types.Identical(r.Type().Underlying(), types.Typ[types.Bool]) {
				return true
			}
		}
	}
	return false
}

// shareWhen tells on which returns others have an argument, if that can be told.
func (es exits) shareWhen(arg int) (When, bool) {
	all := true
	var shared, kept [IfFalse + 1]int
	for _, e := range es {
		if e.shares[arg] {
			shared[e.last]++
		} else {
			all = false
			kept[e.last]++
		}
	}
	if all {
		return Always, true
	}
	return whenBy(shared, kept)
}

// when tells on which returns an argument has been put, if that can be told. A function may drop its argument because of its
// size, and still counts as one that puts it. But if it puts only what it refuses, its result says so.
func (es exits) when(a argPath) (When, bool) {
	always, chance := true, false
	var put, kept, spared [IfFalse + 1]int
	for _, e := range es {
		switch {
		case e.dead[a] != nil:
			put[e.last]++
		case e.excused[a.arg]:
			spared[e.last]++
			if e.chance {
				chance = true
				kept[e.last]++
			}
		default:
			always = false
			kept[e.last]++
		}
	}
	all := kept
	for w := range all {
		all[w] += spared[w]
	}
	if when, ok := whenBy(put, all); ok && (when == IfError || when == IfFalse) {
		return when, true
	}
	if always && !chance {
		return Always, true
	}
	if when, ok := whenBy(put, kept); ok {
		return when, true
	}
	return Always, always && len(es[0].results) == 0
}

// whenBy tells which result goes with a Put, if one does.
func whenBy(put, kept [IfFalse + 1]int) (When, bool) {
	if put[Always]+kept[Always] > 0 {
		return 0, false
	}
	for w := IfError; w <= IfFalse; w++ {
		others := 0
		for v := IfError; v <= IfFalse; v++ {
			if v != w {
				others += put[v]
			}
		}
		if put[w] > 0 && kept[w] == 0 && others == 0 {
			return w, true
		}
	}
	return 0, false
}

// applyFact carries out a call of a function that has a summary.
func (x *exploration) applyFact(st *state, instr ssa.CallInstruction, f *Fact, called *types.Func, callee *ssa.Function, args []val, isDeferred bool) {
	putArg := map[int]bool{}
	for _, p := range f.Puts {
		if p.Path == "" || p.Path == elements {
			putArg[p.Arg] = true
		}
	}
	x.useArgs(st, instr, args, nil, func(i int) bool { return f.Looks || putArg[i] })
	for _, r := range f.Reads {
		if r.Arg < len(args) && len(args[r.Arg].refs) == 1 && !args[r.Arg].null {
			if v, ok := x.resolve(st, args[r.Arg], r.Path); ok {
				x.use(st, instr, v, UseAfterPut)
			}
		}
	}
	x.yield(st, len(f.Puts) > 0 || len(f.Shares) > 0)
	targets := x.targetsOf(st, instr, f, callee, args)
	aliases, places := x.aliasesOf(st, instr, f, args)
	x.changeMemory(st, f, callee, args, targets, places)
	x.unknownResult(st, instr)
	for _, t := range targets {
		x.putTarget(st, instr, t, called.Name(), isDeferred)
	}
	for _, s := range f.Shares {
		if s.Arg < len(args) {
			x.shareArgument(st, instr, args[s.Arg], s.When)
		}
	}
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	for _, i := range f.Gets {
		v := x.newPooled(st, instr, "")
		x.setResult(st, call, i, v)
		if i == 0 {
			x.nullUnless(st, instr, v.refs[0].id)
		}
	}
	for n, a := range f.Aliases {
		if len(aliases[n].refs) > 0 {
			x.setResult(st, call, a.Result, aliases[n])
		}
	}
}

// putTarget puts memory as a call of a function does, always or if its last result says so.
func (x *exploration) putTarget(st *state, instr ssa.CallInstruction, t target, callee string, isDeferred bool) {
	if t.p.When != Always {
		x.later(st, instr, t.v, t.p.When, pending{open: !t.p.Clear,
			death: &death{instr: instr, callee: callee, inner: t.p.at, once: t.p.Clear, sometimes: true}})
		return
	}
	x.put(st, instr, t.v, putting{inner: t.p.at, deferred: isDeferred, keeps: t.p.Keeps, loses: t.p.Loses, callee: callee, wrapper: true,
		once: t.p.Once, field: t.p.Path != "" && t.p.Path != elements && t.p.Path[0] != pointee[0]})
	if t.p.Clear {
		st.mem[t.at] = cell{v: val{sym: "nil", null: true}}
	}
}

// shareArgument shares an argument, always or if the last result of the call says so.
func (x *exploration) shareArgument(st *state, instr ssa.CallInstruction, v val, when When) {
	if when == Always {
		x.share(st, instr, v)
	} else {
		x.later(st, instr, v, when, pending{share: &share{instr: instr}, open: true})
	}
}

// A target is memory that a call puts.
type target struct {
	v  val
	p  Put
	at loc // that has it, if Path is not empty
}

// targetsOf returns the memory that a call puts, as the arguments have it before the call.
func (x *exploration) targetsOf(st *state, instr ssa.CallInstruction, f *Fact, callee *ssa.Function, args []val) (targets []target) {
	// A test of a pool also puts things that the pool does not take.
	perhaps := callee != nil && callee.Pkg == x.ssa && x.inTest(instr.Pos()) && x.choosy(callee)
	for _, p := range f.Puts {
		if p.Arg >= len(args) {
			continue
		}
		if p.Path == elements {
			for _, v := range st.elementsOf(args[p.Arg]) {
				targets = append(targets, target{v: v, p: p})
			}
			continue
		}
		if v, ok := x.resolve(st, args[p.Arg], p.Path); ok && perhaps {
			x.escape(st, v)
			for _, r := range v.refs {
				st.edit(r.id).given = true
			}
		} else if ok {
			t := target{v: v, p: p}
			if p.Path != "" {
				t.at, _ = x.locate(st, args[p.Arg], p.Path)
			}
			targets = append(targets, t)
		}
	}
	return targets
}

// aliasesOf returns the memory that each of the function's Aliases stands for, none if it is
// not known, and the places in the arguments that refer to it.
func (x *exploration) aliasesOf(st *state, instr ssa.CallInstruction, f *Fact, args []val) (aliases []val, places []loc) {
	for _, a := range f.Aliases {
		var v val
		if a.Arg < len(args) && len(args[a.Arg].refs) == 1 {
			if l, ok := x.locate(st, args[a.Arg], a.Path); ok && a.Path != "" {
				places = append(places, l)
			}
			if r, ok := x.resolve(st, args[a.Arg], a.Path); ok && len(r.refs) == 1 {
				v = val{refs: r.refs}
				if a.Path != "" {
					id := r.refs[0].id
					if o := st.objs[id]; o.owner != 0 && !o.owned && a.Owned {
						st.edit(id).owned = true
					}
					v = mark(v, partial)
				}
				if a.Grown {
					v = mark(v, partial|grown)
				}
				if a.Held {
					id := st.add(object{kind: local, instr: instr})
					x.hold(st, id, "#held", mark(v, partial), instr)
					v = val{refs: []ref{{id: id}}}
				}
			}
		}
		aliases = append(aliases, v)
	}
	return aliases, places
}

// changeMemory forgets the contents of memory that a call may change. Targets keep their contents
// until they are put, and places keep the values that the call returns.
func (x *exploration) changeMemory(st *state, f *Fact, callee *ssa.Function, args []val, targets []target, places []loc) {
	var e *writes // nil if nothing is known
	if callee != nil && callee.Pkg == x.ssa {
		e = x.writesOf(callee)
	}
	escapes, changes := !f.Calm && len(f.Puts)+len(f.Aliases) == 0, !f.Calm
	if e != nil {
		escapes, changes = e.unknown && len(f.Puts) == 0, e.unknown || len(e.fields) > 0 || e.others
	}
	if escapes {
		for _, a := range args {
			x.escape(st, a)
		}
	}
	if !changes {
		return
	}
	before := map[loc]cell{}
	for l, c := range st.mem {
		if slices.Contains(places, l) || slices.ContainsFunc(targets, func(t target) bool { return t.has(l) }) {
			before[l] = c
		}
	}
	x.havoc(st, e)
	maps.Copy(st.mem, before)
}

// has reports whether a location belongs to a target or leads to it.
func (t target) has(l loc) bool {
	return len(t.v.refs) == 1 && l.id == t.v.refs[0].id || t.p.Path != "" && t.p.Path != elements && l == t.at
}

// guarded reports whether a function asks whether a field of its receiver is nil, and sets that field to nil: a
// second call does nothing.
func guarded(fn *ssa.Function) bool {
	asked, emptied := map[int]bool{}, map[int]bool{}
	field := func(at ssa.Value) (int, bool) {
		f, ok := at.(*ssa.FieldAddr)
		if !ok || len(fn.Params) == 0 || f.X != fn.Params[0] {
			return 0, false
		}
		return f.Field, true
	}
	for i := range shape.Instructions(fn) {
		switch i := i.(type) {
		case *ssa.BinOp:
			l, ok := i.X.(*ssa.UnOp)
			if ok && l.Op == token.MUL && shape.IsNil(i.Y) {
				if n, ok := field(l.X); ok {
					asked[n] = true
				}
			}
		case *ssa.Store:
			if n, ok := field(i.Addr); ok && shape.IsNil(i.Val) {
				emptied[n] = true
			}
		}
	}
	for n := range asked {
		if emptied[n] {
			return true
		}
	}
	return false
}

// choosy reports whether a function puts only memory within a limit that a field has. A
// test can set that field to anything.
func (p *packageInfo) choosy(fn *ssa.Function) bool {
	for i := range shape.Instructions(fn) {
		c, ok := i.(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := c.Cond.(*ssa.BinOp)
		if !ok || !shape.IsLimit(cond.X) && !shape.IsLimit(cond.Y) {
			continue
		}
		if params, ok := shape.SizeTest(fn, cond); ok && params != 0 {
			return true
		}
	}
	return false
}

// reads finds the uses of a function's arguments on every path: those in the first
// block.
func (p *packageInfo) reads(fn *ssa.Function) []Read {
	var found []Read
	for _, i := range fn.Blocks[0].Instrs {
		var at ssa.Value
		switch i := i.(type) {
		case *ssa.UnOp:
			if i.Op != token.MUL {
				continue
			}
			at = i.X
		case *ssa.Store:
			at = i.Addr
		default:
			continue
		}
		for depth := 0; depth < 4; depth++ {
			switch a := at.(type) {
			case *ssa.FieldAddr:
				at = a.X
				continue
			case *ssa.IndexAddr:
				at = a.X
				continue
			}
			break
		}
		l, ok := at.(*ssa.UnOp) // the pointer in a field of a parameter
		if !ok || l.Op != token.MUL {
			continue
		}
		f, ok := l.X.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for n, param := range fn.Params {
			if f.X == param {
				r := Read{n, fmt.Sprintf(".%d", f.Field)}
				if !slices.Contains(found, r) {
					found = append(found, r)
				}
			}
		}
	}
	return found
}

func (x *exploration) lastResult(st *state, call *ssa.Call) val {
	v := x.get(st, call)
	if n := len(v.elems); n > 0 {
		return v.elems[n-1]
	}
	return v
}

func (x *exploration) setResult(st *state, call *ssa.Call, i int, v val) {
	f := st.top()
	if _, ok := call.Type().(*types.Tuple); !ok {
		v.sym = "v" + call.Name()
		f.env[call] = v
		return
	}
	t := f.env[call]
	elems := append([]val(nil), t.elems...)
	v.sym = elems[i].sym
	elems[i] = v
	t.elems = elems
	f.env[call] = t
}
