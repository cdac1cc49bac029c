package dashboards_test

import (
	"bytes"
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinexpvar"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/basinotel"
	"github.com/basin-go/basin/basinprom"
	table "github.com/basin-go/basin/internal/figures"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// figures are the numbers of one exporter: by pool, and by the path of the field in Stats. Zeros and
// unknown numbers may be missing.
type figures map[string]map[string]float64

func (f figures) add(pool, what string, v float64) {
	if f[pool] == nil {
		f[pool] = map[string]float64{}
	}
	f[pool][what] += v
}

// addAll adds all numbers of v.
func (f figures) addAll(pool, path string, v reflect.Value) {
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case name == "ID" || name == "Size" || name == "MemoryLimit":
		case name == "Items" && path != "" && field.Kind() == reflect.Struct: // of classes, whose Bytes say the same
		case field.CanInt() && field.Int() == basin.Unknown:
		case v.Type().Field(i).Anonymous:
			f.addAll(pool, path, field)
		case field.Type() == reflect.TypeFor[time.Duration]():
			f.add(pool, path+name, time.Duration(field.Int()).Seconds())
		case field.Type() == reflect.TypeFor[basincheck.Counts]():
			for _, k := range basincheck.Kinds() {
				f.add(pool, path+name+"."+k.Name(), float64(field.Interface().(basincheck.Counts).Of(k)))
			}
		case field.Kind() == reflect.Array:
			for i := range field.Len() {
				f.add(pool, fmt.Sprint(path, name, ".", i), float64(field.Index(i).Uint()))
			}
		case field.Kind() == reflect.Struct:
			f.addAll(pool, path+name+".", field)
		case field.Kind() == reflect.Slice:
			for i := range field.Len() {
				c := field.Index(i)
				f.addAll(pool, fmt.Sprint(path, name, ".", c.FieldByName("Size"), "."), c)
			}
		case field.CanInt():
			f.add(pool, path+name, float64(field.Int()))
		case field.CanUint():
			f.add(pool, path+name, float64(field.Uint()))
		}
	}
}

func fromStats(all []basin.Stats) figures {
	f := figures{}
	for _, s := range all {
		f.addAll(s.Name+" "+s.Kind, "", reflect.ValueOf(s))
	}
	return f
}

// TestAllAgree uses pools of every kind, and compares the numbers of each exporter with Stats.
func TestAllAgree(t *testing.T) {
	pooltest.WaitForOtherPools()
	stats, keep := pooltest.UseEveryKind(t)
	snapshots := basinexport.Append(nil)
	if len(snapshots) != len(stats) {
		t.Fatalf("there are %d pools, want %d", len(snapshots), len(stats))
	}
	for _, s := range snapshots {
		if got := stats[s.Name](); !reflect.DeepEqual(got, s) {
			t.Errorf("of all pools it is %v, Stats says %v", s, got)
		}
	}
	want := fromStats(snapshots)

	// Figures that agree because all are zero show nothing.
	size := regexp.MustCompile(`[0-9]+\.`)
	largest := map[string]float64{}
	for _, pool := range want {
		for what, v := range pool {
			what = size.ReplaceAllString(what, "")
			largest[what] = max(largest[what], v)
		}
	}
	delete(largest, "Waiting")                    // while a request waits, the longest wait grows
	for i := range len(basin.Stats{}.WaitTimes) { // depends on the machine
		delete(largest, fmt.Sprint("WaitTimes.", i))
	}
	delete(largest, "Classes.Bytes.MaxIdle") // a class has no limits
	delete(largest, "Classes.Bytes.MaxInUse")
	for what, v := range largest {
		if v == 0 {
			t.Errorf("%s of all pools is zero: pooltest.UseEveryKind must use a pool so that it is not", what)
		}
	}

	if expvar.Get(t.Name()) == nil { // or this is not the first run
		basinexpvar.Publish(t.Name())
	}
	for _, tt := range []struct {
		name string
		got  figures
	}{
		{"expvar", fromExpvar(t)},
		{"the log", fromLog(t)},
		{"the page", fromPage(t)},
		{"Prometheus", fromPrometheus(t, basinprom.Opts{Classes: true})},
		{"Prometheus, pool by pool", fromPrometheus(t, basinprom.Opts{Classes: true, PerPool: true})},
		{"OpenTelemetry", fromOTel(t, basinotel.Opts{Classes: true})},
		{"OpenTelemetry, pool by pool", fromOTel(t, basinotel.Opts{Classes: true, PerPool: true})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for pool := range want {
				whats := maps.Clone(want[pool])
				maps.Copy(whats, tt.got[pool])
				for _, what := range slices.Sorted(maps.Keys(whats)) {
					if g, w := tt.got[pool][what], want[pool][what]; g != w {
						t.Errorf("%s: %s is %v, want %v", pool, what, g, w)
					}
				}
			}
			if len(tt.got) != len(want) {
				t.Errorf("there are %v", slices.Sorted(maps.Keys(tt.got)))
			}
		})
	}
	runtime.KeepAlive(keep)
}

