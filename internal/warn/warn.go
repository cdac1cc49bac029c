//go:build go1.25

// Package warn writes the library's warnings to the default logger of log/slog.
//
// Package slog with all that it needs, such as encoding/json, would be 280 KB of each program. So this package links it
// only into programs that may have replaced slog's default logger. In the others, that logger would write to package
// log, and this package writes the same line there.
//
// Touch it if slog writes other lines, or if a new version of Go fails its tests.
package warn

import (
	"fmt"
	"log"
	"log/slog"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Log logs message with attributes, as slog.Warn does. args are pairs of a key, which is a string, and a value.
func Log(message string, args ...any) {
	if w := (&warning{message, args}); w.linked() {
		method(reflect.ValueOf(w), 0).Interface().(func() slog.Level)()
		return
	}
	log.Print(line(message, args))
}

// A warning waits to be logged with slog.
type warning struct {
	message string
	args    []any
}

// Level logs the warning with slog.
//
// It has the name and the type of a method that slog.SetDefault needs, and that slog calls through an interface. The
// linker keeps such a method, with all that it uses, in programs that have such a call, and in no others. So nothing
// else here may call Level or log with slog.
func (w *warning) Level() slog.Level {
	slog.Warn(w.message, w.args...)
	return slog.LevelWarn
}

// linked reports whether the linker has kept Level. If not, its address is that of another function.
//
// An interface value begins with a pointer to a table: three words, and then the addresses of methods. If a version of
// Go has another table, the word read is hardly the address of Level, and linked returns false. The type assertion
// makes the table at run time: a table that the compiler makes would link Level.
func (w *warning) linked() bool {
	l := any(w).(slog.Leveler)
	f := runtime.FuncForPC((*(**[4]uintptr)(unsafe.Pointer(&l)))[3])
	return f != nil && strings.HasSuffix(f.Name(), "/warn.(*warning).Level")
}

// method is a variable because a call of reflect.Value.Method by its name would make the linker keep all exported
// methods of the program. If it keeps them anyway, programs are larger, and nothing else changes.
var method = reflect.Value.Method

// line returns a warning as slog's default logger writes it.
func line(message string, args []any) string {
	var l strings.Builder
	l.WriteString("WARN ")
	l.WriteString(message)
	for i := 0; i+1 < len(args); i += 2 {
		value := fmt.Sprint(args[i+1])
		if quoted(value) {
			value = strconv.Quote(value)
		}
		fmt.Fprintf(&l, " %v=%s", args[i], value)
	}
	return l.String()
}

// quoted reports whether slog quotes a value.
func quoted(value string) bool {
	for _, r := range value {
		if r == ' ' || r == '"' || r == '=' || r == utf8.RuneError || !strconv.IsPrint(r) {
			return true
		}
	}
	return value == ""
}
