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

	"github.com/basin-go/basin/cmd/internal/child"
)

// Config says what to measure, and how long.
type Config struct {
	Workloads []*Workload
	Subjects  []*Subject
	Quick     bool
	Rounds    int           // of each subject, or twice as many where goroutines run at the same time, for which fewer moments are good enough
	RoundTime time.Duration // of a round, but for workloads that have their own
	Stall     time.Duration // when a subject counts as hung
	Budget    time.Duration // on a busy machine there are fewer rounds rather than more time; zero for no limit
}

// What a run takes if nothing else is said.
const (
	fullRounds  = 150
	quickRounds = 20
	roundsPass  = 10
	roundTime   = 2 * time.Millisecond // short, so that some are not interrupted
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
		c.Workloads = Workloads()
	}
	if c.Subjects == nil {
		c.Subjects = Subjects()
	}
}

// Run measures. If ctx is done before the end, the report has what was measured by
// then, and says that it was interrupted.
func Run(ctx context.Context, c Config, progress Progress) (*Report, error) {
	c.complete()
	start := time.Now()
	r := &runner{Config: c, report: newReport(c), progress: progress, order: rand.New(rand.NewPCG(1, 1))}
	defer progress.Finish()
	err := r.run(ctx)
	r.report.Noise = r.spinner.noise()
	r.report.Took = time.Since(start)
	if ctx.Err() != nil {
		r.report.Interrupted = true
		err = nil
	}
	return r.report, err
}

type runner struct {
	Config
	report   *Report
	progress Progress
	spinner  spinner
	order    *rand.Rand
	env      Env
	stop     func() // ends what env has running
	rounds   map[*Result][]round
	done     time.Duration
	total    time.Duration
}

// A round is what so many operations on each worker took.
type round struct {
	n int
	Usage
}

func (r *runner) run(ctx context.Context) error {
	r.env.Sizes = fileSizes()
	r.rounds = map[*Result][]round{}
	r.stop = func() {}
	defer func() { r.stop() }()
	var curves, timed []*Workload
	watching := time.Duration(0)
	for _, w := range r.Workloads {
		if w.Curve != nil {
			curves = append(curves, w)
		} else {
			timed = append(timed, w)
			r.total += r.estimate(w, w.rounds(r.Rounds))
		}
		report := &WorkloadReport{Name: w.Name, Group: w.Group, What: w.What, Op: w.Op, Procs: w.Procs}
		for _, s := range r.Subjects {
			report.Results = append(report.Results, &Result{Subject: s.Name, Kind: s.Kind, Cannot: !w.Can(s)})
		}
		r.report.Workloads = append(r.report.Workloads, report)
	}
	if len(curves) > 0 {
		watching = curves[0].Curve.Duration
		r.total += watching
	}
	defer func() {
		for _, w := range timed {
			report := r.report.workload(w.Name)
			for _, result := range report.Results {
				summarize(result, w, r.rounds[result], r.env.meanSize())
			}
			report.compare()
		}
	}()
	// In several passes over all workloads, each with new processes: so each
	// comparison is of several moments, and of several layouts of memory.
	start := time.Now()
	for left := r.Rounds; left > 0 && len(timed) > 0; left -= roundsPass {
		begun := time.Now()
		for _, w := range timed {
			if err := r.measure(ctx, w, w.rounds(min(left, roundsPass))); err != nil || ctx.Err() != nil {
				return err
			}
		}
		if r.Budget > 0 && time.Since(start)+time.Since(begun)+watching > r.Budget {
			break
		}
	}
	return r.watch(ctx, curves)
}

// estimate is how long a workload should take.
func (r *runner) estimate(w *Workload, rounds int) time.Duration {
	const start = 20 * time.Millisecond // of a process
	one := cmp.Or(w.Round, r.RoundTime) + 500*time.Microsecond
	passes := (rounds + w.rounds(roundsPass) - 1) / w.rounds(roundsPass)
	total := time.Duration(0)
	for _, s := range r.Subjects {
		if w.Can(s) {
			total += time.Duration(passes)*start + time.Duration(rounds+5*passes)*one // five or so to warm up
		}
	}
	return total
}

// rounds returns how many rounds a workload has, if most have n.
func (w *Workload) rounds(n int) int {
	if w.Goroutines == 1 {
		return n
	}
	return 2 * n
}

// A lane is one subject with its process and what was measured of it.
type lane struct {
	result *Result
	part   *child.Process
	n      int
}

func (r *runner) start(ctx context.Context, w *Workload) []*lane {
	var lanes []*lane
	var starting sync.WaitGroup
	limit := make(chan struct{}, runtime.NumCPU())
	for _, result := range r.report.workload(w.Name).Results {
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

// call calls the subject's process, and reports whether that went well.
func (l *lane) call(limit time.Duration, method string, args, reply any) bool {
	if l.result.Failed != "" {
		return false
	}
	err := l.part.CallWithin(limit, method, args, reply)
	switch {
	case errors.Is(err, child.ErrStalled):
		l.part.Abort()
		l.fail(fmt.Errorf("hung: nothing came of %s within %v%s", strings.ToLower(strings.TrimPrefix(method, "Part.")), limit, l.part.LastWords()))
	case err != nil:
		l.fail(err)
	}
	return err == nil
}

// fail records why there is no more of a subject, in a line and in full.
func (l *lane) fail(err error) {
	l.result.Failed = lastWords(err.Error())
	if all := err.Error(); all != l.result.Failed {
		l.result.Details = all[:min(len(all), 64<<10)]
	}
}

// lastWords finds what matters in what a dying process says.
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

// measure runs so many rounds of one workload.
func (r *runner) measure(ctx context.Context, w *Workload, rounds int) error {
	begun, all := r.done, r.estimate(w, rounds)
	step := func(share float64) {
		r.done = begun + time.Duration(share*float64(all))
		r.progress.Step(float64(r.done)/float64(r.total), w.Name)
	}
	step(0)
	if w.NeedsBackend && r.env.Backend.Load == "" {
		var err error
		if r.env.Backend, r.stop, err = startBackend(ctx); err != nil {
			r.stop = func() {}
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	lanes := r.start(ctx, w)
	defer stopAll(lanes)
	for _, l := range lanes {
		l.call(r.Stall, "Part.Warm", cmp.Or(w.Round, r.RoundTime), &l.n)
	}
	for i := range rounds {
		for _, j := range r.order.Perm(len(lanes)) {
			if ctx.Err() != nil {
				break
			}
			r.spinner.spin()
			u := round{n: lanes[j].n}
			if l := lanes[j]; l.call(r.Stall, "Part.Round", l.n, &u.Usage) {
				r.rounds[l.result] = append(r.rounds[l.result], u)
			}
		}
		step(float64(i+1) / float64(rounds))
	}
	for _, l := range lanes {
		if ctx.Err() != nil {
			l.result.Failed, l.result.Details = "", "" // whatever failed, failed because it was told to stop
		} else {
			l.call(r.Stall, "Part.Idle", struct{}{}, &l.result.IdleHeap)
		}
	}
	return nil
}

// watch runs all workloads that are watched, and all subjects of them, at the same time:
// most of it they wait.
func (r *runner) watch(ctx context.Context, works []*Workload) error {
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
			var curve []Point
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
		r.progress.Step(float64(r.done+min(time.Since(start), works[0].Curve.Duration))/float64(r.total), what)
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
