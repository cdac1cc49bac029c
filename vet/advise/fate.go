package advise

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// A fate says where memory goes. The zero fate is memory that stays in the function and
// its callees, with every use known.
type fate struct {
	way      way
	where    string // "is stored in field conn.buf"
	returned uint64 // of a parameter: the results that may alias it, the first as bit 0
	resliced bool   // a slice of it may have elements beyond its length
	sized    bool   // its capacity is asked for
	grows    bool   // something is appended to it
	shrinks  bool   // elements of a map are deleted
	forked   bool   // two things are appended to the same slice
	several  bool   // the same, if several places have it
	twice    bool   // something is appended to slices that lead to it, and more than once
	asserted bool   // an interface that has it is asked for its type
	printed  asking // a function of the standard library may take apart an interface that has it
	carried  bool   // the loop that makes it may still have it in the next round
	list     string // that outlives the round, and stores it
	trusted  bool   // it is passed to functions whose documentation forbids to keep it, or to goroutines that end before
	unsafe   bool   // it becomes a string by package unsafe
	outside  bool   // the body of a range over a function has it in a variable of the function around it
	hidden   bool   // it is trusted for a reason that the compiler cannot see: an interface, or a goroutine
	done     bool
	assumed  bool // it was used before it was done
	byDefer  bool // a deferred call has it

	field   *types.Var          // the first that it is stored in
	invoked []*types.Func       // methods of a parameter, which is an interface
	ways    int                 // all ways that it leaves, as bits
	through bool                // the ways that are noted now are those of a value that a field of the memory has
	behind  bool                // so is the one that is told
	keeper  ssa.CallInstruction // by which a function gets it that may keep it, if that is how it leaves
	kept    ssa.Value           // the argument of that
	returns []*ssa.Return       // of the function that makes it, by which it leaves
	relies  []*packages.Module  // other modules whose functions get it
	late    []ssa.Instruction   // start goroutines that have it, and have ended only when the function has waited
}

// A way is how memory leaves.
type way int

const (
	stays way = iota
	isReturned
	isStored
	isSent
	isShared  // with a goroutine
	isKept    // by a function that is not known to keep nothing
	isCopied  // a value that must not be
	isBroken  // by a method of the program that breaks its contract
	isUnknown // too deep
)

// isCertain reports whether memory surely leaves this way, not only may.
func (w way) isCertain() bool { return w == isStored || w == isSent || w == isShared || w == isBroken }

// leave notes a way by which memory leaves. The first one is told, but a certain one comes before those by which memory may
// leave. It also comes before a function literal that has the memory, too, and may be a part of it. A way of the memory itself comes
// before those of values in its fields, which can be the memory only if it has itself in a field.
func (f *fate) leave(w way, format string, args ...any) {
	f.ways |= 1 << w
	where := fmt.Sprintf(format, args...)
	switch {
	case f.way == stays || f.behind && !f.through:
	case f.through && !f.behind:
		return
	case w < isKept && (f.way >= isKept || strings.HasSuffix(f.where, byLiteral)), f.way >= isKept && isSure(where) && !isSure(f.where):
	default:
		return
	}
	f.way, f.where, f.keeper, f.behind = w, where, nil, f.through
}

// keepAs notes a call whose function may keep the memory, with the value that has it.
func (f *fate) keepAs(u ssa.CallInstruction, v ssa.Value, format string, args ...any) {
	first := f.way == stays || f.behind && !f.through
	f.leave(isKept, format, args...)
	if first {
		f.keeper, f.kept = u, v
	}
}

// keptIn takes over the call from the fate of the memory in a function that is called, if that is how it leaves.
func (f *fate) keptIn(called *fate) {
	if f.keeper == nil && f.way == isKept && called.way == isKept && strings.HasSuffix(f.where, called.where) {
		f.keeper, f.kept = called.keeper, called.kept
	}
}

// isSure reports whether a way by which memory leaves is one of a function that surely keeps it.
func isSure(where string) bool {
	return strings.HasSuffix(where, "which keeps it") && !strings.Contains(where, "may ")
}

// leaves says that memory leaves, or that it may.
func (f *fate) leaves() string {
	if f.behind {
		return "may leave"
	}
	if f.way < isKept || f.way == isCopied || f.way == isBroken || isSure(f.where) || strings.HasPrefix(f.where, "belongs to ") || strings.HasPrefix(f.where, "is returned from ") {
		return "leaves"
	}
	return "may leave"
}

