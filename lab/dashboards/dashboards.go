// Package dashboards reads the dashboard and the alert rules for its own tests and for those in
// scripts/promql. Its own tests also compare all exporters of statistics.
package dashboards

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinprom"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// Gather returns the metrics that the collector exports of the pools of this program.
func Gather(t testing.TB) []*dto.MetricFamily {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(basinprom.NewCollector(basinprom.Opts{Classes: true}))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// Suffixes of the metrics that have the buckets of a histogram, and the number of its values.
const (
	Bucket = "_bucket"
	Count  = "_count"
)

// Exported returns the labels of each metric exported for pools of all kinds.
func Exported(t testing.TB) map[string]map[string]bool {
	t.Helper()
	_, keep := pooltest.UseEveryKind(t)
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}}) // lines are known while checks are on
	defer basincheck.Set(basincheck.Settings{})
	keep = append(keep, new(basin.BytePool).Get(100))
	metrics := map[string]map[string]bool{}
	for _, f := range Gather(t) {
		metrics[f.GetName()] = map[string]bool{"job": true, "instance": true}
		for _, l := range f.Metric[0].Label {
			metrics[f.GetName()][l.GetName()] = true
		}
		if f.GetType() == dto.MetricType_HISTOGRAM {
			buckets := maps.Clone(metrics[f.GetName()])
			buckets["le"] = true
			metrics[f.GetName()+Bucket] = buckets
			metrics[f.GetName()+Count] = metrics[f.GetName()]
		}
	}
	runtime.KeepAlive(keep)
	return metrics
}

// A Dashboard holds the fields of a Grafana dashboard that tests look at.
type Dashboard struct {
	UID, Title string
	Panels     []struct {
		ID          int
		Type, Title string
		Description string
		GridPos     struct{ X, Y, W, H int }
		Targets     []Target
		Datasource  struct{ Type, UID string }
	}
	Templating struct {
		List []struct {
			Name, Type, AllValue string
			Query                any // an object with a query, or text
		}
	}
}

// A Target is a query of a panel.
type Target struct{ Expr, LegendFormat, RefID string }

// ReadDashboard returns the dashboard.
func ReadDashboard(t testing.TB) Dashboard {
	t.Helper()
	var d Dashboard
	if err := json.Unmarshal(read(t, "basin.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// ReadAlerts returns the alert rules.
func ReadAlerts(t testing.TB) []byte {
	t.Helper()
	return read(t, "alerts.yml")
}

// AlertNames returns the names of the alert rules.
func AlertNames(t testing.TB) (names []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^ *- alert: (\w+)$`).FindAllSubmatch(ReadAlerts(t), -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// read returns a file of the repository's folder dashboards. The tests that call it are two
// folders below the root.
func read(t testing.TB, name string) []byte {
	t.Helper()
	testenv.Tree()
	text, err := os.ReadFile(filepath.Join("..", "..", "dashboards", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
