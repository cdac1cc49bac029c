package paths

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// certain reports whether h can happen in the program. The path of a hit may not exist, if the condition of its
// Put excludes the condition of its use. So the Put must have happened whenever the use is reached, or no path from the
// Put may avoid a use.
func (x *exploration) certain(h *Hit) bool {
	switch h.Kind {
	case CutPut, ClippedPut, ForeignPut, GoInHandler, GrownPut, HandlerPut:
		return true
	case OtherPool:
		return !h.decided || !x.cutOff && len(x.live[useAt{h.Use, OtherPool}]) == 0
	case MissingPut:
		return !x.cutOff && (!h.put.away || x.putGot[h.Use])
	}
	if h.since == dependent && x.elsewhere(h) || h.whole && (x.cutOff || x.alive[h.origin]) {
		return false
	}
	if x.cutOff {
		a, b := h.put.instr.Block(), h.Use.Block()
		return h.Kind != SharedAtPut && a.Parent() == b.Parent() && a.Dominates(b) && !h.put.deferred
	}
	return x.onAllPaths(h)
}

// onAllPaths reports whether the memory of h is always put before it is used, or always used after it was put.
func (x *exploration) onAllPaths(h *Hit) bool {
	switch h.Kind {
	case SharedAtPut:
		return !x.wasLive(h.put.instr, h) || !x.unsync[h.Use]
	case ReturnedAfterPut, StoredAfterPut:
		if !x.alive[h.origin] {
			return true // it is put on all paths, whatever is returned
		}
	}
	return !x.wasLive(h.Use, h) || !x.clean[h.put.instr]
}

// elsewhere reports whether other paths reach the place of h with other memory of the same type, which is alive.
// A condition between the Get and the use may then decide which memory is used.
func (x *exploration) elsewhere(h *Hit) bool {
	for origin, typ := range x.live[useAt{h.Use, h.Kind}] {
		if origin != h.origin && (shape.IsBytes(typ) && shape.IsBytes(h.Typ) || typ != nil && h.Typ != nil && types.Identical(typ, h.Typ)) {
			return true
		}
	}
	return false
}

// wasLive reports whether an instruction also uses the memory of h before the Put.
func (x *exploration) wasLive(instr ssa.Instruction, h *Hit) bool {
	_, ok := x.live[useAt{instr, h.Kind}][h.origin]
	return ok
}
