// Package report says what a run found: in tables, as a page with charts, as JSON, in the
// project's documentation, and against the bars that basin must reach.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
	"github.com/klauspost/cpuid/v2"
)

// Report is what a run found.
type Report struct {
	Time        time.Time     `json:"time"`
	GoVersion   string        `json:"go_version"`
	Platform    string        `json:"platform"`
	CPU         string        `json:"cpu"`
	CPUs        int           `json:"cpus"`
	GOMAXPROCS  int           `json:"gomaxprocs"`
	Quick       bool          `json:"quick"`
	Rounds      int           `json:"rounds"`        // of each subject, at most; twice as many where goroutines run at the same time
	RoundTime   time.Duration `json:"round_time_ns"` // of most workloads
	Took        time.Duration `json:"took_ns"`
	Noise       Noise         `json:"noise"`
	Interrupted bool          `json:"interrupted"`

	Workloads []*Workload `json:"workloads"`
}

// A Workload is what a run found about one workload.
type Workload struct {
	Name    string    `json:"name"`
	Group   string    `json:"group"`
	What    string    `json:"what"`
	Op      string    `json:"op,omitempty"`
	Procs   int       `json:"gomaxprocs,omitempty"` // if it has one of its own
	Results []*Result `json:"results"`
}

// Result is what a run found about one workload of one subject.
type Result struct {
	Subject string        `json:"subject"`
	Kind    subjects.Kind `json:"kind"`

	// One of these is set if there is nothing else.
	Cannot bool   `json:"cannot,omitempty"` // the subject does not have what the workload needs
	Failed string `json:"failed,omitempty"` // it panicked, hung or lost its process

	Details string `json:"details,omitempty"` // of the failure: what the process said

	Rounds int      `json:"rounds,omitempty"`
	Min    float64  `json:"min_ns,omitempty"` // per operation
	Time   Estimate `json:"time_ns"`          // per operation

	// Ratio is basin's fastest round over the subject's; RatioMedian is of the
	// ratios round by round. Less than 1 means that basin is faster. P is the
	// probability of samples that differ as much if neither were faster.
	Ratio       float64  `json:"ratio,omitempty"`
	RatioMedian Estimate `json:"ratio_median"`
	P           float64  `json:"p,omitempty"`

	BytesPerOp  float64 `json:"bytes_per_op"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	// MissesPerOp is how often nothing was there to be reused: counted, or else
	// as many as the bytes allocated would be. It is absent if neither says.
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

// New returns a report of this machine, in which nothing is measured.
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
	}
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

// Workload returns what was found about a workload, or nil.
func (r *Report) Workload(name string) *Workload {
	for _, w := range r.Workloads {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// Compare fills in the ratios of basin to the others.
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

// Usage is what a round took.
type Usage struct {
	Elapsed       time.Duration
	Allocs, Bytes uint64
	GCs           uint64
	HeapInUse     int64 // bytes of spans in use at its end, beyond what was in use before the subject was made
	Misses        int64 // or -1 if the subject cannot say
}

// A Round is what N operations on each worker took.
type Round struct {
	N int
	Usage
}

// A Point is what the heap holds at a time, after a garbage collection, beyond what
// it held before the subject was made.
type Point struct {
	Seconds float64 `json:"s"`
	Bytes   int64   `json:"bytes"`
}

// Summarize computes the result from its rounds. Files have meanFile bytes on average.
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

// Err returns an error that names what failed, or nil.
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

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Read reads what WriteJSON wrote.
func Read(name string) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := new(Report)
	return r, json.NewDecoder(f).Decode(r)
}

// A verdict is how basin does next to a subject.
type verdict int

const (
	level verdict = iota
	ahead
	behind
)

// margin is how much faster is faster: below it, where the linker puts functions
// decides.
const margin = 0.05

// verdict says how basin does next to r. Both the fastest rounds and the middle must say the same.
func (r *Result) verdict() verdict {
	switch {
	case r.Ratio == 0 || r.Subject == subjects.Reference:
		return level
	case r.Ratio < 1/(1+margin) && r.RatioMedian.Hi < 1:
		return ahead
	case r.Ratio > 1+margin && r.RatioMedian.Lo > 1:
		return behind
	}
	return level
}
