package paths

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// A val is the value of a variable on the path that is followed.
type val struct {
	sym     string         // names the value in conditions; a leading ! negates it
	refs    []ref          // the memory it points at or contains
	elems   []val          // of a tuple or a struct, if they are known
	cst     constant.Value // of a constant that is not nil
	null    bool           // it is nil
	fn      *ssa.Function  // it is this function,
	binds   []val          // with these values of the free variables
	nilOf   objID          // it is the outcome of comparing this object with nil
	sizeOf  objID          // it is the length or the capacity of this object
	emptied emptiness      // it says whether an object has the length 0
}

// An emptiness is an object that has the length 0 if a condition has this truth.
type emptiness struct {
	id    objID
	truth bool
}

// A ref is an address in an object, or a slice, map or pointer to it.
type ref struct {
	id   objID
	sub  string // where in the object: .field, [i], #held or #contents
	bits bits
}

type bits uint8

const (
	cut     bits = 1 << iota // does not begin where the memory does
	clipped                  // its capacity has been cut
	grown                    // may have been moved by append
	partial                  // is not the handle that Get returned
	empty                    // has no capacity, so that append copies
	far                      // append has added slices of any length in a loop
)

type objID int32

type kind uint8

const (
	unknown kind = iota // result of a call, memory that a field points at
	param
	global
	local  // a variable, or memory of new and &
	made   // by make
	pooled // a result of Get
	static // bytes of a constant, an array that is a variable
)

// An object is memory with an identity of its own.
type object struct {
	kind    kind
	name    string
	typ     types.Type
	instr   ssa.Instruction // that has made it
	pool    string          // it came from, if that is known
	index   int             // of a parameter
	owner   objID           // that has it in a field, or 0
	at      string          // which field
	owned   bool            // and puts it together with itself
	count   int             // references that have been added
	size    string          // that was asked for
	family  string          // of pools, see family
	given   bool            // to a goroutine, a receiver or a variable of others
	dead    *death
	kept    *death // the call that left it to its users for ever
	used    bool   // after its death
	left    bool   // the loop in which it died has come to its end since
	null    bool   // it is nil on this path
	away    bool   // somebody unknown has it, or had it during a call
	gone    bool   // the same, and may put it later
	shared  *share
	later   []pending
	stale   ssa.Instruction // views of it are outdated since
	touched bool            // a part of it was replaced, or may have been
	nonnil  bool
	mourned bool  // it was within reach after its death
	forks   forks // since its death
	since   forks // since it was got
}

// A death is the event that ended the ownership of an object.
type death struct {
	instr     ssa.Instruction
	kept      bool // it stays with its users
	grow      bool // perhaps: it is replaced by a function's result
	deferred  bool
	callee    string    // that puts it, if instr calls a wrapper
	away      bool      // it is not put, and was passed to others
	once      bool      // the callee puts nothing when it is called again
	sometimes bool      // the callee puts it on some returns only
	inner     token.Pos // of the Put that the callee makes, if it is in this package
	field     bool      // instr calls a function that puts the memory of a field of its argument
}

// A share is a goroutine or a receiver that has the object, too.
type share struct {
	instr ssa.Instruction
	pos   token.Pos // of the case, if instr is a select
}

// pending takes effect once a condition is known to have this truth. Then death has put the
// object, or share has it. Without either, the object is nil.
type pending struct {
	sym   string
	truth bool
	death *death
	share *share
	open  bool // nobody asks for the condition: both outcomes are possible
	clear loc  // a place that has the object and is nil after death, if any
}

// place returns the position of the Put itself.
func (d *death) place() token.Pos {
	if d.inner.IsValid() {
		return d.inner
	}
	return position(d.instr)
}

type loc struct {
	id  objID
	sub string
}

func (l loc) compare(m loc) int {
	return cmp.Or(cmp.Compare(l.id, m.id), strings.Compare(l.sub, m.sub))
}

type cell struct {
	v     val
	field *types.Var      // that the location is
	store ssa.Instruction // that wrote it, if this function did
}

type deferred struct {
	instr *ssa.Defer
	fn    val
	args  []val
}

type frame struct {
	fn     *ssa.Function
	block  *ssa.BasicBlock
	next   int
	env    map[ssa.Value]val
	free   []val
	defers []deferred
	visits map[*ssa.BasicBlock]int
	live   *shape.Liveness
	call   ssa.CallInstruction // in the frame below that this one serves
}

// On some paths memory is put and not used. Such a path proves nothing about a use
// elsewhere if only the other way at a condition leads there, and if the condition has
// nothing to do with the Put:
//
//	if err != nil {
//		pool.Put(b) // without a return
//	}
//	if _, err := w.Write(header); err != nil {
//		return err // b is put, and not used: but it could have been
//	}
//	w.Write(b)
//
// Most conditions may depend on each other in ways that are hard to see. A condition that
// depends only on calls after the Put is independent of the Put.
type forks uint8