// TestWaitingAgrees compares the number of waiting requests in all exporters.
func TestWaitingAgrees(t *testing.T) {
	pooltest.WaitForOtherPools()
	pool := &basin.BytePool{Name: "full", MaxInUse: 1024}
	held := pool.Get(1024)
	var waiters sync.WaitGroup
	for range 3 {
		waiters.Go(func() {
			b, err := pool.GetContext(t.Context(), 1024)
			if err != nil {
				t.Error(err)
			}
			pool.Put(b)
		})
	}
	for pool.Stats().Waiting < 3 {
		runtime.Gosched()
	}
	if expvar.Get(t.Name()) == nil {
		basinexpvar.Publish(t.Name())
	}
	for name, got := range map[string]figures{
		"Stats": fromStats(basinexport.Append(nil)), "expvar": fromExpvar(t), "the log": fromLog(t), "the page": fromPage(t),
		"Prometheus": fromPrometheus(t, basinprom.Opts{}), "OpenTelemetry": fromOTel(t, basinotel.Opts{}),
	} {
		if n := got["full BytePool"]["Waiting"]; n != 3 {
			t.Errorf("%s has %v requests wait, want 3", name, n)
		}
	}
	pool.Put(held)
	waiters.Wait()
}

func fromExpvar(t *testing.T) figures {
	t.Helper()
	var snapshots []basin.Stats
	if err := json.Unmarshal([]byte(expvar.Get(t.Name()).String()), &snapshots); err != nil {
		t.Fatal(err)
	}
	return fromStats(snapshots)
}

// fromLog reads each pool's log attributes as JSON.
func fromLog(t *testing.T) figures {
	t.Helper()
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	var all []basin.Stats
	for _, s := range basinexport.Append(nil) {
		log.Reset()
		logger.Info("pool", "stats", s)
		var line struct {
			Stats struct {
				basin.Stats
				Classes map[string]struct{ Gets, Hits uint64 } `json:"classes"`
			}
		}
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("%v in %s", err, &log)
		}
		// Of classes the log has fewer figures, which must be the same.
		logged := line.Stats.Stats
		for _, c := range s.Classes {
			if got := line.Stats.Classes[strconv.Itoa(c.Size)]; got.Gets != c.Gets || got.Hits != c.Hits {
				t.Errorf("class %d of %s has %+v, want %d and %d", c.Size, s.Name, got, c.Gets, c.Hits)
			}
		}
		logged.Classes = s.Classes
		all = append(all, logged)
	}
	return fromStats(all)
}

// fromPage reads the live page.
func fromPage(t *testing.T) figures {
	t.Helper()
	w := httptest.NewRecorder()
	basinhttp.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?format=json", nil))
	var r basinhttp.Report
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return fromStats(r.Pools)
}

// prometheusFields maps series to fields of Stats or ClassStats, with the reason behind a space if they have one, and
// otelFields instruments, with their attribute in brackets.
var prometheusFields, otelFields = map[string]string{}, map[string]string{}

func init() {
	addFields(table.Fields(table.Pools))
	addFields(table.Fields(table.Classes))
}

