//go:build go1.25

package check

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/misuse"
)

// guardedArray returns a guarded array of tr.
func guardedArray(t *testing.T, tr *Tracker, o *Owner, size int) *byte {
	t.Helper()
	if !guard.Available {
		t.Skip("no guarded memory here")
	}
	tr.Pick()
	x := unsafe.SliceData(tr.Array(o, size, func(n int) []byte { t.Fatal("an array of the heap"); return nil }))
	return x
}

// TestPutGuarded: a guarded array is put once although its tracker has ended, and a later access is
// known.
func TestPutGuarded(t *testing.T) {
	tr, o := New(1, false, true), NewOwner("pool")
	x := guardedArray(t, tr, o, 144)
	stop(tr)
	if !PutGuarded(x) {
		t.Error("not put")
	}
	if PutGuarded(x) {
		t.Error("put twice")
	}
	f, ok := Fault(addr(x) + 9)
	if !ok || f.Kind != misuse.UseAfterPut || f.Pool != &o.Pool || f.Size != 144 || f.Offset != 9 || len(f.Acquired) == 0 || len(f.FirstPut) == 0 {
		t.Errorf("%+v, %v", f, ok)
	}
	if PutGuarded(unsafe.SliceData(make([]byte, 64))) {
		t.Error("an array of the heap was put")
	}
}

// TestGuardedRecords: late arrays do not keep their tracker, and its records do not outlive their slots.
func TestGuardedRecords(t *testing.T) {
	o := NewOwner("pool")
	var ended []weak.Pointer[Tracker]
	var xs []*byte
	for range 10 {
		tr := New(1, true, true)
		x := guardedArray(t, tr, o, 144)
		if v, f := tr.Put(o, x, 144); v != Accepted {
			t.Fatalf("verdict %d, %+v", v, f)
		}
		stop(tr)
		ended, xs = append(ended, weak.Make(tr)), append(xs, x)
	}
	runtime.GC()
	for i, w := range ended {
		if w.Value() != nil {
			t.Errorf("tracker %d is still in memory", i)
		}
		if f, ok := Fault(addr(xs[i])); !ok || len(f.FirstPut) == 0 {
			t.Errorf("array %d: %+v", i, f)
		}
	}
	tr := New(1, true, true)
	defer stop(tr)
	guard.SetLimit(8 << 20)
	for range 1 << 10 { // memory of earlier tests may take more, and is given back bit by bit
		if b, _ := guard.Alloc(144, nil); b != nil {
			guard.Free(unsafe.SliceData(b), nil)
			break
		}
	}
	for range 1 << 14 {
		x := guardedArray(t, tr, o, 144)
		tr.Put(o, x, 144)
	}
	n := 0
	for range tr.table.all {
		n++
	}
	if n > 1<<13 { // with -count, kept arrays of other tests hold more and more slots
		t.Errorf("%d records, although addresses were reused", n)
	}
}

// heap returns the bytes of live objects.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// deep calls f below a stack of its own for each n.
func deep(n, bits int, f func()) {
	if bits == 0 {
		f()
	} else if n&1 == 0 {
		deep(n/2, bits-1, f)
	} else {
		deep(n/2, bits-1, f)
	}
}

// putAllGuarded puts arrays whose trackers have ended, so that tests that follow have guarded memory.
func putAllGuarded(arrays []*byte) {
	for _, x := range arrays {
		PutGuarded(x)
	}
}

// TestGuardedHeap: late arrays of many pools and call stacks, put while checks are switched, after checks, or
// not at all, hold memory of the heap within the limit of guard.
func TestGuardedHeap(t *testing.T) {
	if !guard.Available {
		t.Skip("no guarded memory here")
	}
	const n = 1 << 17
	lost := make([]*byte, 0, n) // outstanding to the end
	defer func() { putAllGuarded(lost) }()
	before := heap()
	limit := int64(GuardSampled)
	tr := New(1, false, true)
	for i := range n {
		if i%5000 == 0 { // some are outstanding when it ends
			stop(tr)
			tr = New(1, false, true)
		}
		o := NewOwner(strings.Repeat("n", maxName))
		tr.Pick()
		var x *byte
		deep(i, 10, func() { x = unsafe.SliceData(tr.Array(o, 64, func(n int) []byte { return make([]byte, n) })) })
		if i%7 != 0 {
			deep(i/1024, 10, func() { tr.Put(o, x, 64) })
		} else if i%2 == 0 {
			defer PutGuarded(x)
		} else {
			lost = append(lost, x)
		}
	}
	stop(tr)
	used, _ := guard.Usage()
	if held := heap() - before; held > used || used > limit {
		t.Errorf("%d bytes of the heap are held, %d are counted, and the limit is %d", held, used, limit)
	}
}

