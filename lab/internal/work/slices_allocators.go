package work

import (
	"math/rand/v2"
	"sync"

	"github.com/basin-go/basin/lab/internal/subjects"
)

// Two benchmarks of allocators, with slices for objects and goroutines for threads: larson and
// xmalloc-test of mimalloc-bench (github.com/daanx/mimalloc-bench), with the parameters of its
// script. Only xmalloc-test has larger objects: in the script, they have up to 64 bytes.

func init() {
	add(&Workload{
		Name: "larson", Group: GroupSlices,
		What: "A server as in the benchmark of Larson and Krishnan: each goroutine holds 5,000 slices of 8 to 1,000 bytes and " +
			"replaces one at random. After 100,000 it leaves them to a new goroutine.",
		Op:  "one Put and Get",
		Can: canSlices,
		New: newLarson,
	}, &Workload{
		Name: "xmalloc", Group: GroupSlices,
		What: "As in xmalloc-test: for each P one goroutine gets slices of 64 to 4,096 bytes, and another one puts them, in " +
			"batches of 4,096.",
		Op:  "one Get, hand-over and Put",
		Can: canSlices,
		New: newXmalloc,
	})
}

const (
	larsonHeld = 5000
	larsonLife = 100_000 // operations of a goroutine
)

func newLarson(s *subjects.Subject, _ Env) *Unit {
	p := s.Slices()
	get := func(r *rand.Rand) subjects.Slice {
		b := p.Get(8 + r.IntN(993))
		b.B[0], b.B[len(b.B)-1] = 1, 1
		return b
	}
	type server struct {
		random *rand.Rand
		held   []subjects.Slice
		left   int // of the life of the present goroutine
	}
	servers := newPerWorker(func(worker int) *server {
		h := &server{random: rand.New(rand.NewPCG(uint64(worker), 1)), left: larsonLife}
		for range larsonHeld {
			h.held = append(h.held, get(h.random))
		}
		return h
	})
	return &Unit{Misses: missesOf(p), Run: func(worker, n int) {
		h := servers.of(worker)
		for n > 0 {
			k := min(n, h.left)
			var life sync.WaitGroup
			life.Go(func() {
				for range k {
					victim := &h.held[h.random.IntN(larsonHeld)]
					p.Put(*victim)
					*victim = get(h.random)
				}
			})
			life.Wait()
			n -= k
			if h.left -= k; h.left == 0 {
				h.left = larsonLife
			}
		}
	}}
}

const (
	xmallocBatch = 4096
	xmallocAhead = 4 // batches that wait for the goroutine that puts
)

func newXmalloc(s *subjects.Subject, _ Env) *Unit {
	p := s.Slices()
	randoms := newPerWorker(func(worker int) *rand.Rand { return rand.New(rand.NewPCG(uint64(worker), 1)) })
	return &Unit{Misses: missesOf(p), Run: func(worker, n int) {
		r := randoms.of(worker)
		full, empty := make(chan []subjects.Slice, xmallocAhead), make(chan []subjects.Slice, xmallocAhead)
		for range xmallocAhead {
			empty <- make([]subjects.Slice, 0, xmallocBatch)
		}
		var putter sync.WaitGroup
		putter.Go(func() {
			for batch := range full {
				for _, b := range batch {
					p.Put(b)
				}
				empty <- batch[:0]
			}
		})
		for n > 0 {
			batch := <-empty
			for range min(n, xmallocBatch) {
				b := p.Get(64 + r.IntN(4033))
				b.B[0] = 1
				batch = append(batch, b)
			}
			n -= len(batch)
			full <- batch
		}
		close(full)
		putter.Wait()
	}}
}

// A perWorker is a T for each worker, made when it is first asked for.
type perWorker[T any] struct {
	mu   sync.Mutex
	all  map[int]T
	make func(worker int) T
}

func newPerWorker[T any](make func(worker int) T) *perWorker[T] {
	return &perWorker[T]{all: map[int]T{}, make: make}
}

func (p *perWorker[T]) of(worker int) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	x, ok := p.all[worker]
	if !ok {
		x = p.make(worker)
		p.all[worker] = x
	}
	return x
}
