package pooled

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// Limits of the work for one function. Beyond them, nothing is reported that would need all
// paths.
const (
	maxSteps   = 40_000
	maxStates  = 1_500
	maxBytes   = 4 << 20   // of the descriptions of states
	maxPackage = 150 << 20 // of the descriptions for all functions of a package
	maxVisits  = 4
	maxDepth   = 4 // of functions that are followed into
)

// An explorer follows the paths through the functions of a package.
type explorer struct {
	*packageInfo
	spent    int // on descriptions of states, in bytes
	lives    memo[*ssa.Function, *shape.Liveness]
	conds    memo[*ssa.Function, *conditions]
	turns    memo[turn, bool]                    // results of judgeTurn
	deciders memo[ssa.Instruction, map[any]bool] // functions that decide whether an instruction is reached
}

func newExplorer(p *packageInfo) *explorer {
	return &explorer{packageInfo: p, lives: memo[*ssa.Function, *shape.Liveness]{}, conds: memo[*ssa.Function, *conditions]{}, turns: memo[turn, bool]{}, deciders: memo[ssa.Instruction, map[any]bool]{}}
}

// An exploration follows the paths through a function.
type exploration struct {
	*explorer
	root    *ssa.Function
	work    []*state
	seen    map[[32]byte]bool
	buf     []byte // for the description of a state
	bytes   int    // of descriptions of states
	steps   int
	cutOff  bool // not all paths have been followed
	hits    map[hitKey]*Hit
	live    map[useKey]bool                 // uses that were met before the Put of their memory
	origins map[useAt]map[string]types.Type // the origins of live, by the place
	clean   map[ssa.Instruction]bool        // deaths after which a path ended without a use
	unsync  map[ssa.Instruction]bool        // shares that may have ended before a Put
	exits   exits
	params  []objID
	alive   map[string]bool          // where memory came from that was not put on some path
	putGot  map[ssa.Instruction]bool // calls whose results are put
}

type useKey struct {
	instr  ssa.Instruction
	kind   HitKind
	origin string // of the memory
}

type useAt struct {
	instr ssa.Instruction
	kind  HitKind
}

type hitKey struct {
	kind     HitKind
	use, put ssa.Instruction
	origin   string
}

// explore returns the fact of a function and the mistakes in it that are certain.
func (e *explorer) explore(fn *ssa.Function) (*Fact, []*Hit) {
	x := e.follow(fn)
	var found []*Hit
	for _, h := range x.hits {
		if h.At.IsValid() && x.certain(h) {
			found = append(found, h)
		}
	}
	return x.fact(), found
}

// follow follows the paths of a function from its first block.
func (e *explorer) follow(fn *ssa.Function) *exploration {
	x := &exploration{explorer: e, root: fn, seen: map[[32]byte]bool{}, hits: map[hitKey]*Hit{},
		live: map[useKey]bool{}, origins: map[useAt]map[string]types.Type{}, clean: map[ssa.Instruction]bool{}, unsync: map[ssa.Instruction]bool{}, putGot: map[ssa.Instruction]bool{}, alive: map[string]bool{}}
	st := newState()
	f := newFrame(fn)
	for i, v := range fn.Params {
		pv := val{sym: "p" + v.Name()}
		if shape.PointerLike(v.Type()) {
			id := st.add(object{kind: param, name: "p" + v.Name(), typ: v.Type(), index: i})
			pv.refs = []ref{{id: id}}
			x.params = append(x.params, id)
		} else {
			x.params = append(x.params, 0)
		}
		f.env[v] = pv
	}
	for _, v := range fn.FreeVars {
		id := st.add(object{kind: param, index: -1, name: "f" + v.Name(), typ: v.Type(), away: true})
		f.free = append(f.free, val{sym: "f" + v.Name(), refs: []ref{{id: id}}})
	}
	st.frames = []*frame{f}
	x.work = []*state{st}
	for len(x.work) > 0 {
		st := x.work[len(x.work)-1]
		x.work = x.work[:len(x.work)-1]
		if len(x.seen) > maxStates || x.steps > maxSteps {
			x.cutOff = true
			break
		}
		x.proceed(st)
	}
	return x
}

func newFrame(fn *ssa.Function) *frame {
	return &frame{fn: fn, block: fn.Blocks[0], env: map[ssa.Value]val{}, visits: map[*ssa.BasicBlock]int{}}
}

// proceed goes on until the path ends; at a fork it leaves one way for later.
func (x *exploration) proceed(st *state) {
	for {
		f := st.top()
		if f.next >= len(f.block.Instrs) {
			return
		}
		instr := f.block.Instrs[f.next]
		f.next++
		if x.steps++; x.steps > maxSteps {
			x.cutOff = true
			return
		}
		switch instr := instr.(type) {
		case *ssa.Jump:
			if !x.enter(st, f.block.Succs[0]) {
				return
			}
		case *ssa.If:
			c := x.get(st, instr.Cond)
			then, known := x.decide(st, c)
			if !known {
				x.fork(st, instr)
				other := st.clone()
				if x.assume(other, instr, c, false) && x.enter(other, other.top().block.Succs[1]) {
					x.work = append(x.work, other)
				}
				if !x.assume(st, instr, c, true) {
					return
				}
				then = true
			}
			next := f.block.Succs[0]
			if !then {
				next = f.block.Succs[1]
			}
			if !x.enter(st, next) {
				return
			}
		case *ssa.Return:
			if !x.leave(st, instr) {
				return
			}
		case *ssa.Panic:
			return
		case *ssa.RunDefers:
			if n := len(f.defers); n > 0 {
				d := f.defers[n-1]
				f.defers = f.defers[:n-1]
				f.next-- // until none is left
				x.invoke(st, d.instr, d.fn, d.args, true)
			}
		case *ssa.Phi:
			// enter has evaluated it
		default:
			x.step(st, instr)
		}
	}
}

