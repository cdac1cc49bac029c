//go:build go1.25

package basinscope_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestFinalizer: a finalizer for a value of a scope ends the program, with a sentence of the runtime.
func TestFinalizer(t *testing.T) {
	const child = "BASIN_TEST_FINALIZER"
	if os.Getenv(child) == "1" {
		var s basinscope.Scope
		basinscope.New[tree](&s)
		runtime.SetFinalizer(basinscope.New[tree](&s), func(*tree) {})
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	c := exec.Command(exe, "-test.run=^TestFinalizer$")
	c.Env = append(os.Environ(), child+"=1", "BASIN_CHECK=off") // with full checks each value is alone
	out, err := c.CombinedOutput()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(string(out), "SetFinalizer: pointer not at beginning of allocated block") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestEndElsewhere: a scope may be ended by another goroutine than its first, but by one at a time.
func TestEndElsewhere(t *testing.T) {
	p := &basin.BytePool{Name: t.Name()}
	for range 50 {
		s := &basinscope.Scope{Pool: p}
		b := s.Append(nil, []byte("from here")...)
		x := basinscope.New[tree](s)
		x.name = "value"
		called := 0
		s.Defer(func() { called++ })
		var other sync.WaitGroup
		other.Go(func() {
			c := s.Append(b, []byte(" to there")...)
			if string(c) != "from here to there" || x.name != "value" {
				t.Errorf("%q, %q", c, x.name)
			}
			s.End()
		})
		other.Wait()
		s.End()
		if r := panicOf(func() { s.Get(1) }); r != ended || called != 1 {
			t.Errorf("%v after the end elsewhere, %d calls", r, called)
		}
	}
	if n := p.Stats().Items.InUse; n != 0 {
		t.Errorf("%d slices are still in use", n)
	}
}

// TestDeferOfFamily: a function that panics, exits, or uses any member of the family, takes no memory and no
// other function with it.
func TestDeferOfFamily(t *testing.T) {
	p := &basin.BytePool{Name: t.Name()}
	for how, want := range map[string]any{"panic": "function", "Goexit": nil, "use": ended, "use of the child": ended} {
		for _, parentLast := range []bool{false, true} {
			var called []string
			s := &basinscope.Scope{Pool: p}
			c := s.Child()
			for _, one := range []struct {
				s    *basinscope.Scope
				name string
			}{{s, "parent"}, {c, "child"}} {
				b := one.s.Append(nil, []byte(one.name)...)
				large := one.s.Get(100_000)
				large[99_999] = 'x'
				x := basinscope.New[tree](one.s)
				x.name = one.name
				one.s.Defer(func() { called = append(called, string(b)+" "+x.name+string(large[99_999:])) })
			}
			c.Defer(map[string]func(){
				"panic":            func() { panic("function") },
				"Goexit":           runtime.Goexit,
				"use":              func() { s.Get(1) },
				"use of the child": func() { basinscope.New[tree](c) },
			}[how])
			first, last := s, c
			if parentLast {
				first, last = c, s
			}
			first.End()
			if len(called) != 0 {
				t.Errorf("%s: %q before the last end", how, called)
			}
			var r any
			var other sync.WaitGroup
			other.Go(func() { r = panicOf(last.End) })
			other.Wait()
			if r != want {
				t.Errorf("%s: panic %v, want %v", how, r, want)
			}
			if fmt.Sprint(called) != "[child childx parent parentx]" {
				t.Errorf("%s: called %q", how, called)
			}
			last.End() // does nothing
		}
	}
	if n := p.Stats().Items.InUse; n != 0 {
		t.Errorf("%d slices are still in use", n)
	}
}

// TestDropped: the collector takes all memory of a scope that is dropped without End, also if a child was,
// and a ceiling finds its bytes again.
func TestDropped(t *testing.T) {
	pooltest.Misuses(t) // with full checks, these are leaks
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20}
	var objects []weak.Pointer[[64]byte]
	called := false
	for _, fresh := range []bool{false, true} {
		func() {
			s := &basinscope.Scope{Pool: p, Fresh: fresh}
			s.Defer(func() { called = true })
			for _, s := range []*basinscope.Scope{s, s.Child()} {
				for i := range 300 {
					s.Get(i)
					x := basinscope.New[tree](s)
					x.object, x.left = new([64]byte), x
					objects = append(objects, weak.Make(x.object))
				}
			}
		}()
	}
	for i := 0; i < 100 && p.Stats().Bytes.InUse > 0; i++ {
		pooltest.Collect()
		misuse.Told()
	}
	if st := p.Stats(); st.Bytes.InUse != 0 || st.Lost.Bytes == 0 && !pooltest.FullChecks {
		t.Errorf("%d bytes in use, %d lost", st.Bytes.InUse, st.Lost.Bytes)
	}
	for i, w := range objects {
		if w.Value() != nil {
			t.Fatalf("object %d of %d lives", i, len(objects))
		}
	}
	if called {
		t.Error("a function of Defer was called")
	}
}

// TestBeyondReservation: a scope on a view goes beyond the reservation and the limit, which count that.
func TestBeyondReservation(t *testing.T) {
	l := &basin.Limit{Name: t.Name(), Max: 100_000}
	p := &basin.BytePool{Name: t.Name(), Limit: l}
	r, err := l.Acquire(t.Context(), 50_000)
	if err != nil {
		t.Fatal(err)
	}
	s := &basinscope.Scope{Pool: r.Pool(p)}
	c := s.Child()
	var all [][]byte
	for _, n := range []int{40_000, 1, 200_000, 5000, 3} {
		all = append(all, s.Get(n), c.Get(n))
	}
	apart(t, t.Name(), all)
	if err := s.Room(100_000); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("Room beyond the limit: %v", err)
	}
	if err := c.Room(100_000); !errors.Is(err, basin.ErrLimit) {
		t.Errorf("Room of the child beyond the limit: %v", err)
	}
	if st := l.Stats(); st.Bytes.InUse < 490_000 || st.Beyond == 0 {
		t.Errorf("%d bytes in use, %d requests beyond", st.Bytes.InUse, st.Beyond)
	}
	r.Release() // before the scope has ended
	s.End()
	c.Get(10_000)
	c.End()
	if st := l.Stats(); st.Bytes.InUse != 0 || st.Reserved != 0 {
		t.Errorf("%v", st)
	}
}

