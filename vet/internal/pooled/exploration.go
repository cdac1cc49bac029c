package pooled

import (
	"go/types"
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
	h.Limited = x.limited[strings.TrimRight(o.pool, "*")]
	x.hits[k] = h
	return h
}

// noteLive notes that a use is met before the Put of its memory.
func (x *exploration) noteLive(st *state, instr ssa.Instruction, kind HitKind, o *object) {
	origin := st.origin(o)
	x.live[useKey{instr, kind, origin}] = true
	at := useAt{instr, kind}
	if x.origins[at] == nil {
		x.origins[at] = map[string]types.Type{}
	}
	x.origins[at][origin] = o.typ
}