// TestGuardedSite: a line that loses arrays has few guarded ones, and its losses are found.
func TestGuardedSite(t *testing.T) {
	for _, full := range []bool{false, true} {
		tr, o := New(1, full, true), NewOwner("pool")
		if !tr.guarded {
			t.Skip("no guarded memory here")
		}
		lines := map[string]func() *byte{
			"lost":    func() *byte { return tracked(tr, o) },
			"excused": func() *byte { x := tracked(tr, o); tr.Exempt(x); return x },
			"taken":   func() *byte { x := tracked(tr, o); tr.Claim(x, false); return x },
			"put":     func() *byte { x := tracked(tr, o); tr.Put(o, x, 64); return x },
		}
		for name, line := range lines {
			guarded := 0
			for i := range 3000 {
				x := line()
				if IsGuarded(x, 64) {
					guarded++
					defer PutGuarded(x)
				}
				if i%100 == 0 {
					runtime.GC()
				}
			}
			most, least := 1000, 1 // losses are found when cleanups have run
			switch {
			case name == "put":
				most, least = 3000, 3000
			case name == "lost" && full:
				most, least = guardedFull+1000, guardedFull
			}
			if guarded > most || guarded < least {
				t.Errorf("full %v: %d of 3000 arrays %s are guarded", full, guarded, name)
			}
		}
		stop(tr)
	}
}

func tracked(tr *Tracker, o *Owner) *byte {
	tr.Pick()
	return unsafe.SliceData(tr.Array(o, 64, func(n int) []byte { return make([]byte, n) }))
}

// TestGuardedForgotten: a pool whose items are forgotten gets no guarded memory. What was forgotten is not
// outstanding.
func TestGuardedForgotten(t *testing.T) {
	tr, o := New(1, false, true), NewOwner("pool")
	x := guardedArray(t, tr, o, 144)
	before := guard.Count()
	if v, _ := tr.Forget(o, x, 144); v != Accepted || guard.Count() != before-1 {
		t.Errorf("verdict %d, %d outstanding, %d before", v, guard.Count(), before)
	}
	o.Forgets.Store(true)
	if x := tracked(tr, o); IsGuarded(x, 64) {
		t.Error("a guarded array although the pool forgets")
	}
	if tr.Usage().Unguarded != 1 {
		t.Errorf("%+v", tr.Usage())
	}
	y := guardedArray(t, tr, NewOwner("other"), 144)
	stop(tr)
	before = guard.Count()
	if KeepGuarded(y); guard.Count() != before-1 || PutGuarded(y) {
		t.Error("not kept")
	}
}

// TestGuardedAfterEnd: a Get that goes on with a tracker that has ended gets no guarded memory, because the
// pools have returned to their fast paths, which do not know it.
func TestGuardedAfterEnd(t *testing.T) {
	tr, o := New(1, true, true), NewOwner("pool")
	tr.Put(o, guardedArray(t, tr, o, 144), 144) // there is guarded memory
	stop(tr)
	before := guard.Count()
	tr.Pick()
	if b := tr.Array(o, 144, func(n int) []byte { return make([]byte, n) }); len(b) != 144 || IsGuarded(unsafe.SliceData(b), 144) || guard.Count() != before {
		t.Errorf("%d bytes, %d guarded arrays, %d before", len(b), guard.Count(), before)
	}
}