func addFields[S any](fields map[string][]*table.Figure[S]) {
	for field, rows := range fields {
		for _, f := range rows {
			series, instrument := f.Series, f.Instrument
			if f.Key == table.Reason || f.Key == table.Misuse {
				series += " " + f.Value
			}
			if f.Key != "" {
				instrument += "[" + f.Value + "]"
			}
			prometheusFields[series], otelFields[instrument] = field, field
		}
	}
}

// fromPrometheus reads the text that Prometheus would scrape.
func fromPrometheus(t *testing.T, o basinprom.Opts) figures {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(basinprom.NewCollector(o))
	gathered, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, m := range gathered {
		if _, err := expfmt.MetricFamilyToText(&text, m); err != nil {
			t.Fatal(err)
		}
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		t.Fatal(err)
	}
	f := figures{}
	for name, family := range families {
		if strings.HasPrefix(name, "basin_site_") || strings.HasSuffix(name, "guard_bytes") { // lines of pools with MaxInUse; no pool's
			continue
		}
		for _, m := range family.Metric {
			pool := labelOf(m, "pool") + " " + labelOf(m, "kind")
			if reason := labelOf(m, "reason"); reason != "" {
				name = family.GetName() + " " + reason
			}
			what, ok := prometheusFields[name]
			if h := m.GetHistogram(); h != nil {
				f.add(pool, "TotalWait", h.GetSampleSum())
				below := 0.0
				for i, b := range h.Bucket {
					f.add(pool, fmt.Sprint("WaitTimes.", i), float64(b.GetCumulativeCount())-below)
					below = float64(b.GetCumulativeCount())
				}
				continue
			}
			if !ok {
				t.Errorf("there is %s", name)
			}
			if size := labelOf(m, "size"); size != "" {
				what = "Classes." + size + "." + what
			}
			v := m.GetCounter().GetValue() + m.GetGauge().GetValue()
			f.add(pool, what, v)
		}
	}
	return f
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.Label {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// fromOTel reads the metrics that a reader of the SDK collects.
func fromOTel(t *testing.T, o basinotel.Opts) figures {
	t.Helper()
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	defer provider.Shutdown(context.Background())
	if _, err := basinotel.Register(provider, o); err != nil {
		t.Fatal(err)
	}
	var collected metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &collected); err != nil {
		t.Fatal(err)
	}
	f := figures{}
	add := func(name string, attrs attribute.Set, v float64) {
		value := func(k attribute.Key) string { v, _ := attrs.Value(k); return v.String() }
		pool, class := value(basinotel.PoolNameKey)+" "+value(basinotel.PoolKindKey), ""
		if attrs.HasValue(basinotel.ClassSizeKey) {
			class = "Classes." + value(basinotel.ClassSizeKey) + "."
		}
		for _, k := range []attribute.Key{basinotel.ResultKey, basinotel.StateKey, basinotel.ReasonKey, basinotel.MisuseKey, basinotel.WaitTimeKey} {
			if attrs.HasValue(k) {
				name += "[" + value(k) + "]"
			}
		}
		if strings.HasPrefix(name, "basin.site.") || strings.HasPrefix(name, "basin.guard.") { // lines of pools with MaxInUse; no pool's
			return
		}
		field, ok := otelFields[name]
		if !ok {
			t.Errorf("there is %s", name)
		}
		f.add(pool, class+field, v)
		if strings.Contains(name, ".gets[") {
			f.add(pool, class+"Gets", v)
		}
	}
	for _, m := range collected.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				add(m.Name, p.Attributes, float64(p.Value))
			}
		case metricdata.Sum[float64]:
			for _, p := range data.DataPoints {
				add(m.Name, p.Attributes, p.Value)
			}
		case metricdata.Gauge[float64]:
			for _, p := range data.DataPoints {
				add(m.Name, p.Attributes, p.Value)
			}
		default:
			t.Errorf("%s is a %T", m.Name, data)
		}
	}
	return f
}

