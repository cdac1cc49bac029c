//go:build go1.25

package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/basin-go/basin/internal/sizeclass"
)

// A load returns the number of bytes that the next user needs.
type load func(*rand.Rand) int

func constant(n int) load { return func(*rand.Rand) int { return n } }

func mix(part float64, large, small int) load {
	return func(r *rand.Rand) int {
		if r.Float64() < part {
			return large
		}
		return small
	}
}

func uniform(n int) load { return func(r *rand.Rand) int { return 1 + r.IntN(n) } }

func logarithmic(low, high float64) load {
	return func(r *rand.Rand) int { return int(low * math.Pow(high/low, r.Float64())) }
}

const limit = 4 << 20

// A pool has users with a Learner. If it samples, it observes one in 64 of those who need not grow.
type pool struct {
	Learner
	samples                bool
	users, grown, switches int
	needed, held           float64 // in classes
}

func (p *pool) size() int { return sizeclass.All.Size(int(p.Class.Load())) }

// use has one user of n bytes.
func (p *pool) use(n int) {
	size := p.size()
	need := sizeclass.All.Class(min(n, limit)).Size()
	p.users++
	p.needed += float64(need)
	p.held += float64(max(size, need))
	changed := false
	switch {
	case n > size:
		p.grown++
		changed = p.Observe(n, limit, 1, true)
	case !p.samples:
		changed = p.Observe(n, limit, 1, false)
	case p.users%64 == 0:
		changed = p.Observe(n, limit, 64, false)
	}
	if changed {
		p.switches++
	}
}

// run has users of the load, and forgets its figures before.
func (p *pool) run(r *rand.Rand, l load, users int) {
	p.users, p.grown, p.switches, p.needed, p.held = 0, 0, 0, 0, 0
	for range users {
		p.use(l(r))
	}
}

// TestLearner: with any load, users hold at most little more than twice as much as they need, and the
// pool hardly ever switches.
func TestLearner(t *testing.T) {
	for _, tt := range []struct {
		name  string
		load  load
		sizes []int // that may be learned; nil for any
	}{
		{"one size", constant(8 << 10), []int{8 << 10}},
		{"nothing", constant(0), []int{64}},
		{"64 KiB in 200", mix(.005, 64<<10, 200), []int{256}},
		{"1 MiB in 100", mix(.01, 1<<20, 1000), []int{1024}},
		{"4 MiB in 20", mix(.05, 4<<20, 1000), []int{1024}},
		{"above the limit in 20", mix(.05, 100<<20, 1000), []int{1024}},
		{"a third are large", mix(.33, 1<<20, 1000), []int{1024}},
		{"two thirds are large", mix(.67, 1<<20, 1000), []int{1 << 20}},
		{"nearly all are large", mix(.99, 1<<20, 1000), []int{1 << 20}},
		{"as many small as large", mix(.5, 16<<10, 1000), nil},
		{"hardly different", mix(.5, 1500, 1000), []int{1536}},
		{"uniform", uniform(8 << 10), nil},
		{"uniform to 1 MiB", uniform(1 << 20), nil},
		{"logarithmic", logarithmic(64, 1<<20), nil},
		{"logarithmic within a range", logarithmic(1<<10, 16<<10), nil},
	} {
		for _, samples := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, samples %t", tt.name, samples), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				p := &pool{samples: samples}
				p.run(r, tt.load, 2000)
				const users = 100_000
				for range 3 {
					p.run(r, tt.load, users)
					if p.held > 2.1*p.needed {
						t.Errorf("users hold %.2f times as much as they need", p.held/p.needed)
					}
					if p.switches > users/2000 {
						t.Errorf("%d switches", p.switches)
					}
					found := tt.sizes == nil
					for _, size := range tt.sizes {
						found = found || size == p.size()
					}
					if !found {
						t.Errorf("learned %d, want %v", p.size(), tt.sizes)
					}
				}
			})
		}
	}
}

