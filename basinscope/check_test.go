//go:build go1.25

package basinscope_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/pooltest"
)

// A mixed has all that a value can have.
type mixed struct {
	truth  bool
	number int16
	_      int64
	_      float64
	text   string
	list   []int
	next   *mixed
	_      any
	pairs  [2]struct{ a, b int32 }
	_      map[string]int
	_      func()
	_      chan int
	_      complex64
}

// TestLateWrites: full checks report a write after the end, with the stacks of the call and of the End.
func TestLateWrites(t *testing.T) {
	pooltest.Misuses(t)
	p := &basin.BytePool{Name: t.Name()}
	for name, c := range map[string]struct {
		take func(s *basinscope.Scope) (late func())
		pool string
		at   int
	}{
		"bytes": {func(s *basinscope.Scope) func() { b := s.Get(100); return func() { b[7] = 1 } }, t.Name(), 7},
		"large": {func(s *basinscope.Scope) func() { b := s.Get(1 << 20); return func() { b[1<<20-1] = 1 } }, t.Name(), 1<<20 - 1},
		"appended": {func(s *basinscope.Scope) func() {
			b := s.Append([]byte("ab"), 'c')
			return func() { b[2] = 'd' }
		}, t.Name(), 2},
		"value": {func(s *basinscope.Scope) func() {
			x := basinscope.New[mixed](s)
			return func() { x.number = 1 }
		}, "scope of basinscope_test.mixed", 2},
		"pointer": {func(s *basinscope.Scope) func() {
			x := basinscope.New[tree](s)
			return func() { x.right = x }
		}, "scope of basinscope_test.tree", int(unsafe.Offsetof(tree{}.right))},
		"tiny": {func(s *basinscope.Scope) func() { x := basinscope.New[byte](s); return func() { *x = 1 } }, "scope of uint8", 0},
		"slice": {func(s *basinscope.Scope) func() {
			l := basinscope.Slice[uint32](s, 10)
			return func() { l[9] = 1 }
		}, "scope of uint32", 36},
	} {
		for _, fresh := range []bool{false, true} {
			reports := pooltest.BeginChecks(t, pooltest.FullChecking)
			s := &basinscope.Scope{Pool: p, Fresh: fresh}
			late := c.take(s)
			s.Get(10)
			basinscope.New[mixed](s).text = "not late"
			s.End()
			basincheck.Verify()
			if n := len(reports.Take()); n != 0 {
				t.Errorf("%s: %d reports without misuse", name, n)
			}
			late()
			basincheck.Verify()
			all := reports.Take()
			if len(all) != 1 || all[0].Kind != basincheck.WriteAfterPut || all[0].Pool != c.pool || all[0].Offset < c.at || all[0].Offset >= c.at+8 { // the low bytes of a pointer may be zero
				for _, r := range all {
					t.Logf("%v %s %d", r.Kind, r.Pool, r.Offset)
				}
				t.Errorf("%s: %d reports, want a write after Put at offset %d of %q", name, len(all), c.at, c.pool)
				continue
			}
			if r := all[0]; !pooltest.InCaller(r.Acquired) || !pooltest.InCaller(r.FirstPut) {
				t.Errorf("%s: taken\n%v\nclosed\n%v", name, r.Acquired, r.FirstPut)
			}
		}
	}
}

// TestLateReads: with full checks, a value after the end is unlike any that a program has.
func TestLateReads(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	var s basinscope.Scope
	b := s.Append(nil, []byte("bytes")...)
	text := s.String([]byte("text"))
	x := basinscope.New[mixed](&s)
	x.next, x.list, x.text = x, []int{1}, "a"
	l := basinscope.Slice[string](&s, 3)
	s.End()
	if b[0] != 0xDB || text != "\xDB\xDB\xDB\xDB" || !strings.Contains(l[2], "scope that has ended") {
		t.Errorf("%q %q %q", b, text, l[2])
	}
	if x.next != nil || x.list != nil || x.number != -0x2425 || x.pairs[1].b != -0x24242425 || !x.truth || !strings.Contains(x.text, "scope that has ended") {
		t.Errorf("%+v", x)
	}
}

// TestLeaks: full checks report the memory of a scope that was dropped without an End, also if
// a child was.
func TestLeaks(t *testing.T) {
	for name, drop := range map[string]func(s *basinscope.Scope){
		"scope": func(*basinscope.Scope) {},
		"child": func(s *basinscope.Scope) { s.Child(); s.End() },
	} {
		reports := pooltest.BeginChecks(t, pooltest.FullChecking)
		func() {
			s := new(basinscope.Scope)
			s.Get(100)
			basinscope.New[mixed](s)
			drop(s)
		}()
		var all []*basincheck.Report
		for i := 0; len(all) < 2 && i < 100; i++ {
			runtime.GC()
			misuse.Told()
			all = append(all, reports.Take()...)
		}
		if len(all) != 2 || all[0].Kind != basincheck.Leak || !pooltest.InCaller(all[0].Acquired) || !pooltest.InCaller(all[1].Acquired) {
			t.Errorf("%s: %d reports", name, len(all))
		}
	}
}

// TestSwitchedChecks: scopes that live while checks begin or end are no misuse.
func TestSwitchedChecks(t *testing.T) {
	for range 3 {
		use := func(s *basinscope.Scope) {
			for i := range 200 {
				s.Get(i * 10)
				basinscope.New[mixed](s).number = 1
				basinscope.Slice[int](s, i)
			}
		}
		var before, during basinscope.Scope
		use(&before)
		reports := pooltest.BeginChecks(t, pooltest.FullChecking)
		use(&before)
		use(&during)
		before.End()
		basincheck.Set(basincheck.Settings{})
		use(&during)
		during.End()
		basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: reports.Handle})
		var again basinscope.Scope
		use(&again)
		again.End()
		basincheck.Verify()
		if n := len(reports.Take()); n != 0 {
			t.Errorf("%d reports", n)
		}
	}
}

// TestGuarded: sampled checks with guarded memory find a read after the end.
func TestGuarded(t *testing.T) {
	pooltest.Misuses(t)
	reports := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory on this platform")
	}
	var late []byte
	read := func() { basincheck.Catch(func() { sink = int(late[50]) }) }
	for range 100 {
		s := &basinscope.Scope{Pool: &basin.BytePool{Name: t.Name()}}
		late = s.Get(100)
		s.End()
		read()
		for _, r := range reports.Take() {
			if r.Kind == basincheck.UseAfterPut && pooltest.InCaller(r.Acquired) && pooltest.InCaller(r.FirstPut) && pooltest.InCaller(r.Here) {
				return
			}
		}
	}
	t.Error("no report")
}

// TestReentered: with full checks, a call is noticed that begins while another one runs.
func TestReentered(t *testing.T) {
	pooltest.Misuses(t)
	p := &basin.BytePool{Name: t.Name()}
	s := &basinscope.Scope{Pool: p}
	var inside any
	before := basincheck.Now()
	defer basincheck.Set(before)
	basincheck.Set(basincheck.Settings{})
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {
		inside = panicOf(func() { basinscope.New[int](s) })
	}})
	late := p.Get(100)
	p.Put(late)
	late[0] = 1
	for range 16 { // 64 MiB, so that late leaves quarantine with the last Put
		p.Put(p.Get(4 << 20))
	}
	s.Get(10) // reports the write
	if inside != "basinscope: Scope used by two goroutines at a time; a Child is for the other" {
		t.Error(inside)
	}
	s.Get(10)
	s.End()
}
