//go:build go1.25

package basinscope_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestGet(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		var all [][]byte
		s := basinscope.Scope{Fresh: fresh}
		for i := range 3000 {
			n := i * i % 5000
			b := s.Get(n)
			if len(b) != n || b == nil || n > 0 && uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
				t.Fatalf("Get(%d): %d bytes at %p", n, len(b), b)
			}
			if fresh && bytes.Count(b, []byte{0}) != n {
				t.Fatalf("fresh: Get(%d) is not zero", n)
			}
			b = b[:cap(b)]
			for j := range b {
				b[j] = byte(i)
			}
			all = append(all, b)
		}
		for i, b := range all {
			if bytes.Count(b, []byte{byte(i)}) != len(b) {
				t.Fatalf("slice %d of %d bytes has bytes of another", i, len(b))
			}
		}
		s.End()
	}
}

func TestAppend(t *testing.T) {
	var s basinscope.Scope
	defer s.End()
	a := s.Append(nil, []byte("abc")...)
	at := unsafe.SliceData(a)
	for range 1000 {
		a = s.Append(a, 'd')
	}
	if unsafe.SliceData(a) != at && !pooltest.FullChecks {
		t.Error("the last slice did not grow in place")
	}
	b := s.Get(10)
	copy(b, "0123456789")
	long := s.Append(a, make([]byte, 100)...) // not the last one any more
	if string(b) != "0123456789" || len(long) != 1103 || string(long[:4]) != "abcd" || string(a[:4]) != "abcd" {
		t.Errorf("%q, %d bytes, %q", b, len(long), long[:4])
	}
	own := slices.Clip([]byte("xyz"))
	if c := s.Append(own, 'w'); string(c) != "xyzw" || string(own) != "xyz" {
		t.Errorf("%q from %q", c, own)
	}
	if c := s.Append(b, b...); string(c) != "01234567890123456789" {
		t.Errorf("a slice appended to itself: %q", c)
	}
	if c := s.Append(nil); len(c) != 0 {
		t.Errorf("%q", c)
	}
	large := s.Append(nil, bytes.Repeat([]byte("l"), 200_000)...)
	large = s.Append(large, 'm')
	if len(large) != 200_001 || large[200_000] != 'm' || large[199_999] != 'l' {
		t.Error("a large slice did not grow")
	}
}

func TestString(t *testing.T) {
	var s basinscope.Scope
	b := []byte("hello")
	got := s.String(b)
	b[0] = 'j'
	if got != "hello" || s.String(nil) != "" {
		t.Errorf("%q, %q", got, s.String(nil))
	}
	s.End()
}

type tree struct {
	left, right *tree
	name        string
	object      *[64]byte
}

func TestValues(t *testing.T) {
	for range 3 {
		for _, fresh := range []bool{false, true} {
			s := basinscope.Scope{Fresh: fresh}
			var all []*tree
			for i := range 5000 {
				x := basinscope.New[tree](&s)
				if *x != (tree{}) {
					t.Fatalf("value %d is %v", i, *x)
				}
				x.name = fmt.Sprint(i)
				if i > 0 {
					x.left = all[i-1]
				}
				all = append(all, x)
				if l := basinscope.Slice[uint16](&s, i%300); len(l) != i%300 || cap(l) > i%300+0 {
					t.Fatalf("%d of %d values", len(l), i%300)
				} else if i%300 > 0 {
					l[0], l[len(l)-1] = math.MaxUint16, math.MaxUint16
				}
				if i%1000 == 0 {
					runtime.GC()
				}
			}
			for i, x := range all {
				if x.name != fmt.Sprint(i) || i > 0 && x.left.name != fmt.Sprint(i-1) {
					t.Fatalf("value %d is %v", i, *x)
				}
			}
			s.End()
			if x := all[7]; !fresh && *x != (tree{}) && !pooltest.FullChecks {
				t.Error("values are not cleared")
			}
			if x := all[7]; fresh && x.left != all[6] && !pooltest.FullChecks {
				t.Error("fresh values are cleared")
			}
		}
	}
}

// TestLargeValues has values larger than chunks and slices of any length.
func TestLargeValues(t *testing.T) {
	for range 3 {
		var s basinscope.Scope
		type page [5000]byte
		type huge [9 << 20]byte
		for i := range 20 {
			p := basinscope.New[page](&s)
			if *p != (page{}) {
				t.Fatal("not zero")
			}
			p[0], p[4999] = byte(i), 1
		}
		h := basinscope.New[huge](&s)
		h[len(h)-1] = 1
		for _, n := range []int{0, 1, 7, 100, 1000, 10_000, 100_000, 1 << 20} {
			l := basinscope.Slice[*int](&s, n)
			for i := range l {
				if l[i] != nil {
					t.Fatalf("%d of %d is not nil", i, n)
				}
				l[i] = new(int)
			}
		}
		if l := basinscope.Slice[struct{}](&s, math.MaxInt); len(l) != math.MaxInt {
			t.Error(len(l))
		}
		if basinscope.New[struct{}](&s) == nil {
			t.Error("nil")
		}
		s.End()
	}
}

