//go:build go1.25

package basinscope_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/pooltest"
)

type node struct {
	left  *node
	_     *node
	_     string
	value [3]int
}

var (
	kept    [100][]byte
	root    *node
	sink    int
	pooled  = sync.Pool{New: func() any { return new(node) }}
	escaped *basinscope.Scope
)

// linked returns a list of n nodes.
func linked(n int, alloc func() *node) (root *node) {
	for i := range n {
		x := alloc()
		x.value[0] = i
		x.left = root
		root = x
	}
	return root
}

func nodesOfPool(n int) {
	r := linked(n, func() *node { return pooled.Get().(*node) })
	for r != nil {
		next := r.left
		*r = node{}
		pooled.Put(r)
		r = next
	}
}

func nodesOfScope(n int, fresh bool) {
	s := basinscope.Scope{Fresh: fresh}
	root = linked(n, func() *node { return basinscope.New[node](&s) })
	root = nil
	s.End()
}

func randomSizes(n, least, most int) (sizes []int) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		sizes = append(sizes, least+r.IntN(most-least+1))
	}
	return sizes
}

type way struct {
	name string
	run  func()
}

// BenchmarkBars measures ways to get the same memory, by turns in one process, and reports the least
// time of each. Run it with -benchtime=1x.
func BenchmarkBars(b *testing.B) {
	for _, r := range []struct{ least, most int }{{16, 256}, {16, 64}, {1 << 10, 4 << 10}} {
		sizes := randomSizes(100, r.least, r.most)
		b.Run(fmt.Sprintf("100 slices of %d to %d", r.least, r.most), func(b *testing.B) { interleaved(b, slicesOf(sizes)) })
	}
	for _, n := range []int{20, 500, 5000} {
		ways := []way{
			{"new", func() { root = linked(n, func() *node { return new(node) }) }},
			{"sync.Pool", func() { nodesOfPool(n) }},
			{"scope", func() { nodesOfScope(n, false) }},
			{"fresh", func() { nodesOfScope(n, true) }},
		}
		if arenas {
			ways = append(ways, way{"arena", func() { nodesInArena(n) }})
		}
		b.Run(fmt.Sprintf("%d nodes", n), func(b *testing.B) { interleaved(b, ways) })
	}
	b.Run("500 nodes of 20 types", func(b *testing.B) { interleaved(b, mixedNodes()) })
	b.Run("4 KiB", func(b *testing.B) {
		interleaved(b, []way{
			{"Get", func() { b := basin.Get(4096); b[0] = 1; basin.Put(b) }},
			{"scope", func() { var s basinscope.Scope; s.Get(4096)[0] = 1; s.End() }},
			{"heap", func() { s := new(basinscope.Scope); escaped = s; s.Get(4096)[0] = 1; s.End() }},
		})
	})
}

// A typed is a node whose type differs for each N.
type typed[N any] struct {
	node
	_ N
}

// allocs are the ways to allocate nodes of one type.
type allocs struct {
	new, scope func(s *basinscope.Scope) *node
}

func allocsOf[N any]() allocs {
	return allocs{
		func(*basinscope.Scope) *node { return &new(typed[N]).node },
		func(s *basinscope.Scope) *node { return &basinscope.New[typed[N]](s).node },
	}
}

// mixedNodes allocates nodes of twenty types by turns.
func mixedNodes() []way {
	all := []allocs{
		allocsOf[int8](), allocsOf[int16](), allocsOf[int32](), allocsOf[int64](), allocsOf[uint8](),
		allocsOf[uint16](), allocsOf[uint32](), allocsOf[uint64](), allocsOf[float32](), allocsOf[float64](),
		allocsOf[string](), allocsOf[bool](), allocsOf[*int](), allocsOf[*int8](), allocsOf[*int16](),
		allocsOf[[2]int](), allocsOf[[3]int](), allocsOf[[]int](), allocsOf[any](), allocsOf[error](),
	}
	const nodes = 500
	i := 0
	return []way{
		{"new", func() {
			root = linked(nodes, func() *node { i++; return all[i%len(all)].new(nil) })
		}},
		{"scope", func() {
			var s basinscope.Scope
			root = linked(nodes, func() *node { i++; return all[i%len(all)].scope(&s) })
			root = nil
			s.End()
		}},
	}
}

