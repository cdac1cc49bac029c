package basinotel_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinotel"
)

// provider returns a provider that observes pools, and its reader.
func provider(t *testing.T, o basinotel.Opts) (sdk.Reader, metric.Registration) {
	t.Helper()
	reader := sdk.NewManualReader()
	p := sdk.NewMeterProvider(sdk.WithReader(reader))
	t.Cleanup(func() { p.Shutdown(context.Background()) })
	registration, err := basinotel.Register(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return reader, registration
}

// read returns the metrics of pools whose names begin with that of the test: the values by name
// and attributes, and units by name.
func read(t *testing.T, r sdk.Reader) (values map[string]int64, units map[string]string) {
	t.Helper()
	var got metricdata.ResourceMetrics
	if err := r.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	values, units = map[string]int64{}, map[string]string{}
	for _, scope := range got.ScopeMetrics {
		if scope.Scope.Name != basinotel.ScopeName {
			t.Errorf("the scope is %q", scope.Scope.Name)
		}
		for _, m := range scope.Metrics {
			units[m.Name] = m.Unit
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				if monotonic := !strings.Contains(m.Name, ".in_use.") && !strings.Contains(m.Name, ".max") && !strings.Contains(m.Name, ".usage") && !strings.Contains(m.Name, ".count") && !strings.Contains(m.Name, ".pending"); data.IsMonotonic != monotonic {
					t.Errorf("%s: monotonic is %v", m.Name, data.IsMonotonic)
				}
				for _, p := range data.DataPoints {
					name, _ := p.Attributes.Value(basinotel.PoolNameKey)
					rest, ours := strings.CutPrefix(name.AsString(), t.Name())
					if !ours {
						continue
					}
					key := m.Name
					for _, a := range p.Attributes.ToSlice() {
						switch a.Key {
						case basinotel.PoolNameKey:
							key += " " + rest
						case basinotel.PoolIDKey:
							key += " @"
						default:
							key += " " + a.Value.String()
						}
					}
					if _, ok := values[key]; ok && !strings.Contains(key, " @") {
						t.Errorf("%s is there twice", key)
					}
					values[key] += p.Value
				}
			case metricdata.Gauge[float64]:
				if m.Name != "basin.pool.wait.longest" && m.Name != "basin.pool.wait.recent_longest" {
					t.Errorf("%s is a gauge", m.Name)
				}
			case metricdata.Sum[float64]:
				if m.Name != "basin.pool.wait.total" || !data.IsMonotonic {
					t.Errorf("%s is a sum of floats", m.Name)
				}
			default:
				t.Errorf("%s is a %T", m.Name, data)
			}
		}
	}
	return values, units
}

// alone waits until the pools of other tests are garbage.
func alone() {
	for len(basinexport.Append(nil)) > 0 {
		runtime.GC()
	}
}

func TestObserved(t *testing.T) {
	alone()
	a := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20}
	b := &basin.BytePool{Name: t.Name(), MaxInUse: 2 << 20}
	values := &basin.Pool[int]{Name: t.Name()}
	for _, p := range []*basin.BytePool{a, b} {
		p.Put(p.Get(4096))
		p.Put(make([]byte, 1000)) //basin:ok a foreign slice, to be counted
		p.Get(8192)
		p.TryGet(3 << 20)
	}
	values.Get()
	values.Put(1)
	values.Get()
	for _, o := range []basinotel.Opts{{Classes: true}, {Classes: true, PerPool: true}} {
		reader, _ := provider(t, o)
		got, _ := read(t, reader)
		if o.PerPool {
			// The pools of one name are told apart by their IDs, which the key leaves out.
			together := map[string]int64{}
			for k, v := range got {
				together[strings.Replace(k, " @", "", 1)] = v
			}
			if len(together) != len(got) {
				t.Fatalf("%d of %d values have IDs", len(together), len(got))
			}
			got = together
		}
		for key, want := range map[string]int64{
			"basin.pool.gets BytePool  hit":                  0,
			"basin.pool.gets BytePool  miss":                 4,
			"basin.pool.memory.usage in_use BytePool ":       2 * 8192,
			"basin.pool.memory.usage idle BytePool ":         2 * 4096,
			"basin.pool.memory.in_use.max BytePool ":         3 << 20,
			"basin.pool.item.count in_use BytePool ":         2,
			"basin.pool.refusals BytePool ":                  2,
			"basin.pool.drops foreign BytePool ":             2,
			"basin.pool.puts BytePool ":                      2,
			"basin.class.gets 4096 miss BytePool ":           2,
			"basin.class.memory.usage 8192 in_use BytePool ": 2 * 8192,
			"basin.pool.gets Pool[int]  hit":                 1,
			"basin.pool.gets Pool[int]  miss":                1,
			"basin.pool.item.count in_use Pool[int] ":        1,
			"basin.pool.item.idle.max Pool[int] ":            basin.DefaultMaxItems,
		} {
			if v, ok := find(got, key); !ok || v != want {
				t.Errorf("%+v: %s is %d, want %d", o, key, v, want)
			}
		}
		if t.Failed() {
			t.Fatal("there are\n" + strings.Join(keys(got), "\n"))
		}
		for key := range got {
			if strings.Contains(key, "Pool[int]") && (strings.Contains(key, "memory") || strings.Contains(key, "asked")) {
				t.Errorf("values have %s", key)
			}
		}
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
	runtime.KeepAlive(values)
}

