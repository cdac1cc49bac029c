// Package report presents the results of a run: as tables, as a page with charts, as JSON, in
// the project's documentation, and as a check against the targets of basin.
package report

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
	"github.com/klauspost/cpuid/v2"
)

// Report has the results of a run.
type Report struct {
	Time        time.Time     `json:"time"`
	GoVersion   string        `json:"go_version"`
	Platform    string        `json:"platform"`
	CPU         string        `json:"cpu"`
	CPUs        int           `json:"cpus"`
	GOMAXPROCS  int           `json:"gomaxprocs"`
	Quick       bool          `json:"quick"`
	Rounds      int           `json:"rounds"`        // of each subject, at most; twice as many with several goroutines
	RoundTime   time.Duration `json:"round_time_ns"` // of most workloads
	Took        time.Duration `json:"took_ns"`
	Noise       Noise         `json:"noise"`
	Interrupted bool          `json:"interrupted"`
	Layout      string        `json:"layout,omitempty"` // the linker's seed of the order of functions: -ldflags=-randlayout=N
	Runs        []Run         `json:"runs,omitempty"`   // those that Combine has combined, if any

	Workloads []*Workload `json:"workloads"`
}

// A Run says where and when a report was measured.
type Run struct {
	Time        time.Time
	CPU, Layout string
	CPUs        int
}

func (r *Report) run() Run { return Run{r.Time, r.CPU, r.Layout, r.CPUs} }

// A Workload has the results of one workload.
type Workload struct {
	Name    string    `json:"name"`
	Group   string    `json:"group"`
	What    string    `json:"what"`
	Op      string    `json:"op,omitempty"`
	Procs   int       `json:"gomaxprocs,omitempty"` // if not the run's
	Results []*Result `json:"results"`
}

// Result has the results of one workload of one subject.
type Result struct {
	Subject string        `json:"subject"`
	Kind    subjects.Kind `json:"kind"`

	// One of these is set if there are no figures.
	Cannot bool   `json:"cannot,omitempty"` // the subject lacks an operation of the workload
	Failed string `json:"failed,omitempty"` // it panicked, hung or lost its process

	Details string `json:"details,omitempty"` // output of the process that failed

	Rounds int      `json:"rounds,omitempty"`
	Min    float64  `json:"min_ns,omitempty"` // per operation
	Time   Estimate `json:"time_ns"`          // per operation

	// Ratio compares the fastest rounds of basin and the subject; RatioMedian compares round by
	// round. Less than 1 means that basin is faster. P is the probability of samples that
	// differ as much if both were equally fast.
	Ratio       float64  `json:"ratio,omitempty"`
	RatioMedian Estimate `json:"ratio_median"`
	P           float64  `json:"p,omitempty"`

	// RunRatios has the Ratio of each run, if there are several: see Combine.
	RunRatios []float64 `json:"run_ratios,omitempty"`

	BytesPerOp  float64 `json:"bytes_per_op"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	// MissesPerOp is the number of Gets that found nothing to reuse. If it was not counted, it
	// is derived from the bytes allocated. It is nil if both are unknown.
	MissesPerOp   *float64 `json:"misses_per_op,omitempty"`
	MissesDerived bool     `json:"misses_derived,omitempty"`
	GCs           uint64   `json:"gcs"` // in all rounds together
	GCsPerMillion float64  `json:"gcs_per_million_ops"`
	PeakHeap      int64    `json:"peak_heap_bytes"` // at the end of any round: spans in use
	IdleHeap      int64    `json:"idle_heap_bytes"` // objects, after the last round and one GC

	Curve []Point `json:"curve,omitempty"`

	times []float64 // ns per operation, round by round
}

// measured reports whether r has figures.
func (r *Result) measured() bool { return r.Rounds > 0 || len(r.Curve) > 0 }

// New returns an empty report for this machine.
func New(quick bool, rounds int, roundTime time.Duration) *Report {
	return &Report{
		Time:       time.Now().UTC().Truncate(time.Second),
		GoVersion:  runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
		CPU:        cmp.Or(strings.TrimSpace(cpuid.CPU.BrandName), "unknown CPU"),
		CPUs:       runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		Quick:      quick,
		Rounds:     rounds,
		RoundTime:  roundTime,
		Layout:     layout(),
	}
}

// layout returns the seed that this program was linked with, or "".
func layout() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if _, seed, found := strings.Cut(s.Value, "-randlayout="); found && s.Key == "-ldflags" {
			seed, _, _ = strings.Cut(seed, " ")
			return strings.Trim(seed, `"'`)
		}
	}
	return ""
}

