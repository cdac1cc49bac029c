package work

import (
	"runtime"
	"sync"
	"time"

	"github.com/basin-go/basin/lab/internal/subjects"
)

const (
	pairSize = 4096 // of the workloads with slices of one size
	inFlight = 32   // slices that a goroutine of the mixed load holds
)

func init() {
	add(&Workload{
		Name: "getput", Group: GroupSlices, Goroutines: 1, Asked: pairSize,
		What: "Get of 4096 bytes and Put, one goroutine. The least that a pool can cost.",
		Op:   "one Get and Put",
		Can:  canOneSize,
		New:  newPair,
	}, &Workload{
		Name: "getput-parallel", Group: GroupSlices, Asked: pairSize,
		What: "The same on one goroutine for each P.",
		Op:   "one Get and Put",
		Can:  canOneSize,
		New:  newPair,
	}, &Workload{
		Name: "mixed", Group: GroupSlices, Goroutines: 1, Asked: meanFileSize,
		What: "Slices as long as the files of GOROOT/src, in random order, with 32 held at a time by one goroutine.",
		Op:   "one Put of the oldest and Get",
		Can:  canSlices,
		New:  newMixed,
	}, &Workload{
		Name: "mixed-parallel", Group: GroupSlices, Asked: meanFileSize,
		What: "The same on one goroutine for each P.",
		Op:   "one Put of the oldest and Get",
		Can:  canSlices,
		New:  newMixed,
	}, &Workload{
		Name: "handover", Group: GroupSlices, Goroutines: 1, Asked: pairSize,
		What: "Get of 4096 bytes on one goroutine, Put on another, through a channel with room for 64.",
		Op:   "one Get, hand-over and Put",
		Can:  canOneSize,
		New:  newHandOver,
	}, &Workload{
		Name: "bursts", Group: GroupSlices, Goroutines: 1, Asked: meanFileSize, PerRound: burst,
		What: "Bursts: 500 slices of file sizes at once, all put back, then three garbage collections, which are not timed, before the next.",
		Op:   "one Get and Put of a burst",
		Can:  canSlices,
		New:  newBursts,
	}, &Workload{
		Name: "gcstorm", Group: GroupSlices, Asked: pairSize, Round: 10 * time.Millisecond,
		What: "The mixed load with slices of 4096 bytes, one goroutine for each P, while the collector runs every two milliseconds.",
		Op:   "one Put of the oldest and Get",
		Can:  canOneSize,
		New:  newStorm,
	})
}

// meanFileSize stands for the mean length of files as the size that an operation requests.
const meanFileSize = -1

func newPair(s *subjects.Subject, _ Env) *Unit {
	p := oneSize(s, pairSize)
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		for range n {
			p.Put(p.Get(pairSize))
		}
	}}
}

// rotate returns a loop that holds inFlight slices per worker and replaces the oldest, with
// lengths from sizes in turn.
func rotate(p subjects.Slices, sizes []int) Loop {
	type hand struct {
		held [inFlight]subjects.Slice
		next int
		_    [64]byte // workers do not share cache lines
	}
	hands := newPerWorker(func(worker int) *hand {
		h := &hand{next: worker * 1000}
		for i := range h.held {
			h.held[i] = p.Get(sizes[i%len(sizes)])
		}
		return h
	})
	return func(worker, n int) {
		h := hands.of(worker)
		for range n {
			slot := &h.held[h.next%inFlight]
			p.Put(*slot)
			*slot = p.Get(sizes[h.next%len(sizes)])
			slot.B[0] = 1
			h.next++
		}
	}
}

func newMixed(s *subjects.Subject, env Env) *Unit {
	p := s.Slices()
	return &Unit{Misses: missesOf(p), Run: rotate(p, env.Sizes)}
}

func newHandOver(s *subjects.Subject, _ Env) *Unit {
	p := oneSize(s, pairSize)
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		c := make(chan subjects.Slice, 64)
		done := make(chan struct{})
		go func() {
			for b := range c {
				p.Put(b)
			}
			close(done)
		}()
		for range n {
			c <- p.Get(pairSize)
		}
		close(c)
		<-done
	}}
}

const burst = 500

func newBursts(s *subjects.Subject, env Env) *Unit {
	p := s.Slices()
	var held [burst]subjects.Slice
	next := 0
	return &Unit{
		Misses: missesOf(p),
		Between: func() {
			for range 3 {
				runtime.GC()
			}
		},
		Run: func(_, n int) {
			held := held[:n]
			for i := range held {
				held[i] = p.Get(env.Sizes[next%len(env.Sizes)])
				held[i].B[0] = 1
				next++
			}
			for i := range held {
				p.Put(held[i])
				held[i] = subjects.Slice{}
			}
		},
	}
}

func newStorm(s *subjects.Subject, _ Env) *Unit {
	p := oneSize(s, pairSize)
	run := rotate(p, []int{pairSize})
	return &Unit{Misses: missesOf(p), Run: func(worker, n int) {
		if worker > 0 {
			run(worker, n)
			return
		}
		stop := make(chan struct{})
		var collector sync.WaitGroup
		collector.Go(func() {
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					runtime.GC()
				}
			}
		})
		run(worker, n)
		close(stop)
		collector.Wait()
	}}
}
