package advise

import "testing"

// TestReasonsOfBoxed has values that are boxed for functions, some of which drop them if a method says so.
func TestReasonsOfBoxed(t *testing.T) {
	const (
		box  = "not judged; This is an interface value, which is no buffer to reuse."
		then = " Ask that before the call, and nothing is made otherwise.$"
	)
	judged(t, `package p

import (
	"fmt"
	"log/slog"
	"strings"
)

type row struct{ a [12]int }

type Logger interface {
	Debugln(args ...any)
	Infoln(args ...any)
	ShouldDebug() bool
}

type facility struct {
	level int
	lines []string
}

func (f *facility) ShouldDebug() bool { return f.level > 2 }

func (f *facility) Enabled(level int) bool { return level > f.level }

func (f *facility) Debugln(args ...any) {
	if !f.ShouldDebug() {
		return
	}
	f.lines = append(f.lines, fmt.Sprintln(args...))
}

func (f *facility) Infoln(args ...any) { f.lines = append(f.lines, fmt.Sprintln(args...)) }

func (f *facility) Tracef(format string, args ...any) { f.log(4, format, args) }

func (f *facility) log(level int, format string, args []any) {
	if level < 9 && !f.Enabled(level) {
		return
	}
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

func (f *facility) After(args ...any) {
	text := fmt.Sprintln(args...)
	if !f.ShouldDebug() {
		return
	}
	f.lines = append(f.lines, text)
}

func (f *facility) Prefixed(format string, args ...any) {
	if !strings.HasPrefix(format, "x") {
		return
	}
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

func (f *facility) Either(v any) {
	if f.ShouldDebug() {
		f.lines = append(f.lines, "debug")
	}
	f.lines = append(f.lines, fmt.Sprint(v))
}

func (f *facility) Single(v any) {
	if f.ShouldDebug() {
		f.lines = append(f.lines, fmt.Sprint(v))
	}
}

func single(f *facility, r row) {
	f.Single(r) // : `+box+` It is made for Single: (*p.facility).Single drops it unless its method ShouldDebug returns true.`+then+`
}

func debugged(l Logger, r row) {
	l.Debugln(r) // : `+box+` It is made for Debugln: (*p.facility).Debugln drops it unless its method ShouldDebug returns true.`+then+`
}

func direct(f *facility, r row) {
	f.Debugln("row", r) // : `+box+` It is made for Debugln: (*p.facility).Debugln drops it unless its method ShouldDebug returns true.`+then+`
}

func traced(f *facility, r row) {
	f.Tracef("%v", r) // : `+box+` It is made for Tracef: (*p.facility).log drops it unless its method Enabled returns true.`+then+`
}

func logged(r row) {
	slog.Debug("row", "r", r) // : `+box+` It is made for Debug, which drops it if its level is off. Ask slog.Default().Enabled before the call, and nothing is made then.$
}

func informed(l Logger, r row) {
	l.Infoln(r) // : `+box+`$
}

func guarded(l Logger, r row) {
	if l.ShouldDebug() {
		l.Debugln(r) // : `+box+`$
	}
}

func after(f *facility, r row) {
	f.After(r) // : `+box+`$
}

func prefixed(f *facility, r row) {
	f.Prefixed("%v", r) // : `+box+`$
}

func either(f *facility, r row) {
	f.Either(r) // : `+box+`$
}

func info(r row) {
	slog.Info("row", "r", r) // : `+box+`$
}
`, func(i int, s *synthetic) { s.objects = s.bytes / 96 })
}