// enter goes to a block, and reports whether no path has been there in this state before.
func (x *exploration) enter(st *state, to *ssa.BasicBlock) bool {
	f := st.top()
	from := f.block
	if f.visits[to]++; f.visits[to] > maxVisits {
		x.cutOff = true
		return false
	}
	x.leaveLoops(st, from, to)
	phis := x.phis(st, from, to)
	if to.Dominates(from) || f.visits[to] > 1 {
		x.forget(st, to)
	}
	x.prune(f, to)
	maps.Copy(f.env, phis)
	f.block, f.next = to, 0
	return len(to.Preds) <= 1 && len(st.frames) == 1 || x.isNew(st, from)
}

// leaveLoops marks memory that died in a loop that a path leaves from its head, or that dies in each round of it. That no
// use follows the Put is then no proof.
func (x *exploration) leaveLoops(st *state, from, to *ssa.BasicBlock) {
	for head, body := range x.loopsOf(from.Parent()) {
		if !body[from] || body[to] {
			continue
		}
		for id, o := range st.objs {
			if o.dead != nil && !o.left && body[o.dead.instr.Block()] && (from == head || shape.InEachRound(o.dead.instr.Block(), head, body)) {
				st.edit(id).left = true
			}
		}
	}
}

// phis returns the values that a block chooses by the block from which it is entered.
func (x *exploration) phis(st *state, from, to *ssa.BasicBlock) map[ssa.Value]val {
	pred := slices.Index(to.Preds, from)
	vals := map[ssa.Value]val{}
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		v := x.get(st, phi.Edges[pred])
		if len(v.refs) == 0 && !v.null && v.fn == nil && len(v.elems) == 0 {
			b, _ := phi.Type().Underlying().(*types.Basic)
			isBool := b != nil && b.Info()&types.IsBoolean != 0
			if !x.tested(from.Parent(), phi) || to.Dominates(from) && !isBool {
				v = val{sym: "v" + phi.Name()}
			}
		}
		vals[phi] = v
	}
	return vals
}

// isNew reports whether no path has been here in this state before. If so, objects out of reach are dropped.
func (x *exploration) isNew(st *state, from *ssa.BasicBlock) bool {
	w := st.key(x.buf[:0])
	k := w.text
	x.buf = k
	x.spent += len(k)
	if x.bytes += len(k); x.bytes > maxBytes || x.spent > maxPackage {
		x.cutOff, x.work = true, nil
		return false
	}
	h := sha256.Sum256(k)
	if x.seen[h] {
		return false
	}
	x.seen[h] = true
	x.clear(st, w.names, from)
	return true
}

// clear drops the objects that are out of reach, and notes the consequence: memory that
// was put is not used any more, and memory that was not put is lost.
func (x *exploration) clear(st *state, names map[objID]int, from *ssa.BasicBlock) {
	kept := st.reachable(names)
	current := map[*death]bool{} // deaths of objects within reach
	for id := range kept {
		if o := st.objs[id]; o.dead != nil {
			current[o.dead] = true
			if !o.mourned {
				st.edit(id).mourned = true
			}
		}
	}
	for id, o := range st.objs {
		switch {
		case !kept[id]:
			x.lose(st, o, current)
		case names[id] == 0 && o.isOutstanding() && len(o.later) == 0 && len(st.frames) == 1 && !x.held(st, id, kept):
			x.hit(st, MissingPut, o.instr, o, &death{instr: lastOf(from, o.instr)})
			st.edit(id).given = true
		}
	}
	maps.DeleteFunc(st.objs, func(id objID, _ *object) bool { return !kept[id] })
	maps.DeleteFunc(st.mem, func(l loc, _ cell) bool { return !kept[l.id] })
}

// isOutstanding reports whether an object is from a pool, and nobody else can put it.
func (o *object) isOutstanding() bool {
	return o.kind == pooled && o.dead == nil && !o.given && !o.away && !o.null && o.owner == 0
}

// lose notes that an object is out of reach. current has the deaths of those within reach.
func (x *exploration) lose(st *state, o *object, current map[*death]bool) {
	if o.dead == nil && !o.null {
		x.alive[st.origin(o)] = true
	}
	// A Put by Append proves nothing if the memory was out of reach at once.
	if d := cmp.Or(o.dead, o.kept); d != nil && !o.used && !o.left && !current[d] && (!d.grow || o.mourned) && o.forks != independent {
		x.clean[d.instr] = true
	}
}

