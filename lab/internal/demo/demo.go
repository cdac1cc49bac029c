// Package demo measures an HTTP gateway that keeps whole bodies in memory, once for each way of
// getting that memory.
//
// Each way has its own gateway process, so that ways do not share a heap, pools or the pace of
// the collector. The upstream and the load generator are two more processes, so that their work
// is not measured. All processes live for the whole run. One gateway at a time gets load, in
// short rounds. Each round is a fixed sequence of requests, the same for every way.
package demo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/basin-go/basin/lab/internal/child"
	"github.com/basin-go/basin/lab/internal/terminal"
)

const (
	// maxRound limits a round. A slow moment of the machine then affects one round of one way,
	// which the median ignores.
	maxRound = 500 * time.Millisecond
	// roundsPerRun is the approximate number of rounds of a run shorter than that.
	roundsPerRun = 40
	// stallLimit is the time after which a round counts as hung rather than slow.
	stallLimit = 30 * time.Second
)

// Run measures every way and returns the report. If ctx is done before the end, it returns the
// results so far, or nil if there are none, and the error of ctx.
func Run(ctx context.Context, c Config, progress terminal.Progress) (*Report, error) {
	if c.Attribution {
		return run(ctx, c, slices.Concat(ways, attribution), progress)
	}
	return run(ctx, c, ways, progress)
}

func run(ctx context.Context, c Config, ways []way, progress terminal.Progress) (*Report, error) {
	report, err := measure(ctx, c, ways, progress)
	return finish(ctx, progress, report, err)
}

// finish returns the result of a run.
func finish[R any](ctx context.Context, progress terminal.Progress, report *R, err error) (*R, error) {
	progress.Finish()
	if ctx.Err() != nil {
		// The processes were told to stop, so other errors are a consequence.
		return report, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}

func measure(ctx context.Context, c Config, ways []way, progress terminal.Progress) (*Report, error) {
	progress.Step(0, 0, "reading the files to serve")
	corpus, load, stop, err := startBackend(ctx, c.Corpus, c.Concurrency)
	if err != nil {
		return nil, err
	}
	defer stop()
	lanes := make([]*lane, len(ways))
	for i, w := range ways {
		gateway, err := startPart(ctx, "gateway")
		if err != nil {
			return nil, err
		}
		defer gateway.Stop()
		lanes[i] = &lane{way: w, gateway: gateway, load: load}
		args := GatewayArgs{Way: w.name, Upstream: corpus.Addr, Concurrency: c.Concurrency}
		if err := gateway.Call("Gateway.Start", args, &lanes[i].addr); err != nil {
			return nil, err
		}
	}

	start := time.Now()
	step := func(what string) {
		passed, all := time.Since(start), c.Duration+c.Settle
		progress.Step(float64(passed)/float64(all), max(1, all-passed), what)
	}

	warmUp := min(maxRound, c.Duration/roundsPerRun)
	warmUps := 0
	for _, l := range lanes {
		step("warming up " + l.way.name)
		r, err := l.send(RoundArgs{Count: math.MaxInt, Limit: warmUp})
		if err != nil {
			return nil, err
		}
		warmUps += r.Requests
	}
	// size is the number of requests that one warm-up completed, on average over the ways.
	// Rounds of a fixed size compare the same work; with a fixed time, a faster way would get
	// further files.
	size := max(1, warmUps/len(lanes))

	order := rand.New(rand.NewPCG(1, 1))
	rounds := 0
	for took := time.Duration(0); rounds == 0 || time.Since(start)+took <= c.Duration; rounds++ {
		begun := time.Now()
		for _, i := range order.Perm(len(lanes)) {
			l := lanes[i]
			if err := l.round(rounds*size, size); err != nil {
				return soFar(ctx, err, c, corpus, size, lanes, rounds)
			}
			last := l.results[rounds]
			step(fmt.Sprintf("round %d: %s, %.0f requests/s", rounds+1, l.way.name, last.rate()))
		}
		took = time.Since(begun)
	}
	if c.Settle > 0 {
		step(fmt.Sprintf("no requests for %v", c.Settle))
		if err := settle(ctx, c.Settle, lanes); err != nil {
			return soFar(ctx, err, c, corpus, size, lanes, rounds)
		}
	}
	return newReport(c, corpus, size, lanes)
}

// soFar returns the report of the given rounds, if ctx is done and there are any, and the error
// that ended the run.
func soFar(ctx context.Context, err error, c Config, corpus UpstreamReply, size int, lanes []*lane, rounds int) (*Report, error) {
	if ctx.Err() == nil || rounds == 0 {
		return nil, err
	}
	for _, l := range lanes {
		l.results = l.results[:rounds]
		l.settled = 0
	}
	report, failed := newReport(c, corpus, size, lanes)
	if failed != nil {
		return nil, failed
	}
	report.Interrupted = true
	return report, err
}

// settle waits, and then measures the memory that the gateways still hold.
func settle(ctx context.Context, d time.Duration, lanes []*lane) error {
	sleep(ctx, d)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, l := range lanes {
		if err := l.gateway.Call("Gateway.Settled", struct{}{}, &l.settled); err != nil {
			return err
		}
	}
	return nil
}

// A lane is a way with its gateway and measurements.
type lane struct {
	way      way
	gateway  *child.Process
	load     *child.Process
	addr     string
	verified int
	results  []result
	settled  uint64 // bytes of heap in use after Config.Settle; zero if not measured
}

// A result is one measured round.
type result struct {
	RoundReply
	Usage
}

func (r result) rate() float64 { return float64(r.Requests) / r.Elapsed.Seconds() }

// round measures count requests, from index first of the corpus on.
func (l *lane) round(first, count int) error {
	// The gateway has been idle since its last round. First bring connections, caches and pools
	// back to their state under load.
	if _, err := l.send(RoundArgs{First: first, Count: max(1, count/4), Limit: stallLimit}); err != nil {
		return err
	}
	if err := l.gateway.Call("Gateway.Begin", struct{}{}, &struct{}{}); err != nil {
		return err
	}
	reply, err := l.send(RoundArgs{First: first, Count: count, Limit: stallLimit})
	if err != nil {
		return err
	}
	r := result{RoundReply: reply}
	if err := l.gateway.Call("Gateway.End", struct{}{}, &r.Usage); err != nil {
		return err
	}
	l.results = append(l.results, r)
	return nil
}

// send makes the load generator send requests to this lane's gateway.
func (l *lane) send(a RoundArgs) (RoundReply, error) {
	a.Addr, a.FixedReply = l.addr, l.way.fixedReply
	var r RoundReply
	if err := l.load.Call("Load.Round", a, &r); err != nil {
		return r, fmt.Errorf("%s: %w%s", l.way.name, err, l.gateway.LastWords())
	}
	if a.FixedReply == "" {
		l.verified += r.Requests
	}
	return r, nil
}
