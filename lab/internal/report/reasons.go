package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/basin-go/basin/lab/internal/subjects"
)

//go:embed reasons.json
var reasonsJSON []byte

type reason struct{ Workload, Subject, Why string }

var reasons = func() []reason {
	var file struct{ Reasons []reason }
	if err := json.Unmarshal(reasonsJSON, &file); err != nil {
		panic(fmt.Sprintf("reasons.json: %v", err))
	}
	return file.Reasons
}()

// why returns the reason why basin is not faster, or "" if it is unknown.
func why(workload, subject string) string {
	for _, r := range reasons {
		byWorkload, _ := subjects.Match(r.Workload, workload)
		bySubject, _ := subjects.Match(r.Subject, subject)
		if byWorkload && bySubject {
			return r.Why
		}
	}
	return ""
}

// A Loss is a set of rows in which basin is behind in the same way, for the same reason.
type Loss struct {
	Workload string
	How      string   // meaning of the figures in Rows
	Rows     []string // subjects, each with a figure
	Why      string   // may be ""
}

func (l Loss) String() string { return l.How + ": " + strings.Join(l.Rows, ", ") }

// Losses returns all rows in which basin is behind. It is slower than a subject, or in memory
// over time it holds more at the end or frees it later.
func (r *Report) Losses() (losses []Loss) {
	for _, w := range r.Workloads {
		losses = append(losses, w.losses()...)
	}
	return losses
}

func (w *Workload) losses() (losses []Loss) {
	for _, res := range w.Results {
		how, figure := w.loss(res)
		if how == "" {
			continue
		}
		row := res.Subject + " " + figure
		because := why(w.Name, res.Subject)
		i := slices.IndexFunc(losses, func(l Loss) bool { return l.How == how && l.Why == because })
		if i < 0 {
			losses = append(losses, Loss{Workload: w.Name, How: how, Why: because})
			i = len(losses) - 1
		}
		losses[i].Rows = append(losses[i].Rows, row)
	}
	return losses
}

// loss describes how and by how much basin is behind a subject, or returns "".
func (w *Workload) loss(res *Result) (how, figure string) {
	if res.verdict() == behind {
		return "in time, as a multiple of theirs", ratioString(res.Ratio)
	}
	ref := w.Result(subjects.Reference)
	if ref == nil || res == ref || len(res.Curve) == 0 || len(ref.Curve) == 0 {
		return "", ""
	}
	const much = 1 << 20
	end := func(r *Result) int64 { return r.Curve[len(r.Curve)-1].Bytes }
	ours, okOurs := ref.back()
	theirs, okTheirs := res.back()
	switch {
	case end(ref) > end(res)+much:
		return fmt.Sprintf("in MiB held at the end (basin %s)", mib(end(ref))), mib(end(res))
	case okTheirs && okOurs && theirs+1 < ours:
		return fmt.Sprintf("in seconds until a tenth is left (basin %.1f)", ours), fmt.Sprintf("%.1f", theirs)
	}
	return "", ""
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f", float64(max(0, bytes))/(1<<20)) }