// find returns the value with the words of key, in any order.
func find(values map[string]int64, key string) (int64, bool) {
	words := func(s string) string {
		w := strings.Fields(s)
		m := map[string]int{}
		for _, x := range w {
			m[x]++
		}
		return fmt.Sprint(m)
	}
	for k, v := range values {
		if words(k) == words(key) {
			return v, true
		}
	}
	return 0, false
}

func keys(m map[string]int64) (all []string) {
	for k, v := range m {
		all = append(all, fmt.Sprint(k, " = ", v))
	}
	return all
}

// TestNaming checks names and units against the rules of the semantic conventions: lower
// case, dots and underscores, units of UCUM.
func TestNaming(t *testing.T) {
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20}
	p.Get(1)
	v := &basin.Pool[int]{Name: t.Name()}
	v.Get()
	reader, _ := provider(t, basinotel.Opts{Classes: true})
	_, units := read(t, reader)
	if len(units) < 20 {
		t.Errorf("there are only %v", units)
	}
	name := regexp.MustCompile(`^basin\.(pool|class|site)(\.[a-z]+(_[a-z]+)*)+$`)
	unit := regexp.MustCompile(`^(By|s|\{[a-z]+\})$`)
	for n, u := range units {
		if !name.MatchString(n) || !unit.MatchString(u) {
			t.Errorf("%s in %s", n, u)
		}
		for other := range units {
			if strings.HasPrefix(other, n+".") {
				t.Errorf("%s is a metric and the namespace of %s", n, other)
			}
		}
	}
	runtime.KeepAlive(p)
	runtime.KeepAlive(v)
}

func TestUnregister(t *testing.T) {
	p := &basin.BytePool{Name: t.Name()}
	p.Get(1)
	reader, registration := provider(t, basinotel.Opts{})
	if got, _ := read(t, reader); len(got) == 0 {
		t.Fatal("nothing is observed")
	}
	if err := registration.Unregister(); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, reader); len(got) > 0 {
		t.Errorf("after Unregister there are %v", got)
	}
	runtime.KeepAlive(p)
}

func TestNames(t *testing.T) {
	var keep []*basin.BytePool
	for _, name := range []string{"<b>\"\n\x1b[31m", "\xff", strings.Repeat("ä", 5000)} {
		p := &basin.BytePool{Name: t.Name() + name}
		p.Get(1)
		keep = append(keep, p)
	}
	reader, _ := provider(t, basinotel.Opts{})
	got, _ := read(t, reader)
	n := 0
	for key := range got {
		if strings.HasPrefix(key, "basin.pool.puts ") {
			n++
		}
		if !utf8.ValidString(key) || len(key) > 300 {
			t.Errorf("there is %q", key)
		}
	}
	if n != len(keep) {
		t.Errorf("%d pools, want %d", n, len(keep))
	}
	runtime.KeepAlive(keep)
}

func TestNilProvider(t *testing.T) {
	defer func() {
		if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "nil MeterProvider") {
			t.Errorf("it panics with %v", v)
		}
	}()
	basinotel.Register(nil, basinotel.Opts{})
}

// failing makes all instruments but n.
type failing struct {
	noop.MeterProvider
	n int
}

type failingMeter struct {
	noop.Meter
	n *int
}

var errFailing = errors.New("no more instruments")

func (f *failing) Meter(string, ...metric.MeterOption) metric.Meter { return failingMeter{n: &f.n} }

func (f failingMeter) Int64ObservableCounter(string, ...metric.Int64ObservableCounterOption) (metric.Int64ObservableCounter, error) {
	if *f.n--; *f.n < 0 {
		return nil, errFailing
	}
	return noop.Int64ObservableCounter{}, nil
}

func TestProviderFails(t *testing.T) {
	for n, want := range map[int]error{0: errFailing, 5: errFailing, 10: errFailing, 1000: nil} {
		if _, err := basinotel.Register(&failing{n: n}, basinotel.Opts{Classes: true}); !errors.Is(err, want) {
			t.Errorf("after %d instruments: error %v, want %v", n, err, want)
		}
	}
}