// held reports whether something within reach has an object.
func (x *exploration) held(st *state, id objID, kept map[objID]bool) bool {
	found := false
	var value func(v val)
	value = func(v val) {
		for _, r := range v.refs {
			found = found || r.id == id
		}
		for _, e := range v.elems {
			value(e)
		}
		for _, b := range v.binds {
			value(b)
		}
	}
	for l, c := range st.mem {
		if kept[l.id] && l.id != id {
			value(c.v)
		}
	}
	for _, f := range st.frames {
		for _, v := range f.env {
			value(v)
		}
		for _, v := range f.free {
			value(v)
		}
	}
	return found
}

// lastOf is the last instruction of a block that has a position in the source.
func lastOf(b *ssa.BasicBlock, otherwise ssa.Instruction) ssa.Instruction {
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		if b.Instrs[i].Pos().IsValid() {
			return b.Instrs[i]
		}
	}
	return otherwise
}

// forget drops the knowledge of the values that a block will define anew.
func (x *exploration) forget(st *state, b *ssa.BasicBlock) {
	f := st.top()
	for _, i := range b.Instrs {
		v, ok := i.(ssa.Value)
		if !ok {
			continue
		}
		delete(f.env, v)
		if len(st.facts) == 0 {
			continue
		}
		name := "v" + v.Name()
		for fact := range st.facts {
			if mentions(fact, name) {
				delete(st.facts, fact)
			}
		}
	}
}

// mentions reports whether a symbol has a name as one of its parts.
func mentions(sym, name string) bool {
	for {
		i := strings.Index(sym, name)
		if i < 0 {
			return false
		}
		sym = sym[i+len(name):]
		if sym == "" || sym[0] < '0' || sym[0] > '9' {
			return true
		}
	}
}

// get returns the value that v has now.
func (x *exploration) get(st *state, v ssa.Value) val {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			if shape.PointerLike(v.Type()) {
				return val{sym: "nil", null: true}
			}
			if _, ok := v.Type().Underlying().(*types.Signature); ok {
				return val{sym: "nil", null: true}
			}
			return val{sym: "zero"}
		}
		return val{sym: v.Value.ExactString(), cst: v.Value}
	case *ssa.Global:
		name := "g" + v.String()
		for id, o := range st.objs {
			if o.kind == global && o.name == name {
				return val{sym: name, refs: []ref{{id: id}}}
			}
		}
		id := st.add(object{kind: global, name: name, typ: v.Type()})
		return val{sym: name, refs: []ref{{id: id}}}
	case *ssa.Function:
		return val{sym: v.String(), fn: v}
	case *ssa.Builtin:
		return val{sym: v.Name()}
	case *ssa.FreeVar:
		f := st.top()
		for i, fv := range f.fn.FreeVars {
			if fv == v && i < len(f.free) {
				return f.free[i]
			}
		}
	}
	f := st.top()
	if known, ok := f.env[v]; ok {
		return known
	}
	r := val{sym: "v" + v.Name()}
	if shape.PointerLike(v.Type()) {
		instr, _ := v.(ssa.Instruction)
		id := st.add(object{kind: unknown, name: r.sym, typ: v.Type(), instr: instr})
		r.refs = []ref{{id: id}}
	}
	f.env[v] = r
	return r
}

// decide returns the truth of a condition, if that is known.
func (x *exploration) decide(st *state, c val) (truth, known bool) {
	if c.cst != nil && c.cst.Kind() == constant.Bool {
		return constant.BoolVal(c.cst), true
	}
	sym, want := strings.TrimPrefix(c.sym, "!"), !strings.HasPrefix(c.sym, "!")
	if t, ok := st.facts[sym]; ok {
		return t == want, true
	}
	return false, false
}

// assume notes the truth of a condition on a path, and reports whether that is
// possible.
func (x *exploration) assume(st *state, instr *ssa.If, c val, truth bool) bool {
	sym := c.sym
	if strings.HasPrefix(sym, "!") {
		sym, truth = sym[1:], !truth
	}
	if params, ok := shape.SizeTest(x.root, instr.Cond); ok {
		st.sizes |= params
		st.chance = st.chance || selects(instr.Cond)
	} else {
		st.decided = true
	}
	if measured := shape.Measures(instr.Cond, 3); measured != nil && x.limitsPut(instr) {
		x.excuse(st, measured)
	}
	if c.nilOf != 0 && truth {
		if st.objs[c.nilOf].dead != nil {
			// A handle that has been put is not nil.
			return false
		}
		st.edit(c.nilOf).null = true
	} else if c.nilOf != 0 {
		st.edit(c.nilOf).nonnil = true
	}
	if c.emptied.id != 0 && c.emptied.truth == truth {
		if st.hollow == nil {
			st.hollow = map[objID]bool{}
		}
		st.hollow[c.emptied.id] = true
	}
	if settled := x.settle(st, sym, truth); sym != "" && (settled || x.repeated(instr)) {
		st.facts[sym] = truth
	}
	return true
}

// settle carries out pending deaths and shares that wait for the truth of a condition, and reports whether there were any.
func (x *exploration) settle(st *state, sym string, truth bool) (settled bool) {
	for id, o := range st.objs {
		i := slices.IndexFunc(o.later, func(p pending) bool { return p.sym == sym })
		if i < 0 {
			continue
		}
		settled = true
		p, o := o.later[i], st.edit(id)
		o.later = append(append([]pending(nil), o.later[:i]...), o.later[i+1:]...)
		switch {
		case p.truth != truth:
		case p.share != nil:
			o.given = true
			o.shared = p.share
		case p.death == nil:
			o.null = true
		case o.dead == nil:
			o.dead = p.death
			x.killOwned(st, id, p.death, nil, 1, func(*object) {})
		}
	}
	return settled
}