// Result returns the result of a subject, or nil.
func (w *Workload) Result(subject string) *Result {
	for _, r := range w.Results {
		if r.Subject == subject {
			return r
		}
	}
	return nil
}

// Workload returns the results of a workload, or nil.
func (r *Report) Workload(name string) *Workload {
	for _, w := range r.Workloads {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// Compare computes the ratios of basin to the other subjects.
func (w *Workload) Compare() {
	ref := w.Result(subjects.Reference)
	if ref == nil || ref.Rounds == 0 {
		return
	}
	for _, r := range w.Results {
		if r.Rounds == 0 {
			continue
		}
		r.Ratio = ref.Min / r.Min
		r.RatioMedian = estimate(ratios(ref.times, r.times))
		if r != ref {
			r.P = differs(r.times, ref.times)
		}
	}
}

// Usage has the resources of a round.
type Usage struct {
	Elapsed       time.Duration
	Allocs, Bytes uint64
	GCs           uint64
	HeapInUse     int64 // bytes of spans in use at the end, beyond those before the subject was made
	Misses        int64 // or -1 if the subject cannot say
}

// A Round has the resources of N operations on each worker.
type Round struct {
	N int
	Usage
}

// A Point is the size of the heap at a time, after a garbage collection, beyond its size before
// the subject was made.
type Point struct {
	Seconds float64 `json:"s"`
	Bytes   int64   `json:"bytes"`
}

// Summarize computes the result from its rounds. meanFile is the mean length of files in bytes.
func (r *Result) Summarize(w *work.Workload, rounds []Round, meanFile float64) {
	// A round is n operations on each worker. Times are per operation of one worker,
	// counts per operation of any.
	ops, bytes, allocs, misses := 0.0, uint64(0), uint64(0), int64(0)
	for _, u := range rounds {
		r.times = append(r.times, float64(u.Elapsed)/float64(u.N))
		ops += float64(u.N * w.Workers())
		bytes += u.Bytes
		allocs += u.Allocs
		misses += u.Misses
		r.GCs += u.GCs
		r.PeakHeap = max(r.PeakHeap, u.HeapInUse)
	}
	r.Rounds = len(rounds)
	if r.Rounds == 0 {
		return
	}
	r.Min = slices.Min(r.times)
	r.Time = estimate(r.times)
	r.BytesPerOp = float64(bytes) / ops
	r.AllocsPerOp = float64(allocs) / ops
	r.GCsPerMillion = float64(r.GCs) / ops * 1e6
	asked := w.Asked
	if asked < 0 {
		asked *= -meanFile
	}
	switch {
	case rounds[0].Misses >= 0:
		m := float64(misses) / ops
		r.MissesPerOp = &m
	case asked > 0:
		m := min(1, r.BytesPerOp/asked)
		r.MissesPerOp, r.MissesDerived = &m, true
	}
}

// Err returns an error that names the failures, or nil.
func (r *Report) Err() error {
	var failed []string
	for _, w := range r.Workloads {
		for _, res := range w.Results {
			if res.Failed != "" {
				failed = append(failed, w.Name+" of "+res.Subject)
			}
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("not everything could be measured: %s", strings.Join(failed, ", "))
}

// Read reads a report from a file of JSON, which is compressed if its name ends in .gz.
func Read(name string) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	r := new(Report)
	if err := json.NewDecoder(text).Decode(r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// A verdict compares basin's speed with a subject's.
type verdict int

const (
	level verdict = iota
	ahead
	behind
)

// margin is the least difference that counts. Smaller ones depend on the positions that the
// linker gives to functions.
const margin = 0.05

func (v verdict) String() string { return [...]string{"level", "faster", "slower"}[v] }

// Verdict says whether basin is faster than the subject, slower, or level with it.
func (r *Result) Verdict() string { return r.verdict().String() }

// verdict compares basin with r. The fastest rounds and the medians must agree. Of several runs, all must say that basin is
// ahead, but most are enough to say that it is behind: whoever measures once shall not find less than was promised.
func (r *Result) verdict() verdict {
	worst, slower := r.Ratio, r.RatioMedian.Lo > 1
	if len(r.RunRatios) > 0 { // Ratio and Median are those of the run in the middle
		worst, slower = slices.Max(r.RunRatios), r.RatioMedian.Median > 1+margin
	}
	switch {
	case r.Ratio == 0 || r.Subject == subjects.Reference:
		return level
	case worst < 1/(1+margin) && r.RatioMedian.Hi < 1:
		return ahead
	case r.Ratio > 1+margin && slower:
		return behind
	}
	return level
}
