package advise

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

// The method Query of a URL parses the query anew at each call. A function that calls it several times for the same URL can keep the
// first result.

// hintOfQuery says that a function parses the same query several times.
func hintOfQuery(site *Site, call ssa.CallInstruction) string {
	if site.Calls != "net/url.(*URL).Query" || call.Common().IsInvoke() || len(call.Common().Args) == 0 {
		return ""
	}
	of := call.Common().Args[0]
	in := name(call.Parent())
	if n := callsFor(call, of); n > 1 {
		return fmt.Sprintf(" It parses the query at each call, of which %s has %d: call it once, and keep the result, unless the URL changes between.", in, n)
	}
	if inLoop(call) && isMadeBefore(of, call.Block()) {
		return fmt.Sprintf(" It parses the query at each call, which %s has in a loop: call it before the loop, and keep the result, unless the URL changes in that.", in)
	}
	return ""
}

// callsFor returns how many calls of a function call the same method for the same value.
func callsFor(call ssa.CallInstruction, of ssa.Value) (n int) {
	for _, b := range call.Parent().Blocks {
		for _, instr := range b.Instrs {
			other, ok := instr.(ssa.CallInstruction)
			if ok && !other.Common().IsInvoke() && other.Common().StaticCallee() == call.Common().StaticCallee() && isSame(other.Common().Args[0], of) {
				n++
			}
		}
	}
	return n
}

// isMadeBefore reports whether a value, or the one from whose fields it is read, is made outside of the loop around a block.
func isMadeBefore(v ssa.Value, b *ssa.BasicBlock) bool {
	for {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
			continue
		case *ssa.FieldAddr:
			v = x.X
			continue
		case *ssa.Parameter, *ssa.Global, *ssa.FreeVar:
			return true
		}
		made, ok := v.(ssa.Instruction)
		head := loopOf(b)
		return ok && head != nil && made.Block() != head && made.Block().Dominates(head)
	}
}
