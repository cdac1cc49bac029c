//go:build go1.25

package basinscope_test

import (
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/pooltest"
)

const busy = "basinscope: Scope used by two goroutines at a time; a Child is for the other"

// A hook calls a function in the midst of the next call that needs memory, as another goroutine could at
// the same time, without full checks. For values, [basinscope.Hook] does that. For bytes, sampled checks do:
// the next Get of any BytePool reports a late write, to a handler.
type hook struct{ pool *basin.BytePool }

type thing [1000]byte

func newHook(t *testing.T) *hook {
	pooltest.Misuses(t)
	h := &hook{pool: &basin.BytePool{Name: t.Name() + ", misused"}}
	before := basincheck.Now()
	t.Cleanup(func() { basincheck.Set(before) })
	basincheck.Set(basincheck.Settings{})
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 1, Handler: func(r *basincheck.Report) {
		if r.Kind != basincheck.WriteAfterPut {
			return // leaks of other tests, on a goroutine of their own
		}
		if f := basinscope.Hook; f != nil {
			basinscope.Hook = nil
			f()
		}
	}})
	return h
}

// during calls call, and f in the midst of it. It reports whether f was called, and the panic of call.
func (h *hook) during(call, f func()) (called bool, r any) {
	basincheck.Verify()
	late := h.pool.Get(64)
	var all [2000][]byte
	for i := range all {
		all[i] = h.pool.Get(64)
	}
	h.pool.Put(late)
	late[0]++
	for _, b := range all { // late leaves quarantine, and the next Get reports the write
		h.pool.Put(b)
	}
	basinscope.HookValues[thing]()
	basinscope.Hook = f
	r = panicOf(call)
	called = basinscope.Hook == nil
	basinscope.Hook = nil
	return called, r
}

// TestBusy: without full checks, a call that needs new memory notices that another goroutine has taken
// such memory meanwhile.
func TestBusy(t *testing.T) {
	h := newHook(t)
	var name string
	expect := func(t *testing.T, s *basinscope.Scope, call, other func(*basinscope.Scope)) {
		t.Helper()
		var inside any
		called, r := h.during(func() { call(s) }, func() { inside = panicOf(func() { other(s) }) })
		if !called || inside != nil || r != busy {
			t.Errorf("%s: called %v, panics %v and %v", name, called, inside, r)
		}
		s.End()
	}
	p := &basin.BytePool{Name: t.Name()}
	value := func(s *basinscope.Scope) { basinscope.New[thing](s) }
	for first, call := range map[string]func(*basinscope.Scope){
		"Get":    func(s *basinscope.Scope) { s.Get(3000) },
		"Append": func(s *basinscope.Scope) { s.Append(make([]byte, 3000), 'a') },
		"String": func(s *basinscope.Scope) { s.String(make([]byte, 3000)) },
		"Room":   func(s *basinscope.Scope) { s.Room(3000) },
	} {
		for second, other := range map[string]func(*basinscope.Scope){
			"Get":  func(s *basinscope.Scope) { s.Get(100) },
			"Room": func(s *basinscope.Scope) { s.Room(4000) },
			"End":  func(s *basinscope.Scope) { s.End() },
		} {
			name = first + " and " + second
			expect(t, &basinscope.Scope{Pool: p}, call, other)
			name += ", with a chunk"
			s := &basinscope.Scope{Pool: p}
			s.Get(10)
			expect(t, s, call, other)
		}
	}
	for first, call := range map[string]func(*basinscope.Scope){
		"Child": func(s *basinscope.Scope) { s.Child().End() },
		"Defer": func(s *basinscope.Scope) { s.Defer(nothing) },
		"New":   value,
		"Slice": func(s *basinscope.Scope) { basinscope.Slice[thing](s, 1) },
	} {
		for second, other := range map[string]func(*basinscope.Scope){
			"Child": func(s *basinscope.Scope) { s.Child().End() },
			"New":   value,
			"End":   func(s *basinscope.Scope) { s.End() },
		} {
			name = first + " and " + second
			expect(t, &basinscope.Scope{Pool: p}, call, other)
		}
		if first == "New" || first == "Slice" {
			name = first + ", with an empty slab"
			s := new(basinscope.Scope)
			s.Defer(nothing)
			expect(t, s, call, value)
			s = new(basinscope.Scope)
			s.Defer(nothing)
			name += ", and End"
			expect(t, s, call, (*basinscope.Scope).End)
		}
	}
	if n := p.Stats().Drops.Double; n != 0 {
		t.Errorf("%d slices were put twice", n)
	}
}

// TestBusyKeepsOwners: when two goroutines have met in one scope, no memory has two owners afterwards.
func TestBusyKeepsOwners(t *testing.T) {
	met := 0
	for before := range 12 {
		h := newHook(t)
		s := new(basinscope.Scope)
		take := func() { basinscope.New[thing](s) }
		for range before {
			take()
		}
		if called, r := h.during(take, take); called {
			if r != busy {
				t.Errorf("after %d values: %v", before, r)
			}
			met++
		}
		basincheck.Set(basincheck.Settings{}) // so that memory is reused
		s.End()
		owner := make(map[*thing]int)
		for i := range 10 {
			s := new(basinscope.Scope)
			defer s.End()
			for range 20 {
				x := basinscope.New[thing](s)
				if o, ok := owner[x]; ok {
					t.Fatalf("after %d values: a value has the owners %d and %d", before, o, i)
				}
				owner[x] = i
			}
		}
	}
	if met < 3 {
		t.Errorf("met %d times", met)
	}
	for _, st := range basinexport.Append(nil) {
		if st.Name == "scope" && st.Drops.Double > 0 {
			t.Errorf("%s: %d puts of memory that was put before", st.Kind, st.Drops.Double)
		}
	}
}