// selects reports whether a condition asks which case of a select was chosen.
func selects(cond ssa.Value) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	e, ok := b.X.(*ssa.Extract)
	if !ok {
		return false
	}
	_, ok = e.Tuple.(*ssa.Select)
	return ok
}

// excuse notes that a pooled value is put only within a limit of its capacity, so that
// a path without a Put drops it on purpose.
func (x *exploration) excuse(st *state, v ssa.Value) {
	for _, r := range x.get(st, v).refs {
		id := r.id
		for range 4 {
			if o := st.objs[id]; o.kind != pooled && o.owner != 0 {
				id = o.owner
			}
		}
		if st.objs[id].kind == pooled {
			st.edit(id).given = true
		}
	}
}

// binary returns the value of a comparison or of a calculation. Comparisons become == and <, perhaps negated.
func (x *exploration) binary(st *state, i *ssa.BinOp) val {
	a, b := x.get(st, i.X), x.get(st, i.Y)
	op, negate := i.Op, false
	switch op {
	case token.NEQ:
		op, negate = token.EQL, true
	case token.GTR:
		op, a, b = token.LSS, b, a
	case token.LEQ:
		op, negate, a, b = token.LSS, true, b, a
	case token.GEQ:
		op, negate = token.LSS, true
	}
	var r val
	if op == token.EQL && (a.null || b.null) {
		if a.null && !b.null {
			a, b = b, a
		}
		truth, known := st.isNil(a)
		if known {
			return answer(truth != negate)
		}
		if len(a.refs) == 1 {
			r.nilOf = a.refs[0].id
		}
	}
	if truth, known := st.compared(op, a, b); known {
		return answer(truth != negate)
	}
	if op == token.EQL && a.cst != nil {
		a, b = b, a
	}
	r.emptied = emptyIf(op, a, b)
	if len(a.sym)+len(b.sym) > 200 {
		r.sym = "v" + i.Name()
		return r
	}
	r.sym = fmt.Sprintf("(%s %s %s)", op, a.sym, b.sym)
	if negate {
		r.sym = "!" + r.sym
	}
	return r
}

func answer(truth bool) val { return val{sym: fmt.Sprint(truth), cst: constant.MakeBool(truth)} }

// isNil reports whether a value is nil, if that is known.
func (st *state) isNil(a val) (truth, known bool) {
	switch {
	case a.null:
		return true, true
	case a.fn != nil:
		return false, true
	case len(a.refs) != 1:
		return false, false
	}
	o := st.objs[a.refs[0].id]
	if o.null {
		return true, true
	}
	return false, a.refs[0].sub != "" || o.nonnil || o.kind == local || o.kind == made || o.kind == global
}

// compared returns the outcome of == or <, if it is known.
func (st *state) compared(op token.Token, a, b val) (truth, known bool) {
	if op != token.EQL && op != token.LSS {
		return false, false
	}
	if a.cst != nil && b.cst != nil && a.cst.Kind() == b.cst.Kind() {
		return constant.Compare(a.cst, op, b.cst), true
	}
	// Get returns as much as it was asked for.
	return false, op == token.LSS && a.sizeOf != 0 && st.objs[a.sizeOf].size != "" && st.objs[a.sizeOf].size == b.sym
}

// emptyIf returns the object of which a comparison tells whether it is empty.
func emptyIf(op token.Token, a, b val) emptiness {
	switch {
	case a.sizeOf != 0 && (op == token.EQL && b.sym == "0" || op == token.LSS && b.sym == "1"):
		return emptiness{a.sizeOf, true}
	case b.sizeOf != 0 && op == token.LSS && a.sym == "0":
		return emptiness{b.sizeOf, false}
	}
	return emptiness{}
}

func (x *exploration) load(st *state, i ssa.Value, at val, field *types.Var, typ types.Type) val {
	if len(at.refs) != 1 {
		return x.fresh(st, i, typ)
	}
	r := at.refs[0]
	l := loc{r.id, r.sub}
	c, known := st.mem[l]
	o := st.objs[r.id]
	if s, ok := typ.Underlying().(*types.Struct); ok {
		if !known {
			c.v = val{sym: "v" + i.Name()}
		}
		return st.withFields(r, c.v, s.NumFields())
	}
	if known {
		return c.v
	}
	if strings.HasSuffix(r.sub, "[]") {
		if v, ok := st.deadElement(r.id); ok && r.sub == elements {
			return v
		}
		if v, ok := st.split(r.id, typ); ok && r.sub == elements {
			return v
		}
		return x.fresh(st, i, typ)
	}
	v := val{sym: "v" + i.Name()}
	if o.kind == global || o.kind == param {
		v.sym = fmt.Sprintf("%s%s#%s", o.name, r.sub, i.Name())
	}
	if shape.PointerLike(typ) {
		id := st.add(object{kind: unknown, name: v.sym, typ: typ, owner: r.id, at: r.sub,
			owned: x.ownedAt(o, r.sub, field, typ), pool: o.name + r.sub})
		v.refs = []ref{{id: id}}
	} else if o.kind == local && !o.away && !x.storedAround(st, r) {
		v = zero(typ, v)
	}
	st.mem[l] = cell{v: v, field: field}
	return v
}

