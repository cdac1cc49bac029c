//go:build go1.25

package metamorphic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A program is a list of operations on a few pools. Any part of a program is a program, too: an
// operation without an object does nothing.
type program struct {
	seed       uint64
	goroutines int
	hostile    bool // it misuses pools; every configuration must survive that, and report or drop it
	bytePools  []bytePoolSpec
	fixedCount int
	initial    int  // InitialSize of buffer pools
	tight      bool // pools have ceilings that are reached; implies a single goroutine
	fits       bool // pools may hand out larger slices than needed, so capacities are not compared
	ops        []op
}

// A bytePoolSpec has the settings that determine capacities and the treatment of foreign
// slices. The configuration has the other settings.
type bytePoolSpec struct {
	minSize, maxSize int
	adopts           bool
}

// An op is one operation, of goroutine g. If g is main, no other goroutine runs meanwhile. The
// meaning of a, b and c depends on kind; any value is valid.
type op struct {
	index   int // in the whole program, even if only a part of it runs
	g       int
	kind    *kind
	a, b, c int
}

const main = -1

// A kind is a kind of operation.
type kind struct {
	name    string
	weight  int  // relative frequency
	main    bool // runs while no goroutine does
	hostile bool // only for hostile programs

	// run describes its action, performs it, and returns the results that must be the same in
	// every configuration.
	run func(*worker, op) string
}

// generate returns the program of a seed.
func generate(seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 11))
	p := &program{
		seed:       seed,
		goroutines: []int{1, 2, 2, 3, 4}[r.IntN(5)],
		hostile:    r.IntN(3) == 0,
		fixedCount: 1 + r.IntN(4),
		initial:    []int{64, 100, 1024, 5000}[r.IntN(4)],
	}
	p.tight = p.goroutines == 1 && r.IntN(2) == 0
	p.fits = !p.tight && seed%2 == 0
	if p.goroutines > 1 {
		// Otherwise the order of several Gets would decide which of them finds none.
		p.fixedCount = p.goroutines * (slots + 1)
	}
	specs := [][2]int{{0, 0}, {0, 4096}, {1000, 32 << 10}, {64, 64}, {5000, 5000}, {1, 100_000}}
	for range 1 + r.IntN(3) {
		s := specs[r.IntN(len(specs))]
		p.bytePools = append(p.bytePools, bytePoolSpec{s[0], s[1], r.IntN(3) == 0})
	}
	var often, seldom []*kind
	for _, k := range kinds {
		if k.hostile && !p.hostile {
			continue
		}
		to := &often
		if k.main {
			to = &seldom
		}
		// Each program has some kinds more often than others, and some not at all. Otherwise
		// few programs would repeat the same operation often.
		for range k.weight * []int{0, 1, 1, 4}[r.IntN(4)] {
			*to = append(*to, k)
		}
	}
	often, seldom = append(often, kinds[r.IntN(3)]), append(seldom, kinds[len(kinds)-1])
	count := 20 + r.IntN(250)
	for i := range count {
		o := op{index: i, g: r.IntN(p.goroutines), a: r.IntN(1 << 20), b: r.IntN(1 << 20), c: r.IntN(1 << 20)}
		o.kind = often[r.IntN(len(often))]
		if r.IntN(12) == 0 {
			o.g, o.kind = main, seldom[r.IntN(len(seldom))]
		}
		p.ops = append(p.ops, o)
	}
	return p
}

// part returns the program with only the operations ops.
func (p *program) part(ops []op) *program {
	q := *p
	q.ops = ops
	return &q
}

// keep returns the program with only the operations whose indexes the list has. kept returns
// such lists.
func (p *program) keep(list string) (*program, error) {
	var ops []op
	for s := range strings.SplitSeq(list, ",") {
		i, err := strconv.Atoi(s)
		if err != nil || i < 0 || i >= len(p.ops) {
			return nil, fmt.Errorf("operation %q of a program of %d", s, len(p.ops))
		}
		ops = append(ops, p.ops[i])
	}
	return p.part(ops), nil
}

// kept lists the indexes of p's operations.
func (p *program) kept() string {
	var list []string
	for _, o := range p.ops {
		list = append(list, strconv.Itoa(o.index))
	}
	return strings.Join(list, ",")
}

// shrink returns a part of p that still fails, and from which no single operation can be
// removed. fails may be wrong sometimes, if the failure depends on the schedule.
func (p *program) shrink(fails func(*program) bool) *program {
	ops := p.ops
	for n := max(1, len(ops)/2); ; {
		smaller := false
		for at := 0; at < len(ops); {
			rest := slices.Delete(slices.Clone(ops), at, min(at+n, len(ops)))
			if len(rest) > 0 && fails(p.part(rest)) {
				ops, smaller = rest, true
			} else {
				at += n
			}
		}
		switch {
		case n > 1:
			n /= 2
		case !smaller:
			return p.part(ops)
		}
	}
}
