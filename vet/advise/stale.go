package advise

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A bytes.Buffer that grows leaves its old array to those that have it, which its documentation forbids, and nobody notices. The
// Buffer of basin puts that array.

// hasStaleBytes reports whether what a Buffer returned, such as by Bytes, may be used after the Buffer has grown.
func (m *mend) hasStaleBytes() bool {
	root, ok := m.a.instr.(ssa.Value)
	if !ok {
		return false
	}
	all := m.tracer.trailOf(root).seen
	var views, writes []*ssa.Call
	for v := range all {
		if call, ok := v.(*ssa.Call); ok && isSliceType(call.Type()) && isOfBuffer(call) {
			views = append(views, call)
			continue
		}
		if isSliceType(v.Type()) || v.Referrers() == nil {
			continue
		}
		for _, use := range *v.Referrers() {
			if call, ok := use.(*ssa.Call); ok && mayGrow(call) {
				writes = append(writes, call)
			}
		}
	}
	return slices.ContainsFunc(views, func(view *ssa.Call) bool {
		return slices.ContainsFunc(writes, func(write *ssa.Call) bool {
			return view.Parent() == write.Parent() && comes(view, write, nil) && m.isUsedAfter(view, write)
		})
	})
}

// isUsedAfter reports whether the result of a call may be used after another call.
func (m *mend) isUsedAfter(view, write *ssa.Call) bool {
	for v := range m.tracer.trailOf(view).seen {
		for _, use := range *v.Referrers() {
			if _, debug := use.(*ssa.DebugRef); !debug && use.Parent() == write.Parent() && use != ssa.Instruction(write) && comes(write, use, view) {
				return true
			}
		}
	}
	return false
}

// isOfBuffer reports whether a call is that of a method of a bytes.Buffer.
func isOfBuffer(call ssa.CallInstruction) bool {
	fn := call.Common().StaticCallee()
	return fn != nil && strings.HasPrefix(runtimeName(fn), "bytes.(*Buffer).")
}

// mayGrow reports whether a call that has a Buffer may write to it.
func mayGrow(call ssa.CallInstruction) bool {
	name := calledName(call.Common())
	return !isOfBuffer(call) || strings.HasPrefix(name, "Write") && name != "WriteTo" || name == "ReadFrom" || name == "Grow"
}
