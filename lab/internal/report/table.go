package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/basin-go/basin/lab/internal/terminal"
	"github.com/basin-go/basin/lab/internal/work"
	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
)

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.machine())
	fmt.Fprintf(&b, "ratio: basin's fastest round over the subject's; of medians: the median of the ratios round by round, and its 95 %% interval. Less than 1: basin is faster.\n")
	for _, group := range work.Groups {
		for _, wr := range r.Workloads {
			if wr.Group == group && wr.any() {
				wr.write(&b)
			}
		}
	}
	fmt.Fprintf(&b, "\n%s\n", r.summary())
	if r.Noise.Noisy {
		fmt.Fprintf(&b, "%s\n", r.Noise.Warning())
	}
	if r.Interrupted {
		b.WriteString("Interrupted: these are the results until then.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// machine describes the machine and the settings of the measurement.
func (r *Report) machine() string {
	runs := "One run of "
	machines := r.CPU
	if len(r.Runs) > 1 {
		runs = fmt.Sprintf("%d separate runs of %d layouts of the linker, each of ", len(r.Runs), r.distinct(func(run Run) string { return run.Layout }))
		for _, run := range r.Runs {
			if !strings.Contains(machines, run.CPU) {
				machines += " and " + run.CPU
			}
		}
	}
	return fmt.Sprintf("%s, %s, %s, %d CPUs, GOMAXPROCS %d. %sup to %d rounds of %v each, %v in all; noise %.0f %%",
		r.Platform, machines, r.GoVersion, r.CPUs, r.GOMAXPROCS, runs, r.Rounds, r.RoundTime, r.Took.Round(time.Second), 100*r.Noise.Spread)
}

// Warning returns the consequence of the noise, in words.
func (n Noise) Warning() string {
	return fmt.Sprintf("Warning: the machine is too noisy to conclude from. The same arithmetic took %.0f %% longer at times; more than %.0f %% is too much.", 100*n.Spread, 100*tooNoisy)
}

func (wr *Workload) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %s\n", wr.Name, wr.What)
	header, row := timedHeader, timedRow
	if wr.isCurve() {
		header, row = curveHeader, curveRow
	}
	t := terminal.NewTable(header)
	var failed []string
	for _, res := range wr.Results {
		if res.Failed != "" {
			failed = append(failed, res.Subject+": "+res.Failed)
		}
		if res.measured() {
			t.AppendRow(row(res))
		}
	}
	b.WriteString(t.Render() + "\n")
	for _, f := range failed {
		fmt.Fprintf(b, "failed: %s\n", f)
	}
	if names := cannot([]*Workload{wr}); names != "" {
		fmt.Fprintf(b, "cannot do this: %s\n", names)
	}
}

// any reports whether the workload has any result.
func (wr *Workload) any() bool {
	return slices.ContainsFunc(wr.Results, func(res *Result) bool { return res.measured() || res.Failed != "" })
}

func (wr *Workload) isCurve() bool {
	for _, res := range wr.Results {
		if len(res.Curve) > 0 {
			return true
		}
	}
	return false
}

var timedHeader = table.Row{"", "ratio", "of medians\n[95 %]", "min\nns", "median\nns", "bytes\n/op", "allocs\n/op", "misses\n/op", "GCs\n/M ops", "peak\nKiB", "idle\nKiB"}

func timedRow(r *Result) table.Row {
	return table.Row{
		r.Subject,
		ratioString(r.Ratio),
		r.RatioMedian.String(),
		figure(r.Min),
		figure(r.Time.Median),
		figure(r.BytesPerOp),
		fmt.Sprintf("%.2f", r.AllocsPerOp),
		r.misses(),
		figure(r.GCsPerMillion),
		kib(r.PeakHeap),
		kib(r.IdleHeap),
	}
}

// misses formats misses per operation.
func (r *Result) misses() string {
	if r.MissesPerOp == nil {
		return ""
	}
	s := fmt.Sprintf("%.4f", *r.MissesPerOp)
	if r.MissesDerived {
		s = "~" + s
	}
	return s
}

var curveHeader = table.Row{"", "held\nKiB", "at once\nafter", "after\n2 s", "after\n10 s", "at the\nend", "back to 10 %\nafter s"}

func curveRow(r *Result) table.Row {
	row := table.Row{r.Subject, kib(r.Curve[0].Bytes)}
	for _, at := range []float64{0.5, 2, 10, math.Inf(1)} {
		row = append(row, kib(r.at(at).Bytes))
	}
	back := "never"
	if s, ok := r.back(); ok {
		back = fmt.Sprintf("%.1f", s)
	}
	return append(row, back)
}

// at returns the last point up to the given time, or else the first.
func (r *Result) at(seconds float64) (p Point) {
	p = r.Curve[0]
	for _, q := range r.Curve {
		if q.Seconds <= seconds+0.25 {
			p = q
		}
	}
	return p
}

// back returns the time from which the heap stayed below a tenth of the memory held.
func (r *Result) back() (seconds float64, ok bool) {
	for _, p := range r.Curve[1:] {
		low := p.Bytes <= r.Curve[0].Bytes/10
		if low && !ok {
			seconds = p.Seconds
		}
		ok = low
	}
	return seconds, ok
}

// figure formats a number of any magnitude.
func figure(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 0.01:
		return "<0.01"
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 1000:
		return fmt.Sprintf("%.1f", x)
	}
	return humanize.Comma(int64(math.Round(x)))
}

// ratioString formats a ratio: two digits at least, of whatever is above 1/1000.
func ratioString(x float64) string {
	switch {
	case x == 0 || x >= 0.1:
		return fmt.Sprintf("%.2f", x)
	case x >= 0.01:
		return fmt.Sprintf("%.3f", x)
	}
	return fmt.Sprintf("%.4f", x)
}

func kib(bytes int64) string { return humanize.Comma(max(0, bytes) >> 10) }
