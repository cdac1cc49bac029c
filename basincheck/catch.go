//go:build go1.25

package basincheck

import (
	"runtime"
	"runtime/debug"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/misuse"
)

// Catch calls f. If f touches guarded memory after its Put, or beyond its capacity, Catch
// reports that and returns the [*Report], and the program goes on. Without Catch, the process
// ends. Otherwise Catch returns nil:
//
//	err := basincheck.Catch(func() { handle(request) })
//
// f ends at the access, as by a panic: its deferred functions run, and one that recovers gets
// the [runtime.Error] instead of Catch. All other panics leave Catch as they are. Goroutines
// that f starts are not covered; they need their own Catch.
//
// Catch calls [debug.SetPanicOnFault], so that an unexpected fault at other memory becomes a
// panic, too. If no level of checks had guarded memory before, Catch only calls f.
func Catch(f func()) (err error) {
	if !guard.On() {
		f()
		return nil
	}
	returned, err := catch(f)
	if !returned && err == nil { // with GODEBUG=panicnil=1; runtime.Goexit does not come here
		panic(nil)
	}
	return err
}

// catch is Catch, but recovers from a panic whose value is nil.
func catch(f func()) (returned bool, err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if returned {
			return
		}
		fault := recover()
		if fault == nil {
			return
		}
		found, ok := finding(fault)
		if !ok {
			panic(fault)
		}
		found.Here = check.FaultStack()
		err = tell(&found)
	}()
	f()
	return true, nil
}

// finding returns the finding that a value of a panic stands for, if it is a fault in guarded memory.
func finding(panicked any) (f misuse.Finding, ok bool) {
	fault, ok := panicked.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return f, false
	}
	return check.Fault(fault.Addr())
}

// tell reports f, and returns the Report. A handler that panics with the Report, as that of Full does,
// has nothing to add.
func tell(f *misuse.Finding) (r *Report) {
	defer func() {
		switch panicked := recover().(type) {
		case nil:
		case *Report:
			r = panicked
		default:
			panic(panicked)
		}
	}()
	misuse.Tell(f)
	return reportOf(f)
}

// At returns the Report of the guarded memory at an address. After a fault there, it is that of
// [Catch], but without the access. Nothing is counted. It returns nil if addr is no
// address of guarded memory. A program that recovers from a panic of its own may call At with
// the Addr of the [runtime.Error].
func At(addr uintptr) *Report {
	f, ok := check.Fault(addr)
	if !ok {
		return nil
	}
	return reportOf(&f)
}