const (
	noFork      forks = iota
	independent       // of the Put: all conditions since
	dependent         // perhaps: one of these conditions
)

type state struct {
	frames  []*frame
	objs    []*object // by id, nil if they are out of reach; objs[0] is none
	mem     map[loc]cell
	lent    map[loc]cell // cells that were set, but others may have changed since
	facts   map[string]bool
	decided bool           // the path depends on more than sizes of parameters
	sizes   uint64         // parameters on whose sizes the path depends
	chance  bool           // the path depends on which channels were ready
	hollow  map[objID]bool // slices of length 0
}

func newState() *state {
	return &state{objs: []*object{nil}, mem: map[loc]cell{}, facts: map[string]bool{}}
}

func (st *state) top() *frame { return st.frames[len(st.frames)-1] }

func (st *state) clone() *state {
	c := *st
	c.frames = make([]*frame, len(st.frames))
	for i, f := range st.frames {
		g := *f
		g.env = maps.Clone(f.env)
		g.defers = slices.Clone(f.defers)
		g.visits = maps.Clone(f.visits)
		c.frames[i] = &g
	}
	c.objs = slices.Clone(st.objs)
	c.mem = maps.Clone(st.mem)
	c.facts = maps.Clone(st.facts)
	c.hollow = maps.Clone(st.hollow)
	return &c
}

func (st *state) add(o object) objID {
	id := objID(len(st.objs))
	if o.name == "" {
		o.name = fmt.Sprintf("o%d", id)
	}
	st.objs = append(st.objs, &o)
	return id
}

// global returns the object of a global variable.
func (st *state) global(name string, typ types.Type) objID {
	for id, o := range st.objects() {
		if o.kind == global && o.name == name {
			return id
		}
	}
	return st.add(object{kind: global, name: name, typ: typ})
}

// objects yields all objects within reach, in the order in which they were made. Each run must analyze a program in the same
// order: an analysis that is cut off keeps the paths that came first.
func (st *state) objects() iter.Seq2[objID, *object] {
	return func(yield func(objID, *object) bool) {
		for id, o := range st.objs {
			if o != nil && !yield(objID(id), o) {
				return
			}
		}
	}
}

// places returns the places with known contents, in order.
func (st *state) places() []loc {
	return slices.SortedFunc(maps.Keys(st.mem), loc.compare)
}

// placesIn returns the places with known contents in one object, in order.
func (st *state) placesIn(id objID) (in []loc) {
	for l := range st.mem {
		if l.id == id {
			in = append(in, l)
		}
	}
	slices.SortFunc(in, loc.compare)
	return in
}

// edit returns a copy of an object, which only this path sees.
func (st *state) edit(id objID) *object {
	o := *st.objs[id]
	st.objs[id] = &o
	return &o
}

// await notes that p takes effect on an object when its condition is known.
func (st *state) await(id objID, p pending) {
	o := st.edit(id)
	o.later = append(o.later[:len(o.later):len(o.later)], p)
}

// make returns a new object that an instruction has made.
func (st *state) make(kind kind, v ssa.Value) val {
	id := st.add(object{kind: kind, typ: v.Type(), instr: v.(ssa.Instruction)})
	return val{sym: "v" + v.Name(), refs: []ref{{id: id}}}
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

// has reports whether a value is an address in an object.
func (v val) has(id objID) bool {
	return slices.ContainsFunc(v.refs, func(r ref) bool { return r.id == id })
}

// leadsTo reports whether a value or a part of it has the address of an object.
func (v val) leadsTo(id objID) bool {
	return v.has(id) ||
		slices.ContainsFunc(v.elems, func(e val) bool { return e.leadsTo(id) }) ||
		slices.ContainsFunc(v.binds, func(b val) bool { return b.leadsTo(id) })
}

// answer returns the value of a condition that is known.
func answer(truth bool) val { return val{sym: fmt.Sprint(truth), cst: constant.MakeBool(truth)} }

func within(v val, sub string) val {
	r := val{sym: v.sym + sub}
	for _, a := range v.refs {
		r.refs = append(r.refs, ref{a.id, a.sub + sub, a.bits | partial})
	}
	return r
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

// position returns where an instruction is in the source, as well as is known.
func position(i ssa.Instruction) token.Pos {
	if i == nil {
		return token.NoPos
	}
	if d, ok := i.(*ssa.Defer); ok {
		return d.Pos()
	}
	if p := i.Pos(); p.IsValid() {
		return p
	}
	var ops [8]*ssa.Value
	for _, op := range i.Operands(ops[:0]) {
		if *op != nil {
			if p := (*op).Pos(); p.IsValid() {
				if _, ok := (*op).(ssa.Instruction); ok {
					return p
				}
			}
		}
	}
	return i.Parent().Pos()
}
