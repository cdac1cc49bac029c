//go:build go1.25

package check

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/testenv"
)

var global [8]int

// TestFresh lets New return the same values again, and new values at the addresses of garbage.
func TestFresh(t *testing.T) {
	heap := new([8]int)
	for name, x := range map[string]*[8]int{"on the heap": heap, "global": &global} {
		tr, o := New(4, false, false), new(Owner)
		for n := range 4 {
			if fresh := tr.Fresh(o, unsafe.Pointer(x)); fresh != (n == 0) {
				t.Errorf("%s, after %d times: fresh is %t", name, n, fresh)
			}
			runtime.GC()
		}
	}
	runtime.KeepAlive(heap)

	tr, o := New(4, false, false), new(Owner)
	times := make(map[uintptr]int)
	for most := 0; most < 5; runtime.GC() {
		x := new([8]int)
		fresh := tr.Fresh(o, unsafe.Pointer(x))
		if len(times) == len(o.made.Load().at) { // it forgets the first address
			clear(times)
			o = new(Owner)
			continue
		}
		at := addr((*byte)(unsafe.Pointer(x)))
		times[at]++
		if most = max(most, times[at]); fresh == (times[at] == 2) {
			t.Errorf("a new value, the address for the %dth time: fresh is %t", times[at], fresh)
		}
	}
}

// TestLateValues puts more values than a sample remembers. The oldest have no records then; a second Put
// of the others is misuse.
func TestLateValues(t *testing.T) {
	tr := New(1, false, false)
	defer stop(tr)
	o := new(Owner)
	kind := reflect.TypeFor[*[16]int]()
	put := func(v *[16]int) Verdict {
		verdict, _ := tr.PutValue(o, unsafe.Pointer(v), kind, 128)
		return verdict
	}
	values := make([]*[16]int, lateValues+10)
	for i := range values {
		values[i] = new([16]int)
		tr.GetValue(o, unsafe.Pointer(values[i]), kind, 128)
		if v := put(values[i]); v != Accepted {
			t.Fatalf("Put of value %d: verdict %d", i, v)
		}
	}
	if n := len(tr.values.records); n != lateValues {
		t.Errorf("%d records", n)
	}
	for i, want := range map[int]Verdict{0: Unknown, 9: Unknown, 10: Rejected, len(values) - 1: Rejected} {
		if got := put(values[i]); got != want {
			t.Errorf("second Put of value %d: verdict %d, want %d", i, got, want)
		}
	}
}

var (
	pointerKind = reflect.TypeFor[*[8]int64]()
	sliceKind   = reflect.TypeFor[[]int64]()
)

//go:noinline
func getsValue(tr *Tracker, o *Owner, v *[8]int64, kind reflect.Type) {
	tr.GetValue(o, unsafe.Pointer(v), kind, 64)
}

//go:noinline
func putsValue(tr *Tracker, o *Owner, v *[8]int64, kind reflect.Type) (Verdict, misuse.Finding) {
	return tr.PutValue(o, unsafe.Pointer(v), kind, 64)
}

