//go:build go1.25

package basincheck_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/pooltest"
)

var guarded = basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true}

// beginGuarded begins checks of guarded memory.
func beginGuarded(t *testing.T, s basincheck.Settings) *pooltest.Reports {
	t.Helper()
	told := pooltest.BeginChecks(t, s)
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	return told
}

// late returns memory that was put.
func late() []byte {
	b := basin.Get(1000)
	basin.Put(b)
	return b
}

// panicOf returns the value that f panics with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// panicsOnFault reports whether faults of this goroutine become panics.
func panicsOnFault() bool {
	on := debug.SetPanicOnFault(false)
	debug.SetPanicOnFault(on)
	return on
}

type ownError struct{ error }

// TestCatchPanics: all panics but faults in guarded memory leave Catch as they are, and faults of the
// goroutine mean what they meant before.
func TestCatchPanics(t *testing.T) {
	told := beginGuarded(t, guarded)
	own := &ownError{}
	var none *struct {
		large [5000]byte
		n     int
	}
	var list []int
	for name, tt := range map[string]struct {
		do   func()
		want func(p any) bool
	}{
		"nothing":       {func() {}, func(p any) bool { return p == nil }},
		"an error":      {func() { panic(own) }, func(p any) bool { return p == own }},
		"nil":           {func() { panic(nil) }, func(p any) bool { _, ok := p.(*runtime.PanicNilError); return ok }},
		"an index":      {func() { list[len(list)] = 1 }, func(p any) bool { _, ok := p.(runtime.Error); return ok }},
		"a nil pointer": {func() { none.large[0] = 1 }, func(p any) bool { _, ok := p.(runtime.Error); return ok }},
		"beyond it":     {func() { none.n = 1 }, func(p any) bool { _, ok := p.(runtime.Error); return ok }},
		"recovered":     {func() { panicOf(func() { late()[0] = 1 }) }, func(p any) bool { return p == nil }},
		"another fault": {func() { *(*byte)(elsewhere()) = 1 }, func(p any) bool {
			e, ok := p.(interface{ Addr() uintptr })
			return ok && e.Addr() == uintptr(elsewhere())
		}},
		"panic in a defer": {func() {
			defer func() { panic(own) }()
			late()[0] = 1
		}, func(p any) bool { return p == own }},
	} {
		for _, before := range []bool{false, true} {
			debug.SetPanicOnFault(before)
			p := panicOf(func() {
				if err := basincheck.Catch(tt.do); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if !tt.want(p) {
				t.Errorf("%s: panic %v", name, p)
			}
			if got := panicsOnFault(); got != before {
				t.Errorf("%s: SetPanicOnFault is %v afterwards", name, got)
			}
			debug.SetPanicOnFault(false)
			if got := told.Take(); got != nil {
				t.Errorf("%s: reported %v", name, got)
			}
		}
	}
}

// elsewhere returns an address that is neither accessible nor guarded.
func elsewhere() unsafe.Pointer {
	var x uintptr = 0x10008
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

// TestCatchNested: the innermost Catch has the report, also after runtime.Goexit of another goroutine.
func TestCatchNested(t *testing.T) {
	told := beginGuarded(t, guarded)
	inner, outer := error(nil), error(nil)
	outer = basincheck.Catch(func() {
		inner = basincheck.Catch(func() { late()[0] = 1 })
		if !panicsOnFault() {
			t.Error("the inner Catch has ended the outer one")
		}
	})
	if r := (*basincheck.Report)(nil); !errors.As(inner, &r) || r.Kind != basincheck.UseAfterPut || outer != nil {
		t.Errorf("inner %v, outer %v", inner, outer)
	}
	outer = basincheck.Catch(func() {
		inner = basincheck.Catch(func() {})
		late()[0] = 1
	})
	if inner != nil || outer == nil {
		t.Errorf("inner %v, outer %v", inner, outer)
	}
	outer = basincheck.Catch(func() { // a defer that runs after the fault touches as well
		defer func() { inner = basincheck.Catch(func() { late()[1] = 1 }) }()
		late()[0] = 1
	})
	if inner == nil || outer == nil {
		t.Errorf("inner %v, outer %v", inner, outer)
	}
	if got := told.Take(); len(got) != 4 {
		t.Errorf("%d reports, want 4", len(got))
	}
	var wg sync.WaitGroup
	wg.Add(1)
	returned, deferred := false, false
	go func() {
		defer wg.Done()
		defer func() { deferred = recover() == nil }()
		basincheck.Catch(func() { runtime.Goexit() })
		returned = true
	}()
	wg.Wait()
	if returned || !deferred || told.Take() != nil {
		t.Errorf("Goexit: returned %v, deferred functions %v", returned, deferred)
	}
}

// TestCatchUsers: deferred functions of the function run, and other users keep their memory.
func TestCatchUsers(t *testing.T) {
	told := beginGuarded(t, guarded)
	b := basin.Get(1000)
	ran := false
	err := basincheck.Catch(func() {
		defer func() { ran = true }()
		c := basin.Get(1000)
		defer basin.Put(c)
		late()[0] = 1
	})
	if err == nil || !ran {
		t.Errorf("%v, deferred functions ran: %v", err, ran)
	}
	copy(b, "still there")
	basin.Put(b)
	if got := told.Take(); len(got) != 1 || len(basincheck.Outstanding()) != 0 {
		t.Errorf("%d reports, %d lines", len(got), len(basincheck.Outstanding()))
	}
}

// TestCatchHandlers: without a Handler, Full panics with the Report, which Catch returns; Sampled logs. A Handler
// that panics has its way.
func TestCatchHandlers(t *testing.T) {
	beginGuarded(t, guarded)
	touch := func() { late()[5] = 1 }
	s := guarded
	s.Level = basincheck.Full
	basincheck.Set(s)
	r := (*basincheck.Report)(nil)
	if err := basincheck.Catch(touch); !errors.As(err, &r) || r.Offset != 5 || r.Count == 0 || len(r.Here) == 0 || len(r.FirstPut) == 0 || len(r.Acquired) == 0 {
		t.Errorf("Full: %v", err)
	}
	s.Handler = func(r *basincheck.Report) { panic("mine") }
	basincheck.Set(s)
	if p := panicOf(func() { basincheck.Catch(touch) }); p != "mine" {
		t.Errorf("a Handler that panics: %v", p)
	}
	counts := basin.Default().Stats().Misuse[basincheck.UseAfterPut]
	s.Handler = func(r *basincheck.Report) { basin.Put(basin.Get(100)) }
	basincheck.Set(s)
	if basincheck.Catch(touch) == nil || basin.Default().Stats().Misuse[basincheck.UseAfterPut] != counts+1 {
		t.Errorf("a Handler that uses pools: %d findings", basin.Default().Stats().Misuse[basincheck.UseAfterPut])
	}
}

// TestCatchBeyond: an access beyond the capacity has a kind of its own.
func TestCatchBeyond(t *testing.T) {
	told := beginGuarded(t, guarded)
	b := basin.Get(1000)
	defer func() { basin.Put(b) }()
	beyond := unsafe.Slice(unsafe.SliceData(b), cap(b)+100)
	err := basincheck.Catch(func() { beyond[cap(b)+7] = 1 })
	r := (*basincheck.Report)(nil)
	if !errors.As(err, &r) || r.Kind != basincheck.OutOfBounds || r.Offset != cap(b)+7 || r.FirstPut != nil || !pooltest.InCaller(r.Here) || !pooltest.InCaller(r.Acquired) {
		t.Errorf("%v", err)
	}
	if !strings.Contains(err.Error(), "beyond the capacity") || !strings.Contains(err.Error(), "unsafe") {
		t.Error(err)
	}
	if got := told.Take(); len(got) != 1 {
		t.Errorf("%d reports", len(got))
	}
}

// TestCatchLong: late memory is known to be that of its pool when its stacks are forgotten, and when checks
// have ended.
func TestCatchLong(t *testing.T) {
	told := beginGuarded(t, guarded)
	p := &basin.BytePool{Name: "long ago"}
	b := p.Get(1000)
	p.Put(b)
	for range 3000 {
		basin.Put(basin.Get(1000))
	}
	err := basincheck.Catch(func() { b[9] = 1 })
	r := (*basincheck.Report)(nil)
	if !errors.As(err, &r) || r.Kind != basincheck.UseAfterPut || r.Pool != "long ago" || r.Offset != 9 || r.FirstPut != nil || r.Acquired != nil || !pooltest.InCaller(r.Here) {
		t.Errorf("long ago: %v", err)
	}
	for range 1 << 15 { // other users get its address
		basin.Put(basin.Get(1000))
	}
	if err := basincheck.Catch(func() { b[9] = 1 }); err == nil {
		t.Error("no report when the address was handed out again")
	}
	b = p.Get(1000)
	p.Put(b)
	basincheck.Set(basincheck.Settings{Handler: told.Handle})
	err = basincheck.Catch(func() { b[9] = 1 })
	if !errors.As(err, &r) || !pooltest.InCaller(r.FirstPut) || !pooltest.InCaller(r.Acquired) {
		t.Errorf("after checks: %v", err)
	}
	told.Take()
}

// TestAt: a program that recovers by itself learns whose memory it touched.
func TestAt(t *testing.T) {
	told := beginGuarded(t, guarded)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	fault, ok := panicOf(func() { late()[33] = 1 }).(interface{ Addr() uintptr })
	if !ok {
		t.Fatal("no fault")
	}
	r := basincheck.At(fault.Addr())
	if r == nil || r.Kind != basincheck.UseAfterPut || r.Offset != 33 || !pooltest.InCaller(r.FirstPut) || !pooltest.InCaller(r.Acquired) || r.Here != nil {
		t.Errorf("%v", r)
	}
	x := new([10]byte)
	if r := basincheck.At(uintptr(unsafe.Pointer(x))); r != nil {
		t.Errorf("memory of the heap: %v", r)
	}
	if got := told.Take(); got != nil {
		t.Errorf("reported %v", got)
	}
}

// TestGuardUsage: guarded memory has its own figures, and stays below its limit.
func TestGuardUsage(t *testing.T) {
	beginGuarded(t, guarded)
	var held [][]byte
	for range 3000 {
		held = append(held, basin.Get(100_000))
	}
	s := basincheck.Stats()
	if s.MaxGuardBytes != check.GuardSampled || s.GuardBytes > s.MaxGuardBytes || s.GuardBytes < s.MaxGuardBytes/2 || s.Bytes > s.MaxBytes {
		t.Errorf("%+v", s)
	}
	for _, b := range held {
		basin.Put(b)
	}
	if s := basincheck.Stats(); s.GuardBytes > s.MaxGuardBytes/4 {
		t.Errorf("afterwards: %+v", s)
	}
}

// TestCatchNilPanic: a panic with nil leaves Catch as one, in programs in which it has no value.
func TestCatchNilPanic(t *testing.T) {
	beginGuarded(t, guarded)
	t.Setenv("GODEBUG", "panicnil=1")
	deferred, returned := false, false
	func() {
		defer func() { recover() }()
		basincheck.Catch(func() {
			defer func() { deferred = true }()
			panic(nil)
		})
		returned = true
	}()
	if returned || !deferred {
		t.Errorf("Catch returned: %v, deferred functions ran: %v", returned, deferred)
	}
}

// again calls f. If f panics, it recovers and panics with the same value, n times.
func again(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	defer func() {
		if p := recover(); p != nil {
			panic(p)
		}
	}()
	again(n-1, f)
}

// TestCatchPanicsAgain: the stack of the access is found, however often others have recovered from the fault
// and panicked with it again.
func TestCatchPanicsAgain(t *testing.T) {
	told := beginGuarded(t, guarded)
	for _, n := range []int{0, 1, 10, 100} {
		basincheck.Catch(func() { again(n, touchLate) })
		got := told.Take()
		if len(got) != 1 || !strings.HasSuffix(got[0].Here.Frames()[0].Function, ".touchLate") {
			t.Errorf("%d times: %v", n, got)
		}
	}
}

func touchLate() { late()[0] = 1 }
