package dashboards_test

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

func readAlerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile("alerts.yml", false, model.LegacyValidation, promQL, slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Fatal(err)
	}
	var all []rulefmt.Rule
	for _, g := range groups.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

func TestAlertExpressions(t *testing.T) {
	alone()
	metrics := exported(t)
	for _, r := range readAlerts(t) {
		check(t, r.Expr, metrics)
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.Labels["severity"] == "" {
			t.Errorf("%s has labels %v and annotations %v", r.Alert, r.Labels, r.Annotations)
		}
	}
}

// TestAlerts has Prometheus evaluate the rules every minute, on series that are
// made up, and looks at which fire in the end.
func TestAlerts(t *testing.T) {
	const pool = `{job="j", instance="i", pool="p", kind="BytePool"`
	rate := func(gets, hits string) string {
		return "basin_gets_total" + pool + "} " + gets + "\nbasin_hits_total" + pool + "} " + hits + "\n"
	}
	drops := func(reason, values string) string {
		return "basin_drops_total" + pool + `, reason="` + reason + `"} ` + values + "\n"
	}
	ceiling := func(inUse string) string {
		return "basin_in_use_bytes" + pool + "} " + inUse + "\nbasin_max_in_use_bytes" + pool + "} 1000x60\n"
	}
	for _, tt := range []struct {
		name   string
		series string // a value for each minute
		want   string
	}{
		{"all is well", rate("0+6000x60", "0+5900x60") + ceiling("500x60") + drops("double", "0x60") + drops("foreign", "0x60") + drops("full", "0+10x60") +
			"basin_waiting_requests" + pool + "} 0x60\nbasin_refused_total" + pool + "} 7x60\n", ""},
		{"the hit rate falls", rate("0+6000x60", "0+5900x39 230100+500x20"), "BasinHitRateCollapsed"},
		{"it falls a little", rate("0+6000x60", "0+5900x39 230100+4000x20"), ""},
		{"it was always low", rate("0+6000x60", "0+100x60"), ""},
		{"it falls, but there are few requests", rate("0+60x60", "0+59x39 2301+5x20"), ""},
		{"it falls, and there are no requests", rate("0+6000x39 234000x20", "0+5900x39 230100x20"), ""},
		{"it has just fallen", rate("0+6000x60", "0+5900x55 324500+0x4"), ""},
		{"the program was started anew", rate("0+6000x39 0+6000x20", "0+5900x39 0+5900x20"), ""},
		{"in use at the ceiling", ceiling("990x60"), "BasinInUseAtCeiling"},
		{"for a moment", ceiling("990x30 500x3 990x3"), ""},
		{"in use without a ceiling", "basin_in_use_bytes" + pool + "} 1e12x60\n", ""},
		{"requests wait", "basin_waiting_requests" + pool + "} 3x60\n", "BasinRequestsWaiting"},
		{"now and then", "basin_waiting_requests" + pool + "} 3 0 0 3 0 0 3 3 0 3 3 0 3\n", ""},
		{"requests are refused", "basin_refused_total" + pool + "} 0+2x60\n", "BasinRequestsRefused"},
		{"a slice was foreign", drops("foreign", "0x50 1x9"), "BasinForeignSlices"},
		{"a part of a slice", drops("misaligned", "0x50 1x9"), "BasinForeignSlices"},
		{"long ago", drops("foreign", "0x20 1x39") + drops("double", "0x20 1x39"), ""},
		{"other drops", drops("full", "0+9x60") + drops("small", "0+9x60") + drops("large", "0+9x60") + drops("empty", "0+9x60"), ""},
		{"checks found a use after release", "basin_misuse_total" + pool + `, reason="use_after_release"} ` + "0x50 1x9\n", "BasinMisuse"},
		{"checks found a leak", "basin_misuse_total" + pool + `, reason="leak"} ` + "0x50 1x9\n", ""},
		{"something was put twice", drops("double", "0x50 1x9"), "BasinDoublePut"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			storage := promqltest.LoadedStorage(t, "load 1m\n"+tt.series)
			query := rules.EngineQueryFunc(engine(t), storage)
			var firing []string
			for _, r := range readAlerts(t) {
				expr, err := promQL.ParseExpr(r.Expr)
				if err != nil {
					t.Fatal(err)
				}
				rule := rules.NewAlertingRule(r.Alert, expr, time.Duration(r.For), time.Duration(r.KeepFiringFor),
					labels.FromMap(r.Labels), labels.FromMap(r.Annotations), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
				for minute := range 60 {
					if _, err := rule.Eval(t.Context(), 0, time.Unix(int64(60*minute), 0), query, nil, 0); err != nil {
						t.Fatal(err)
					}
				}
				for _, a := range rule.ActiveAlerts() {
					if a.State != rules.StateFiring {
						continue
					}
					firing = append(firing, r.Alert)
					text := a.Annotations.Get("summary") + a.Annotations.Get("description")
					if !strings.Contains(strings.ToLower(text), `pool "p"`) || !strings.Contains(text, "of i") || strings.Contains(text, "error") || strings.Contains(text, "no value") {
						t.Errorf("%s says %s", r.Alert, text)
					}
				}
			}
			slices.SortFunc(firing, cmp.Compare)
			if got := strings.Join(firing, " "); got != tt.want {
				t.Errorf("%q fires, want %q", got, tt.want)
			}
		})
	}
}
