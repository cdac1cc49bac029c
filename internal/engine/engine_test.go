//go:build go1.25

package engine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/basin-go/basin/internal/pin"
)

// TestNothingHappensBeforeUse: an unused pool costs nothing.
func TestNothingHappensBeforeUse(t *testing.T) {
	e := new(Engine[int])
	e.Init(new(Table[int]), 0, nil, Config[int]{
		Classes: func() []Class { t.Error("Classes is called"); return nil },
		Bits:    bits,
	})
	e.Trim()
	expect(t, "stats", e.Stats(3), ClassStats{})
	expect(t, "rows", rows(e), 0)
}

func TestDouble(t *testing.T) {
	for _, tt := range []struct {
		name  string
		local uint
		do    func(e *Engine[int])
		put   int
		want  Verdict
	}{
		{"on top of the magazine", Slots, func(e *Engine[int]) { put(e, 0, 1) }, 1, Double},
		{"on top of a magazine of one", 1, func(e *Engine[int]) { put(e, 0, 1) }, 1, Double},
		{"on top of a full magazine", 3, func(e *Engine[int]) { put(e, 0, 1); put(e, 0, 2); put(e, 0, 3) }, 3, Double},
		{"on top of the depot", 0, func(e *Engine[int]) { put(e, 0, 1); put(e, 0, 2) }, 2, Double},
		{"on top of a magazine in limbo", Slots, func(e *Engine[int]) {
			put(e, 0, 1)
			put(e, 0, 2)
			e.reclaim(at(1))
			e.reclaim(at(2))
		}, 2, Double},
		{"on top of one in limbo that is halved", Slots, func(e *Engine[int]) {
			put(e, 0, 1)
			put(e, 0, 2)
			e.reclaim(at(10))
		}, 2, Double},
		{"on top of the depot, from a magazine", Slots, func(e *Engine[int]) {
			put(e, 0, 1)
			put(e, 0, 2)
			e.reclaim(at(1))
			e.reclaim(at(2))
			e.reclaim(at(3))
		}, 2, Double},
		{"taken meanwhile", Slots, func(e *Engine[int]) { put(e, 0, 1); get(e, 0) }, 1, Kept},
		{"taken from the depot meanwhile", 0, func(e *Engine[int]) { put(e, 0, 1); get(e, 0) }, 1, Kept},
		{"trimmed meanwhile", Slots, func(e *Engine[int]) { put(e, 0, 1); e.Trim() }, 1, Kept},
		{"in another class", Slots, func(e *Engine[int]) { put(e, 1, 1) }, 1, Kept},
		{"nothing there", Slots, func(e *Engine[int]) {}, 0, Kept}, // the zero of an empty slot is no item
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[int](1e6, Class{Size: 10, Local: tt.local}, Class{Size: 10, Local: tt.local})
			tt.do(e)
			before := len(stack(e, 0))
			double := e.Stats(0).Double
			if v := put(e, 0, tt.put); v != tt.want {
				t.Errorf("verdict %d, want %d", v, tt.want)
			}
			audit(t, e)
			if tt.want == Double {
				double++
				before--
			}
			expect(t, "items", len(stack(e, 0)), before+1)
			expect(t, "counted as double", e.Stats(0).Double, double)
		})
	}
	t.Run("nothing to compare with", func(t *testing.T) {
		oneP(t)
		e := newEngine[int](1e6, Class{Size: 10, Local: Slots}, onlyDepot)
		e.config.Same = nil
		for range 40 {
			expect(t, "verdict", e.Put(0, 1), Kept)
			expect(t, "verdict", e.Put(1, 1), Kept)
		}
		expect(t, "counted as double", e.Stats(0).Double+e.Stats(1).Double, 0)
	})
}

// TestItemsOfAnyType moves items that are not pointers through all places that can hold items.
func TestItemsOfAnyType(t *testing.T) {
	type pair struct {
		p *int
		n int
	}
	anys := []any{1, "two", 3.0, pair{nil, 4}, new(int), nil, struct{}{}}
	t.Run("int", func(t *testing.T) { testItems(t, func(i int) int { return i }) })
	t.Run("string", func(t *testing.T) { testItems(t, func(i int) string { return strings.Repeat("x", i) }) })
	t.Run("struct", func(t *testing.T) { testItems(t, func(i int) pair { return pair{new(int), i} }) })
	t.Run("pointer", func(t *testing.T) { testItems(t, func(i int) *pair { return &pair{n: i} }) })
	t.Run("interface", func(t *testing.T) { testItems(t, func(i int) any { return [2]any{i, anys[i%len(anys)]} }) })
	t.Run("array", func(t *testing.T) { testItems(t, func(i int) [100]byte { return [100]byte{byte(i), byte(i >> 8), 1} }) })
	t.Run("channel", func(t *testing.T) { testItems(t, func(i int) chan int { return make(chan int) }) })
}

