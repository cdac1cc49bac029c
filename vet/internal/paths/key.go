package paths

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A writer describes values, with objects named in the order in which they are met.
type writer struct {
	text  []byte
	names map[objID]int
	queue []objID // in this order
}

func (w *writer) name(id objID) int {
	n, ok := w.names[id]
	if !ok {
		n = len(w.names) + 1
		w.names[id] = n
		w.queue = append(w.queue, id)
	}
	return n
}

func (w *writer) string(s string) { w.text = append(w.text, s...) }
func (w *writer) byte(b byte)     { w.text = append(w.text, b) }
func (w *writer) int(n int)       { w.text = strconv.AppendInt(w.text, int64(n), 10) }

func (w *writer) bools(bs ...bool) {
	for _, b := range bs {
		if b {
			w.byte('t')
		} else {
			w.byte('f')
		}
	}
}

func (w *writer) value(v val) {
	switch {
	case v.null:
		w.string("nil")
	case v.cst != nil:
		w.string(v.cst.ExactString())
	case len(v.refs) == 0:
		w.string(v.sym)
	}
	for _, r := range v.refs {
		w.byte('@')
		w.int(w.name(r.id))
		w.string(r.sub)
		w.byte('/')
		w.int(int(r.bits))
	}
	if v.fn != nil {
		w.string(v.fn.Name())
	}
	for _, e := range v.elems {
		w.byte('(')
		w.value(e)
		w.byte(')')
	}
	for _, b := range v.binds {
		w.byte('[')
		w.value(b)
		w.byte(']')
	}
}

// key describes the part of the state that matters from here on, in text that is
// appended to a buffer. The objects that the description names are those within reach.
func (st *state) key(buf []byte) *writer {
	w := &writer{text: buf, names: make(map[objID]int, len(st.objs))}
	w.frames(st.frames)
	roots, locs := st.roots()
	for _, id := range roots {
		w.name(id)
	}
	// Naming the contents of an object adds to the queue.
	for i := 0; i < len(w.queue); i++ {
		id := w.queue[i]
		w.byte('\n')
		w.int(i)
		w.object(st.objs[id], st.hollow[id])
		ls := locs[id]
		slices.SortFunc(ls, func(a, b loc) int { return strings.Compare(a.sub, b.sub) })
		for _, l := range ls {
			c := st.mem[l]
			w.string(l.sub)
			w.byte('=')
			if c.store != nil {
				w.int(int(position(c.store)))
			}
			w.value(c.v)
		}
	}
	facts := make([]string, 0, len(st.facts))
	for f := range st.facts {
		facts = append(facts, f)
	}
	slices.Sort(facts)
	for _, f := range facts {
		w.byte('&')
		w.string(f)
		w.bools(st.facts[f])
	}
	w.bools(st.decided, st.chance)
	w.int(len(st.lent))
	w.text = strconv.AppendUint(w.text, st.sizes, 16)
	return w
}

// frames writes the place in each function that is running, with the values that are known
// there and its deferred calls.
func (w *writer) frames(frames []*frame) {
	type entry struct {
		index int
		v     val
	}
	var entries []entry
	for _, f := range frames {
		w.string(f.fn.Name())
		w.byte('.')
		w.int(f.block.Index)
		w.byte('.')
		w.int(f.next)
		entries = entries[:0]
		for v, known := range f.env {
			if i, ok := v.(ssa.Instruction); ok && !i.Block().Dominates(f.block) {
				continue
			}
			entries = append(entries, entry{f.live.Index(v), known})
		}
		slices.SortFunc(entries, func(a, b entry) int { return a.index - b.index })
		for _, e := range entries {
			w.byte(';')
			w.int(e.index)
			w.byte('=')
			w.value(e.v)
		}
		for _, d := range f.defers {
			w.byte('d')
			w.int(int(d.instr.Pos()))
			w.value(d.fn)
			for _, a := range d.args {
				w.byte(',')
				w.value(a)
			}
		}
	}
}

// roots returns the objects that are reached by name, those of parameters and globals, and
// those that the caller will see. It also returns the places with known contents, by object.
func (st *state) roots() (roots []objID, locs map[objID][]loc) {
	locs = map[objID][]loc{}
	for l := range st.mem {
		locs[l.id] = append(locs[l.id], l)
		if o := st.objs[l.id]; o.kind == param || o.kind == global {
			roots = append(roots, l.id)
		}
	}
	// The caller will see the parts of an argument that were put.
	for id, o := range st.objects() {
		if o.dead != nil && !o.used && (o.kind == param || o.owner != 0) {
			roots = append(roots, id)
		}
	}
	slices.Sort(roots)
	return roots, locs
}

// object writes the state of an object, without its contents.
func (w *writer) object(o *object, hollow bool) {
	w.int(int(o.kind))
	w.int(int(o.since))
	w.bools(o.used, o.left, o.null, o.away, o.gone, o.owned, hollow)
	w.int(o.count)
	if o.kind == pooled {
		w.string(o.pool)
	}
	if o.dead != nil {
		w.byte('x')
		w.int(int(o.forks))
		w.int(int(position(o.dead.instr)))
		w.bools(o.dead.deferred)
	}
	if o.kept != nil {
		w.byte('k')
		w.int(int(position(o.kept.instr)))
	}
	if o.shared != nil {
		w.byte('s')
		w.int(int(position(o.shared.instr)))
	}
	if o.stale != nil {
		w.byte('o')
		w.int(int(position(o.stale)))
	}
	for _, p := range o.later {
		w.byte('p')
		w.string(p.sym)
		w.bools(p.truth)
	}
}

// reachable has the objects that the rest of the path may meet. These are the objects in
// names, those that conditions and literals refer to, their owners and contents, and
// those looked at when the path ends.
func (st *state) reachable(names map[objID]int) map[objID]bool {
	w := walk{st, make(map[objID]bool, len(st.objs)), nil}
	for id := range names {
		w.add(id)
	}
	for id, o := range st.objects() {
		if o.kind == param || o.kind == global || o.dead == nil && (o.shared != nil || o.kind == pooled || len(o.later) > 0) {
			w.add(id)
		}
	}
	st.eachValue(w.value)
	locs := map[objID][]cell{}
	for l, c := range st.mem {
		locs[l.id] = append(locs[l.id], c)
	}
	for l, c := range st.lent {
		w.add(l.id)
		w.value(c.v)
	}
	for i := 0; i < len(w.queue); i++ {
		w.add(st.objs[w.queue[i]].owner)
		for _, c := range locs[w.queue[i]] {
			w.value(c.v)
		}
	}
	return w.kept
}

// eachValue calls visit with the values of all functions that are running, and of their deferred calls.
func (st *state) eachValue(visit func(val)) {
	for _, f := range st.frames {
		for _, v := range f.env {
			visit(v)
		}
		for _, v := range f.free {
			visit(v)
		}
		for _, d := range f.defers {
			visit(d.fn)
			for _, a := range d.args {
				visit(a)
			}
		}
	}
}

// A walk finds the objects that values lead to.
type walk struct {
	st    *state
	kept  map[objID]bool
	queue []objID
}

func (w *walk) add(id objID) {
	if id != 0 && !w.kept[id] && w.st.objs[id] != nil {
		w.kept[id] = true
		w.queue = append(w.queue, id)
	}
}

func (w *walk) value(v val) {
	w.add(v.nilOf)
	w.add(v.sizeOf)
	for _, r := range v.refs {
		w.add(r.id)
	}
	for _, e := range v.elems {
		w.value(e)
	}
	for _, b := range v.binds {
		w.value(b)
	}
}