// TestLearnerFollows: of users with another need, at most 1,000 pass before it is learned.
func TestLearnerFollows(t *testing.T) {
	for _, samples := range []bool{false, true} {
		for _, before := range []int{64, 1 << 10, 8 << 10, 64 << 10, 4 << 20} {
			for _, after := range []int{64, 1 << 10, 6000, 9000, 64 << 10, 4 << 20} {
				p := &pool{samples: samples}
				p.run(nil, constant(before), 20_000)
				want := sizeclass.All.Class(after).Size()
				for p.users = 0; p.users < 1000 && p.size() != want; {
					p.use(after)
				}
				if p.size() != want {
					t.Errorf("samples %t: after %d users of %d, the learned size is %d", samples, p.users, after, p.size())
				}
			}
		}
	}
}

// TestLearnerSoon: the first users are learned from at once.
func TestLearnerSoon(t *testing.T) {
	p := new(pool)
	p.run(nil, constant(10_000), 1000)
	if p.grown > eachGrown {
		t.Errorf("%d users had to grow", p.grown)
	}
}

// TestLearnerMissing: users who do not come back get no more than a few of those who do justify.
func TestLearnerMissing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var out int64
	p := &pool{Learner: Learner{Outstanding: func() int64 { return out }}}
	held := 0
	for range 20_000 {
		p.use(1 << (10 + r.IntN(5)))
		out++ // a user who stays
		held += p.size()
	}
	if each := held / int(out); each > 1<<10 {
		t.Errorf("users who stay hold %d bytes each", each)
	}
	// When no more of them stay, the users who come back count alone.
	p.run(r, constant(8<<10), 40_000)
	if p.size() != 8<<10 {
		t.Errorf("learned %d", p.size())
	}
}

// TestLearnerRounds: users who take their buffers together and put them together, with one need, always
// get what they need, however many they are.
func TestLearnerRounds(t *testing.T) {
	for _, n := range []int{100, 500, 5000, 50_000} {
		var out int64
		p := &pool{Learner: Learner{Outstanding: func() int64 { return out }}}
		for round := range 10 {
			p.grown, p.switches = 0, 0
			for out = int64(n); out > 0; out-- {
				p.use(8 << 10)
			}
			if round > 0 && p.grown+p.switches > 0 {
				t.Errorf("%d at a time, round %d: %d grow, %d switches", n, round, p.grown, p.switches)
			}
		}
	}
}

// TestReads: chunks suffice for the usual input, and rare long ones do not enlarge the first chunk.
func TestReads(t *testing.T) {
	for _, tt := range []struct {
		name          string
		load          load
		first         int
		arrived, next int
	}{
		{"nothing", constant(0), MinRead, 0, MinRead},
		{"one size", constant(3000), 3072, 0, 3072},
		{"one size of a class", constant(4096), 4864, 0, 4864}, // with room for the read that returns io.EOF
		{"large", constant(1 << 20), maxFirst, maxFirst, 5 << 18},
		{"rare giants", mix(.02, 1<<20, 1000), 1024, 1024, 5 << 18},
		{"a tenth is large", mix(.1, 60<<10, 1000), 1024, 1024, 64 << 10},
		{"nobody longer", constant(3000), 3072, 4000, 8000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var reads Reads
			for range 5000 {
				reads.Observe(tt.load(r))
			}
			if first, next := reads.Enough(0), reads.Enough(tt.arrived); first != tt.first || next != tt.next {
				t.Errorf("the first chunk is %d, and after %d bytes %d, want %d and %d", first, tt.arrived, next, tt.first, tt.next)
			}
		})
	}
}

// TestFresh: while twice as many items are outstanding as ever before, new ones begin small, but for
// some that cost little.
func TestFresh(t *testing.T) {
	var out int64
	p := &pool{Learner: Learner{Outstanding: func() int64 { return out }}}
	take := func(n int) (small int) {
		for range n {
			if p.Fresh() == 0 {
				small++
			}
			out++
		}
		return small
	}
	give := func(size int) {
		for ; out > 0; out-- {
			p.use(size)
		}
	}
	for range 10 {
		take(80)
		give(100 << 10)
	}
	if small := take(160 + spare>>20*8); small > 0 {
		t.Errorf("%d small ones of twice as many", small)
	}
	if small := take(1000); small < 990 {
		t.Errorf("%d small ones of 1,000 far beyond", small)
	}
	give(100 << 10)
	if small := take(1000); small > 0 {
		t.Errorf("%d small ones of 1,000 that are expected by now", small)
	}
}