func testItems[T comparable](t *testing.T, item func(i int) T) {
	oneP(t)
	var items, reversed []T
	for i := range 200 {
		items = append(items, item(i+1))
	}
	reversed = slices.Clone(items)
	slices.Reverse(reversed)
	e := newEngine[T](1e6, Class{Size: 10, Local: Slots})
	for i, do := range []func(){
		func() {},
		func() { e.reclaim(at(1)); e.reclaim(at(2)) },                   // through limbo
		func() { e.reclaim(at(3)); e.reclaim(at(4)); e.reclaim(at(5)) }, // to the depot
		func() { e.reclaim(at(10)) },                                    // halved
	} {
		putAll(t, e, 0, items...)
		expect(t, "verdict", put(e, 0, items[len(items)-1]), Double)
		do()
		audit(t, e)
		if got := getAll(e, 0); !slices.Equal(got, reversed) {
			t.Errorf("%d: the items that come back are not those put", i)
		}
		audit(t, e)
	}
	putAll(t, e, 0, items...)
	e.Trim()
	audit(t, e)
}

// A thing is an item whose death a test can observe.
type thing struct {
	_ *thing // a pointer, so that the allocator does not pack things together
	n int
}

// things makes items, puts them, and returns weak pointers to them.
func things(t *testing.T, e *Engine[*thing], n int) (weaks []weak.Pointer[thing]) {
	apart(func() {
		for i := range n {
			x := &thing{n: i}
			weaks = append(weaks, weak.Make(x))
			putAll(t, e, 0, x)
		}
	})
	return weaks
}

// apart runs f on another stack, which is gone afterwards with all its pointers.
func apart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// alive returns the number of things that are alive after the collector had several chances.
func alive(weaks []weak.Pointer[thing], want int) (n int) {
	for range 10 {
		runtime.GC()
		n = 0
		for _, w := range weaks {
			if w.Value() != nil {
				n++
			}
		}
		if n <= want {
			break
		}
	}
	return n
}

