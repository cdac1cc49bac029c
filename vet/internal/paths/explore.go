// Package paths follows the paths through each function of a package. It finds memory of pools that is used after its Put, put
// twice, kept, or put into the wrong pool.
//
// A state is the knowledge of a path: objects, which are memory with an identity of its own, and the places that have them
// (state.go). A call changes the state by its row in the table of effects (row.go), or by the fact of the called function
// (calls.go). A call of an unknown function forgets. When all paths have come to their ends (exits.go), their common part is the
// function's own fact. Mistakes on the way are Hits. A path need not exist in the program, so certain.go keeps a Hit only if no
// other path contradicts it, and forks.go tells which conditions can.
//
// Touch it for a bug that only a path shows. For a library function, add a row to effects.txt. For a form of code, see
// package shape.
package paths

import (
	"cmp"
	"crypto/sha256"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/shape"
)

// Explore returns the fact of a function and the mistakes in it that are certain.
func (e *Explorer) Explore(fn *ssa.Function) (*facts.Fact, []*Hit) {
	x := e.follow(fn)
	var found []*Hit
	for _, h := range x.found {
		if h.At.IsValid() && x.certain(h) {
			found = append(found, h)
		}
	}
	return x.fact(), found
}

// fact condenses the exits of all paths to their common part. An alias of a result is
// known from one path, so some paths are enough for that.
func (x *exploration) fact() *facts.Fact {
	if len(x.exits) == 0 {
		return nil
	}
	f := &facts.Fact{Aliases: x.exits.aliases()}
	if x.cutOff && len(f.Aliases) == 0 {
		return nil
	}
	if x.cutOff {
		return f
	}
	f.Fields = x.exits.fields()
	f.Puts, f.Gets, f.Reads = append(x.exits.puts(x.root), x.PutsElements(x.root)...), x.exits.gets(), facts.ReadsOf(x.root)
	slices.SortFunc(f.Puts, func(a, b facts.Put) int { return cmp.Or(a.Arg-b.Arg, strings.Compare(a.Path, b.Path)) })
	for i := range x.params {
		if when, ok := x.exits.shareWhen(i); ok {
			f.Shares = append(f.Shares, facts.Share{Arg: i, When: when})
		}
	}
	if len(f.Puts)+len(f.Gets)+len(f.Aliases)+len(f.Fields)+len(f.Shares)+len(f.Reads) == 0 {
		return nil
	}
	f.Sized = len(f.Gets) > 0 && facts.LooksAtSize(x.root)
	f.Calm = x.Writes(x.root).None()
	return f
}

// follow follows the paths of a function from its first block.
func (e *Explorer) follow(fn *ssa.Function) *exploration {
	x := &exploration{Explorer: e, root: fn, seen: map[[32]byte]bool{}, hits: map[hitKey]*Hit{},
		live: map[useAt]map[string]types.Type{}, clean: map[ssa.Instruction]bool{}, unsync: map[ssa.Instruction]bool{}, putGot: map[ssa.Instruction]bool{}, alive: map[string]bool{}}
	st := newState()
	f := x.newFrame(fn)
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
	if to.Dominates(from) {
		x.widen(st, from, to)
	}
	if to.Dominates(from) || f.visits[to] > 1 {
		x.forget(st, to)
	}
	prune(f, to)
	maps.Copy(f.env, phis)
	f.block, f.next = to, 0
	return len(to.Preds) <= 1 && len(st.frames) == 1 || x.isNew(st, from)
}

// leaveLoops marks memory that died in a loop that a path leaves from its head, or that dies in each round of it. That no
// use follows the Put is then no proof.
func (x *exploration) leaveLoops(st *state, from, to *ssa.BasicBlock) {
	for head, body := range x.Loops(from.Parent()) {
		if !body[from] || body[to] {
			continue
		}
		for id, o := range st.objects() {
			if o.dead != nil && !o.left && body[o.dead.instr.Block()] && (from == head || shape.InEachRound(o.dead.instr.Block(), head, body)) {
				st.edit(id).left = true
			}
		}
	}
}

// widen names the numbers that a round of a loop has stored by what was stored. Otherwise each round of sum += n would make
// another state, and the analysis would be cut off.
func (x *exploration) widen(st *state, from, head *ssa.BasicBlock) {
	body := x.Loops(from.Parent())[head]
	for l, c := range st.mem {
		store, ok := c.store.(*ssa.Store)
		if !ok || !body[store.Block()] || !isPlain(c.v) || shape.IsBasic(store.Val.Type(), types.IsBoolean) {
			continue
		}
		c.v = val{sym: "v" + store.Val.Name()}
		st.mem[l] = c
	}
}

// isPlain reports whether a value is known by its symbol alone.
func isPlain(v val) bool {
	return len(v.refs)+len(v.elems)+len(v.binds) == 0 && v.cst == nil && !v.null && v.fn == nil
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
			if !x.condsOf(from.Parent()).tested[phi] || to.Dominates(from) && !shape.IsBasic(phi.Type(), types.IsBoolean) {
				v = val{sym: "v" + phi.Name()}
			}
		}
		vals[phi] = v
	}
	return vals
}

// prune drops the values that nobody uses from the beginning of a block on.
func prune(f *frame, to *ssa.BasicBlock) {
	for v := range f.env {
		if !f.live.IsUsed(v, to) {
			delete(f.env, v)
		}
	}
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
	for id, o := range st.objects() {
		switch {
		case !kept[id]:
			x.lose(st, o, current)
		case names[id] == 0 && o.isOutstanding() && len(o.later) == 0 && len(st.frames) == 1 && !x.held(st, id, kept):
			x.hit(st, MissingPut, o.instr, o, &death{instr: lastOf(from, o.instr)})
			st.edit(id).given = true
		}
	}
	for id := range st.objs {
		if !kept[objID(id)] {
			st.objs[id] = nil
		}
	}
	maps.DeleteFunc(st.mem, func(l loc, _ cell) bool { return !kept[l.id] })
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
	has := func(v val) bool {
		return v.leadsTo(id) || slices.ContainsFunc(v.refs, func(r ref) bool { return st.isOf(r, id) })
	}
	for l, c := range st.mem {
		if kept[l.id] && l.id != id && has(c.v) {
			return true
		}
	}
	for _, f := range st.frames {
		for _, v := range f.env {
			if has(v) {
				return true
			}
		}
		if slices.ContainsFunc(f.free, has) {
			return true
		}
	}
	return false
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