// TestValueVerdicts: a value may be put as often as it was handed out.
func TestValueVerdicts(t *testing.T) {
	const get, put, drop, again = "get", "put", "drop", "again"
	for _, tt := range []struct {
		name        string
		kind        reflect.Type
		steps       []string
		full        bool
		want        []Verdict // of the Puts
		outstanding int       // afterwards
	}{
		{"once", pointerKind, []string{get, put}, true, []Verdict{Accepted}, 0},
		{"twice", pointerKind, []string{get, put, put, put}, true, []Verdict{Accepted, Rejected, Rejected}, 0},
		{"twice, sampled", pointerKind, []string{get, put, put}, false, []Verdict{Accepted, Rejected}, 0},
		{"handed out twice", pointerKind, []string{get, get, put, put, put}, true, []Verdict{Accepted, Accepted, Rejected}, 0},
		{"handed out again", pointerKind, []string{get, put, again, put, put}, true, []Verdict{Accepted, Accepted, Rejected}, 0},
		{"handed out and not put", pointerKind, []string{get, again, get, put}, true, []Verdict{Accepted}, 2},
		{"dropped", pointerKind, []string{get, drop, put}, true, []Verdict{Unknown}, 0},
		{"dropped of two", pointerKind, []string{get, get, drop, put, put}, true, []Verdict{Accepted, Rejected}, 0},
		{"handed out again without a record", pointerKind, []string{again, drop, put, put}, true, []Verdict{Unknown, Unknown}, 0},
		{"a slice", sliceKind, []string{get, put, put}, true, []Verdict{Accepted, Rejected}, 0},
		{"a slice that is not put", sliceKind, []string{get}, true, nil, 0},
		{"a slice with another array", sliceKind, []string{put, put, again, put}, true, []Verdict{Unknown, Rejected, Accepted}, 0},
		{"a slice with another array, sampled", sliceKind, []string{put, put}, false, []Verdict{Unknown, Unknown}, 0},
	} {
		tr, o, _ := begin(t, 1, tt.full)
		v := new([8]int64)
		tr.book.count(uintptr(unsafe.Pointer(v)), 1) // as if another record had its hash
		var got []Verdict
		for _, s := range tt.steps {
			switch s {
			case get:
				getsValue(tr, o, v, tt.kind)
			case drop:
				tr.DropValue(unsafe.Pointer(v), tt.kind)
			case again:
				tr.AgainValue(unsafe.Pointer(v), tt.kind, false)
			case put:
				verdict, f := putsValue(tr, o, v, tt.kind)
				got = append(got, verdict)
				if (verdict == Rejected) != (f.Kind == misuse.DoublePut) {
					t.Errorf("%s: verdict %d, %+v", tt.name, verdict, f)
				}
				if verdict == Rejected && (f.Pool != &o.Pool || f.Size != 64 || innermost(f.FirstPut) != "putsValue" || innermost(f.Here) != "putsValue") {
					t.Errorf("%s: %+v", tt.name, f)
				}
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: verdicts %v, want %v", tt.name, got, tt.want)
		}
		var gets, puts uint64
		for _, s := range tr.Sites() {
			gets, puts = gets+s.Gets, puts+s.Puts
		}
		if n := outItems(tr); n != int64(tt.outstanding) || tt.kind == pointerKind && gets-puts != uint64(n) {
			t.Errorf("%s: %d are outstanding, want %d, of %d Gets and %d Puts", tt.name, n, tt.outstanding, gets, puts)
		}
		runtime.KeepAlive(v)
	}
}

// TestValueKinds: a struct and its first field have one address, but are two values.
func TestValueKinds(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	v, field := new([8]int64), reflect.TypeFor[*int64]()
	getsValue(tr, o, v, pointerKind)
	if verdict, _ := putsValue(tr, o, v, field); verdict != Unknown {
		t.Errorf("Put of the field: verdict %d", verdict)
	}
	getsValue(tr, o, v, field)
	for _, kind := range []reflect.Type{pointerKind, field} {
		if verdict, f := putsValue(tr, o, v, kind); verdict != Accepted {
			t.Errorf("Put of a %v: verdict %d, %+v", kind, verdict, f)
		}
	}
	if verdict, f := putsValue(tr, o, v, field); verdict != Rejected {
		t.Errorf("second Put of the field: verdict %d, %+v", verdict, f)
	}
}

// TestUntrackedValues: which values get no record, and that they are not misuse then.
func TestUntrackedValues(t *testing.T) {
	defer func(is bool) { strict = is }(strict)
	tiny := reflect.TypeFor[*int64]()
	heap := new([8]int64)
	for _, tt := range []struct {
		name   string
		v      unsafe.Pointer
		kind   reflect.Type
		size   int
		strict bool
		before func(*Tracker)
		want   int
	}{
		{"of the heap", unsafe.Pointer(heap), pointerKind, 64, false, nil, 1},
		{"of the heap, strictly", unsafe.Pointer(heap), pointerKind, 64, true, nil, 1},
		{"tiny", unsafe.Pointer(heap), tiny, 8, false, nil, 1},
		{"tiny, strictly", unsafe.Pointer(heap), tiny, 8, true, nil, 0},
		{"16 bytes, strictly", unsafe.Pointer(heap), tiny, 16, true, nil, 1},
		{"global", unsafe.Pointer(&global), pointerKind, 64, false, nil, 0},
		{"after the end", unsafe.Pointer(heap), pointerKind, 64, false, stop, 0},
		{"without memory", unsafe.Pointer(heap), pointerKind, 64, false, func(tr *Tracker) { tr.budget.limit = reservedForPuts + recordCost }, 0},
	} {
		tr, o, _ := begin(t, 1, true)
		if tt.before != nil {
			tt.before(tr)
		}
		strict = tt.strict
		tr.GetValue(o, tt.v, tt.kind, tt.size)
		strict = false
		verdict, f := tr.PutValue(o, tt.v, tt.kind, tt.size)
		if want := map[int]Verdict{0: Unknown, 1: Accepted}[tt.want]; verdict != want || len(tr.values.records) != tt.want {
			t.Errorf("%s: verdict %d, %+v, with %d records", tt.name, verdict, f, len(tr.values.records))
		}
		var gets uint64
		for _, s := range tr.Sites() {
			gets += s.Gets
		}
		if gets != uint64(tt.want) {
			t.Errorf("%s: sites count %d Gets", tt.name, gets)
		}
		stop(tr)
		balanced(t, tr)
	}
	runtime.KeepAlive(heap)
}

// TestPointers: which types may have pointers, so that their values are alone in their blocks.
func TestPointers(t *testing.T) {
	type named struct {
		_ int8
		_ [2]struct{ _ complex64 }
	}
	for want, types := range map[bool][]reflect.Type{
		false: {reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uintptr](), reflect.TypeFor[complex128](),
			reflect.TypeFor[[3]float32](), reflect.TypeFor[[0]*int](), reflect.TypeFor[struct{}](), reflect.TypeFor[named]()},
		true: {reflect.TypeFor[*int](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[map[int]int](), reflect.TypeFor[chan int](),
			reflect.TypeFor[func()](), reflect.TypeFor[any](), reflect.TypeFor[unsafe.Pointer](), reflect.TypeFor[[1]*int](),
			reflect.TypeFor[struct {
				_ int
				_ [1]string
			}]()},
	} {
		for _, k := range types {
			if got := pointers(k); got != want {
				t.Errorf("%v may have pointers is %t", k, got)
			}
			if tiny := isTiny(reflect.PointerTo(k), 15); tiny == want || isTiny(reflect.PointerTo(k), 16) {
				t.Errorf("15 bytes of a %v are tiny is %t", k, tiny)
			}
		}
	}
}

// TestSharedValues: if New returns an outstanding value again, a sample does not judge its owner any more, but full
// checks do.
func TestSharedValues(t *testing.T) {
	for _, full := range []bool{false, true} {
		for _, isNew := range []bool{false, true} {
			tr, o, _ := begin(t, 1, full)
			v := new([8]int64)
			getsValue(tr, o, v, pointerKind)
			tr.AgainValue(unsafe.Pointer(v), pointerKind, isNew)
			shares := isNew && !full
			for i, want := range []Verdict{Accepted, Accepted, map[bool]Verdict{false: Rejected, true: Unknown}[shares]} {
				if got, f := putsValue(tr, o, v, pointerKind); got != want {
					t.Errorf("full %t, by New %t: Put %d: verdict %d, want %d, %+v", full, isNew, i, got, want, f)
				}
			}
			if fresh := tr.Fresh(o, unsafe.Pointer(new([8]int64))); fresh == shares {
				t.Errorf("full %t, by New %t: values are fresh is %t", full, isNew, fresh)
			}
			if once := tr.Fresh(o, unsafe.Pointer(v)); full && !(once && tr.Fresh(o, unsafe.Pointer(v))) {
				t.Error("with full checks a value is not fresh")
			}
		}
	}
}

// TestLostValues: a value that becomes garbage is a leak for each time that it is outstanding.
func TestLostValues(t *testing.T) {
	for _, tt := range []struct {
		name    string
		kind    reflect.Type
		gets    int
		puts    int
		permits bool
		want    uint64
	}{
		{"outstanding", pointerKind, 1, 0, false, 1},
		{"outstanding several times", pointerKind, 4, 1, false, 3},
		{"put", pointerKind, 2, 2, false, 0},
		{"a slice", sliceKind, 1, 0, false, 0},
		{"of a pool that permits leaks", pointerKind, 2, 0, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const every = 2
			tr, o, told := begin(t, every, false)
			o.permits = tt.permits
			lost := func() {
				v := new([8]int64)
				for range tt.gets {
					getsValue(tr, o, v, tt.kind)
				}
				for range tt.puts {
					putsValue(tr, o, v, tt.kind)
				}
			}
			lost()
			testenv.CollectUntil(func() bool {
				tr.values.mu.Lock()
				defer tr.values.mu.Unlock()
				return len(tr.values.records) == 0
			})
			testenv.RunCleanups()
			got := told.take()
			if n := o.Counts()[misuse.Leak]; n != tt.want*every || len(got) != int(min(tt.want, 1)) {
				t.Errorf("%d leaks are counted, want %d times %d, in %d reports", n, tt.want, every, len(got))
			}
			for _, f := range got {
				if f.Kind != misuse.Leak || f.Weight != tt.want*every || innermost(f.Acquired) != "getsValue" {
					t.Errorf("%+v", f)
				}
			}
			for _, s := range tr.Sites() {
				if s.Leaks != tt.want*every {
					t.Errorf("%+v, want %d leaks", s, tt.want*every)
				}
			}
			stop(tr)
			balanced(t, tr)
		})
	}
}