// TestWhatLeavesIsCollected: the engine keeps idle items alive, and no items that have left it, by
// whatever way.
func TestWhatLeavesIsCollected(t *testing.T) {
	take := func(n int) func(e *Engine[*thing]) {
		return func(e *Engine[*thing]) {
			for range n {
				get(e, 0)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		local uint
		n     int
		do    func(e *Engine[*thing])
		left  int
	}{
		{"nothing left", Slots, 10, func(*Engine[*thing]) {}, 10},
		{"from a magazine", Slots, 10, take(10), 0},
		{"from a magazine, some", Slots, 10, take(4), 6},
		{"from a depot", 0, 100, take(100), 0},
		{"from a depot, some", 0, 100, take(40), 60},
		{"from both", Slots, 200, take(200), 0},
		{"from both, some", Slots, 200, take(150), 50},
		{"from both, and put back", Slots, 200, func(e *Engine[*thing]) {
			var taken []*thing
			for range 150 {
				x, _ := get(e, 0)
				taken = append(taken, x)
			}
			slices.Reverse(taken)
			for _, x := range taken {
				put(e, 0, x)
			}
			take(150)(e)
		}, 50},
		{"from limbo", Slots, 20, func(e *Engine[*thing]) { e.reclaim(at(1)); e.reclaim(at(2)); take(20)(e) }, 0},
		{"settled, then taken", Slots, 20, func(e *Engine[*thing]) {
			e.reclaim(at(1))
			e.reclaim(at(2))
			e.reclaim(at(3))
			take(15)(e)
		}, 5},
		{"halved, then taken", Slots, 20, func(e *Engine[*thing]) { e.reclaim(at(10)); take(15)(e) }, 5},
		{"released, a few", 0, 100, func(e *Engine[*thing]) {
			e.reclaim(at(10))
			e.reclaim(at(11))
		}, 90},
		{"released, most", 0, 100, func(e *Engine[*thing]) {
			e.reclaim(at(10))
			e.reclaim(at(19))
		}, 10},
		{"trimmed from a magazine", Slots, 20, (*Engine[*thing]).Trim, 0},
		{"trimmed from a depot", 0, 100, (*Engine[*thing]).Trim, 0},
		{"trimmed from limbo", Slots, 20, func(e *Engine[*thing]) { e.reclaim(at(1)); e.reclaim(at(2)); e.Trim() }, 0},
		{"turned away", 0, 0, func(e *Engine[*thing]) { e.idle.limit.Store(5); put(e, 0, new(thing)) }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			e := newEngine[*thing](1e6, Class{Size: 10, Local: tt.local})
			weaks := things(t, e, tt.n)
			apart(func() { tt.do(e) })
			if n := alive(weaks, tt.left); n != tt.left {
				t.Errorf("%d of %d items are alive, want %d", n, tt.n, tt.left)
			}
			audit(t, e)
			expect(t, "idle", e.Stats(0).Idle, uint64(tt.left))
			runtime.KeepAlive(e)
		})
	}
}

// TestDroppedEngineIsCollected: a dropped engine is collected, although rounds call it.
func TestDroppedEngineIsCollected(t *testing.T) {
	var engine weak.Pointer[Engine[*thing]]
	var items []weak.Pointer[thing]
	apart(func() {
		e := new(Engine[*thing])
		e.Init(new(Table[*thing]), 1e6, nil, Config[*thing]{
			Classes:  func() []Class { return []Class{{Size: 10, Local: Slots}} },
			Bits:     bits,
			IdleTime: time.Hour,
			Same:     equal[*thing],
		})
		items = things(t, e, 100)
		for e.round.Load() < 1 { // make sure that rounds call it
			runtime.GC()
			runtime.Gosched()
		}
		expect(t, "idle items of an engine in use", e.Stats(0).Idle, 100)
		engine = weak.Make(e)
	})
	for range 100 {
		runtime.GC()
		if engine.Value() == nil && alive(items, 0) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("the engine is alive: %v; items: %d", engine.Value() != nil, alive(items, 0))
}

// A move is an operation of a random walk: n times on a class, or once.
type move struct {
	do    string // put, get, put again, reclaim or trim
	class uint
	n     int
	pause float64 // before reclaim, in seconds
}

func (s move) String() string {
	switch s.do {
	case "reclaim":
		return fmt.Sprintf("reclaim, %.2f s later", s.pause)
	case "trim":
		return "trim"
	}
	return fmt.Sprintf("%s %d× in class %d", s.do, s.n, s.class)
}

// randomSteps returns a random walk through the given number of classes.
func randomSteps(r *rand.Rand, n, classes int) (steps []move) {
	for range n {
		// Repeat operations on one class, because only bursts fill magazines and depots.
		s := move{class: uint(r.IntN(classes)), n: 1}
		switch k := r.IntN(100); {
		case k < 45:
			s.do, s.n = "put", 1+r.IntN(40)
		case k < 85:
			s.do, s.n = "get", 1+r.IntN(40)
		case k < 90:
			s.do = "put again"
		case k < 99:
			s.do, s.pause = "reclaim", r.Float64()*4
		default:
			s.do = "trim"
		}
		steps = append(steps, s)
	}
	return steps
}

// A notebook is a test that goes on after it has failed.
type notebook struct {
	testing.TB
	errors []string
}

func (n *notebook) Helper() {}

func (n *notebook) Errorf(format string, args ...any) {
	n.errors = append(n.errors, fmt.Sprintf(format, args...))
}

// walk takes steps and compares the engine, after each of them, with a plain stack for each class. It returns the
// first errors, and the number of steps that it took.
func walk(maxIdle int64, classes []Class, steps []move) (errors []string, taken int) {
	t := new(notebook)
	defer func() {
		if r := recover(); r != nil {
			errors = append(t.errors, fmt.Sprint("panic: ", r))
		}
	}()
	e := newEngine[int](maxIdle, classes...)
	now, next := 0.0, 1
	model := make([][]int, len(classes))
	counts := make([]ClassStats, len(classes))
	last := make([]int, len(classes)) // the item put last, unless a Get followed
	for _, s := range steps {
		taken++
		c := s.class
		switch s.do {
		case "put":
			for range s.n {
				v := put(e, c, next)
				counts[c].Puts++
				switch v {
				case Kept:
					model[c] = append(model[c], next)
					last[c] = next
				case Full:
					counts[c].Full++
					if room, half := e.idle.Limit()-e.idle.taken.Load(), int64((Slots+1)/2)*classes[c].Size; room >= half {
						t.Errorf("an item of class %d is turned away with %d bytes left", c, room)
					}
				default:
					t.Errorf("put of %d in class %d has verdict %d", next, c, v)
				}
				next++
			}
		case "get":
			for range s.n {
				x, ok := get(e, c)
				counts[c].Asked += asked
				last[c] = 0
				n := len(model[c])
				if ok != (n > 0) || ok && x != model[c][n-1] {
					t.Errorf("get of class %d is %d, %v; want the last of %v", c, x, ok, model[c])
				}
				if !ok {
					counts[c].Misses++
					break
				}
				counts[c].Hits++
				model[c] = model[c][:max(n-1, 0)]
			}
		case "put again":
			if n := len(model[c]); n > 0 && model[c][n-1] == last[c] {
				expect(t, fmt.Sprintf("verdict of a double put in class %d", c), put(e, c, last[c]), Double)
				counts[c].Double++
			}
		case "reclaim":
			now += s.pause
			e.reclaim(at(now))
		case "trim":
			e.Trim()
			for c := range model {
				expect(t, fmt.Sprintf("idle items of class %d after Trim", c), e.Stats(uint(c)).Idle, 0)
			}
		}
		for c := range model {
			// The oldest items are released.
			s := e.Stats(uint(c))
			gone := int(s.Released - counts[c].Released)
			if gone < 0 || gone > len(model[c]) {
				t.Errorf("class %d: %d of %d items are gone", c, gone, len(model[c]))
				break
			}
			model[c] = model[c][gone:]
			counts[c].Released = s.Released
			counts[c].Idle = uint64(len(model[c]))
			expect(t, fmt.Sprintf("stats of class %d", c), s, counts[c])
			expect(t, fmt.Sprintf("items of class %d", c), fmt.Sprint(stack(e, uint(c))), fmt.Sprint(model[c]))
		}
		audit(t, e)
		if len(t.errors) > 0 {
			break
		}
	}
	return t.errors, taken
}

// shorten returns the least part that it finds of steps that fail, in at most a thousand walks.
func shorten(steps []move, fails func([]move) (taken int, failed bool)) []move {
	for left := 1000; left > 0; {
		before := len(steps)
		for size := (len(steps) + 1) / 2; size > 0 && left > 0; size /= 2 {
			for i := 0; i+size <= len(steps) && left > 0; left-- {
				try := slices.Delete(slices.Clone(steps), i, i+size)
				if taken, failed := fails(try); failed {
					steps = try[:taken]
				} else {
					i += size
				}
			}
		}
		for i := 0; i < len(steps) && left > 0; left-- {
			try := slices.Clone(steps)
			try[i].n /= 2
			if taken, failed := fails(try); failed && try[i].n > 0 {
				steps = try[:taken]
			} else {
				i++
			}
		}
		if len(steps) == before {
			break
		}
	}
	return steps
}

// TestRandomWalk takes random steps. Of those that fail, it prints a short part.
func TestRandomWalk(t *testing.T) {
	classes := []Class{{Size: 10, Local: Slots}, {Size: 25, Local: 5}, {Size: 100, Local: 1}, {Size: 7, Local: 0}, {Size: 300, Local: 2}}
	steps := 2000
	if testing.Short() || !pin.Available { // half of the test is about magazines
		steps = 400
	}
	for _, maxIdle := range []int64{100, 1000, 5000, 1e6} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("MaxIdle %d, seed %d", maxIdle, seed), func(t *testing.T) {
				oneP(t)
				all := randomSteps(rand.New(rand.NewPCG(seed, uint64(maxIdle))), steps, len(classes))
				errors, taken := walk(maxIdle, classes, all)
				if errors == nil {
					return
				}
				short := shorten(all[:taken], func(some []move) (int, bool) {
					errors, taken := walk(maxIdle, classes, some)
					return taken, errors != nil
				})
				if again, _ := walk(maxIdle, classes, short); again != nil {
					errors = again
				}
				t.Fatalf("%d of %d steps fail:\n%s\n%s", len(short), taken, strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", short), `" "`, "\n"), `["]`), strings.Join(errors, "\n"))
			})
			if t.Failed() { // the others would fail likewise
				return
			}
		}
	}
}

// TestShorten shortens steps that fail if a trim follows two puts or more in class 2.
func TestShorten(t *testing.T) {
	fails := func(steps []move) (taken int, failed bool) {
		puts := 0
		for i, s := range steps {
			if s.do == "put" && s.class == 2 {
				puts += s.n
			}
			if s.do == "trim" && puts >= 2 {
				return i + 1, true
			}
		}
		return 0, false
	}
	all := randomSteps(rand.New(rand.NewPCG(1, 2)), 1000, 5)
	got := shorten(all, fails)
	if len(got) != 2 || got[0].n > 3 || got[1].do != "trim" {
		t.Errorf("%d steps are left: %v", len(got), got)
	}
}
