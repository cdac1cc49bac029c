package basinprom_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinprom"
)

var opts = []basinprom.Opts{{}, {Classes: true}, {PerPool: true}, {Classes: true, PerPool: true}}

// scrape returns the HTTP handler's answer in the text format, parsed by Prometheus.
func scrape(t *testing.T, o basinprom.Opts) (map[string]*dto.MetricFamily, []byte) {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(basinprom.NewCollector(o))
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%+v: status %d:\n%s", o, w.Code, w.Body)
	}
	text := bytes.Clone(w.Body.Bytes())
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatalf("%+v: %v in\n%s", o, err, text)
	}
	return families, text
}

// label returns the value of a label of m.
func label(m *dto.Metric, name string) string {
	for _, l := range m.Label {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// alone waits until the pools of other tests are garbage.
func alone() {
	for len(basinexport.Append(nil)) > 0 {
		runtime.GC()
	}
}

// use makes pools of all kinds, among them two of one name and some without.
func use(t *testing.T) (keep []any) {
	t.Helper()
	for _, name := range []string{t.Name(), t.Name(), ""} {
		a := &basin.BytePool{Name: name, MaxInUse: 1 << 20}
		a.Put(a.Get(1000))
		a.Put(make([]byte, 1000)) //basin:ok a foreign slice, to be counted
		b := &basin.Pool[int]{Name: name}
		b.Put(b.Get())
		c := &basin.Pool[struct {
			A int `x:"a\"\n"`
		}]{Name: name}
		c.Get()
		d := &basin.FixedPool{Count: 2, Size: 100}
		d.Name = name
		d.Get() //basin:ok it stays in use, to be counted
		e := &basin.BufferPool{Name: name}
		e.Put(e.Get())
		f := &basin.StdBufferPool{Name: name}
		f.Put(f.Get())
		keep = append(keep, a, b, c, d, e, f)
	}
	return keep
}

// TestLint has Prometheus' linter read the metrics, and all that a registry checks.
func TestLint(t *testing.T) {
	keep := use(t)
	for _, o := range opts {
		problems, err := testutil.CollectAndLint(basinprom.NewCollector(o))
		if err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		for _, p := range problems {
			t.Errorf("%+v: %s: %s", o, p.Metric, p.Text)
		}
		// As promtool check metrics does.
		_, text := scrape(t, o)
		problems, err = promlint.New(bytes.NewReader(text)).Lint()
		if err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		for _, p := range problems {
			t.Errorf("%+v: in the text, %s: %s", o, p.Metric, p.Text)
		}
	}
	runtime.KeepAlive(keep)
}

func TestNoPoolTwice(t *testing.T) {
	keep := use(t)
	for _, o := range opts {
		families, text := scrape(t, o)
		series := 0
		for _, m := range families["basin_gets_total"].GetMetric() {
			if label(m, "pool") == t.Name() {
				series++
			}
		}
		want := 6
		if o.PerPool {
			want = 12
		}
		if series != want {
			t.Errorf("%+v: %d series, want %d:\n%s", o, series, want, text)
		}
	}
	runtime.KeepAlive(keep)
}

// TestWhatThereIsNot: there are no series for unknown figures, or for limits that are not set.
func TestWhatThereIsNot(t *testing.T) {
	values := &basin.Pool[int]{Name: t.Name()}
	values.Get()
	free := &basin.BytePool{Name: t.Name()}
	free.Get(1)
	has := func(o basinprom.Opts) (kinds map[string][]string) {
		kinds = map[string][]string{}
		families, _ := scrape(t, o)
		for name, f := range families {
			for _, m := range f.Metric {
				if label(m, "pool") == t.Name() {
					kinds[label(m, "kind")] = append(kinds[label(m, "kind")], name)
				}
			}
		}
		return kinds
	}
	kinds := has(basinprom.Opts{})
	for _, name := range kinds["Pool[int]"] {
		if strings.Contains(name, "bytes") {
			t.Errorf("values have %s", name)
		}
	}
	for kind, names := range map[string][]string{"Pool[int]": {"basin_max_idle_items"}, "BytePool": {"basin_max_idle_bytes", "basin_in_use_bytes"}} {
		for _, name := range names {
			if !slices.Contains(kinds[kind], name) {
				t.Errorf("%s has no %s, but %v", kind, name, kinds[kind])
			}
		}
	}
	for _, name := range []string{"basin_max_in_use_bytes", "basin_max_idle_items", "basin_class_gets_total"} {
		if slices.Contains(kinds["BytePool"], name) {
			t.Errorf("BytePool has %s", name)
		}
	}
	if kinds = has(basinprom.Opts{Classes: true}); !slices.Contains(kinds["BytePool"], "basin_class_gets_total") {
		t.Errorf("with classes, BytePool has %v", kinds["BytePool"])
	}
	runtime.KeepAlive(values)
	runtime.KeepAlive(free)
}

// TestGuard: guarded memory and its limit have no labels, and there are none before checks have guarded memory.
func TestGuard(t *testing.T) {
	before, _ := scrape(t, basinprom.Opts{})
	if f := before["basin_guard_bytes"]; f != nil && basincheck.Stats().MaxGuardBytes == 0 {
		t.Errorf("without guarded memory: %v", f)
	}
	defer basincheck.Set(basincheck.Now())
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	p := &basin.BytePool{Name: t.Name()} // not the default pool, which other tests would wait for
	b := p.Get(1000)
	defer func() { p.Put(b) }()
	u := basincheck.Stats()
	after, _ := scrape(t, basinprom.Opts{})
	for name, want := range map[string]int64{"basin_guard_bytes": u.GuardBytes, "basin_max_guard_bytes": u.MaxGuardBytes} {
		if f := after[name]; f == nil || len(f.Metric) != 1 || len(f.Metric[0].Label) != 0 || int64(f.Metric[0].Gauge.GetValue()) != want || want < 1000 {
			t.Errorf("%s is %v, want %d", name, f, want)
		}
	}
}

// TestNames has names that the text format must escape, or cannot express.
func TestNames(t *testing.T) {
	for _, tt := range []struct{ name, pool, want string }{
		{"HTML and quotes", `<b onclick="x">'\`, `<b onclick="x">'\`},
		{"lines", "a\nb{c=\"d\"} 1\n# HELP", "a\nb{c=\"d\"} 1\n# HELP"},
		{"not UTF-8", "a\xff\xfeb", "a\ufffdb"},
		{"control characters", "\x00\x1b[31m\r", "\x00\x1b[31m\r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{Name: t.Name() + tt.pool}
			p.Get(1)
			for _, o := range opts {
				families, _ := scrape(t, o)
				found := false
				for _, m := range families["basin_gets_total"].GetMetric() {
					found = found || label(m, "pool") == t.Name()+tt.want
				}
				if !found {
					t.Errorf("%+v: it is not there", o)
				}
			}
			runtime.KeepAlive(p)
		})
	}
}

func TestManyPoolsOfLongNames(t *testing.T) {
	alone()
	var keep []*basin.BytePool
	for i := range 1000 {
		p := &basin.BytePool{Name: fmt.Sprint(t.Name(), i, strings.Repeat("ä\xff", 3<<10))}
		p.Get(1)
		keep = append(keep, p)
	}
	families, text := scrape(t, basinprom.Opts{})
	n := 0
	for _, m := range families["basin_gets_total"].GetMetric() {
		name := label(m, "pool")
		if strings.HasPrefix(name, t.Name()) {
			n++
			if len(name) > 200 || !utf8.ValidString(name) {
				t.Fatalf("the label is %q", name)
			}
		}
	}
	if n != len(keep) {
		t.Errorf("there are %d", n)
	}
	if perPool := len(text) / n; perPool > 16<<10 {
		t.Errorf("it takes %d bytes for each pool", perPool)
	}
	runtime.KeepAlive(keep)
}

func TestNoPools(t *testing.T) {
	alone()
	families, text := scrape(t, basinprom.Opts{})
	for name := range families {
		if !strings.HasSuffix(name, "guard_bytes") { // of another test
			t.Errorf("there is\n%s", text)
		}
	}
}

// BenchmarkScrape scrapes a program with a hundred pools.
func BenchmarkScrape(b *testing.B) {
	var keep []*basin.BytePool
	for i := range 100 {
		p := &basin.BytePool{Name: fmt.Sprint("pool", i)}
		for size := 64; size <= 1<<20; size *= 2 {
			p.Put(p.Get(size))
		}
		keep = append(keep, p)
	}
	for _, o := range []basinprom.Opts{{}, {Classes: true}} {
		b.Run(fmt.Sprintf("Classes=%v", o.Classes), func(b *testing.B) {
			r := prometheus.NewRegistry()
			r.MustRegister(basinprom.NewCollector(o))
			h := promhttp.HandlerFor(r, promhttp.HandlerOpts{})
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil))
			}
		})
	}
	runtime.KeepAlive(keep)
}
