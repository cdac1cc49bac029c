package dashboards_test

import (
	"fmt"
	"maps"
	"runtime"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/teststorage"

	"github.com/basin-go/basin/basinprom"
)

// promQL is the parser that a Prometheus server has by default.
var promQL = parser.NewParser(parser.Options{})

func engine(t *testing.T) *promql.Engine {
	return promqltest.NewTestEngine(t, false, 5*time.Minute, 1e6)
}

// gather returns what the collector exports of the pools of this program.
func gather(t *testing.T) []*dto.MetricFamily {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(basinprom.NewCollector(basinprom.Opts{Classes: true}))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// bucket is what a histogram's buckets have in addition to its name.
const bucket = "_bucket"

// exported returns the labels of each metric that is exported of pools of all kinds.
func exported(t *testing.T) map[string]map[string]bool {
	t.Helper()
	_, keep := useAll(t)
	metrics := map[string]map[string]bool{}
	for _, f := range gather(t) {
		metrics[f.GetName()] = map[string]bool{"job": true, "instance": true}
		for _, l := range f.Metric[0].Label {
			metrics[f.GetName()][l.GetName()] = true
		}
		if f.GetType() == dto.MetricType_HISTOGRAM {
			buckets := maps.Clone(metrics[f.GetName()])
			buckets["le"] = true
			metrics[f.GetName()+bucket] = buckets
		}
	}
	runtime.KeepAlive(keep)
	return metrics
}

// scraped returns a storage with half an hour of scrapes of pools that are used
// meanwhile, and when that ends.
func scraped(t *testing.T) (*teststorage.TestStorage, time.Time) {
	t.Helper()
	storage := teststorage.New(t)
	at := time.Unix(1e9, 0)
	var keep []any
	for i := range 60 {
		if i%3 == 0 {
			_, pools := useAll(t)
			keep = append(keep, pools...)
		}
		at = at.Add(30 * time.Second)
		app := storage.Appender(t.Context())
		for _, f := range gather(t) {
			for _, m := range f.Metric {
				b := labels.NewBuilder(labels.FromStrings(model.MetricNameLabel, f.GetName(), "job", "gateway", "instance", "localhost:8080"))
				for _, l := range m.Label {
					b.Set(l.GetName(), l.GetValue())
				}
				series := map[string]float64{}
				if h := m.GetHistogram(); h != nil {
					b.Set(model.MetricNameLabel, f.GetName()+bucket)
					series["+Inf"] = float64(h.GetSampleCount())
					for _, b := range h.Bucket {
						series[fmt.Sprint(b.GetUpperBound())] = float64(b.GetCumulativeCount())
					}
				} else {
					series[""] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
				}
				for le, v := range series {
					if _, err := app.Append(0, b.Set(model.BucketLabel, le).Labels(), at.UnixMilli(), v); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := app.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	runtime.KeepAlive(keep)
	return storage, at
}

// check checks that an expression reads what there is only.
func check(t *testing.T, expr string, metrics map[string]map[string]bool) {
	t.Helper()
	e, err := promQL.ParseExpr(expr)
	if err != nil {
		t.Errorf("%v in %s", err, expr)
		return
	}
	known := map[string]bool{}
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			has := metrics[s.Name]
			if has == nil {
				t.Errorf("nobody exports %s, in %s", s.Name, expr)
			}
			for l := range has {
				known[l] = true
			}
			for _, m := range s.LabelMatchers {
				if m.Name != model.MetricNameLabel && !has[m.Name] {
					t.Errorf("%s has no label %s, in %s", s.Name, m.Name, expr)
				}
			}
		}
		return nil
	})
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok {
			for _, l := range a.Grouping {
				if !known[l] {
					t.Errorf("there is no label %s to group by, in %s", l, expr)
				}
			}
		}
		return nil
	})
}