// TestLateValueOutAgain: a value that was put stays known while it is outstanding again, although others are put.
func TestLateValueOutAgain(t *testing.T) {
	tr, o, _ := begin(t, 1, false)
	first := new([8]int64)
	getsValue(tr, o, first, pointerKind)
	putsValue(tr, o, first, pointerKind)
	tr.AgainValue(unsafe.Pointer(first), pointerKind, false)
	for range lateValues + 1 {
		v := new([8]int64)
		getsValue(tr, o, v, pointerKind)
		putsValue(tr, o, v, pointerKind)
	}
	if n := len(tr.values.records); n > lateValues+1 {
		t.Errorf("%d records", n)
	}
	for i, want := range []Verdict{Accepted, Rejected} {
		if got, f := putsValue(tr, o, first, pointerKind); got != want {
			t.Errorf("Put %d: verdict %d, %+v", i, got, f)
		}
	}
}

// TestValuesAtOnce: goroutines get and put one value and others. No correct Put is misuse.
func TestValuesAtOnce(t *testing.T) {
	for _, full := range []bool{false, true} {
		tr, o, told := begin(t, 1, full)
		shared := new([8]int64)
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				for range 100 {
					own := new([8]int64)
					for _, v := range []*[8]int64{shared, own} {
						getsValue(tr, o, v, pointerKind)
					}
					outItems(tr)
					for _, v := range []*[8]int64{shared, own} {
						if verdict, f := putsValue(tr, o, v, pointerKind); verdict != Accepted {
							t.Errorf("verdict %d, %+v", verdict, f)
						}
					}
				}
			})
		}
		users.Wait()
		if n := outItems(tr); n != 0 || told.take() != nil {
			t.Errorf("%d values are outstanding, or there are reports", n)
		}
		if got, _ := putsValue(tr, o, shared, pointerKind); got != Rejected && full {
			t.Errorf("one Put too many: verdict %d", got)
		}
		stop(tr)
		balanced(t, tr)
	}
}