// TestSitesAgree compares the statistics of lines that take from pools in all exporters, with full
// and with sampled checks.
func TestSitesAgree(t *testing.T) {
	basin.SetDefault(&basin.BytePool{Name: "buffers"}) // the built-in one would never be garbage
	defer basin.SetDefault(nil)
	for _, every := range []int{1, 3} {
		basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: every, Handler: func(*basincheck.Report) {}})
		defer basincheck.Set(basincheck.Settings{})
		before := uint64(0) // findings stay counted
		for _, f := range basincheck.Found() {
			if f.Kind == basincheck.Leak && f.Pool == "sites" {
				before += f.Count
			}
		}
		pool := &basin.BytePool{Name: "sites"}
		var held [][]byte
		for range 300 {
			pool.Put(pool.Get(100))
			pool.Get(200)
			new(basin.Buffer).Write(make([]byte, 100)) // never freed
			held = append(held, pool.Get(300))
		}
		testenv.CollectUntil(func() bool { return pool.Stats().Misuse[basincheck.Leak] > 100 })
		testenv.RunCleanups()
		type counts = [4]uint64
		want := map[string]counts{}
		leaks, unfreed := uint64(0), uint64(0)
		for _, s := range basincheck.Sites() {
			f := s.Stack.Frames()[0]
			want[fmt.Sprintf("%s %s %s:%d", s.Pool, f.Function, path.Base(f.File), f.Line)] = counts{s.Gets, s.Puts, s.Leaks, s.Unfreed}
			leaks += s.Leaks
			unfreed += s.Unfreed
		}
		if len(want) != 4 || unfreed == 0 || leaks != pool.Stats().Misuse.Of(basincheck.Leak) || leaks%uint64(every) != 0 {
			t.Errorf("one in %d: %v, want four lines with %d leaks, and unfreed items", every, want, pool.Stats().Misuse.Of(basincheck.Leak))
		}
		page := map[string]counts{}
		w := httptest.NewRecorder()
		basinhttp.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?format=json", nil))
		var r basinhttp.Report
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Checking.Sites {
			function, at, _ := strings.Cut(s.Stack[0], " ")
			page[s.Pool+" "+function+" "+path.Base(at)] = counts{s.Gets, s.Puts, s.Leaks, s.Unfreed}
		}
		if n := foundLeaks(r.Checking) - before; n != leaks {
			t.Errorf("one in %d: the page has found %d leaks, want %d", every, n, leaks)
		}
		exported := map[string]counts{}
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(basinprom.NewCollector(basinprom.Opts{}))
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			i := slices.Index([]string{"basin_site_gets_total", "basin_site_puts_total", "basin_site_leaks_total", "basin_site_unfreed_total"}, f.GetName())
			for _, m := range f.Metric {
				if i >= 0 {
					c := exported[labelOf(m, "pool")+" "+labelOf(m, "site")]
					c[i] = uint64(m.GetCounter().GetValue())
					exported[labelOf(m, "pool")+" "+labelOf(m, "site")] = c
				}
			}
		}
		for name, got := range map[string]map[string]counts{"the page": page, "Prometheus": exported, "OpenTelemetry": sitesFromOTel(t)} {
			if !maps.Equal(got, want) {
				t.Errorf("one in %d: %s has %v, want %v", every, name, got, want)
			}
		}
		runtime.KeepAlive(held)
	}
}

func foundLeaks(c *basinhttp.Checking) (n uint64) {
	for _, f := range c.Found {
		if f.Kind == "leak" && f.Pool == "sites" {
			n += f.Count
		}
	}
	return n
}

func sitesFromOTel(t *testing.T) map[string][4]uint64 {
	t.Helper()
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	defer provider.Shutdown(context.Background())
	if _, err := basinotel.Register(provider, basinotel.Opts{}); err != nil {
		t.Fatal(err)
	}
	var collected metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &collected); err != nil {
		t.Fatal(err)
	}
	sites := map[string][4]uint64{}
	for _, m := range collected.ScopeMetrics[0].Metrics {
		i := slices.Index([]string{"basin.site.gets", "basin.site.puts", "basin.site.leaks", "basin.site.unfreed"}, m.Name)
		if i < 0 {
			continue
		}
		for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
			pool, _ := p.Attributes.Value(basinotel.PoolNameKey)
			site, _ := p.Attributes.Value(basinotel.SiteKey)
			c := sites[pool.AsString()+" "+site.AsString()]
			c[i] = uint64(p.Value)
			sites[pool.AsString()+" "+site.AsString()] = c
		}
	}
	return sites
}
