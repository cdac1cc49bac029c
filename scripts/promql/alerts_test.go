package promql

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/lab/dashboards"
)

func readAlerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.Parse(dashboards.ReadAlerts(t), false, model.LegacyValidation, promQL, slog.New(slog.DiscardHandler))
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
	pooltest.WaitForOtherPools()
	metrics := dashboards.Exported(t)
	var names []string
	for _, r := range readAlerts(t) {
		names = append(names, r.Alert)
		check(t, r.Expr, metrics)
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.Labels["severity"] == "" {
			t.Errorf("%s has labels %v and annotations %v", r.Alert, r.Labels, r.Annotations)
		}
	}
	if read := dashboards.AlertNames(t); !slices.Equal(read, names) {
		t.Errorf("other tests read the names %v, want %v", read, names)
	}
}

// minutes is how long the series of TestAlerts are.
const minutes = 60

// load returns series from their descriptions, one on each line, with a value for each minute.
func load(t *testing.T, lines string) memory {
	t.Helper()
	m := memory{}
	for line := range strings.Lines(lines) {
		l, values, err := promQL.ParseSeriesDesc(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		for minute, v := range values {
			if !v.Omitted {
				m.append(l, at(minute), v.Value)
			}
		}
	}
	return m
}

func at(minute int) time.Time { return time.Unix(int64(60*minute), 0) }

// fires evaluates a rule every minute, as a server does, and returns the annotations of the alerts
// that fire in the end.
func fires(t *testing.T, r rulefmt.Rule, stored memory, e *promql.Engine) (texts []string) {
	t.Helper()
	evaluate(t, r, stored, e, minutes, 1, func(minute int, text string) {
		if minute == minutes-1 {
			texts = append(texts, text)
		}
	})
	return texts
}

// evaluate evaluates a rule, once in so many minutes, and calls fires with the annotations of each alert that fires.
func evaluate(t *testing.T, r rulefmt.Rule, stored memory, e *promql.Engine, minutes, every int, fires func(minute int, text string)) {
	t.Helper()
	if r.KeepFiringFor != 0 {
		t.Fatalf("%s has keep_firing_for, which is not evaluated", r.Alert)
	}
	since := map[string]time.Time{} // by the alert's labels
	for minute := 0; minute < minutes; minute += every {
		now := at(minute)
		before := since
		since = map[string]time.Time{}
		for _, s := range stored.query(t, e, r.Expr, now) {
			key := labels.NewBuilder(s.Metric).Del(model.MetricNameLabel).Labels().String()
			if _, ok := since[key]; ok {
				t.Fatalf("%s has two alerts with the labels %s", r.Alert, key)
			}
			since[key] = now
			if active, ok := before[key]; ok {
				since[key] = active
			}
			if now.Sub(since[key]) >= time.Duration(r.For) {
				fires(minute, expand(t, r, "summary", s, now)+expand(t, r, "description", s, now))
			}
		}
	}
}

// expand returns an annotation of the alert for s.
func expand(t *testing.T, r rulefmt.Rule, annotation string, s promql.Sample, now time.Time) string {
	t.Helper()
	const variables = "{{$labels := .Labels}}{{$value := .Value}}"
	query := func(context.Context, string, time.Time) (promql.Vector, error) {
		return nil, nil // no line holds memory
	}
	text, err := template.NewTemplateExpander(t.Context(), variables+r.Annotations[annotation], r.Alert,
		template.AlertTemplateData(s.Metric.Map(), nil, "", s), model.TimeFromUnix(now.Unix()), query, nil, nil).Expand()
	if err != nil {
		t.Errorf("%s of %s: %v", annotation, r.Alert, err)
	}
	return text
}

// TestAlerts evaluates the rules every minute, on series that are made up, and checks which alerts
// fire in the end.
func TestAlerts(t *testing.T) {
	const pool = `{job="j", instance="i", pool="p", kind="BytePool"`
	const fixed = `{job="j", instance="i", pool="p", kind="FixedPool"`
	const limit = `{job="j", instance="i", pool="p", kind="Limit"`
	rate := func(gets, hits string) string {
		return "basin_gets_total" + pool + "} " + gets + "\nbasin_hits_total" + pool + "} " + hits + "\n"
	}
	drops := func(reason, values string) string {
		return "basin_drops_total" + pool + `, reason="` + reason + `"} ` + values + "\n"
	}
	site := func(what, values string) string {
		return "basin_site_" + what + `_total{job="j", instance="i", pool="p", site="main.f x.go:1"} ` + values + "\n"
	}
	ceiling := func(inUse string) string {
		return "basin_in_use_bytes" + pool + "} " + inUse + "\nbasin_max_in_use_bytes" + pool + "} 1000x60\n"
	}
	started := func(values string) string {
		return `process_start_time_seconds{job="j", instance="i"} ` + values + "\n"
	}
	refused := func(labels, values string) string {
		return "basin_gets_total" + labels + "} 0+1000x60\nbasin_refused_total" + labels + "} " + values + "\n"
	}
	waits := func(labels, le, all, short string) string {
		return "basin_wait_seconds_count" + labels + "} " + all + "\nbasin_wait_seconds_bucket" + labels + `, le="` + le + `"} ` + short + "\n"
	}
	heap := func(values string) string {
		return `go_memstats_heap_inuse_bytes{job="j", instance="i"} ` + values + "\n"
	}
	for _, tt := range []struct {
		name   string
		series string // a value for each minute
		want   string
	}{
		{"all is well", rate("0+6000x60", "0+5900x60") + ceiling("500x60") + drops("double", "0x60") + drops("foreign", "0x60") + drops("full", "0+10x60") +
			"basin_waiting_requests" + pool + "} 0x60\nbasin_refused_total" + pool + "} 7x60\n", ""},
		{"the hit rate falls", rate("0+6000x60", "0+5900x39 230100+500x20"), "BasinHitRateCollapsed"},
		{"it falls, because more and more is in use", rate("0+6000x60", "0+5900x39 230100+500x20") + "basin_in_use_items" + pool + "} 70x39 70+5500x20\n", ""},
		{"it falls, and a little more is in use", rate("0+6000x60", "0+5900x39 230100+500x20") + "basin_in_use_items" + pool + "} 70x39 70+500x20\n", "BasinHitRateCollapsed"},
		{"it falls a little", rate("0+6000x60", "0+5900x39 230100+4000x20"), ""},
		{"it was always low", rate("0+6000x60", "0+100x60"), ""},
		{"it falls, but there are few requests", rate("0+60x60", "0+59x39 2301+5x20"), ""},
		{"it falls, and there are no requests", rate("0+6000x39 234000x20", "0+5900x39 230100x20"), ""},
		{"it has just fallen", rate("0+6000x60", "0+5900x55 324500+0x4"), ""},
		{"the program was started anew", rate("0+6000x39 0+6000x20", "0+5900x39 0+5900x20"), ""},
		{"it falls, because checks track everything", rate("0+6000x60", "0+5900x39 230100+500x20") + drops("checked", "0x39 0+5000x20"), ""},
		{"it falls, though checks track some", rate("0+6000x60", "0+5900x39 230100+500x20") + drops("checked", "0+20x60"), "BasinHitRateCollapsed"},
		{"a fixed pool is in use", "basin_in_use_bytes" + fixed + "} 4096x60\nbasin_max_in_use_bytes" + fixed + "} 4096x60\n" + refused(fixed, "0x60"), ""},
		{"a fixed pool is too small", "basin_in_use_bytes" + fixed + "} 4096x60\nbasin_max_in_use_bytes" + fixed + "} 4096x60\n" + refused(fixed, "0+1x60"), "BasinInUseAtCeiling"},
		{"in use at the ceiling", ceiling("990x60") + refused(pool, "7x60"), ""},
		{"requests wait there for a moment", ceiling("990x60") + waits(pool, "1", "0+60x60", "0+60x60"), ""},
		{"some wait for more than a second", ceiling("990x60") + waits(pool, "1", "0+60x60", "0+59x60"), "BasinInUseAtCeiling"},
		{"some wait, as Prometheus 3 has it", ceiling("990x60") + waits(pool, "1.0", "0+60x60", "0+59x60"), "BasinInUseAtCeiling"},
		{"one in 200 waits for more than a second", ceiling("990x60") + waits(pool, "1", "0+200x60", "0+199x60"), ""},
		{"some are refused there", ceiling("990x60") + refused(pool, "0+1x60"), "BasinInUseAtCeiling"},
		{"in use at the ceiling for a moment", ceiling("990x30 500x3 990x8") + refused(pool, "0+1x60"), ""},
		{"in use without a ceiling", "basin_in_use_bytes" + pool + "} 1e12x60\n", ""},
		{"requests wait", "basin_waiting_requests" + pool + "} 3x60\nbasin_waited_total" + pool + "} 3x60\n", "BasinRequestsWaiting"},
		{"they wait for two seconds", "basin_waiting_requests" + pool + "} 3x60\nbasin_waited_total" + pool + "} 0+90x60\n", "BasinRequestsWaiting"},
		{"they wait for half a second", "basin_waiting_requests" + pool + "} 3x60\nbasin_waited_total" + pool + "} 0+360x60\n", ""},
		{"now and then", "basin_waiting_requests" + pool + "} 3 0 0 3 0 0 3 3 0 3 3 0 3\nbasin_waited_total" + pool + "} 0+1x13\n", ""},
		{"requests are refused", refused(pool, "0+20x60"), "BasinRequestsRefused"},
		{"few requests are refused", refused(pool, "0+5x60"), ""},
		{"all requests are refused", "basin_gets_total" + pool + "} 7x60\nbasin_refused_total" + pool + "} 0+1x60\n", "BasinRequestsRefused"},
		{"they are refused for two minutes", refused(pool, "0x50 300 900x9"), ""},
		{"a limit refuses requests", "basin_refused_total" + limit + "} 0+2x60\n", "BasinLimitReached"},
		{"a limit refused requests for two minutes", "basin_refused_total" + limit + "} 0x50 300 900x9\n", ""},
		{"requests wait long for a limit now and then", waits(limit, "1", "0+60x60", "0+59x60") + "basin_refused_total" + limit + "} 0x60\n", "BasinLimitReached"},
		{"they wait for a moment", waits(limit, "1", "0+60x60", "0+60x60") + "basin_waited_total" + limit + "} 0+60x60\nbasin_refused_total" + limit + "} 0x60\n", ""},
		{"they waited long ago", waits(limit, "1", "0+1x20 20x39", "0x60") + "basin_refused_total" + limit + "} 0+1x20 20x39\n", ""},
		{"they always wait for a limit", "basin_waiting_requests" + limit + "} 3x60\nbasin_waited_total" + limit + "} 0+1x60\n" + waits(limit, "1", "0+1x60", "0x60"), "BasinLimitReached BasinRequestsWaiting"},
		{"a limit is full, and nobody waits", "basin_in_use_bytes" + limit + "} 1000x60\nbasin_max_in_use_bytes" + limit + "} 1000x60\nbasin_waited_total" + limit + "} 0x60\nbasin_refused_total" + limit + "} 0x60\n", ""},
		{"requests go beyond a limit", "basin_beyond_total" + pool + "} 0x50 1x9\nbasin_beyond_total" + limit + "} 0x50 1x9\n", "BasinBeyondLimit BasinBeyondLimit"},
		{"they went beyond it long ago", "basin_beyond_total" + pool + "} 0x20 1x39\n", ""},
		{"slices are lost", "basin_lost_total" + pool + "} 0x50 1x9\n", "BasinMemoryLost"},
		{"a slice was foreign", drops("foreign", "0x50 1x9"), "BasinForeignSlices"},
		{"a part of a slice", drops("misaligned", "0x50 1x9"), "BasinForeignSlices"},
		{"long ago", drops("foreign", "0x20 1x39") + drops("double", "0x20 1x39"), ""},
		{"other drops", drops("full", "0+9x60") + drops("small", "0+9x60") + drops("large", "0+9x60") + drops("extra", "0+9x60") + drops("empty", "0+9x60"), ""},
		{"checks found a use after release", "basin_misuse_total" + pool + `, reason="use_after_release"} ` + "0x50 1x9\n", "BasinMisuse"},
		{"checks found a leak", "basin_leaks_total" + pool + "} 0x50 1x9\n", ""},
		{"a line leaks", site("gets", "0+100x60") + site("leaks", "0+5x60"), "BasinLineLeaks"},
		{"a line leaks hardly", site("gets", "0+1000x60") + site("leaks", "0+5x60"), ""},
		{"a line has leaked", site("gets", "0+100x60") + site("leaks", "0x10 50x50"), ""},
		{"a line leaks in each life of the program", site("gets", "100x60") + site("leaks", "5x60") + started("0+1x60"), "BasinLineLeaks"},
		{"a line leaks hardly in each life", site("gets", "1000x60") + site("leaks", "5x60") + started("0+1x60"), ""},
		{"something was put twice", drops("double", "0x50 1x9"), "BasinDoublePut"},
		{"twice at the start of the program", drops("double", "_x50 1x9"), "BasinDoublePut"},
		{"at each of its starts", drops("double", "1x60") + started("0+1x60"), "BasinDoublePut"},
		{"at its start, long ago", drops("double", "1x60") + started("7x60"), ""},
		{"long ago, and then the program is started anew", drops("double", "1x50 0x9") + started("7x50 3000x9"), ""},
		{"checks found a double Put at each start", "basin_misuse_total" + pool + `, reason="double_put"} ` + "1x60\n" + started("0+1x60"), "BasinMisuse"},
		{"a program without mistakes starts again and again", drops("double", "0x60") + drops("foreign", "0x60") + started("0+1x60"), ""},
		{"in use is more than the heap", "basin_in_use_bytes" + pool + "} 0+2e6x60\n" + heap("4e6x60"), "BasinInUseIsGarbage"},
		{"in use is less than the heap", "basin_in_use_bytes" + pool + "} 0+2e6x60\n" + heap("2e8x60"), ""},
		{"in use is more than the heap after each collection", "basin_in_use_bytes" + pool + "} 6e7x60\n" + heap("4e7 8e7 4e7 8e7"+strings.Repeat(" 4e7 8e7", 28)), "BasinInUseIsGarbage"},
		{"in use is more than the heap at other times", "basin_in_use_bytes" + pool + "} 3e7 8e7" + strings.Repeat(" 3e7 8e7", 29) + "\n" + heap("4e7 8e7"+strings.Repeat(" 4e7 8e7", 29)), ""},
		{"in use is guarded memory", "basin_in_use_bytes" + pool + "} 0+2e6x60\n" + heap("4e6x60") + `basin_guard_bytes{job="j", instance="i"} 2e8x60` + "\n", ""},
		{"in use is more than the heap and guarded memory", "basin_in_use_bytes" + pool + "} 0+2e6x60\n" + heap("4e6x60") + `basin_guard_bytes{job="j", instance="i"} 1e7x60` + "\n", "BasinInUseIsGarbage"},
		{"in use is little", "basin_in_use_bytes" + pool + "} 5e5x60\n" + heap("4e5x60"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engine, stored := newEngine(t), load(t, tt.series)
			var firing []string
			for _, r := range readAlerts(t) {
				for _, text := range fires(t, r, stored, engine) {
					firing = append(firing, r.Alert)
					if !regexp.MustCompile(`(?i)(pool|limit) "p"`).MatchString(text) || !strings.Contains(text, "of i") || strings.Contains(text, "error") || strings.Contains(text, "no value") {
						t.Errorf("%s says %s", r.Alert, text)
					}
				}
			}
			slices.Sort(firing)
			if got := strings.Join(firing, " "); got != tt.want {
				t.Errorf("%q fires, want %q", got, tt.want)
			}
		})
	}
}

// TestAlertsAgree: alerts about mistakes fire for exactly those pools whose Stats count mistakes, in a
// program with leaks, misuse, double Puts and drops of all kinds in the last ten minutes.
func TestAlertsAgree(t *testing.T) {
	pooltest.WaitForOtherPools()
	_, keep := pooltest.UseEveryKind(t)
	stored := memory{}
	for _, f := range dashboards.Gather(t) {
		for _, m := range f.Metric {
			b := labels.NewBuilder(labels.FromStrings(model.MetricNameLabel, f.GetName(), "job", "j", "instance", "i"))
			for _, l := range m.Label {
				b.Set(l.GetName(), l.GetValue())
			}
			for minute := range minutes {
				v := m.GetCounter().GetValue()
				if minute < minutes-10 {
					v = 0
				}
				stored.append(b.Labels(), at(minute), v+m.GetGauge().GetValue())
			}
		}
	}
	want := map[string]int{}
	for _, s := range basinexport.Append(nil) {
		for _, k := range basincheck.Kinds() {
			if s.Misuse.Of(k) > 0 && k != basincheck.Leak {
				want[`BasinMisuse pool "`+s.Name+`"`]++
			}
		}
		for alert, drops := range map[string][]uint64{"BasinDoublePut": {s.Drops.Double}, "BasinForeignSlices": {s.Drops.Foreign, s.Drops.Misaligned}} {
			for _, n := range drops {
				if n > 0 {
					want[alert+` pool "`+s.Name+`"`]++
				}
			}
		}
	}
	got := map[string]int{}
	engine := newEngine(t)
	for _, r := range readAlerts(t) {
		if !slices.Contains([]string{"BasinMisuse", "BasinDoublePut", "BasinForeignSlices"}, r.Alert) {
			continue
		}
		for _, text := range fires(t, r, stored, engine) {
			got[r.Alert+" "+strings.ToLower(regexp.MustCompile(`(?i)pool "[^"]*"`).FindString(text))]++
		}
	}
	if !maps.Equal(got, want) || len(want) < 4 {
		t.Errorf("alerts are %v, want %v", got, want)
	}
	runtime.KeepAlive(keep)
}

// TestInUseGrows evaluates the rule about memory that only grows each ten minutes, for twelve hours. It fires in the end,
// or never.
func TestInUseGrows(t *testing.T) {
	const end = 12 * 60
	rules := readAlerts(t)
	r := rules[slices.IndexFunc(rules, func(r rulefmt.Rule) bool { return r.Alert == "BasinInUseGrows" })]
	always := func(float64) float64 { return 600 }
	random := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name        string
		inUse, gets func(minute float64) float64 // gets in a minute
		fires       bool
	}{
		{"leaks", func(m float64) float64 { return 1e6 + 1e5*m }, always, true},
		{"leaks, and has much in use", func(m float64) float64 { return 1e9 + 1e5*m }, always, true},
		{"leaks, beside requests that come and go", func(m float64) float64 { return 5e6*random.Float64() + 1e5*m }, always, true},
		{"leaks, and few requests", func(m float64) float64 { return 1e6 + 1e5*m }, func(float64) float64 { return 1 }, true},
		{"leaks, and requests become less", func(m float64) float64 { return 1e6 + 1e5*m }, func(m float64) float64 { return 1000 - m }, true},
		{"leaks, and requests become a few more", func(m float64) float64 { return 1e6 + 1e5*m }, func(m float64) float64 { return 6000 + m }, true},
		{"the load grows, too", func(m float64) float64 { return 1e8 + 1e6*m }, func(m float64) float64 { return 100 + m }, false},
		{"the load has grown at once", func(m float64) float64 { return 1e8 + 2e8*float64(int(m/300)) }, func(m float64) float64 { return 100 + 200*float64(int(m/300)) }, false},
		{"is steady", func(float64) float64 { return 3e8 }, always, false},
		{"comes and goes", func(m float64) float64 { return 3e8 * random.Float64() }, always, false},
		{"falls each hour", func(m float64) float64 { return 1e8 + 1e6*float64(int(m)%60) }, always, false},
		{"has grown for five hours, and then no more", func(m float64) float64 { return 1e6 + 1e6*min(m, 300) }, always, false},
		{"is little", func(m float64) float64 { return 1e3 + 1e4*m }, always, false},
	} {
		stored, bounded := memory{}, memory{}
		sum := 0.0
		for minute := range end + 1 {
			append := func(m memory, name string, v float64) {
				m.append(labels.FromStrings(model.MetricNameLabel, name, "job", "j", "instance", "i", "pool", "p", "kind", "BytePool"), at(minute), v)
			}
			sum += tt.gets(float64(minute))
			inUse := tt.inUse(float64(minute))
			for _, m := range []memory{stored, bounded} {
				append(m, "basin_in_use_bytes", inUse)
				append(m, "basin_gets_total", sum)
			}
			append(bounded, "basin_max_in_use_bytes", 1e10)
		}
		engine := newEngine(t)
		last := -1
		evaluate(t, r, stored, engine, end+1, 10, func(minute int, _ string) { last = minute })
		if want := map[bool]int{true: end, false: -1}[tt.fires]; last != want {
			t.Errorf("%s: fires last at minute %d, want %d", tt.name, last, want)
		}
		evaluate(t, r, bounded, engine, end+1, 10, func(minute int, _ string) { t.Fatalf("%s, with a ceiling: fires", tt.name) })
	}
}