// TestArraysWhileChecksEnd: a site's outstanding arrays are counted down for each that is counted up, when the tracker ends
// while goroutines acquire. The race detector sees who does so without a lock.
func TestArraysWhileChecksEnd(t *testing.T) {
	for range 200 {
		tr, o := New(1, true, true), NewOwner("pool")
		var started sync.WaitGroup
		var users sync.WaitGroup
		var arrays [3][]*byte
		for user := range arrays {
			started.Add(1)
			users.Go(func() {
				for i := range 20 {
					if tr.Pick() {
						b := tr.Array(o, 144, func(n int) []byte { return make([]byte, n) })
						arrays[user] = append(arrays[user], unsafe.SliceData(b))
					}
					if i == 2 {
						started.Done()
					}
				}
			})
		}
		started.Wait()
		stop(tr)
		users.Wait()
		tr.sites.mu.Lock() // a cleanup may be late
		for _, s := range tr.sites.all {
			if s.guarded != 0 || s.heap != 0 {
				t.Errorf("after the end, a site has %d guarded arrays and %d others", s.guarded, s.heap)
			}
		}
		tr.sites.mu.Unlock()
		for _, xs := range arrays {
			putAllGuarded(xs)
		}
	}
}

// TestFault: an access that faults is told by its place and by the state of the array there.
func TestFault(t *testing.T) {
	tr, o := New(1, true, true), NewOwner("pool")
	defer stop(tr)
	const size = 144
	x := guardedArray(t, tr, o, size)
	for _, put := range []bool{false, true} {
		if put {
			puts(tr, o, x, size)
		}
		for _, tt := range []struct {
			at       int
			out, put misuse.Kind
			known    bool // which array was meant, although it is outstanding
		}{
			{-1, misuse.UseAfterPut, misuse.UseAfterPut, false},
			{0, misuse.UseAfterPut, misuse.UseAfterPut, false},
			{size - 1, misuse.UseAfterPut, misuse.UseAfterPut, false},
			{size, misuse.OutOfBounds, misuse.UseAfterPut, true},
			{size + 100, misuse.OutOfBounds, misuse.UseAfterPut, true},
		} {
			want, known := tt.out, tt.known
			if put {
				want, known = tt.put, tt.at >= 0
			}
			f, ok := Fault(addr(x) + uintptr(tt.at))
			if !ok || f.Kind != want {
				t.Errorf("byte %d, put %t: %s, %t", tt.at, put, f.Kind.Words(), ok)
			}
			if known && (f.Pool != &o.Pool || f.Size != size || f.Offset != tt.at || len(f.Acquired) == 0 || (len(f.FirstPut) > 0) != put) ||
				!known && (f.Pool != &unknown || f.Size != 0) {
				t.Errorf("byte %d, put %t: %+v", tt.at, put, f)
			}
		}
		state := map[bool]guard.State{false: guard.Out, true: guard.Late}[put]
		if got, n := Guarded(x); got != state || n != size || !IsGuarded(x, size) || IsGuarded(x, size-1) {
			t.Errorf("put %t: state %d, %d bytes", put, got, n)
		}
		if got, n := Guarded(byteAt(x, 8)); got != guard.Out || n != 0 {
			t.Errorf("put %t, a part: state %d, %d bytes", put, got, n)
		}
	}
	heap := unsafe.SliceData(make([]byte, size))
	if got, n := Guarded(heap); got != guard.Unused || n != 0 || IsGuarded(heap, size) {
		t.Errorf("an array of the heap: state %d, %d bytes", got, n)
	}
	if f, ok := Fault(addr(heap)); ok {
		t.Errorf("an array of the heap: %+v", f)
	}
}

//go:noinline
func reads(p *[64]int) int { return p[1] }

//go:noinline
func faultStack() []uintptr { return FaultStack() }

// TestFaultStack: the stack of an access that faulted begins with the function that made it.
func TestFaultStack(t *testing.T) {
	var pcs []uintptr
	var faults func(depth int)
	faults = func(depth int) {
		if depth > 0 {
			faults(depth - 1)
			return
		}
		defer func() {
			if err := recover(); err != nil {
				pcs = faultStack()
				panic(err)
			}
		}()
		reads(nil)
	}
	for _, depth := range []int{0, 200} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no fault")
				}
			}()
			faults(depth)
		}()
		if got := innermost(pcs); got != "reads" || len(pcs) > maxDepth {
			t.Errorf("at depth %d: %d calls, the first is %s", depth, len(pcs), got)
		}
	}
	if got := innermost(faultStack()); got != "faultStack" {
		t.Errorf("without a fault the stack begins at %s", got)
	}
	for name, want := range map[string]bool{"runtime.memmove": true, "internal/bytealg.Equal": true, "bytes.Equal": false, "runtimes.f": false, "": false} {
		if got := inRuntime(name); got != want {
			t.Errorf("%q is in the runtime: %t", name, got)
		}
	}
}
