package dashboards_test

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A dashboard is what is checked of one.
type dashboard struct {
	UID, Title string
	Panels     []struct {
		ID          int
		Type, Title string
		Description string
		GridPos     struct{ X, Y, W, H int }
		Targets     []target
		Datasource  struct{ Type, UID string }
	}
	Templating struct {
		List []struct {
			Name, Type, AllValue string
			Query                any // an object with a query, or text
		}
	}
}

type target struct{ Expr, LegendFormat, RefID string }

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	b, err := os.ReadFile("basin.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// variables replaces what Grafana does.
var variables = strings.NewReplacer("$__rate_interval", "2m", "$job", ".*", "$instance", ".*", "$pool", ".*")

// TestDashboardExpressions has Prometheus' parser read all expressions of the dashboard, and its
// engine evaluate them on what it would have scraped.
func TestDashboardExpressions(t *testing.T) {
	alone()
	metrics := exported(t)
	storage, end := scraped(t)
	engine := engine(t)
	legend := regexp.MustCompile(`{{ *(\w*) *}}`)
	n := 0
	for _, p := range readDashboard(t).Panels {
		t.Run(p.Title, func(t *testing.T) {
			for _, target := range p.Targets {
				n++
				expr := variables.Replace(target.Expr)
				if strings.Contains(expr, "$") {
					t.Errorf("a variable is unknown: %s", expr)
				}
				check(t, expr, metrics)
				q, err := engine.NewInstantQuery(t.Context(), storage, nil, expr, end)
				if err != nil {
					t.Fatal(err)
				}
				r := q.Exec(t.Context())
				v, err := r.Vector()
				if err != nil {
					t.Fatalf("%v in %s", err, expr)
				}
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
				q.Close()
			}
		})
	}
	if n < 20 {
		t.Errorf("there are %d expressions", n)
	}
}

// TestDashboardCoverage has everything exported be shown, but for what the list says.
func TestDashboardCoverage(t *testing.T) {
	alone()
	all := ""
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			all += target.Expr + "\n"
		}
	}
	not := map[string]bool{"basin_misses_total": true, "basin_puts_total": true, "basin_adopted_total": true, "basin_outside_bytes_total": true, "basin_max_in_use_items": true}
	for name := range exported(t) {
		if shown := strings.Contains(all, name+"{") || strings.Contains(all, name+bucket+"{"); !shown && !not[name] && !strings.HasPrefix(name, "basin_class_") {
			t.Errorf("nothing shows %s", name)
		}
	}
}

func TestDashboardLayout(t *testing.T) {
	d := readDashboard(t)
	if d.UID != "basin" || d.Title == "" {
		t.Errorf("it is %q, %q", d.UID, d.Title)
	}
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("ID %d is there twice", p.ID)
		}
		ids[p.ID] = true
		if p.Type != "row" && (p.Description == "" || p.Datasource.UID != "${datasource}") {
			t.Errorf("%s: description %q, data source %q", p.Title, p.Description, p.Datasource.UID)
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if refs[target.RefID] {
				t.Errorf("%s: %s is there twice", p.Title, target.RefID)
			}
			refs[target.RefID] = true
		}
		g := p.GridPos
		if g.X < 0 || g.X+g.W > 24 || g.W <= 0 || g.H <= 0 {
			t.Errorf("%s is at %+v", p.Title, g)
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other, ok := taken[[2]int{x, y}]; ok {
					t.Fatalf("%s covers %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	metrics := map[string]map[string]bool{"basin_gets_total": {"job": true, "instance": true, "pool": true}}
	query := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)
	for _, v := range d.Templating.List {
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
