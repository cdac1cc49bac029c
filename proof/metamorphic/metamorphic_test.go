//go:build go1.25

// Package metamorphic runs random programs on all of the public API, each with many
// configurations: settings of the pools, levels of checks, GOMAXPROCS, the frequency of
// collections, sequentially or concurrently. A program must have the same contents, accounts,
// errors and panics with all of them. No expected result is needed, so any number of programs
// can be generated; cockroachdb/pebble is tested in this way.
//
//	go test ./proof/metamorphic                                                      some programs
//	BASIN_TEST_METAMORPHIC_TIME=1h go test ./proof/metamorphic -timeout 0            new ones for an hour
//	BASIN_TEST_SEED=17 BASIN_TEST_CONFIG=full BASIN_TEST_OPS=100 go test ./proof/metamorphic -run Replay -v
//
// A program that fails is shortened as far as possible, and printed: as a command that runs it
// again, and as Go.
//
// Results that configurations may change are not compared. There are few of them, each with a
// reason: see compareCounts, and capacity.
package metamorphic

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// tries is the number of runs before a program counts as correct: with several goroutines, its
// behaviour depends on their schedule.
const tries = 4

func TestMetamorphic(t *testing.T) {
	seed, seeds := uint64(0), uint64(8)
	if pooltest.Long() && !testenv.Race {
		seeds = 25
	}
	var until time.Time
	if long := testenv.Duration(t, "BASIN_TEST_METAMORPHIC_TIME"); long > 0 { // new programs, with all configurations
		until = time.Now().Add(long)
		seeds = 1 << 62
		seed = testenv.Uint64(t, "BASIN_TEST_SEED", uint64(time.Now().UnixNano())>>8<<20)
	}
	began, runs := seed, 0
	defer func() { t.Logf("%d programs, %d runs", seed-began, runs) }()
	for end := seed + seeds; seed != end; seed++ {
		if !until.IsZero() {
			if time.Now().After(until) {
				return
			}
			if (seed-began)%500 == 0 { // if the process dies, the fault is in one of these
				fmt.Fprintf(os.Stderr, "metamorphic: %d programs, at seed %d\n", seed-began, seed)
			}
		}
		p := generate(seed)
		base := p.runWith(configs[0], nil)
		if base.err != "" {
			report(t, p, configs[0], p.failsOnce(configs[0], base, nil))
			return
		}
		for _, c := range configs[1:] {
			if c.long && until.IsZero() {
				continue
			}
			runs++
			if why := p.failsOnce(c, base, nil); why != "" {
				report(t, p, c, why)
				return
			}
		}
	}
}

// failsOnce runs p once with a configuration, and returns the failure, or "".
func (p *program) failsOnce(c *config, base *outcome, change func(*world)) string {
	o := p.runWith(c, change)
	if o.err != "" {
		at := "in the end"
		if _, ok := o.text[o.at]; ok {
			at = fmt.Sprintf("operation %d, %s", o.at, strings.ReplaceAll(o.text[o.at], "\n", "; "))
		}
		return at + ": " + o.err
	}
	return o.differs(base)
}

// fails runs p a few times with a configuration, and returns a failure, or "".
func (p *program) fails(c *config, change func(*world)) string {
	base := p.runWith(configs[0], nil)
	if base.err != "" && change == nil {
		return p.failsOnce(configs[0], base, nil)
	}
	n := tries
	if p.goroutines == 1 || c.serial {
		n = 1
	}
	for range n {
		if why := p.failsOnce(c, base, change); why != "" {
			return why
		}
	}
	return ""
}

// shortest returns the shortest failing part of p that it finds.
func shortest(p *program, c *config, change func(*world), why string) *program {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 5 * time.Second // each program that hangs leaves goroutines behind
	stop := time.Now().Add(time.Minute)
	return p.shrink(func(q *program) bool { return time.Now().Before(stop) && kindOf(q.fails(c, change)) == kindOf(why) })
}

// kindOf returns the part of a failure that probably identifies its cause: the first words,
// without the operation and the numbers.
func kindOf(why string) string {
	if at := strings.LastIndex(why, "): "); at >= 0 && strings.HasPrefix(why, "operation") {
		why = why[at+3:]
	}
	why, _, _ = strings.Cut(why, "\n")
	return numbers.ReplaceAllString(why[:min(len(why), 60)], "")
}

var numbers = regexp.MustCompile(`[0-9]+`)

// report fails the test because p fails with a configuration.
func report(t *testing.T, p *program, c *config, why string) {
	t.Helper()
	p = shortest(p, c, nil, why)
	if again := p.fails(c, nil); again != "" {
		why = again
	}
	_, source, _ := strings.Cut(p.source(c), preamble)
	t.Errorf("a program of %d operations fails with configuration %s: %s\n%s\nto run it again, and to write it to main.go:\n\tBASIN_TEST_SEED=%d BASIN_TEST_CONFIG=%s BASIN_TEST_KEEP=%s BASIN_TEST_GO=main.go go test ./proof/metamorphic -run Replay -v",
		len(p.ops), c.name, why, source, p.seed, c.name, p.kept())
}

// TestReplay runs one program.
func TestReplay(t *testing.T) {
	seed := testenv.Uint64(t, "BASIN_TEST_SEED", 0)
	ops := testenv.Int(t, "BASIN_TEST_OPS", 0) // number of operations; 0 means all
	keep := os.Getenv("BASIN_TEST_KEEP")       // indexes of operations to run; empty means all
	with := os.Getenv("BASIN_TEST_CONFIG")     // empty means all
	source := os.Getenv("BASIN_TEST_GO")       // file for the program as Go
	if seed == 0 && keep == "" && ops == 0 && with == "" && source == "" {
		t.Skip("needs BASIN_TEST_SEED")
	}
	p := generate(seed)
	if ops > 0 {
		p = p.part(p.ops[:min(ops, len(p.ops))])
	}
	if keep != "" {
		var err error
		if p, err = p.keep(keep); err != nil {
			t.Fatal(err)
		}
	}
	chosen := configs
	if with != "" {
		c := configOf(with)
		if c == nil {
			t.Fatalf("The environment variable BASIN_TEST_CONFIG is %q, but no configuration has this name.", with)
		}
		chosen = []*config{c}
	}
	for _, c := range chosen {
		if source != "" {
			name, err := filepath.Abs(source)
			if err == nil {
				err = os.WriteFile(name, []byte(p.source(c)), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if why := p.fails(c, nil); why != "" {
			t.Errorf("configuration %s: %s", c.name, why)
			t.Log(p.source(c))
		}
	}
}

// TestKept checks that the command in a report runs the same part of the program.
func TestKept(t *testing.T) {
	p := generate(5)
	part := p.part(p.ops[3:9])
	again, err := p.keep(part.kept())
	if err != nil || again.kept() != "3,4,5,6,7,8" || again.ops[0].kind != p.ops[3].kind {
		t.Errorf("%v: %v", again.kept(), err)
	}
	if _, err := p.keep("3,x"); err == nil || !strings.Contains(err.Error(), "x") {
		t.Errorf("a list with an x: %v", err)
	}
}
