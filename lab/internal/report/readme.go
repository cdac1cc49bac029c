package report

import (
	"fmt"
	"strings"
)

// readme defines the table of README.md: common uses, and cases where basin loses.
var readme = []struct {
	what     string // in Markdown, as against
	against  string
	workload string
	subject  string
}{
	{"`Get(4096)` and `Put`", "`sync.Pool` of pointers, the fastest use of it", "loop-getput", "sync.Pool of *byte"},
	{"`Get` and `Put` of 1 B to 1 MiB, small lengths more often", "`sync.Pool` of pointers to one size", "loop-sizes-log", "sync.Pool of *byte"},
	{"`Get` on one goroutine, `Put` on another", "`sync.Pool` of pointers", "handover", "sync.Pool of *byte"},
	{"128-byte structs in a `Pool[T]`, by value", "`sync.Pool` of pointers", "loop-pool-structs", "sync.Pool of *byte"},
	{"`Pool[[]byte]`", "`sync.Pool` with a fresh pointer for each Put, as it is usually written", "loop-pool-slices", "sync.Pool, fresh pointer"},
	{"`FixedPool`, one goroutine", "a buffered channel", "loop-fixed", "channel"},
	{"`GetBuffer`, a Write of 100 bytes, `PutBuffer`", "`sync.Pool` of `*bytes.Buffer`", "loop-handle", "sync.Pool of pointers"},
	{"the same", "bytebufferpool", "loop-handle", "bytebufferpool"},
	{"`Buffer`: 1 MiB in writes of 1 KiB", "`bytes.Buffer`", "loop-build-1MiB", "bytes.Buffer"},
	{"bursts of 500 slices, three garbage collections after each", "`make`", "bursts", "make"},
}

// readmeTable returns README's table, or an error that names a missing measurement.
func (r *Report) readmeTable() (string, error) {
	var b strings.Builder
	b.WriteString("| case | against | basin is | basin's time / the other's |\n| --- | --- | --- | ---: |\n")
	for _, row := range readme {
		if _, err := (Target{Workload: row.workload, Metric: metricTime, Against: row.subject}).Measured(r); err != nil {
			return "", err
		}
		res := r.Workload(row.workload).Result(row.subject)
		fmt.Fprintf(&b, "| %s | %s | %v | %v |\n", row.what, row.against, res.verdict(), res.RatioMedian)
	}
	fmt.Fprintf(&b, `
Against a `+"`sync.Pool`"+` of pointers that is used well, throughput is level. The gain is less memory, fewer garbage
collections, and a bound on idle memory that can be watched.

The last column is the median of the ratios round by round; below 1, basin takes less time. Its interval includes the
95 %% intervals of %d separate runs, each of another layout of the linker. A row says faster if the median with its
interval and the fastest round say so in every run, the latter by more than %.0f %%. It says slower if most runs do.
%s Measured with %s on %d CPUs.
[benchmarks.md](docs/benchmarks.md) has all comparisons, the method, and why basin is slower where it is.`,
		len(r.Runs), 100*margin, r.summary(), strings.Replace(r.GoVersion, "go", "Go ", 1), r.CPUs)
	return b.String(), nil
}
