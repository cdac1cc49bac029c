package advise

import (
	"go/types"
	"math/bits"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The result of json.Marshal is a copy of the text that it encodes in memory of its own. An encoder that writes to a Buffer makes no such
// copy, but the rest. To lay the text out, it needs a buffer of its own, which json.Indent does not.

// marshalers are methods that packages of the standard library call, and whose results these copy.
var marshalers = map[string]string{"MarshalJSON": "encoding/json", "MarshalText": "a package such as encoding/json", "MarshalBinary": "a package such as encoding/gob",
	"GobEncode": "encoding/gob"}

// findMarshaling finds out who gets encoded memory that a function returns.
func (s *source) findMarshaling(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.fate.ways != 1<<isReturned {
		return
	}
	fn := a.instr.Parent()
	obj, ok := fn.Object().(*types.Func)
	switch {
	case !ok:
	case isMarshaler(obj):
		if len(s.callers[fn]) == 0 && s.invoked[obj.Id()] == nil {
			a.encoder = marshalers[obj.Name()]
		}
	case a.kind == "json" && s.isCalledOnly(fn):
		a.lent = s.usersOf(fn, a.fate.returned)
	}
}

// isMarshaler reports whether a function is a method of an interface such as json.Marshaler.
func isMarshaler(f *types.Func) bool {
	sig := f.Signature()
	return marshalers[f.Name()] != "" && sig.Recv() != nil && sig.Params().Len() == 0 && sig.Results().Len() == 2 && isBytes(sig.Results().At(0).Type())
}

// usersOf returns the functions that call another, if none of them keeps its only result that may be the memory, or else none.
func (s *source) usersOf(fn *ssa.Function, returned uint64) (users []string) {
	if bits.OnesCount64(returned) != 1 {
		return nil
	}
	for _, c := range s.callers[fn] {
		call, ok := c.call.(*ssa.Call)
		if !ok {
			return nil
		}
		if v := resultOf(call, bits.TrailingZeros64(returned)); v != nil && s.tracer.fateOf(v).way != stays {
			return nil
		}
		if n := name(c.in); !slices.Contains(users, n) {
			users = append(users, n)
		}
	}
	return users
}

// encodesFor says that the callers could lend a Buffer.
func (a *allocation) encodesFor() string {
	const few = 3
	var who string
	switch n := len(a.lent); {
	case n == 0:
		return ""
	case n == 1:
		who = " The caller, " + a.lent[0] + ", does"
	case n <= few:
		who = " The callers, " + inWords(slices.Clone(a.lent)) + ", do"
	default:
		who = " The callers, " + plural(n, "function") + ", do"
	}
	who += " not keep it, and could pass "
	if a.indents() {
		return who + "a Buffer and a bytes.Buffer of pools: json.NewEncoder writes to the first, and json.Indent from that to the second. SetIndent would cost more, as each Encoder makes a buffer for it."
	}
	return who + "a Buffer of a pool, to which json.NewEncoder writes."
}

// ofResult is the share of a site's bytes that are the result of json.Marshal. Of other functions, all count.
func (s *Site) ofResult() float64 {
	if s.kind != "json" || s.tally == nil {
		return 1
	}
	made := s.tally.makers["encoding/json.Marshal"] + s.tally.makers["encoding/json.MarshalIndent"]
	if made == 0 { // another version of the package has other functions
		return 1
	}
	return float64(made) / float64(s.tally.bytes)
}

// savesOfMarshal says how much of the memory an encoder makes, too.
func (s *Site) savesOfMarshal() string {
	const most = 0.9
	if share := s.ofResult(); s.Verdict == PoolIt && share < most {
		return " Of its bytes, " + percent(share) + " are the result. An encoder makes the others, too."
	}
	return ""
}
