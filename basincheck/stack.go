//go:build go1.25

package basincheck

import (
	"fmt"
	"runtime"
	"strings"
)

// A Stack is a call stack, in the form of [runtime.Callers].
type Stack []uintptr

// String returns two lines for each frame of s, indented, without the functions of Go that call
// main and tests.
func (s Stack) String() string { return s.join("    %s\n        %s:%d", "\n") }

// line is String in one line, for logs.
func (s Stack) line() string { return s.join("%s %s:%d", "; ") }

func (s Stack) join(format, separator string) string {
	var frames []string
	for _, f := range s.Frames() {
		switch f.Function {
		case "runtime.goexit", "runtime.main", "testing.tRunner":
			continue
		}
		frames = append(frames, fmt.Sprintf(format, f.Function, f.File, f.Line))
	}
	return strings.Join(frames, separator)
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