func slicesOf(sizes []int) []way {
	ways := []way{
		{"make", func() {
			for i, n := range sizes {
				kept[i] = make([]byte, n)
				kept[i][0] = 1
			}
		}},
		{"Get", func() {
			for i, n := range sizes {
				kept[i] = basin.Get(n)
				kept[i][0] = 1
			}
			for i := range sizes {
				basin.Put(kept[i])
			}
		}},
		{"scope", func() { bytesOfScope(sizes, false) }},
		{"fresh", func() { bytesOfScope(sizes, true) }},
	}
	if arenas {
		ways = append(ways, way{"arena", func() { sink += inArena(sizes) }})
	}
	return ways
}

func bytesOfScope(sizes []int, fresh bool) {
	s := basinscope.Scope{Fresh: fresh}
	for i, n := range sizes {
		kept[i] = s.Get(n)
		kept[i][0] = 1
	}
	s.End()
}

func interleaved(b *testing.B, ways []way) {
	const rounds, slice = 60, 200 * time.Microsecond
	least := make([]float64, len(ways)) // nanoseconds
	reps := make([]int, len(ways))
	for i, w := range ways {
		begin := time.Now()
		for time.Since(begin) < slice {
			w.run()
			reps[i]++
		}
		least[i] = math.Inf(1)
	}
	for range b.N {
		for range rounds {
			for i, w := range ways {
				begin := time.Now()
				for range reps[i] {
					w.run()
				}
				least[i] = min(least[i], float64(time.Since(begin))/float64(reps[i]))
			}
		}
	}
	text := ""
	for i, w := range ways {
		text += fmt.Sprintf("  %s %.1f ns", w.name, least[i])
		if w.name == "scope" || w.name == "fresh" || w.name == "heap" {
			text += " ("
			for j, o := range ways {
				if j != i && o.name != "scope" && o.name != "fresh" {
					text += fmt.Sprintf(" %.2f of %s", least[i]/least[j], o.name)
				}
			}
			text += " )"
		}
		b.ReportMetric(least[i], w.name+"-ns")
	}
	b.Log(runtime.Version() + text)
}

func BenchmarkSlices(b *testing.B) {
	sizes := randomSizes(100, 16, 256)
	b.ReportAllocs()
	for b.Loop() {
		bytesOfScope(sizes, false)
	}
}

func BenchmarkOne(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var s basinscope.Scope
		s.Get(4096)[0] = 1
		s.End()
	}
}

func BenchmarkNodes(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		nodesOfScope(500, false)
	}
}

// BenchmarkCollector measures the processor time of a collection while a million linked nodes live.
func BenchmarkCollector(b *testing.B) {
	const nodes = 1_000_000
	least := map[string]time.Duration{}
	collect := func(name string, alloc func() *node) {
		root = linked(nodes, alloc)
		runtime.GC()
		for range 5 {
			used := pooltest.CPUTime(runtime.GC)
			if before, ok := least[name]; !ok || used < before {
				least[name] = used
			}
		}
		root = nil
	}
	for range max(b.N, 3) {
		collect("new", func() *node { return new(node) })
		var s basinscope.Scope
		collect("scope", func() *node { return basinscope.New[node](&s) })
		s.End()
	}
	ratio := float64(least["scope"]) / float64(least["new"])
	b.Logf("%s  new %v  scope %v ( %.2f of new )", runtime.Version(), least["new"], least["scope"], ratio)
	b.ReportMetric(ratio, "of-new")
}
