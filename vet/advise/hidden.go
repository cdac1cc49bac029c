package advise

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Buffer may grow in a line that does not show it: a compressor or an encoder writes to it. Then a function further out on the
// stacks of the profile has made the Buffer, and given it to the next one.

// hiddenBuffer returns the Buffer that grows in the line of a site, if the same function makes it on all stacks, or nil.
func (s *source) hiddenBuffer(site *Site) (only ssa.Value) {
	if site.tally == nil {
		return nil
	}
	for _, stack := range slices.Sorted(maps.Keys(site.tally.stacks)) {
		v := s.bufferAlong(framesOf(stack))
		if v == nil || only != nil && v != only {
			return nil
		}
		only = v
	}
	return only
}

// bufferAlong returns the Buffer that the innermost function of a stack, behind the first, makes and passes on, if there is one.
func (s *source) bufferAlong(frames []frame) ssa.Value {
	if len(frames) < 2 {
		return nil
	}
	for _, f := range frames[1:] {
		found := s.writersAt(f)
		if len(found) == 0 {
			continue
		}
		if _, param := found[0].(*ssa.Parameter); param && len(found) == 1 {
			continue // of a function further out
		}
		if len(found) == 1 && isMadeHere(found[0], kindBuffer) {
			return found[0]
		}
		return nil
	}
	return nil
}

// writersAt returns the Buffers and writers that calls in the line of a frame have as arguments.
func (s *source) writersAt(f frame) (all []ssa.Value) {
	for _, call := range s.callsIn(f) {
		for _, arg := range grownBy(call.Common()) {
			if types.IsInterface(arg.Type()) && !canWrite(arg.Type()) {
				continue // such as a reader
			}
			for _, matches := range []func(ssa.Value) bool{isBufferPointer, isWriter} {
				if v := among([]ssa.Value{arg}, matches, 0); v != nil && !slices.Contains(all, v) {
					all = append(all, v)
				}
			}
		}
	}
	return all
}
