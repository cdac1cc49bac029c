//go:build go1.25 && basin_sched

package schedules

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/basin-go/basin/proof/sched"
)

// A choice deviates from the default at a step. By default a thread runs as long as it can, and
// then the first thread that can run does. A thread stays on its P.
type choice struct{ step, chosen int }

type schedule []choice

func (s schedule) String() string {
	var b strings.Builder
	for i, c := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d:%d", c.step, c.chosen)
	}
	return b.String()
}

func parse(text string) (s schedule, err error) {
	for part := range strings.SplitSeq(text, ",") {
		step, chosen, _ := strings.Cut(part, ":")
		var c choice
		if c.step, err = strconv.Atoi(step); err == nil {
			c.chosen, err = strconv.Atoi(chosen)
		}
		if err != nil {
			return nil, fmt.Errorf("a schedule is STEP:CHOICE,... : %w", err)
		}
		s = append(s, c)
	}
	return s, nil
}

// A chooser is a sched.Strategy that records the schedule it makes.
type chooser struct {
	pick interface {
		// pick chooses from a set that has a default. costly means that any other choice is a
		// preemption: by default the current thread goes on.
		pick(set uint32, def int, costly bool, p bool) int
	}
	steps int
	made  schedule
}

func (c *chooser) choose(set uint32, last int, p bool) int {
	def, costly := last, true
	if last < 0 || set>>last&1 == 0 {
		def, costly = bits.TrailingZeros32(set), false
	}
	chosen := def
	if set&(set-1) != 0 || p {
		chosen = c.pick.pick(set, def, costly, p)
	}
	if chosen != def {
		c.made = append(c.made, choice{c.steps, chosen})
	}
	c.steps++
	return chosen
}

func (c *chooser) Thread(able uint32, running int) int { return c.choose(able, running, false) }
func (c *chooser) P(free uint32, last int) int         { return c.choose(free, last, true) }

// begin prepares c for the next run.
func (c *chooser) begin() { c.steps, c.made = 0, c.made[:0] }

// bounded makes all schedules with at most bound costly choices, one after another.
type bounded struct {
	bound int
	used  int
	depth int
	path  []node
}

type node struct {
	chosen int
	rest   uint32 // not tried yet
	costly bool   // another choice is costly
	paid   bool   // the choice made was costly
}

func (b *bounded) pick(set uint32, def int, costly bool, _ bool) int {
	if b.depth == len(b.path) {
		rest := set &^ (1 << def)
		if costly && b.used == b.bound {
			rest = 0
		}
		b.path = append(b.path, node{chosen: def, rest: rest, costly: costly})
	}
	n := &b.path[b.depth]
	b.depth++
	if n.paid {
		b.used++
	}
	return n.chosen
}

// next advances to the next schedule and reports whether there is one.
func (b *bounded) next() bool {
	b.used, b.depth = 0, 0
	for last := len(b.path) - 1; last >= 0; last-- {
		n := &b.path[last]
		if n.rest != 0 {
			n.chosen = bits.TrailingZeros32(n.rest)
			n.rest &= n.rest - 1
			n.paid = n.costly
			return true
		}
		b.path = b.path[:last]
	}
	return false
}

// pct runs the thread with the highest priority that can run. At some random steps the running
// thread gets the lowest priority. Now and then pct moves a thread to another P.
type pct struct {
	random   rand.PCG
	priority [sched.MaxThreads + sched.Daemons]int
	lowest   int
	changes  []int // steps
	step     int
}

// begin prepares the schedule that seed determines.
func (p *pct) begin(seed uint64, changes, length int) {
	p.random.Seed(seed, 0)
	for i := range p.priority {
		j := int(p.random.Uint64() % uint64(i+1))
		p.priority[i] = p.priority[j]
		p.priority[j] = i + 1
	}
	p.lowest, p.step = 0, 0
	p.changes = p.changes[:0]
	for range changes {
		p.changes = append(p.changes, int(p.random.Uint64()%uint64(max(1, length))))
	}
}

func (p *pct) pick(set uint32, def int, costly bool, ofP bool) int {
	p.step++
	if ofP {
		if p.random.Uint64()%4 > 0 {
			return def
		}
		for range p.random.Uint64() % uint64(bits.OnesCount32(set)) {
			set &= set - 1
		}
		return bits.TrailingZeros32(set)
	}
	if costly {
		for _, at := range p.changes {
			if at == p.step {
				p.lowest--
				p.priority[def] = p.lowest
			}
		}
	}
	best := def
	for set != 0 {
		i := bits.TrailingZeros32(set)
		set &= set - 1
		if p.priority[i] > p.priority[best] {
			best = i
		}
	}
	return best
}

// replay makes the choices of a schedule, as far as they are possible.
type replay struct {
	chooser *chooser
	left    schedule
}

func (r *replay) pick(set uint32, def int, _ bool, _ bool) int {
	for len(r.left) > 0 && r.left[0].step < r.chooser.steps {
		r.left = r.left[1:]
	}
	if len(r.left) > 0 && r.left[0].step == r.chooser.steps && set>>r.left[0].chosen&1 != 0 {
		return r.left[0].chosen
	}
	return def
}

// A failure is an error of the engine, with a schedule that shows it.
type failure struct {
	err   error
	made  schedule
	after int // number of schedules before it
}

// An explorer runs the schedules of a scenario.
type explorer struct {
	scenario scenario
	runs     int
	length   int // steps of the longest
	world    world
}

// run runs the scenario once.
func (x *explorer) run(c *chooser, log func(string, ...any)) (err error) {
	c.begin()
	x.runs++
	err = x.world.run(x.scenario, c, log)
	x.length = max(x.length, c.steps)
	return err
}

// bounded runs all schedules with at most the given number of preemptions, up to limit. It
// reports whether it has run all.
func (x *explorer) bounded(preemptions, limit int) (all bool, f *failure) {
	b := &bounded{bound: preemptions}
	c := &chooser{pick: b}
	for range limit {
		if err := x.run(c, nil); err != nil {
			return false, x.shrink(err, c.made)
		}
		if !b.next() {
			return true, nil
		}
	}
	return false, nil
}

// random runs n random schedules, with seeds from seed on.
func (x *explorer) random(seed uint64, n int) *failure {
	p := new(pct)
	c := &chooser{pick: p}
	for i := range n {
		p.begin(seed+uint64(i), 1+i%5, x.length)
		if err := x.run(c, nil); err != nil {
			return x.shrink(err, c.made)
		}
	}
	return nil
}

// replay runs one schedule.
func (x *explorer) replay(s schedule, log func(string, ...any)) error {
	c := new(chooser)
	c.pick = &replay{chooser: c, left: s}
	return x.run(c, log)
}

// shrink removes as many choices as possible from a schedule that fails.
func (x *explorer) shrink(err error, made schedule) *failure {
	f := &failure{err: err, made: append(schedule(nil), made...), after: x.runs}
	for again := true; again; {
		again = false
		for i := range f.made {
			less := append(append(schedule(nil), f.made[:i]...), f.made[i+1:]...)
			if err := x.replay(less, nil); err != nil {
				f.err, f.made, again = err, less, true
				break
			}
		}
	}
	return f
}