// withFields returns the value of a struct, with the fields that have been stored one by one.
func (st *state) withFields(r ref, v val, n int) val {
	var elems []val
	for i := range n {
		c, ok := st.mem[loc{r.id, r.sub + "." + strconv.Itoa(i)}]
		if ok && elems == nil {
			elems = make([]val, n)
			copy(elems, v.elems)
		}
		if ok {
			elems[i] = c.v
		}
	}
	if elems != nil {
		v.elems = elems
	}
	return v
}

// storedAround reports whether something has been stored into a place that
// includes this one.
func (x *exploration) storedAround(st *state, r ref) bool {
	for l := range st.mem {
		if l.id == r.id && len(l.sub) < len(r.sub) && strings.HasPrefix(r.sub, l.sub) {
			return true
		}
	}
	return false
}

func zero(typ types.Type, otherwise val) val {
	b, ok := typ.Underlying().(*types.Basic)
	if !ok {
		return otherwise
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return val{sym: "false", cst: constant.MakeBool(false)}
	case b.Info()&types.IsInteger != 0:
		return val{sym: "0", cst: constant.MakeInt64(0)}
	}
	return otherwise
}

// ownedAt reports whether memory that a field points at is reused together with
// the object that has the field.
func (x *exploration) ownedAt(o *object, sub string, field *types.Var, typ types.Type) bool {
	if strings.Contains(sub, "#contents") {
		return true
	}
	switch typ.Underlying().(type) {
	case *types.Slice:
	case *types.Pointer:
		return sub != "" && field != nil && x.reused(field)
	default:
		return false
	}
	if sub == "" && o.kind == param && o.index < 0 {
		return false // a variable of the enclosing function
	}
	if sub == "" {
		return o.kind != local || o.typ != nil && shape.IsPointerTo(o.typ, typ)
	}
	return field != nil && x.reused(field)
}

// fresh is a value of which nothing is known.
func (x *exploration) fresh(st *state, i ssa.Value, typ types.Type) val {
	v := val{sym: "v" + i.Name()}
	if shape.PointerLike(typ) {
		instr, _ := i.(ssa.Instruction)
		id := st.add(object{kind: unknown, name: v.sym, typ: typ, instr: instr})
		v.refs = []ref{{id: id}}
	}
	return v
}

func (x *exploration) store(st *state, instr *ssa.Store, at, v val) {
	if len(at.refs) != 1 {
		x.give(st, v)
		return
	}
	r := at.refs[0]
	if o := st.objs[r.id]; o.kind == param && !o.touched {
		st.edit(r.id).touched = true
	}
	x.drop(st, r.id, r.sub)
	if strings.HasSuffix(r.sub, "[]") {
		if v.null {
			st.release(r.id) // perhaps from the element that has the item
		}
		x.hold(st, r.id, "#held", v, instr)
		return
	}
	st.mem[loc{r.id, r.sub}] = cell{v: v, field: shape.FieldOf(instr.Addr), store: instr}
	for n, e := range v.elems {
		if len(e.refs) > 0 || e.cst != nil || e.null {
			st.mem[loc{r.id, r.sub + "." + strconv.Itoa(n)}] = cell{v: e, store: instr}
		}
	}
}

// give notes that a value is kept where it is not followed.
func (x *exploration) give(st *state, v val) {
	x.reach(st, v, 1, func(r ref, _, _ bool) {
		if o := st.objs[r.id]; o.kind == pooled && !o.given {
			st.edit(r.id).given = true
		}
	})
}

// hold adds to the value of a location, instead of replacing it.
func (x *exploration) hold(st *state, id objID, sub string, v val, instr ssa.Instruction) {
	if len(v.refs)+len(v.elems)+len(v.binds) == 0 {
		return
	}
	l := loc{id, sub}
	c := st.mem[l]
	for _, e := range c.v.elems {
		if slices.Equal(e.refs, v.refs) && len(v.elems) == 0 && len(v.binds) == 0 {
			return
		}
	}
	if n := len(c.v.elems); n > 0 && c.store == instr { // in the round before
		x.give(st, c.v.elems[n-1])
		c.v.elems = c.v.elems[:n-1]
	}
	c.store = instr
	c.v.elems = append(c.v.elems[:len(c.v.elems):len(c.v.elems)], v)
	if len(c.v.elems) > 8 {
		x.give(st, c.v.elems[0])
		c.v.elems = c.v.elems[1:]
	}
	st.mem[l] = c
}

// lend remembers a cell that unknown code may have changed.
func (st *state) lend(l loc, c cell) {
	if c.store == nil {
		return
	}
	lent := maps.Clone(st.lent)
	if lent == nil {
		lent = map[loc]cell{}
	}
	lent[l] = c
	st.lent = lent
}

// release forgets the items that a map or a slice holds, whatever has been loaded of it.
func (st *state) release(id objID) {
	o := st.objs[id]
	for l := range st.mem {
		if p := st.objs[l.id]; l.sub == "#held" && (l.id == id || o.owner != 0 && p.owner == o.owner && p.at == o.at) {
			delete(st.mem, l)
		}
	}
}

