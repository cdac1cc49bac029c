package promql

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/lab/dashboards"
)

// variables replaces the variables that Grafana replaces.
var variables = strings.NewReplacer("$__rate_interval", "2m", "$job", ".*", "$instance", ".*", "$pool", ".*")

// TestDashboardExpressions has Prometheus' parser read all expressions of the dashboard, and its
// engine evaluate them on the series that it would have scraped.
func TestDashboardExpressions(t *testing.T) {
	pooltest.WaitForOtherPools()
	metrics := dashboards.Exported(t)
	scrapes, end := scraped(t)
	engine := newEngine(t)
	legend := regexp.MustCompile(`{{ *(\w*) *}}`)
	n := 0
	for _, p := range dashboards.ReadDashboard(t).Panels {
		t.Run(p.Title, func(t *testing.T) {
			for _, target := range p.Targets {
				n++
				expr := variables.Replace(target.Expr)
				if strings.Contains(expr, "$") {
					t.Errorf("a variable is unknown: %s", expr)
				}
				check(t, expr, metrics)
				v := scrapes.query(t, engine, expr, end)
				if len(v) == 0 {
					t.Errorf("it shows nothing: %s", expr)
				}
				for _, s := range v {
					if math.IsNaN(s.F) || math.IsInf(s.F, 0) {
						t.Errorf("it shows %v of %v: %s", s.F, s.Metric, expr)
					}
					for _, l := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
						if s.Metric.Get(l[1]) == "" {
							t.Errorf("the legend has %s, of %v there is none", l[0], s.Metric)
						}
					}
				}
			}
		})
	}
	if n < 20 {
		t.Errorf("there are %d expressions", n)
	}
}

// TestDashboardVariables: each variable of the dashboard lists the values of an exported label.
func TestDashboardVariables(t *testing.T) {
	metrics := map[string]map[string]bool{"basin_gets_total": {"job": true, "instance": true, "pool": true}}
	query := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)
	for _, v := range dashboards.ReadDashboard(t).Templating.List {
		if v.Type != "query" {
			continue
		}
		object, _ := v.Query.(map[string]any)
		text, _ := object["query"].(string)
		m := query.FindStringSubmatch(text)
		if m == nil || m[2] != v.Name || v.AllValue != ".*" {
			t.Errorf("variable %s is %v", v.Name, v.Query)
			continue
		}
		check(t, variables.Replace(m[1]), metrics)
	}
}