// storeIn notes the first field that memory is stored in.
func (f *fate) storeIn(field *types.Var) {
	if f.field == nil {
		f.field = field
	}
}

// byLiteral is how memory leaves with a function literal.
const byLiteral = "is captured by a function literal"

// end says how memory leaves the last function that has it.
func (f *fate) end() string {
	steps := strings.Split(f.where, ", where it ")
	return steps[len(steps)-1]
}

// merge adds the fate of the memory in a function that is called.
func (f *fate) merge(other *fate) {
	f.resliced = f.resliced || other.resliced
	f.sized = f.sized || other.sized
	f.forked = f.forked || other.forked
	f.several = f.several || other.several
	f.shrinks = f.shrinks || other.shrinks
	f.asserted = f.asserted || other.asserted
	f.printed |= other.printed
	f.trusted = f.trusted || other.trusted
	f.outside = f.outside || other.outside
	f.unsafe = f.unsafe || other.unsafe
	f.hidden = f.hidden || other.hidden
	f.storeIn(other.field)
	for _, m := range other.relies {
		f.relyOn(m)
	}
}

// asksRoom reports whether the room behind a slice's length may be asked for, or extended into by slices that would share it.
func (f *fate) asksRoom() bool { return f.sized || f.forked || f.several || f.twice }

// equals reports whether memory does the same.
func (f *fate) equals(o *fate) bool {
	return f.way == o.way && f.ways == o.ways && f.returned == o.returned && f.resliced == o.resliced && f.sized == o.sized && f.grows == o.grows &&
		f.forked == o.forked && f.several == o.several && f.shrinks == o.shrinks && f.asserted == o.asserted && f.printed == o.printed && f.carried == o.carried && f.trusted == o.trusted && f.hidden == o.hidden && len(f.invoked) == len(o.invoked)
}

// text says where memory goes.
func (f *fate) text() string {
	if f.way == stays {
		return "does not leave the function, which takes that long"
	}
	return f.where
}

// A paramKey is a parameter or a free variable that is the memory, or holds it in an element or the like.
type paramKey struct {
	v     ssa.Value
	holds bool
	typ   types.Type // of the value in an interface, if that is known
	elem  types.Type // of the memory, if that is a slice
	apart bool
	with  beside
}

// A tracer follows memory through functions whose source is loaded.
type tracer struct {
	prog    *ssa.Program
	dir     string             // of the program's module
	params  map[paramKey]*fate // of functions that were looked at
	taken   *takenMethods      // while it looks at them
	order   []paramKey         // those that are done
	depth   int
	keepers []*ssa.Function    // methods of the program that break a contract
	lent    map[ssa.Value]bool // functions, and variables that have one

	calls       map[*ssa.Function][]ssa.CallInstruction // by their callees
	instances   map[*ssa.Function][]ssa.CallInstruction // of generic functions
	interfaces  []*ssa.MakeInterface
	methods     []*ssa.Function                      // of the program
	packages    map[*types.Package]*packages.Package // of the program
	sealed      map[*types.Named]bool                // interfaces, by whether the program alone converts to them
	conversions []ssa.Value                          // of interfaces' values
	around      map[*ssa.Function]bool               // keepers whose values may be anywhere
	closed      func(*ssa.Function) bool             // whether calls has all calls of a function
	setElse     func(*packages.Package, string) bool // whether a file that is not loaded may set a field of this name
	declareElse func(string) bool                    // whether a file that is not loaded may declare a method of this name
	assembly    map[types.Object]bool                // functions without a body in Go that keep none of their arguments
	variants    map[types.Object][]twin              // functions that are others for other systems
	unread      map[string]bool                      // packages whose functions get memory, and are not loaded

	fields   map[*types.Var][]ssa.Value     // addresses and values of fields of structs, and structs that become others
	handlers []*ssa.Function                // of HTTP requests
	news     []newOf                        // functions that become the New of a pool
	makers   map[*ssa.Function][]*types.Var // of values of pools, which are nil if they have no names
	onces    map[*ssa.Function]bool         // that run once

	locals map[*types.TypeName][]*ssa.Alloc // variables of functions that have a struct
	resets map[*types.TypeName]bool         // structs that are set as a whole

	pooledTypes map[*types.TypeName]lent // by their names, as far as they were looked at
}

