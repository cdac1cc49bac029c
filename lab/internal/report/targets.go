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

//go:embed targets.json
var targetsJSON []byte

// Targets is the content of targets.json.
type Targets struct {
	About   string   `json:"about"`
	Slack   float64  `json:"slack"` // share by which a time may exceed its target: 0.05 is 5 %, the error of the measurement
	Targets []Target `json:"targets"`
}

// A Target is a requirement on basin.
type Target struct {
	What string `json:"what"`

	Workload string  `json:"workload,omitempty"`
	Metric   string  `json:"metric,omitempty"`  // time or bytes, both as ratios to another subject; or misses per op
	Against  string  `json:"against,omitempty"` // that subject
	Max      float64 `json:"max,omitempty"`

	Test  []string `json:"test,omitempty"`  // tests that assert the target, if it is not measured here
	Known string   `json:"known,omitempty"` // why the target is not reached
}

// Metrics of a target.
const (
	metricTime   = "time"
	metricBytes  = "bytes"
	metricMisses = "misses per op"
)

// LoadTargets returns the targets, after checking their workloads and subjects.
func LoadTargets() (b Targets, err error) {
	d := json.NewDecoder(bytes.NewReader(targetsJSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return b, fmt.Errorf("targets.json: %w", err)
	}
	for _, target := range b.Targets {
		if err := target.check(); err != nil {
			return b, fmt.Errorf("targets.json: %q: %w", target.What, err)
		}
	}
	return b, nil
}

func (b Target) check() error {
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

// Needs returns the workloads and subjects to measure for the targets.
func (b Targets) Needs() ([]*work.Workload, []*subjects.Subject) {
	works := slices.DeleteFunc(work.All(), func(w *work.Workload) bool {
		return !slices.ContainsFunc(b.Targets, func(b Target) bool { return b.Workload == w.Name })
	})
	needed := slices.DeleteFunc(subjects.All(), func(s *subjects.Subject) bool {
		return s.Name != subjects.Reference && !slices.ContainsFunc(b.Targets, func(b Target) bool { return b.Against == s.Name })
	})
	return works, needed
}

// Measured returns the report's value for the target.
func (b Target) Measured(r *Report) (value float64, err error) {
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

// A Check is the outcome of all targets.
type Check struct {
	lines []string
	Short []string // the targets that basin misses, one in a line
}

// Check compares a report with the targets. A target that was not measured is missed.
func (b Targets) Check(r *Report) (c Check) {
	for _, target := range b.Targets {
		name := target.What
		if target.Workload == "" {
			c.lines = append(c.lines, fmt.Sprintf("     %s: asserted by go test -run '%s'", name, strings.Join(target.Test, "|")))
			continue
		}
		if target.Against != "" {
			name += " (" + target.Against + ")"
		}
		limit := target.Max
		if target.Metric == metricTime {
			limit *= 1 + b.Slack
		}
		value, err := target.Measured(r)
		var line string
		if err != nil {
			line = fmt.Sprintf("%s: not measured: %v", name, err)
		} else {
			line = fmt.Sprintf("%s: %s %s, want at most %g", name, target.Metric, ratioString(value), target.Max)
		}
		if err == nil && value <= limit {
			c.lines = append(c.lines, "ok   "+line)
			continue
		}
		if target.Known != "" {
			line += "; known: " + target.Known
		}
		c.lines = append(c.lines, "FAIL "+line)
		c.Short = append(c.Short, line)
	}
	return c
}

// Write writes all targets with their results.
func (c Check) Write(w io.Writer) error {
	_, err := fmt.Fprintln(w, strings.Join(c.lines, "\n"))
	return err
}

// Err returns an error that names the missed targets, or nil.
func (c Check) Err() error {
	if len(c.Short) == 0 {
		return nil
	}
	return fmt.Errorf("basin misses %d targets:\n\t%s", len(c.Short), strings.Join(c.Short, "\n\t"))
}
