package paths

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
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

// An Explorer follows the paths through the functions of a package. Only its Package must be set.
type Explorer struct {
	*facts.Package
	spent    int // on descriptions of states, in bytes
	lives    facts.Memo[*ssa.Function, *shape.Liveness]
	conds    facts.Memo[*ssa.Function, *conditions]
	turns    facts.Memo[turn, bool]                    // results of judgeTurn
	deciders facts.Memo[ssa.Instruction, map[any]bool] // functions that decide whether an instruction is reached
}

// conditions tells which conditions of a function are worth remembering.
type conditions struct {
	repeated map[*ssa.If]bool
	tested   map[ssa.Value]bool
}

// A turn is a condition that comes after a Put or a Get.
type turn struct {
	cond *ssa.If
	put  ssa.Instruction
}

// An exploration follows the paths through a function.
type exploration struct {
	*Explorer
	root   *ssa.Function
	work   []*state
	seen   map[[32]byte]bool
	buf    []byte // for the description of a state
	bytes  int    // of descriptions of states
	steps  int
	cutOff bool // not all paths have been followed
	hits   map[hitKey]*Hit
	found  []*Hit                          // all hits, in the order in which they were found
	live   map[useAt]map[string]types.Type // uses that were met before the Put of their memory, by the origin of that memory
	clean  map[ssa.Instruction]bool        // deaths after which a path ended without a use
	unsync map[ssa.Instruction]bool        // shares that may have ended before a Put
	exits  exits
	params []objID
	alive  map[string]bool          // where memory came from that was not put on some path
	putGot map[ssa.Instruction]bool // calls whose results are put
}

// newFrame is at the beginning of a function.
func (e *Explorer) newFrame(fn *ssa.Function) *frame {
	return &frame{fn: fn, block: fn.Blocks[0], env: map[ssa.Value]val{}, visits: map[*ssa.BasicBlock]int{}, live: e.lives.Of(fn, nil, shape.LivenessOf)}
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

func (x *exploration) hit(st *state, kind HitKind, use ssa.Instruction, o *object, d *death) *Hit {
	k := hitKey{kind, use, d.instr, st.origin(o)}
	if h := x.hits[k]; h != nil {
		h.since = min(h.since, st.sinceGet(o, use))
		return h
	}
	h := &Hit{Kind: kind, At: position(use), Put: position(d.instr), Grow: d.grow, Forget: d.kept, Defer: d.deferred,
		Callee: d.callee, Some: d.sometimes, Inner: d.inner, Func: x.root, Use: use, put: d, origin: k.origin, since: st.sinceGet(o, use), Typ: o.typ}
	_, h.Later = use.(*ssa.Defer)
	if o.kind == pooled && o.instr != nil {
		h.Get = position(o.instr)
		if c, ok := o.instr.(ssa.CallInstruction); ok {
			if f := c.Common().StaticCallee(); f != nil {
				h.Pool = f.String()
			}
		}
	}
	h.Limited = x.Limited[strings.TrimRight(o.pool, "*")]
	x.hits[k] = h
	x.found = append(x.found, h)
	return h
}

// noteLive notes that a use is met before the Put of its memory.
func (x *exploration) noteLive(st *state, instr ssa.Instruction, kind HitKind, o *object) {
	at := useAt{instr, kind}
	if x.live[at] == nil {
		x.live[at] = map[string]types.Type{}
	}
	x.live[at][st.origin(o)] = o.typ
}

// HitKind is the kind of a mistake with pooled memory.
type HitKind uint8

const (
	UseAfterPut      HitKind = iota + 1 // memory that was put is read, written or passed on
	DoublePut                           // memory that was put is put once more
	ReturnedAfterPut                    // memory that was put, or will be by a deferred call, is returned
	StoredAfterPut                      // such memory is kept in a field or a variable
	SentAfterPut                        // such memory is sent
	GoAfterPut                          // such memory is given to a goroutine
	SharedAtPut                         // memory is put while another goroutine has it
	GoInHandler                         // a goroutine has memory that a framework reuses
	StaleView                           // a slice of a buffer is used after the buffer was written to
	CutPut                              // the front of the slice put is missing
	ClippedPut                          // the capacity of the slice put is cut
	GrownPut                            // append may have moved the slice before it is put
	ForeignPut                          // the memory put belongs to no pool
	OtherPool                           // the memory put came from another pool
	MissingPut                          // a path ends without a Put
	HandlerPut                          // memory is put that its framework puts, too
)

// A Hit is one mistake with one piece of memory.
type Hit struct {
	Kind    HitKind
	At      token.Pos // of the use
	Put     token.Pos
	Grow    bool      // the Put is an Append or the like, which puts the memory that it outgrows
	Forget  bool      // the Put is a Forget: the memory stays with its users
	Defer   bool      // the Put is deferred
	Later   bool      // the use is a deferred call
	Callee  string    // the function that puts
	Some    bool      // that function puts it on some returns only
	Inner   token.Pos // of the Put in that function, if it is in the same package
	Again   token.Pos // DoublePut: of the second Put, if At is a call of a function in this package that has it
	By      string    // DoublePut: that function
	Get     token.Pos
	Pool    string // the type of the pool that handed it out
	Func    *ssa.Function
	Use     ssa.Instruction
	put     *death
	origin  string // of the memory
	decided bool   // OtherPool: the path depends on conditions
	whole   bool   // StoredAfterPut of an item, and not of a part of it
	since   forks  // between its Get and the use, on the path with the fewest
	Typ     types.Type
	Limited bool        // the pool has MaxInUse
	More    []token.Pos // further uses after the same Put
}

// PutInstr returns the instruction that put the memory.
func (h *Hit) PutInstr() ssa.Instruction { return h.put.instr }