// drop forgets the values of a location and of those within it.
func (x *exploration) drop(st *state, id objID, sub string) {
	for l := range st.mem {
		if l.id == id && strings.HasPrefix(l.sub, sub) && (len(l.sub) == len(sub) || strings.ContainsRune(".[#", rune(l.sub[len(sub)]))) {
			delete(st.mem, l)
		}
	}
	for l := range st.lent {
		if l.id == id && strings.HasPrefix(l.sub, sub) {
			st.lent = maps.Clone(st.lent)
			delete(st.lent, l)
		}
	}
}

func within(v val, sub string) val {
	r := val{sym: v.sym + sub}
	for _, a := range v.refs {
		r.refs = append(r.refs, ref{a.id, a.sub + sub, a.bits | partial})
	}
	return r
}

func mark(v val, b bits) val {
	refs := make([]ref, len(v.refs))
	for i, r := range v.refs {
		r.bits |= b
		refs[i] = r
	}
	v.refs = refs
	return v
}

// step carries out an instruction that is no jump.
func (x *exploration) step(st *state, instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.Store:
		at := x.get(st, i.Addr)
		x.use(st, i, at, UseAfterPut)
		x.store(st, i, at, x.get(st, i.Val))
	case *ssa.MapUpdate:
		x.mapUpdate(st, i)
	case *ssa.Send:
		v := x.get(st, i.X)
		x.useReach(st, i, []val{v}, SentAfterPut)
		x.yield(st, false)
		x.share(st, i, v)
	case *ssa.Go:
		x.launch(st, i)
	case *ssa.Defer:
		fn, args := x.operands(st, &i.Call)
		f := st.top()
		f.defers = append(f.defers, deferred{instr: i, fn: fn, args: args})
	case *ssa.Call:
		fn, args := x.operands(st, &i.Call)
		x.invoke(st, i, fn, args, false)
	case *ssa.UnOp:
		x.unary(st, i)
	case *ssa.Slice:
		x.slice(st, i)
	case *ssa.Convert:
		x.convert(st, i, i.X)
	case *ssa.MultiConvert:
		x.convert(st, i, i.X)
	case *ssa.TypeAssert:
		x.typeAssert(st, i)
	case *ssa.Select:
		x.selects(st, i)
		delete(st.top().env, i)
	case ssa.Value:
		if v, known := x.evaluate(st, i); known {
			st.top().env[i] = v
		} else {
			delete(st.top().env, i)
		}
	}
}

// evaluate returns the value of an instruction that changes nothing, if something is known of it.
func (x *exploration) evaluate(st *state, v ssa.Value) (_ val, known bool) {
	switch i := v.(type) {
	case *ssa.Alloc: // a callee that is not followed may keep the address
		return st.make(local, i), true
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		return st.make(made, i), true
	case *ssa.FieldAddr:
		return within(x.get(st, i.X), "."+strconv.Itoa(i.Field)), true
	case *ssa.IndexAddr:
		return within(x.get(st, i.X), element(i)), true
	case *ssa.Field:
		return x.field(st, i), true
	case *ssa.BinOp:
		if b, ok := i.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			x.useRefs(st, i, slices.Concat(x.get(st, i.X).refs, x.get(st, i.Y).refs), UseAfterPut)
		}
		return x.binary(st, i), true
	case *ssa.ChangeType:
		return x.get(st, i.X), true
	case *ssa.ChangeInterface:
		return x.get(st, i.X), true
	case *ssa.SliceToArrayPointer:
		return x.get(st, i.X), true
	case *ssa.MakeInterface:
		return x.inInterface(st, i), true
	case *ssa.Extract:
		return x.extracted(st, i), true
	case *ssa.MakeClosure:
		v := val{sym: "v" + i.Name(), fn: i.Fn.(*ssa.Function)}
		for _, b := range i.Bindings {
			v.binds = append(v.binds, x.get(st, b))
		}
		return v, true
	case *ssa.Lookup:
		x.use(st, i, x.get(st, i.X), UseAfterPut)
	case *ssa.Range:
		x.use(st, i, x.get(st, i.X), UseAfterPut)
	}
	return val{}, false
}

// make returns a new object that an instruction has made.
func (st *state) make(kind kind, v ssa.Value) val {
	id := st.add(object{kind: kind, typ: v.Type(), instr: v.(ssa.Instruction)})
	return val{sym: "v" + v.Name(), refs: []ref{{id: id}}}
}

// mapUpdate carries out an assignment to an element of a map.
func (x *exploration) mapUpdate(st *state, i *ssa.MapUpdate) {
	m := x.get(st, i.Map)
	x.use(st, i, m, UseAfterPut)
	for _, r := range m.refs {
		if x.get(st, i.Value).null {
			st.release(r.id) // perhaps the value that is the item
		}
		x.hold(st, r.id, "#held", x.get(st, i.Key), i)
		x.hold(st, r.id, "#held", x.get(st, i.Value), i)
	}
}

// element returns the part of an array or slice that an instruction points into. Only
// elements of arrays with a constant index are told apart.
func element(i *ssa.IndexAddr) string {
	if _, ok := i.X.Type().Underlying().(*types.Pointer); ok {
		if c, ok := i.Index.(*ssa.Const); ok && c.Value != nil {
			return "[" + c.Value.ExactString() + "]"
		}
	}
	return "[]"
}