// TestCollected: nothing lives on after the end that values pointed to.
func TestCollected(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		var dead []weak.Pointer[[64]byte]
		func() {
			s := basinscope.Scope{Fresh: fresh}
			defer s.End()
			for i := range 3000 {
				x := basinscope.New[tree](&s)
				x.object = new([64]byte)
				dead = append(dead, weak.Make(x.object))
				l := basinscope.Slice[*[64]byte](&s, 1+i%400)
				l[len(l)-1] = new([64]byte)
				dead = append(dead, weak.Make(l[len(l)-1]))
			}
			runtime.GC()
			for i, w := range dead {
				if w.Value() == nil {
					t.Fatalf("object %d is garbage before the end", i)
				}
			}
		}()
		runtime.GC()
		for i, w := range dead {
			if w.Value() != nil {
				t.Fatalf("fresh %v: object %d of %d lives", fresh, i, len(dead))
			}
		}
	}
}

func TestReuse(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.SkipUnlessExact(t) // with the race detector, another array may be idle
	pooltest.Alone(t)
	at := func(fresh bool) (*byte, *tree) {
		s := basinscope.Scope{Fresh: fresh}
		defer s.End()
		return unsafe.SliceData(s.Get(100)), basinscope.New[tree](&s)
	}
	at(false)
	b, v := at(false)
	if b2, v2 := at(false); b2 != b || v2 != v {
		t.Error("memory is not reused")
	}
	b, v = at(true)
	for range 100 {
		if b2, v2 := at(true); b2 == b || v2 == v {
			t.Error("fresh memory is reused")
		}
		if b2, v2 := at(false); b2 == b || v2 == v {
			t.Error("fresh memory is reused by others")
		}
	}
}