func newTracer(prog *ssa.Program, dir string, closed func(*ssa.Function) bool, setElse func(*packages.Package, string) bool) *tracer {
	return &tracer{prog: prog, dir: dir, unread: map[string]bool{}, closed: closed, setElse: setElse, params: map[paramKey]*fate{}, lent: map[ssa.Value]bool{},
		calls: map[*ssa.Function][]ssa.CallInstruction{}, around: map[*ssa.Function]bool{}, assembly: map[types.Object]bool{}, variants: map[types.Object][]twin{},
		fields: map[*types.Var][]ssa.Value{}, packages: map[*types.Package]*packages.Package{}, sealed: map[*types.Named]bool{},
		locals: map[*types.TypeName][]*ssa.Alloc{}, resets: map[*types.TypeName]bool{}, pooledTypes: map[*types.TypeName]lent{}, makers: map[*ssa.Function][]*types.Var{}, instances: map[*ssa.Function][]ssa.CallInstruction{}}
}

// takenMethods are methods that are called where a value is taken apart, by their receivers.
type takenMethods struct {
	list []paramKey
	seen map[paramKey]bool
}

func (m *takenMethods) add(all []paramKey) {
	for _, key := range all {
		if !m.seen[key] {
			m.seen[key], m.list = true, append(m.list, key)
		}
	}
}

const maxDepth = 12

// A trail follows one function's references to some memory.
type trail struct {
	*tracer
	*fate
	root     ssa.Value
	typ      types.Type // of the root's value, if that is an interface and its type is known
	elem     types.Type // of the memory, if that is a slice
	with     beside     // for this caller
	own      *types.Var // a field that may have the memory
	param    bool       // the memory is an argument, so to return it is not yet to leave
	holds    bool       // the root is not the memory, but holds it
	apart    bool       // the memory is a struct that nothing may have in a field
	captured bool       // a slice is in a variable that a function literal uses too
	seen     map[ssa.Value]bool
	grown    map[ssa.Value][]ssa.Instruction // appends to a slice
	invokes  []invocation
	births   []*ssa.BasicBlock // where the memory begins, if that is in a loop
	carriers []carrier
	copied   ssa.Instruction // a use that gets a copy, or nil
	mayWait  bool            // the memory may be put behind the wait for goroutines that have it

	within func(*ssa.Slice) bool // reports that a slice ends at the length of its operand or before, where that is not seen, or nil
}

// A carrier is a struct of the function that has the memory in fields, of which methods are called. It matters only how these use
// those fields.
type carrier struct {
	local   *ssa.Alloc // the struct
	methods []*ssa.Function
	given   bool // a function gets the struct, which may do anything with it until it returns
}

// An invocation calls a method of an interface that holds the memory.
type invocation struct {
	of      ssa.Value
	method  *types.Func
	result  ssa.Value // nil if there is none, or it is not used
	through bool      // the value of a field of the memory
}

// relyOn notes that a fate is that of memory in a function of another module.
func (f *fate) relyOn(m *packages.Module) {
	if m != nil && !slices.ContainsFunc(f.relies, func(o *packages.Module) bool { return isSameModule(o, m) }) {
		f.relies = append(f.relies, m)
	}
}

// A lent says whether a value is from a pool, and has the variable or field that is the pool, if exactly one is known.
type lent struct {
	ok   bool
	pool *types.Var
}

// or is for a value that may be one of two. If they are from different pools, none is named.
func (l lent) or(o lent) lent {
	switch {
	case !o.ok:
		return l
	case !l.ok, l.pool == o.pool:
		return o
	}
	return lent{ok: true}
}

// anyOf reports whether one of some values is from a pool.
func anyOf[T any](all []T, of func(T) lent) (l lent) {
	for _, v := range all {
		l = l.or(of(v))
	}
	return l
}

// A newOf is a function that becomes the New of a pool, if that is known.
type newOf struct {
	fn   ssa.Value
	pool *types.Var
}

// isSameModule reports whether two are one module. Each package has a value of its own for that.
func isSameModule(m, other *packages.Module) bool {
	return m != nil && other != nil && m.Path == other.Path
}

// beside has what a call passes beside the memory, as far as it is known.
type beside struct {
	calls ssa.Value // a function, for the only parameter that is one
	flags string    // a letter for each parameter: t for true, f for false, and - for others; or nothing
}