// field returns a field of a struct that is no variable.
func (x *exploration) field(st *state, i *ssa.Field) val {
	v := x.get(st, i.X)
	if i.Field < len(v.elems) && (v.elems[i.Field].sym != "" || len(v.elems[i.Field].refs) > 0) {
		return v.elems[i.Field]
	}
	return x.fresh(st, i, i.Type())
}

// inInterface returns a value in an interface, which is never nil.
func (x *exploration) inInterface(st *state, i *ssa.MakeInterface) val {
	v := x.get(st, i.X)
	if !shape.PointerLike(i.X.Type()) && len(v.refs) == 0 {
		v = val{sym: "v" + i.Name(), elems: v.elems, cst: v.cst}
	}
	v.null = false
	return v
}

// extracted returns one of the results of a call, or of another instruction with several.
func (x *exploration) extracted(st *state, i *ssa.Extract) val {
	t := x.get(st, i.Tuple)
	if i.Index < len(t.elems) {
		return t.elems[i.Index]
	}
	v := x.fresh(st, i, i.Type())
	v.sym = fmt.Sprintf("(x %s %d)", t.sym, i.Index)
	return v
}

// typeAssert carries out a type assertion. With two results, the second may tell whether a
// pool was empty.
func (x *exploration) typeAssert(st *state, i *ssa.TypeAssert) {
	v := x.get(st, i.X)
	if !shape.PointerLike(i.AssertedType) {
		v = val{sym: "v" + i.Name(), elems: v.elems, refs: nil}
	}
	if !i.CommaOk {
		st.top().env[i] = v
		return
	}
	ok := val{sym: fmt.Sprintf("(x v%s 1)", i.Name())}
	st.top().env[i] = val{sym: "v" + i.Name(), elems: []val{v, ok}}
	if len(v.refs) == 1 && st.objs[v.refs[0].id].kind == pooled && decidesAlone(i) {
		st.await(v.refs[0].id, pending{sym: ok.sym}) // the pool was empty, and its New is nil
	}
}

// selects carries out a select statement. Where the program asks which case was chosen, an
// object that is sent passes to its receiver only on paths of that case.
func (x *exploration) selects(st *state, i *ssa.Select) {
	x.yield(st, false)
	for n, s := range i.States {
		if s.Send == nil {
			continue
		}
		v := x.get(st, s.Send)
		x.useReach(st, i, []val{v}, SentAfterPut)
		if len(shape.Choices(i, n)) == 0 { // the rest is the same whichever case was chosen
			x.shareBy(st, &share{i, s.Pos}, v)
			continue
		}
		// The memory is the receiver's if this case was chosen.
		chosen := pending{sym: fmt.Sprintf("(== (x v%s 0) %d)", i.Name(), n), truth: true, share: &share{i, s.Pos}}
		x.reach(st, v, 3, func(r ref, _, _ bool) {
			if o := st.objs[r.id]; o.dead == nil && !o.null && o.kind != global && o.count == 0 {
				st.await(r.id, chosen)
			}
		})
		if len(v.refs) != 1 || st.objs[v.refs[0].id].kind != pooled {
			x.escape(st, v)
		}
	}
}

// operands returns the function that is called and its arguments, first of them the receiver
// of a method of an interface.
func (x *exploration) operands(st *state, c *ssa.CallCommon) (fn val, args []val) {
	fn = x.get(st, c.Value)
	if c.IsInvoke() {
		args = append(args, fn)
	}
	for _, a := range c.Args {
		args = append(args, x.get(st, a))
	}
	return fn, args
}

// decidesAlone reports whether a type assertion is the only one of its operand, and
// whether somebody looks at the outcome.
func decidesAlone(t *ssa.TypeAssert) bool {
	for _, r := range *t.X.Referrers() {
		if other, ok := r.(*ssa.TypeAssert); ok && other != t {
			return false
		}
	}
	for _, r := range *t.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == 1 && len(*e.Referrers()) > 0 {
			return true
		}
	}
	return false
}

func (x *exploration) unary(st *state, i *ssa.UnOp) {
	f := st.top()
	v := x.get(st, i.X)
	switch i.Op {
	case token.MUL:
		x.use(st, i, v, UseAfterPut)
		if g, ok := i.X.(*ssa.Global); ok && x.setOnce[g] != nil {
			f.env[i] = val{sym: "v" + i.Name(), fn: x.setOnce[g]}
			return
		}
		f.env[i] = x.load(st, i, v, shape.FieldOf(i.X), i.Type())
	case token.NOT:
		if v.cst != nil && v.cst.Kind() == constant.Bool {
			b := !constant.BoolVal(v.cst)
			f.env[i] = val{sym: fmt.Sprint(b), cst: constant.MakeBool(b)}
			return
		}
		if s, ok := strings.CutPrefix(v.sym, "!"); ok {
			v.sym = s
		} else {
			v.sym = "!" + v.sym
		}
		f.env[i] = v
	case token.ARROW:
		x.yield(st, false)
		delete(f.env, i)
	default:
		delete(f.env, i)
	}
}

