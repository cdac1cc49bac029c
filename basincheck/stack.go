//go:build go1.25

package basincheck

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/basin-go/basin/internal/callsite"
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
func (s Stack) Frames() []runtime.Frame { return callsite.Frames(s) }

// Line returns the source line that s is listed by: the innermost frame that is neither basin's nor
// of the standard library. A Buffer that grows below encoding/json belongs to the line that encodes.
// If all frames are of the library, Line returns the outermost that tells most. The Line of an empty
// Stack is a zero Frame.
func (s Stack) Line() runtime.Frame { return callsite.Of(s) }