func TestNoAllocations(t *testing.T) {
	pooltest.SkipUnlessExact(t)
	work := func() {
		var s basinscope.Scope
		for i := range 100 {
			s.Get(i * 3)
			basinscope.New[tree](&s)
			basinscope.Slice[int](&s, i)
		}
		s.Defer(nothing)
		s.Append(s.Append(nil, []byte("some")...), []byte("more")...)
		s.String([]byte("string"))
		s.Get(100_000)
		s.End()
	}
	work()
	if n := testing.AllocsPerRun(1000, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func nothing() {}

// TestHeld: a scope holds little more than it was asked for.
func TestHeld(t *testing.T) {
	pooltest.Reuses(t)
	for name, sizes := range map[string][]int{
		"20 KB of 16 to 256":  randomSizes(150, 16, 256),
		"20 KB of 16 to 4096": randomSizes(10, 16, 4096),
		"200 KB of 16 to 256": randomSizes(1500, 16, 256),
	} {
		p := basin.BytePool{Name: t.Name(), MaxFit: 1}
		s := basinscope.Scope{Pool: &p}
		asked := 0
		for _, n := range sizes {
			s.Get(n)
			asked += n
		}
		held := p.Stats().Bytes.InUse
		if ratio := float64(held) / float64(asked); ratio > 1.35 {
			t.Errorf("%s: %d bytes held of %d asked for: %.2f", name, held, asked, ratio)
		} else {
			t.Logf("%s: %d bytes held of %d asked for: %.2f", name, held, asked, ratio)
		}
		s.End()
		if st := p.Stats(); st.Bytes.InUse != 0 || st.Drops.Total() != st.Drops.Checked {
			t.Errorf("%d bytes in use after the end, %d drops", st.Bytes.InUse, st.Drops.Total())
		}
	}
}

func TestDefer(t *testing.T) {
	var got []int
	called := func(i int) func() { return func() { got = append(got, i) } }
	expect := func(name string, want ...int) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		got = nil
	}
	func() {
		var s basinscope.Scope
		defer s.End()
		b := s.Append(nil, []byte("still there")...)
		s.Defer(called(1))
		s.Defer(func() {
			if string(b) != "still there" {
				t.Errorf("%q", b)
			}
		})
		s.Defer(called(2))
	}()
	expect("return", 2, 1)
	func() {
		defer func() { recover() }()
		var s basinscope.Scope
		defer s.End()
		s.Defer(called(1))
		s.Defer(called(2))
		panic("x")
	}()
	expect("panic", 2, 1)
	var all sync.WaitGroup
	all.Go(func() {
		var s basinscope.Scope
		defer s.End()
		s.Defer(called(1))
		s.Defer(called(2))
		runtime.Goexit()
	})
	all.Wait()
	expect("Goexit", 2, 1)

	// Functions that panic or exit.
	p := &basin.BytePool{Name: t.Name()}
	var s basinscope.Scope
	if r := panicOf(func() {
		s = basinscope.Scope{Pool: p} //nolint:copylocks // a new one
		defer s.End()
		s.Get(1000)
		basinscope.New[tree](&s).name = "x"
		s.Defer(called(1))
		s.Defer(func() { panic("second") })
		s.Defer(called(3))
		s.Defer(func() { panic("first") })
	}); r != "second" {
		t.Errorf("panic %v", r)
	}
	expect("panics of functions", 3, 1)
	all.Go(func() {
		s := basinscope.Scope{Pool: p}
		defer s.End()
		s.Get(1000)
		s.Defer(called(1))
		s.Defer(runtime.Goexit)
		s.Defer(called(3))
	})
	all.Wait()
	expect("Goexit of a function", 3, 1)
	if n := p.Stats().Items.InUse; n != 0 {
		t.Errorf("%d slices are still in use", n)
	}

	// Functions that use the scope.
	for name, use := range uses {
		s := new(basinscope.Scope)
		s.Defer(called(1))
		s.Defer(func() { use(s) })
		if r := panicOf(s.End); name != "End" && r != ended || name == "End" && r != nil {
			t.Errorf("%s in a function of Defer: %v", name, r)
		}
		expect(name, 1)
	}
}

const ended = "basinscope: Scope used after its End"

// uses has all calls of a Scope.
var uses = map[string]func(s *basinscope.Scope){
	"Get":          func(s *basinscope.Scope) { s.Get(1) },
	"Get, nothing": func(s *basinscope.Scope) { s.Get(0) },
	"Append":       func(s *basinscope.Scope) { s.Append(nil, 'a') },
	"Append, room": func(s *basinscope.Scope) { s.Append(make([]byte, 0, 8), 'a') },
	"String":       func(s *basinscope.Scope) { s.String([]byte("a")) },
	"String, none": func(s *basinscope.Scope) { s.String(nil) },
	"Room":         func(s *basinscope.Scope) { s.Room(1) },
	"Defer":        func(s *basinscope.Scope) { s.Defer(nothing) },
	"Child":        func(s *basinscope.Scope) { s.Child() },
	"New":          func(s *basinscope.Scope) { basinscope.New[tree](s) },
	"New, nothing": func(s *basinscope.Scope) { basinscope.New[struct{}](s) },
	"Slice":        func(s *basinscope.Scope) { basinscope.Slice[int](s, 3) },
	"Slice, none":  func(s *basinscope.Scope) { basinscope.Slice[int](s, 0) },
	"End":          func(s *basinscope.Scope) { s.End() },
}

func panicOf(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// TestAfterEnd: all calls but End panic after the end, at all levels of checks.
func TestAfterEnd(t *testing.T) {
	for _, level := range []basincheck.Settings{{}, {Level: basincheck.Sampled, Every: 1}, pooltest.FullChecking} {
		reports := pooltest.BeginChecks(t, level)
		for name, use := range uses {
			for begun, begin := range map[string]func(s *basinscope.Scope){
				"unused": func(*basinscope.Scope) {},
				"bytes":  func(s *basinscope.Scope) { s.Get(100); s.Get(100_000) },
				"values": func(s *basinscope.Scope) { basinscope.New[tree](s); basinscope.Slice[int](s, 2) },
				"child":  func(s *basinscope.Scope) { s.Child().End() },
				"held":   func(s *basinscope.Scope) { s.Child() },
			} {
				s := new(basinscope.Scope)
				begin(s)
				s.End()
				s.End()
				r := panicOf(func() { use(s) })
				if name != "End" && r != ended || name == "End" && r != nil {
					t.Errorf("level %v: %s after the end, %s: %v", level.Level, name, begun, r)
				}
			}
		}
		basincheck.Verify()
		for _, r := range reports.Take() {
			if r.Kind != basincheck.Leak { // of those that are held
				t.Error(r)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	impossible := math.MaxInt - 16
	for name, c := range map[string]struct {
		call func(s *basinscope.Scope)
		want string
	}{
		"Get(-1)":              {func(s *basinscope.Scope) { s.Get(-1) }, "basinscope: Get: negative length"},
		"Get(-8)":              {func(s *basinscope.Scope) { s.Get(-8) }, "basinscope: Get: negative length"},
		"Get(MinInt)":          {func(s *basinscope.Scope) { s.Get(math.MinInt) }, "basinscope: Get: negative length"},
		"Get, impossible":      {func(s *basinscope.Scope) { s.Get(impossible) }, "makeslice: len out of range"},
		"Get(MaxInt)":          {func(s *basinscope.Scope) { s.Get(math.MaxInt) }, "makeslice: len out of range"},
		"Room(-1)":             {func(s *basinscope.Scope) { s.Room(-1) }, "basinscope: Room: negative length"},
		"Slice(-1)":            {func(s *basinscope.Scope) { basinscope.Slice[int](s, -1) }, "basinscope: Slice: negative length"},
		"Slice, impossible":    {func(s *basinscope.Scope) { basinscope.Slice[int](s, impossible) }, "makeslice: len out of range"},
		"Slice(MaxInt)":        {func(s *basinscope.Scope) { basinscope.Slice[*int](s, math.MaxInt) }, "makeslice: len out of range"},
		"Slice(-1) of nothing": {func(s *basinscope.Scope) { basinscope.Slice[struct{}](s, -1) }, "basinscope: Slice: negative length"},
		"Defer(nil)":           {func(s *basinscope.Scope) { s.Defer(nil) }, "basinscope: Defer of a nil function"},
	} {
		if strings.HasPrefix(name, "Get") && c.want == "makeslice: len out of range" && math.MaxInt == math.MaxInt32 {
			continue // on 32 bits such a slice is possible, and ends the program for want of memory
		}
		for _, warm := range []bool{false, true} {
			for _, fresh := range []bool{false, true} {
				s := &basinscope.Scope{Fresh: fresh}
				if warm {
					s.Get(1)
					basinscope.New[int](s)
					basinscope.New[*int](s)
				}
				if r := panicOf(func() { c.call(s) }); !strings.Contains(fmt.Sprint(r), c.want) {
					t.Errorf("%s, fresh %v, warm %v: %v, want %s", name, fresh, warm, r, c.want)
				}
				if b := s.Get(100); len(b) != 100 { // the scope is as before
					t.Errorf("%s: %d bytes afterwards", name, len(b))
				}
				s.End()
			}
		}
	}
	for name, s := range map[string]*basinscope.Scope{
		"Scope.Max is -1":        {Max: -1},
		"BytePool.MaxIdle is -7": {Pool: &basin.BytePool{MaxIdle: -7}},
	} {
		for call, use := range uses {
			if call == "End" || call == "Append, room" || call == "Defer" || call == "Child" || strings.HasPrefix(call, "New") || strings.HasPrefix(call, "Slice") {
				continue
			}
			if r := panicOf(func() { use(s) }); call != "String, none" && call != "Get, nothing" && !strings.Contains(fmt.Sprint(r), name) {
				t.Errorf("%s: %s: %v", name, call, r)
			}
		}
		s.End()
	}
	var none *basinscope.Scope
	for name, use := range uses {
		if r, ok := panicOf(func() { use(none) }).(runtime.Error); !ok {
			t.Errorf("%s of a nil Scope: %v", name, r)
		}
	}
}

// TestCopied: a copy of a scope is noticed after the End of the original, even while a child keeps the
// memory.
func TestCopied(t *testing.T) {
	const want = "basinscope: copy of a Scope used after the End of the original"
	p := &basin.BytePool{Name: t.Name()}
	for _, children := range []bool{false, true} {
		s := &basinscope.Scope{Pool: p}
		basinscope.New[int](s)
		s.Get(2048)
		var child *basinscope.Scope
		if children {
			child = s.Child()
		}
		c := make([]basinscope.Scope, 1)
		reflectCopy(&c[0], s)
		s.End()
		for call, use := range map[string]func(){
			"Get":   func() { c[0].Get(5000) },
			"Slice": func() { basinscope.Slice[int](&c[0], 500) },
			"Child": func() { c[0].Child() },
			"Room":  func() { c[0].Room(5000) },
			"End":   c[0].End,
		} {
			if r := panicOf(use); r != want {
				t.Errorf("children %v, %s: %v", children, call, r)
			}
		}
		if children {
			child.End()
		}
	}
	if st := p.Stats(); st.Items.InUse != 0 || st.Drops.Double != 0 {
		t.Errorf("%d in use, %d put twice", st.Items.InUse, st.Drops.Double)
	}
}

// reflectCopy copies a Scope so that vet does not see it.
func reflectCopy[T any](dst, src *T) { *dst = *src }

func TestMax(t *testing.T) {
	s := basinscope.Scope{Max: 10_000}
	defer s.End()
	if err := s.Room(10_000); err != nil {
		t.Error(err)
	}
	if err := s.Room(10_001); err == nil || !strings.Contains(err.Error(), "a Max of 10000") {
		t.Error(err)
	}
	if err := s.Room(math.MaxInt); err == nil {
		t.Error("room for MaxInt")
	}
	for i := range 9 {
		s.Get(1000)
		if err := s.Room(0); err != nil {
			t.Errorf("after %d: %v", 1000*(i+1), err)
		}
	}
	if b := s.Get(2000); len(b) != 2000 {
		t.Error(len(b))
	}
	if err := s.Room(0); err == nil {
		t.Error("room beyond Max")
	}
	for name, use := range map[string]func(s *basinscope.Scope){
		"New":   func(s *basinscope.Scope) { basinscope.New[tree](s) },
		"Slice": func(s *basinscope.Scope) { basinscope.Slice[int](s, 3) },
		"child": func(s *basinscope.Scope) { s.Child().Get(1000) },
	} {
		s := basinscope.Scope{Max: 5000}
		for i := 0; s.Room(0) == nil; i++ {
			if i == 1000 {
				t.Fatalf("%s: no end", name)
			}
			use(&s)
		}
		s.End()
	}
}

func TestCeiling(t *testing.T) {
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 64 << 10}
	s := basinscope.Scope{Pool: p}
	for range 10 {
		s.Get(6000)
	}
	if err := s.Room(0); err != nil {
		t.Error(err)
	}
	if err := s.Room(6000); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("room beyond the limit: %v", err)
	}
	if b := s.Get(50_000); len(b) != 50_000 { // must not wait
		t.Error(len(b))
	}
	if err := s.Room(0); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("room beyond the limit: %v", err)
	}
	for range 100 {
		s.Get(100)
	}
	if st := p.Stats(); st.Bytes.InUse < 120_000 || st.Beyond == 0 { // and all of it counts
		t.Errorf("%d bytes in use, %d beyond", st.Bytes.InUse, st.Beyond)
	}
	s.End()
	if st := p.Stats(); st.Bytes.InUse != 0 || st.Drops.Total() != st.Drops.Checked {
		t.Errorf("after the end %d bytes in use, drops %+v", st.Bytes.InUse, st.Drops)
	}
}

// TestReservation: a scope on a view draws from the reservation.
func TestReservation(t *testing.T) {
	l := &basin.Limit{Name: t.Name(), Max: 1 << 20}
	p := &basin.BytePool{Name: t.Name(), Limit: l}
	r, err := l.Acquire(t.Context(), 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	s := basinscope.Scope{Pool: r.Pool(p)}
	for range 100 {
		s.Get(500)
	}
	if st := l.Stats(); st.Bytes.InUse < 50_000 || st.Bytes.InUse+st.Reserved != 64<<10 {
		t.Errorf("%d bytes in use, %d reserved", st.Bytes.InUse, st.Reserved)
	}
	if err := s.Room(1 << 20); !errors.Is(err, basin.ErrLimit) {
		t.Error(err)
	}
	s.End()
	r.Release()
	if st := l.Stats(); st.Bytes.InUse != 0 || st.Reserved != 0 || st.Beyond != 0 {
		t.Errorf("%v", st)
	}
}

func TestRoomIsKept(t *testing.T) {
	pooltest.Reuses(t)
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 64 << 10}
	s := basinscope.Scope{Pool: p}
	if err := s.Room(60_000); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.TryGet(32 << 10); ok {
		t.Error("the room of the scope is another's")
	}
	for range 6 {
		s.Get(10_000)
	}
	if err := s.Room(0); err != nil {
		t.Error(err)
	}
	s.End()
}

// TestFigures: idle chunks of values are in statistics, and within the limits of their pools.
func TestFigures(t *testing.T) {
	pooltest.Reuses(t)
	type mine struct{ _, _ *int }
	var s basinscope.Scope
	for range 1000 {
		basinscope.New[mine](&s)
	}
	s.End()
	var idle, most int64
	for _, st := range basinexport.Append(nil) {
		if strings.HasPrefix(st.Name, "scope of ") && strings.Contains(st.Name, "mine") {
			idle += st.Bytes.Idle
			most += st.Bytes.MaxIdle
		}
	}
	if size := int64(1000 * unsafe.Sizeof(mine{})); idle < size || idle > 4*size || most == 0 {
		t.Errorf("%d bytes idle, at most %d", idle, most)
	}
}
