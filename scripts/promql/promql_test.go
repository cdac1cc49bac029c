package promql

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/lab/dashboards"
)

// promQL is the parser that a Prometheus server has by default.
var promQL = parser.NewParser(parser.Options{})

// newEngine returns an engine with a server's defaults.
func newEngine(t *testing.T) *promql.Engine {
	e := promql.NewEngine(promql.EngineOpts{
		MaxSamples:           50_000_000,
		Timeout:              2 * time.Minute,
		LookbackDelta:        5 * time.Minute,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
		Parser:               promQL,
	})
	t.Cleanup(func() { e.Close() })
	return e
}

// memory is the storage of the engine: all series, by the hash of their labels.
type memory map[uint64]promql.Series

func (m memory) append(l labels.Labels, at time.Time, v float64) {
	s := m[l.Hash()]
	s.Metric = l
	s.Floats = append(s.Floats, promql.FPoint{T: at.UnixMilli(), F: v})
	m[l.Hash()] = s
}

func (m memory) queryable() storage.Queryable {
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			var selected []promql.Series
			for _, s := range m {
				if !slices.ContainsFunc(matchers, func(l *labels.Matcher) bool { return !l.Matches(s.Metric.Get(l.Name)) }) {
					selected = append(selected, s)
				}
			}
			slices.SortFunc(selected, func(a, b promql.Series) int { return labels.Compare(a.Metric, b.Metric) })
			return &seriesSet{next: selected}
		},
	}}
}

// query evaluates expr as rules and panels do, at one moment.
func (m memory) query(t *testing.T, e *promql.Engine, expr string, at time.Time) promql.Vector {
	t.Helper()
	q, err := e.NewInstantQuery(t.Context(), m.queryable(), nil, expr, at)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	v, err := q.Exec(t.Context()).Vector()
	if err != nil {
		t.Fatalf("%v in %s", err, expr)
	}
	return slices.Clone(v)
}

// A seriesSet iterates over the series that a query has selected.
type seriesSet struct{ current, next []promql.Series }

func (s *seriesSet) Next() bool {
	if len(s.next) == 0 {
		return false
	}
	s.current, s.next = s.next[:1], s.next[1:]
	return true
}

func (s *seriesSet) At() storage.Series                { return promql.NewStorageSeries(s.current[0]) }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// scraped uses pools for half an hour of virtual time. It returns the scraped series, and the time
// of the last scrape.
func scraped(t *testing.T) (memory, time.Time) {
	t.Helper()
	scrapes := memory{}
	defer basincheck.Set(basincheck.Settings{})
	at := time.Unix(1e9, 0)
	var keep []any
	for i := range 60 {
		if i%3 == 0 {
			_, pools := pooltest.UseEveryKind(t)
			keep = append(keep, pools...)
			basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}}) // lines are known while checks are on
			lines := &basin.BytePool{Name: "lines"}
			keep = append(keep, lines, lines.Get(100))
		}
		at = at.Add(30 * time.Second)
		for _, f := range dashboards.Gather(t) {
			for _, m := range f.Metric {
				b := labels.NewBuilder(labels.FromStrings(model.MetricNameLabel, f.GetName(), "job", "gateway", "instance", "localhost:8080"))
				for _, l := range m.Label {
					b.Set(l.GetName(), l.GetValue())
				}
				h := m.GetHistogram()
				if h == nil {
					scrapes.append(b.Labels(), at, m.GetCounter().GetValue()+m.GetGauge().GetValue())
					continue
				}
				b.Set(model.MetricNameLabel, f.GetName()+dashboards.Bucket)
				scrapes.append(b.Set(model.BucketLabel, "+Inf").Labels(), at, float64(h.GetSampleCount()))
				for _, bucket := range h.Bucket {
					le := fmt.Sprint(bucket.GetUpperBound())
					scrapes.append(b.Set(model.BucketLabel, le).Labels(), at, float64(bucket.GetCumulativeCount()))
				}
			}
		}
	}
	runtime.KeepAlive(keep)
	return scrapes, at
}

// ofClient has metrics that client_golang exports beside those of basin, unless a program removes its collectors.
var ofClient = map[string]bool{"process_start_time_seconds": true, "go_memstats_heap_inuse_bytes": true}

// check reports metrics and labels of an expression that nothing exports.
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
			if ofClient[s.Name] {
				return nil
			}
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
