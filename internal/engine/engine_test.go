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

// TestRandomWalk runs random operations and compares the engine, after each of them, with a plain
// stack for each class.
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
				e := newEngine[int](maxIdle, classes...)
				r := rand.New(rand.NewPCG(seed, uint64(maxIdle)))
				now, next := 0.0, 1
				model := make([][]int, len(classes))
				counts := make([]ClassStats, len(classes))
				last := make([]int, len(classes)) // the item put last, unless a Get followed
				var history []string
				log := func(format string, args ...any) { history = append(history, fmt.Sprintf(format, args...)) }
				for range steps {
					// Repeat operations on one class, because only bursts fill magazines and
					// depots.
					c := uint(r.IntN(len(classes)))
					switch k := r.IntN(100); {
					case k < 45:
						for range 1 + r.IntN(40) {
							v := put(e, c, next)
							log("put %d in %d: %d", next, c, v)
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
					case k < 85:
						for range 1 + r.IntN(40) {
							x, ok := get(e, c)
							log("get of %d: %d, %v", c, x, ok)
							counts[c].Asked += 10
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
					case k < 90:
						if n := len(model[c]); n > 0 && model[c][n-1] == last[c] {
							log("put %d in %d again", last[c], c)
							expect(t, "verdict", put(e, c, last[c]), Double)
							counts[c].Double++
						}
					case k < 99:
						now += r.Float64() * 4
						log("reclaim at %v", now)
						e.reclaim(at(now))
					default:
						log("trim")
						e.Trim()
						for c := range model {
							expect(t, "idle after Trim", e.Stats(uint(c)).Idle, 0)
						}
					}
					for c := range model {
						// The oldest items are released.
						s := e.Stats(uint(c))
						gone := int(s.Released - counts[c].Released)
						if gone < 0 || gone > len(model[c]) {
							t.Fatalf("class %d: %d of %d items are gone", c, gone, len(model[c]))
						}
						model[c] = model[c][gone:]
						counts[c].Released = s.Released
						counts[c].Idle = uint64(len(model[c]))
						expect(t, fmt.Sprintf("stats of class %d", c), s, counts[c])
						expect(t, fmt.Sprintf("items of class %d", c), fmt.Sprint(stack(e, uint(c))), fmt.Sprint(model[c]))
					}
					audit(t, e)
					if t.Failed() {
						t.Fatalf("after\n%s", strings.Join(history[max(0, len(history)-100):], "\n"))
					}
				}
			})
		}
	}
}
