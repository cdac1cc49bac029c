package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/basin-go/basin/lab/internal/child"
	"github.com/basin-go/basin/lab/internal/report"
	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/terminal"
	"github.com/basin-go/basin/lab/internal/work"
)

// Config sets the workloads and subjects to measure, and the time for it.
type Config struct {
	Workloads []*work.Workload
	Subjects  []*subjects.Subject
	Quick     bool
	Rounds    int           // of each subject; twice as many with several goroutines, where good rounds are rarer
	RoundTime time.Duration // of a round; some workloads have their own
	Stall     time.Duration // time after which a subject counts as hung
	Budget    time.Duration // on a busy machine, rounds are omitted to stay within it; zero means no limit
}

// Defaults.
const (
	fullRounds  = 150
	quickRounds = 20
	roundsPass  = 10
	roundTime   = 2 * time.Millisecond // short, so that some rounds are not interrupted
	stallLimit  = 30 * time.Second
	quickBudget = 115 * time.Second
)

func (c *Config) complete() {
	if c.Rounds == 0 {
		c.Rounds = fullRounds
		if c.Quick {
			c.Rounds = quickRounds
			c.Budget = cmp.Or(c.Budget, quickBudget)
		}
	}
	c.RoundTime = cmp.Or(c.RoundTime, roundTime)
	c.Stall = cmp.Or(c.Stall, stallLimit)
	if c.Workloads == nil {
		c.Workloads = work.All()
	}
	if c.Subjects == nil {
		c.Subjects = subjects.All()
	}
}

// Run measures. If ctx is done before the end, the report has the results so far, and
// Interrupted is true.
func Run(ctx context.Context, c Config, progress terminal.Progress) (*report.Report, error) {
	c.complete()
	start := time.Now()
	r := &runner{Config: c, begun: start, report: report.New(c.Quick, c.Rounds, c.RoundTime), progress: progress, order: rand.New(rand.NewPCG(1, 1))}
	defer progress.Finish()
	err := r.run(ctx)
	r.report.Noise = report.NewNoise(r.spinner.took)
	r.report.Took = time.Since(start)
	if ctx.Err() != nil {
		r.report.Interrupted = true
		err = nil
	}
	return r.report, err
}

type runner struct {
	Config
	report   *report.Report
	progress terminal.Progress
	spinner  spinner
	order    *rand.Rand
	env      work.Env
	stop     func() // ends the processes that env refers to
	rounds   map[*report.Result][]report.Round
	begun    time.Time
	done     time.Duration
	total    time.Duration
}

// step shows that the activity has begun or goes on, and that so much of the total is done.
func (r *runner) step(done time.Duration, activity string) {
	share, left := float64(done)/float64(r.total), time.Duration(0)
	if share > 0.02 { // before that, an estimate would be far off
		left = time.Duration(float64(time.Since(r.begun)) * (1 - share) / share)
	}
	r.progress.Step(share, left, activity)
}

func (r *runner) run(ctx context.Context) error {
	r.env.Sizes = work.FileSizes()
	r.rounds = map[*report.Result][]report.Round{}
	r.stop = func() {}
	defer func() { r.stop() }()
	var curves, timed []*work.Workload
	watching := time.Duration(0)
	for _, w := range r.Workloads {
		if w.Curve != nil {
			curves = append(curves, w)
		} else {
			timed = append(timed, w)
			r.total += r.estimate(w, roundsOf(w, r.Rounds))
		}
		found := &report.Workload{Name: w.Name, Group: w.Group, What: w.What, Op: w.Op, Procs: w.Procs}
		for _, s := range r.Subjects {
			found.Results = append(found.Results, &report.Result{Subject: s.Name, Kind: s.Kind, Cannot: !w.Can(s)})
		}
		r.report.Workloads = append(r.report.Workloads, found)
	}
	if len(curves) > 0 {
		watching = curves[0].Curve.Duration
		r.total += watching
	}
	defer func() {
		for _, w := range timed {
			found := r.report.Workload(w.Name)
			for _, result := range found.Results {
				result.Summarize(w, r.rounds[result], r.env.MeanSize())
			}
			found.Compare()
		}
	}()
	// In several passes over all workloads, each with new processes. So each comparison covers
	// several moments and several layouts of memory.
	start := time.Now()
	for left := r.Rounds; left > 0 && len(timed) > 0; left -= roundsPass {
		begun := time.Now()
		for _, w := range timed {
			if err := r.measure(ctx, w, roundsOf(w, min(left, roundsPass))); err != nil || ctx.Err() != nil {
				return err
			}
		}
		if r.Budget > 0 && time.Since(start)+time.Since(begun)+watching > r.Budget {
			break
		}
	}
	return r.watch(ctx, curves)
}

// estimate returns the expected time of a workload.
func (r *runner) estimate(w *work.Workload, rounds int) time.Duration {
	const start = 20 * time.Millisecond // of a process
	one := cmp.Or(w.Round, r.RoundTime) + 500*time.Microsecond
	passes := (rounds + roundsOf(w, roundsPass) - 1) / roundsOf(w, roundsPass)
	total := time.Duration(0)
	for _, s := range r.Subjects {
		if w.Can(s) {
			total += time.Duration(passes)*start + time.Duration(rounds+5*passes)*one // about five to warm up
		}
	}
	return total
}

