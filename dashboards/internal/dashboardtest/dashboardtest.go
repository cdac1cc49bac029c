// Package dashboardtest is for the tests of the dashboard and the alert rules, those in
// dashboards and those in dashboards/promql.
package dashboardtest

import (
	"encoding/json"
	"maps"
	"regexp"
	"runtime"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinprom"
	"github.com/basin-go/basin/dashboards"
)

// Alone waits until the pools of other tests are garbage.
func Alone() {
	for len(basinexport.Append(nil)) > 0 {
		runtime.GC()
	}
}

// UseAll uses a pool of each kind, so that hardly a figure is zero, and returns how to get their
// statistics, by name.
func UseAll(t testing.TB) (stats map[string]func() basin.Stats, keep []any) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what is put is what is got next
	plain := &basin.BytePool{Name: "plain", MaxSize: 1 << 20, MaxIdle: 128 << 10}
	ceiling := &basin.BytePool{Name: "ceiling", MinSize: 64, MaxIdle: 128 << 10, MaxInUse: 512 << 10}
	for _, p := range []*basin.BytePool{plain, ceiling} {
		var out [][]byte
		for i := range 60 {
			out = append(out, p.Get(100*i+1))
		}
		for i, b := range out {
			if i%3 > 0 {
				p.Put(b)
			}
		}
		p.Trim()
		for range 3 {
			b := p.Get(4000)
			p.Put(b)
			p.Put(b)
		}
		p.Put(nil)
		p.Put(make([]byte, 10))
		p.Put(make([]byte, 16<<20))
		p.Put(make([]byte, 1000))
		p.Put(make([]byte, 8192)[1:4097:4097])
		p.Adopt(make([]byte, 1000))
		p.Put(p.Get(200_000))
		p.Get(3 << 20)
	}
	b := ceiling.Get(300 << 10)
	if _, ok := ceiling.TryGet(300 << 10); ok {
		t.Fatal("the ceiling is not reached")
	}
	served := make(chan []byte)
	go func() {
		b, err := ceiling.GetContext(t.Context(), 300<<10)
		if err != nil {
			t.Error(err)
		}
		served <- b
	}()
	for ceiling.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	ceiling.Put(b)
	<-served

	values := &basin.Pool[*int]{Name: "values", MaxIdle: 5}
	for range 10 {
		values.Put(new(int))
	}
	for range 7 {
		values.Get()
	}
	fixed := &basin.FixedPool{Count: 3, Size: 1000}
	fixed.Name = "fixed"
	b = fixed.Get()
	fixed.Put(b)
	fixed.Put(b)
	fixed.Put(b[1:])
	for range 5 {
		b = fixed.Get()
	}
	fixed.Put(b)
	fixed.TryGet()

	grown := &basin.BytePool{Name: "grown"} // where buffers get what they grow to
	basin.SetDefault(grown)
	defer basin.SetDefault(nil)
	buffers := &basin.BufferPool{Name: "buffers"}
	std := &basin.StdBufferPool{Name: "std"}
	for i := range 100 {
		x, y := buffers.Get(), std.Get()
		x.Write(make([]byte, i*1000))
		y.Write(make([]byte, i*1000))
		if i%10 > 0 {
			buffers.Put(x)
			std.Put(y)
		}
	}
	misused, released := misuse(t)
	return map[string]func() basin.Stats{
		"misused":  func() basin.Stats { return misused.Stats() },
		"released": func() basin.Stats { return released.Stats() },
		"plain":    func() basin.Stats { return plain.Stats() },
		"ceiling":  func() basin.Stats { return ceiling.Stats() },
		"values":   func() basin.Stats { return values.Stats() },
		"fixed":    func() basin.Stats { return fixed.Stats() },
		"buffers":  func() basin.Stats { return buffers.Stats() },
		"std":      func() basin.Stats { return std.Stats() },
		"grown":    func() basin.Stats { return grown.Stats() },
	}, []any{misused, released, plain, ceiling, values, fixed, buffers, std, grown}
}

// misuse has two pools misused in every way that checks find.
func misuse(t testing.TB) (misused *basin.BytePool, released *basin.BufferPool) {
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}})
	defer basincheck.Set(basincheck.Settings{})
	p := &basin.BytePool{Name: "misused"}
	b := p.Get(100)
	p.Put(b)
	p.Put(b)
	b[0]++
	basincheck.Verify()
	p.Put(make([]byte, 128))
	p.Put(p.Get(1000)[64:])
	p.Put(p.Get(1000)[:64:64])
	(&basin.BytePool{Name: "plain"}).Put(p.Get(100))
	h := &basin.BufferPool{Name: "released"}
	w := h.Get()
	h.Put(w)
	w.WriteByte(1)
	for p.Get(100); p.Stats().Misuse[basincheck.Leak] == 0; {
		runtime.GC()
	}
	return p, h
}

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

// Bucket is the suffix of the metric that has a histogram's buckets.
const Bucket = "_bucket"

// Exported returns the labels of each metric exported for pools of all kinds.
func Exported(t testing.TB) map[string]map[string]bool {
	t.Helper()
	_, keep := UseAll(t)
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
	if err := json.Unmarshal(dashboards.Grafana, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// AlertNames returns the names of the alert rules.
func AlertNames() (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^ *- alert: (\w+)$`).FindAllSubmatch(dashboards.Alerts, -1) {
		names = append(names, string(m[1]))
	}
	return names
}
