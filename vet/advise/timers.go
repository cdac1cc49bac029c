package advise

import "golang.org/x/tools/go/ssa"

// time.After makes a timer at each call. A loop that waits with one in each round can reset a timer of its own instead.

// hintOfTimer says so of a call in a loop.
func hintOfTimer(site *Site, call ssa.CallInstruction) string {
	if (site.Calls == "time.After" || site.Calls == "time.NewTimer") && inLoop(call) && !isLoopBody(call.Parent()) {
		return " One time.Timer, made before the loop, serves all rounds by its method Reset, if they do not wait at the same time."
	}
	return ""
}