// TestManyFunctions: functions of Defer that all panic are all called, and the last panic goes on.
func TestManyFunctions(t *testing.T) {
	var s basinscope.Scope
	called := 0
	for i := range 3000 {
		s.Defer(func() { called++; panic(i) })
	}
	if r := panicOf(s.End); r != 0 || called != 3000 {
		t.Errorf("panic %v after %d calls", r, called)
	}
}

// TestSwitchedWhileOpen: slices and values of all levels of checks live side by side in a family.
func TestSwitchedWhileOpen(t *testing.T) {
	levels := []basincheck.Settings{{}, pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}, pooltest.FullChecking, {}}
	reports := pooltest.BeginChecks(t, pooltest.FullChecking)
	for _, fresh := range []bool{false, true} {
		s := &basinscope.Scope{Fresh: fresh}
		family := []*basinscope.Scope{s}
		var all [][]byte
		var grown []byte
		var values []*tree
		for round := range 3 {
			for _, level := range levels {
				level.Handler = reports.Handle
				basincheck.Set(level)
				for i, s := range family {
					if err := s.Room(100 * round); err != nil {
						t.Error(err)
					}
					for n := range 60 {
						all = append(all, s.Get(n*n))
						x := basinscope.New[tree](s)
						if *x != (tree{}) {
							t.Errorf("a value is %v", *x)
						}
						x.name = fmt.Sprint(len(values))
						values = append(values, x)
						grown = s.Append(grown, byte(i), byte(n))
					}
				}
				if len(family) < 4 {
					family = append(family, family[len(family)-1].Child())
				}
			}
		}
		apart(t, "switched", all)
		for i, x := range values {
			if x.name != fmt.Sprint(i) {
				t.Errorf("value %d is %q", i, x.name)
			}
		}
		for i := 1; i < len(grown); i += 2 {
			if grown[i] != byte(i/2%60) {
				t.Fatalf("byte %d of %d is %d", i, len(grown), grown[i])
			}
		}
		for _, s := range family {
			s.End()
		}
		basincheck.Verify()
		for _, r := range reports.Take() {
			t.Errorf("fresh %v: %v", fresh, r)
		}
	}
}
