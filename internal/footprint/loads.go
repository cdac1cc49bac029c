//go:build go1.25

package footprint

import (
	"math"
	"runtime"
	"runtime/debug"
)

// A Load takes memory and gives it back.
type Load struct {
	Name  string
	Means string // for readers of the table
	Kind  Kind
	run   func(r *run, w *Way)
}

// A Kind of load has bars that basin must keep: see proof/memory.
type Kind int

const (
	Other   Kind = iota
	OneSize      // nothing is allocated once it is warm
	Bimodal      // few requests are large
)

// MostLate returns the most bytes that l may allocate in its last quarter, once it is warm: a sixteenth
// of its need. On many Ps, users of one P find the items of another only in its depot, so the limit
// is the need: a 25th of the bytes written.
func (l *Load) MostLate(need int64) int64 {
	if l.Name == "64 Ps" {
		return need
	}
	return need / 16
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// Loads are the loads.
var Loads = []Load{
	{"8 KiB", "500 at a time, all of 8 KiB", OneSize, rounds(50, 500, func(*run) int { return 8 * kib })},
	{"1 KiB", "4,000 at a time, all of 1 KiB", OneSize, rounds(50, 4000, func(*run) int { return kib })},
	{"2 % of 1 MiB", "500 at a time; the others of 1 KiB", Bimodal, slots(500, 10_000, sometimes(50, mib, kib))},
	{"5 % of 4 MiB", "100 at a time; the others of 1 KiB", Bimodal, slots(100, 3_000, sometimes(20, 4*mib, kib))},
	{"0.5 % of 64 KiB", "5,000 at a time; the others of 200 B", Bimodal, slots(5000, 100_000, sometimes(200, 64*kib, 200))},
	{"random walk", "16 at a time; each is up to twice as large or as small as the one before", Other, walk},
	{"ascending", "sizes from 1 KiB to 1 MiB, 4 MiB of each at a time", Other, ascending},
	{"bursts", "500 of 16 KiB at once, then one of 1 KiB at a time", Other, bursts},
	{"two phases", "50 of 100 KiB at a time, then 1,600 of 3 KiB", Other, phases},
	{"1,000 pools", "each with one of 4 KiB at a time, 1,000 in all", Other, manyPools},
	{"64 Ps", "64 goroutines with eight of 8 KiB each", OneSize, manyProcs},
	{"a leak", "500 of 8 KiB at a time; 10 % are never given back", Other, leak},
	{"kept results", "one at a time, of 1 to 40 KiB; the bytes of 1,000 are kept", Other, keptResults},
	{"memory limit", "100 of 64 KiB at a time, with 64 MiB of other data and a limit of 128 MiB", OneSize, limited},
	{"uploads", "50 at a time, from 1 KiB to 1 MiB, the small ones more often", Other, slots(50, 3_000, upload)},
	{"giants", "200 of 2 KiB at a time, and beside them one of 4 MiB in 200", Bimodal, giants},
}

// rounds takes many items at a time, and gives all of them back.
func rounds(rounds, many int, size func(*run) int) func(*run, *Way) {
	return func(r *run, _ *Way) {
		items := make([]item, many)
		r.begin()
		for range rounds {
			r.round(items, size)
		}
	}
}

// round is one round of rounds.
func (r *run) round(items []item, size func(*run) int) {
	for i := range items {
		items[i] = r.take(size(r))
	}
	r.step()
	for i, x := range items {
		r.give(x)
		items[i] = item{}
	}
}

// slots holds many items, and replaces one by another in turn.
func slots(many, steps int, size func(*run) int) func(*run, *Way) {
	return func(r *run, _ *Way) {
		items := make([]item, many)
		r.begin()
		for i := range steps {
			x := &items[i%many]
			r.give(*x)
			*x = item{}
			*x = r.take(size(r))
			if x.n > 32*kib || i%64 == 0 {
				r.step()
			}
		}
		for i, x := range items {
			r.give(x)
			items[i] = item{}
		}
	}
}

// sometimes returns one size in so many times, and otherwise another.
func sometimes(oneIn, rare, usual int) func(*run) int {
	return func(r *run) int {
		if r.rand.IntN(oneIn) == 0 {
			return rare
		}
		return usual
	}
}

func upload(r *run) int { return int(kib * math.Pow(kib, r.rand.Float64()*r.rand.Float64())) }

func walk(r *run, w *Way) {
	n := 64.0 * kib
	slots(16, 3_000, func(r *run) int {
		n = min(max(n*math.Pow(2, 2*r.rand.Float64()-1), 256), 4*mib)
		return int(n)
	})(r, w)
}

func ascending(r *run, _ *Way) {
	r.begin()
	for n := kib; n <= mib; n += n / 4 {
		r.round(make([]item, 4*mib/n), func(*run) int { return n })
	}
}

func bursts(r *run, _ *Way) {
	items := make([]item, 500)
	r.begin()
	for range 10 {
		r.round(items, func(*run) int { return 16 * kib })
		for range 200 {
			r.give(r.take(kib))
		}
		r.step()
	}
}

func phases(r *run, w *Way) {
	items := make([]item, 1600)
	r.begin()
	for range 50 {
		r.round(items[:50], func(*run) int { return 100 * kib })
	}
	for range 50 {
		r.round(items, func(*run) int { return 3 * kib })
	}
}

func manyPools(r *run, w *Way) {
	pools, items := make([]Memory, 1000), make([]item, 1000)
	r.begin()
	for i := range pools {
		pools[i] = w.Open()
	}
	for range 10 {
		for i := range pools {
			r.Memory = pools[i]
			items[i] = r.take(4 * kib)
		}
		r.step()
		for i, x := range items {
			r.Memory = pools[i]
			r.give(x)
			items[i] = item{}
		}
	}
	r.others = pools
}

func manyProcs(r *run, _ *Way) {
	const users, each, n = 64, 8, 8 * kib
	runtime.GOMAXPROCS(users)
	turn, done := make(chan bool), make(chan bool)
	for range users {
		go func() {
			var held [each]Held
			for {
				<-turn
				for i := range held {
					held[i] = r.Write(n)
				}
				done <- true
				<-turn
				for i, h := range held {
					r.Give(h)
					held[i] = Held{}
				}
				done <- true
			}
		}()
	}
	all := func() {
		for range users {
			turn <- true
		}
		for range users {
			<-done
		}
	}
	r.begin()
	r.Need = users * each * n
	for range 100 {
		all()
		r.step()
		all()
	}
}

func leak(r *run, _ *Way) {
	items := make([]item, 500)
	r.begin()
	for i := range 20_000 {
		x := &items[i%len(items)]
		if r.rand.IntN(10) == 0 {
			r.drop(*x)
		} else {
			r.give(*x)
		}
		*x = r.take(8 * kib)
		if i%64 == 0 {
			r.step()
		}
	}
	for i, x := range items {
		r.give(x)
		items[i] = item{}
	}
}

func keptResults(r *run, _ *Way) {
	kept := make([][]byte, 0, 1000)
	r.begin()
	for range cap(kept) {
		kept = append(kept, r.keep(r.take(kib+r.rand.IntN(39*kib))))
		r.step()
	}
	r.results = kept
}

func limited(r *run, w *Way) {
	r.live = make([]byte, 64*mib)
	debug.SetMemoryLimit(128 * mib)
	rounds(100, 100, func(*run) int { return 64 * kib })(r, w)
}

func giants(r *run, w *Way) {
	var giant item
	i := 0
	slots(200, 20_000, func(*run) int {
		switch i++; i % 200 {
		case 0:
			giant = r.take(4 * mib)
			r.step()
		case 20:
			r.give(giant)
			giant = item{}
		}
		return 2 * kib
	})(r, w)
	r.give(giant)
	giant = item{}
}