func (x *exploration) slice(st *state, i *ssa.Slice) {
	f := st.top()
	v := x.get(st, i.X)
	f.env[i] = val{sym: "v" + i.Name()}
	if len(v.refs) == 0 {
		return
	}
	isConst := func(v ssa.Value, n int64) bool {
		c, ok := v.(*ssa.Const)
		return ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Compare(c.Value, token.EQL, constant.MakeInt64(n))
	}
	b := bits(0)
	if i.Low != nil && !isConst(i.Low, 0) {
		b |= cut | partial
	}
	if i.High != nil {
		b |= partial
	}
	if i.Max != nil {
		b |= clipped | partial
		if isConst(i.Max, 0) {
			b |= empty
		}
	}
	r := mark(v, b)
	r.sym, r.cst, r.null = "v"+i.Name(), nil, false
	f.env[i] = r
}

func (x *exploration) convert(st *state, i ssa.Value, from ssa.Value) {
	f := st.top()
	v := x.get(st, from)
	isString := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsString != 0
	}
	_, slice := from.Type().Underlying().(*types.Slice)
	if slice && isString(i.Type()) || isString(from.Type()) { // a copy
		x.use(st, i.(ssa.Instruction), v, UseAfterPut)
		f.env[i] = val{sym: "v" + i.Name()}
		if shape.PointerLike(i.Type()) {
			delete(f.env, i)
		}
		return
	}
	v.nilOf = 0
	if v.cst != nil {
		v = val{sym: v.sym, cst: v.cst}
	}
	f.env[i] = v
}

// launch starts a goroutine.
func (x *exploration) launch(st *state, i *ssa.Go) {
	fn, args := x.operands(st, &i.Call)
	args = append(args, fn.binds...)
	x.useReach(st, i, args, GoAfterPut)
	x.yield(st, true)
	for _, a := range args {
		x.share(st, i, a)
		x.escape(st, a)
	}
}

// share notes that another goroutine has the memory that v leads to.
func (x *exploration) share(st *state, i ssa.Instruction, v val) {
	x.shareBy(st, &share{instr: i}, v)
}

func (x *exploration) shareBy(st *state, by *share, v val) {
	x.reach(st, v, 3, func(r ref, direct, _ bool) {
		o := st.objs[r.id]
		if o.dead == nil && !o.null && o.kind != global {
			e := st.edit(r.id)
			e.given = true
			if o.shared == nil && o.count == 0 {
				e.shared = by
			}
		}
	})
	x.escape(st, v)
}

// yield notes that other goroutines may have gone on, unless calm is set. Those that share
// memory may then be done with it.
func (x *exploration) yield(st *state, calm bool) {
	if calm {
		return
	}
	for id, o := range st.objs {
		if o.shared != nil {
			x.unsync[o.shared.instr] = true
			st.edit(id).shared = nil
		}
	}
}

// reach calls visit with all memory that a value leads to. direct is set if the way there is
// through variables that this function has set, captured if it is through captures of a
// function literal.
func (x *exploration) reach(st *state, v val, depth int, visit func(r ref, direct, captured bool)) {
	seen := map[objID]bool{}
	var later []func() // captures, which may be reached otherwise, too
	var walk func(v val, depth int, direct, captured bool)
	walk = func(v val, depth int, direct, captured bool) {
		for _, r := range v.refs {
			visit(r, direct, captured)
			if depth == 0 || seen[r.id] {
				continue
			}
			seen[r.id] = true
			if st.objs[r.id].kind == global {
				continue
			}
			for l, c := range st.mem {
				if l.id == r.id && strings.HasPrefix(l.sub, r.sub) {
					walk(c.v, depth-1, direct && c.store != nil && st.objs[r.id].kind == local, captured)
				}
			}
		}
		for _, e := range v.elems {
			walk(e, depth, direct, captured)
		}
		for _, b := range v.binds {
			later = append(later, func() { walk(b, depth, direct, true) })
		}
	}
	walk(v, depth, true, false)
	for len(later) > 0 {
		next := later[0]
		later = later[1:]
		next()
	}
}

// escape notes that unknown code has the memory that v leads to and may change it.
func (x *exploration) escape(st *state, v val) {
	x.reach(st, v, 3, func(r ref, direct, _ bool) {
		if o := st.objs[r.id]; !o.away {
			st.edit(r.id).away = true
		}
	})
}

// leave returns from a function, and reports whether the path goes on.
func (x *exploration) leave(st *state, instr *ssa.Return) bool {
	f := st.top()
	var results []val
	for _, r := range instr.Results {
		results = append(results, x.get(st, r))
	}
	if len(st.frames) == 1 {
		x.finish(st, instr, results)
		return false
	}
	st.frames = st.frames[:len(st.frames)-1]
	if v, ok := f.call.(*ssa.Call); ok {
		below := st.top()
		switch len(results) {
		case 0:
		case 1:
			below.env[v] = results[0]
		default:
			below.env[v] = val{sym: "v" + v.Name(), elems: results}
		}
	}
	return true
}

// prune drops the values that nobody uses from the beginning of a block on.
func (e *explorer) prune(f *frame, to *ssa.BasicBlock) {
	f.live = e.lives.of(f.fn, nil, shape.LivenessOf)
	for v := range f.env {
		if !f.live.IsUsed(v, to) {
			delete(f.env, v)
		}
	}
}