// roundsOf returns the number of rounds of a workload, if most workloads have n.
func roundsOf(w *work.Workload, n int) int {
	if w.Goroutines == 1 {
		return n
	}
	return 2 * n
}

// A lane is a subject's process with its measurements.
type lane struct {
	result *report.Result
	part   *child.Process
	n      int
}

func (r *runner) start(ctx context.Context, w *work.Workload) []*lane {
	var lanes []*lane
	var starting sync.WaitGroup
	limit := make(chan struct{}, runtime.NumCPU())
	for _, result := range r.report.Workload(w.Name).Results {
		if result.Cannot || result.Failed != "" {
			continue
		}
		l := &lane{result: result}
		lanes = append(lanes, l)
		starting.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			var err error
			if l.part, err = child.Start(ctx, result.Subject, PartCommand); err != nil {
				l.fail(err)
				return
			}
			l.call(r.Stall, "Part.Start", PartArgs{w.Name, result.Subject, r.env}, &struct{}{})
		})
	}
	starting.Wait()
	return lanes
}

// call calls the subject's process, and reports whether it succeeded.
func (l *lane) call(limit time.Duration, method string, args, reply any) bool {
	if l.result.Failed != "" {
		return false
	}
	err := l.part.CallWithin(limit, method, args, reply)
	switch {
	case errors.Is(err, child.ErrStalled):
		l.part.Abort()
		l.fail(fmt.Errorf("hung: no result of %s within %v%s", strings.ToLower(strings.TrimPrefix(method, "Part.")), limit, l.part.LastWords()))
	case err != nil:
		l.fail(err)
	}
	return err == nil
}

// fail records why the subject has no further results, in one line and in full.
func (l *lane) fail(err error) {
	l.result.Failed = lastWords(err.Error())
	if all := err.Error(); all != l.result.Failed {
		l.result.Details = all[:min(len(all), 64<<10)]
	}
}

// lastWords returns the relevant line of a dying process's output.
func lastWords(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	if strings.HasPrefix(first, "hung") {
		return strings.TrimSuffix(first, ":")
	}
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSuffix(first, ":")
}

func stopAll(lanes []*lane) {
	var stopping sync.WaitGroup
	for _, l := range lanes {
		if l.part != nil {
			stopping.Go(l.part.Stop)
		}
	}
	stopping.Wait()
}

// measure runs the given number of rounds of a workload.
func (r *runner) measure(ctx context.Context, w *work.Workload, rounds int) error {
	begun, all := r.done, r.estimate(w, rounds)
	step := func(share float64) {
		r.done = begun + time.Duration(share*float64(all))
		r.step(r.done, w.Name)
	}
	step(0)
	if w.NeedsBackend && r.env.Backend.Upstream == "" {
		var err error
		if r.env.Backend, r.stop, err = work.StartBackend(ctx); err != nil {
			r.stop = func() {}
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	lanes := r.start(ctx, w)
	defer stopAll(lanes)
	for _, l := range lanes {
		l.call(r.Stall, "Part.Warm", cmp.Or(w.Round, r.RoundTime), &l.n)
	}
	r.spinner.calibrate()
	for i := range rounds {
		for _, j := range r.order.Perm(len(lanes)) {
			if ctx.Err() != nil {
				break
			}
			r.spinner.settle()
			u := report.Round{N: lanes[j].n}
			if l := lanes[j]; l.call(r.Stall, "Part.Round", l.n, &u.Usage) {
				r.rounds[l.result] = append(r.rounds[l.result], u)
			}
		}
		step(float64(i+1) / float64(rounds))
	}
	for _, l := range lanes {
		if ctx.Err() != nil {
			l.result.Failed, l.result.Details = "", "" // the process was told to stop, so its failure means nothing
		} else {
			l.call(r.Stall, "Part.Idle", struct{}{}, &l.result.IdleHeap)
		}
	}
	return nil
}

// watch runs all workloads over time with all subjects at the same time, because they are idle
// most of the time.
func (r *runner) watch(ctx context.Context, works []*work.Workload) error {
	if len(works) == 0 {
		return nil
	}
	var lanes []*lane
	var names []string
	for _, w := range works {
		lanes = append(lanes, r.start(ctx, w)...)
		names = append(names, w.Name)
	}
	defer stopAll(lanes)
	what := strings.Join(names, ", ")
	var watching sync.WaitGroup
	for _, l := range lanes {
		watching.Go(func() {
			var curve []report.Point
			if l.call(works[0].Curve.Duration+r.Stall, "Part.Watch", struct{}{}, &curve) {
				l.result.Curve = curve
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		watching.Wait()
		close(finished)
	}()
	start := time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		r.step(r.done+min(time.Since(start), works[0].Curve.Duration), what)
		select {
		case <-finished:
			for _, l := range lanes {
				if ctx.Err() != nil {
					l.result.Failed, l.result.Details = "", ""
				}
			}
			return nil
		case <-tick.C:
		}
	}
}
