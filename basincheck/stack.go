//go:build go1.25

package basincheck

import (
	"fmt"
	"runtime"
	"strings"
)

// A Stack is a call stack, in the form of [runtime.Callers].
type Stack []uintptr

// String returns two lines for each frame of s, indented.
func (s Stack) String() string {
	var lines []string
	for _, f := range s.Frames() {
		lines = append(lines, fmt.Sprintf("    %s\n        %s:%d", f.Function, f.File, f.Line))
	}
	return strings.Join(lines, "\n")
}

// Frames returns the frames of s, innermost first. The first is the line that called basin:
// frames of basin itself are left out.
func (s Stack) Frames() []runtime.Frame {
	if len(s) == 0 {
		return nil
	}
	var all []runtime.Frame
	outside := -1 // the first that is not basin's
	frames := runtime.CallersFrames(s)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if outside < 0 && !ours(f) {
			outside = len(all)
		}
		all = append(all, f)
	}
	return all[max(outside, 0):]
}

// ours reports whether f is a frame of basin, and not of a test of it.
func ours(f runtime.Frame) bool {
	rest, ok := strings.CutPrefix(f.Function, "github.com/basin-go/basin")
	if !ok || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, pkg := range []string{".", "/basincheck.", "/internal/check."} {
		if strings.HasPrefix(rest, pkg) {
			return true
		}
	}
	return false
}
