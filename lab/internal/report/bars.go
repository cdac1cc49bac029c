package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
)

//go:embed bars.json
var barsJSON []byte

// Bars is the content of bars.json.
type Bars struct {
	About string  `json:"about"`
	Slack float64 `json:"slack"` // share by which a time may exceed its bar: 0.05 is 5 %, the error of the measurement
	Bars  []Bar   `json:"bars"`
}

// A Bar is a requirement on basin.
type Bar struct {
	Issue int    `json:"issue"`
	What  string `json:"what"`

	Workload string  `json:"workload,omitempty"`
	Metric   string  `json:"metric,omitempty"`  // time or bytes, both as ratios to another subject; or misses per op
	Against  string  `json:"against,omitempty"` // that subject
	Max      float64 `json:"max,omitempty"`

	Test  []string `json:"test,omitempty"`  // tests that assert the bar, if it is not measured here
	Known string   `json:"known,omitempty"` // why the bar is not reached
}

// Metrics of a bar.
const (
	metricTime   = "time"
	metricBytes  = "bytes"
	metricMisses = "misses per op"
)

// LoadBars returns the bars, after checking their workloads and subjects.
func LoadBars() (b Bars, err error) {
	d := json.NewDecoder(bytes.NewReader(barsJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return b, fmt.Errorf("bars.json: %w", err)
	}
	for _, bar := range b.Bars {
		if err := bar.check(); err != nil {
			return b, fmt.Errorf("bars.json: %q: %w", bar.What, err)
		}
	}
	return b, nil
}

func (b Bar) check() error {
	if b.Workload == "" {
		if len(b.Test) == 0 {
			return fmt.Errorf("it has neither a workload nor a test")
		}
		return nil
	}
	w, err := work.Named(b.Workload)
	if err != nil {
		return err
	}
	switch b.Metric {
	case metricMisses:
		return nil
	case metricTime, metricBytes:
		s, err := subjects.Named(b.Against)
		if err == nil && !w.Can(s) {
			err = fmt.Errorf("%s cannot do %s", s.Name, w.Name)
		}
		return err
	}
	return fmt.Errorf("unknown metric %q", b.Metric)
}

// Needs returns the workloads and subjects to measure for the bars.
func (b Bars) Needs() ([]*work.Workload, []*subjects.Subject) {
	works := slices.DeleteFunc(work.All(), func(w *work.Workload) bool {
		return !slices.ContainsFunc(b.Bars, func(b Bar) bool { return b.Workload == w.Name })
	})
	needed := slices.DeleteFunc(subjects.All(), func(s *subjects.Subject) bool {
		return s.Name != subjects.Reference && !slices.ContainsFunc(b.Bars, func(b Bar) bool { return b.Against == s.Name })
	})
	return works, needed
}

// Measured returns the report's value for the bar.
func (b Bar) Measured(r *Report) (value float64, err error) {
	w := r.Workload(b.Workload)
	if w == nil {
		return 0, fmt.Errorf("%s was not run", b.Workload)
	}
	get := func(subject string) (*Result, error) {
		res := w.Result(subject)
		switch {
		case res == nil || res.Cannot:
			return nil, fmt.Errorf("%s was not run with %s", b.Workload, subject)
		case res.Failed != "":
			return nil, fmt.Errorf("%s failed: %s", subject, res.Failed)
		case res.Rounds == 0:
			return nil, fmt.Errorf("%s was not measured with %s", b.Workload, subject)
		}
		return res, nil
	}
	ours, err := get(subjects.Reference)
	if err != nil {
		return 0, err
	}
	if b.Metric == metricMisses {
		if ours.MissesPerOp == nil {
			return 0, fmt.Errorf("no misses were counted")
		}
		return *ours.MissesPerOp, nil
	}
	theirs, err := get(b.Against)
	if err != nil {
		return 0, err
	}
	if b.Metric == metricBytes {
		return ours.BytesPerOp / theirs.BytesPerOp, nil
	}
	return ours.Min / theirs.Min, nil
}

// A Check is the outcome of all bars.
type Check struct {
	lines []string
	Short []string // the bars that basin misses, one in a line
}

// Check compares a report with the bars. A bar that was not measured is missed.
func (b Bars) Check(r *Report) (c Check) {
	for _, bar := range b.Bars {
		name := fmt.Sprintf("issue %d: %s", bar.Issue, bar.What)
		if bar.Workload == "" {
			c.lines = append(c.lines, fmt.Sprintf("     %s: asserted by go test -run '%s'", name, strings.Join(bar.Test, "|")))
			continue
		}
		if bar.Against != "" {
			name += " (" + bar.Against + ")"
		}
		limit := bar.Max
		if bar.Metric == metricTime {
			limit *= 1 + b.Slack
		}
		value, err := bar.Measured(r)
		var line string
		if err != nil {
			line = fmt.Sprintf("%s: not measured: %v", name, err)
		} else {
			line = fmt.Sprintf("%s: %s %s, want at most %g", name, bar.Metric, ratioString(value), bar.Max)
		}
		if err == nil && value <= limit {
			c.lines = append(c.lines, "ok   "+line)
			continue
		}
		if bar.Known != "" {
			line += "; known: " + bar.Known
		}
		c.lines = append(c.lines, "FAIL "+line)
		c.Short = append(c.Short, line)
	}
	return c
}

// Write writes all bars with their results.
func (c Check) Write(w io.Writer) error {
	_, err := fmt.Fprintln(w, strings.Join(c.lines, "\n"))
	return err
}

// Err returns an error that names the missed bars, or nil.
func (c Check) Err() error {
	if len(c.Short) == 0 {
		return nil
	}
	return fmt.Errorf("%d bars are not reached:\n\t%s", len(c.Short), strings.Join(c.Short, "\n\t"))
}
