package demo

import (
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// checkedWay is the way of basin with checks, which the first request switches on.
func checkedWay(name string, c basincheck.Settings) way {
	var once sync.Once
	return way{name: name, forward: func(w http.ResponseWriter, body io.Reader) error {
		once.Do(func() { basincheck.Set(c) })
		return forwardBasin(w, body)
	}}
}

var checkedWays = []way{
	checkedWay("sampled=256", basincheck.Settings{Level: basincheck.Sampled, Every: 256}),
	checkedWay("sampled=256,guard", basincheck.Settings{Level: basincheck.Sampled, Every: 256, Guard: true}),
	checkedWay("sampled=64", basincheck.Settings{Level: basincheck.Sampled, Every: 64}),
	checkedWay("sampled=32", basincheck.Settings{Level: basincheck.Sampled, Every: 32}),
	checkedWay("sampled=16", basincheck.Settings{Level: basincheck.Sampled, Every: 16}),
	checkedWay("sampled=16,guard", basincheck.Settings{Level: basincheck.Sampled, Every: 16, Guard: true}),
	checkedWay("full", basincheck.Settings{Level: basincheck.Full}),
}

// BenchmarkCheckedGateway measures the requests per second of the gateway with checks, as a
// share of those without: the median over pairs of rounds. BASIN_DEMO_DURATION sets its
// duration.
func BenchmarkCheckedGateway(b *testing.B) {
	c := Config{Duration: 10 * time.Second, Concurrency: 32}
	if d, err := time.ParseDuration(os.Getenv("BASIN_DEMO_DURATION")); err == nil {
		c.Duration = d
	}
	if err := c.Complete(); err != nil {
		b.Fatal(err)
	}
	all := slices.Concat([]way{plain, syncPool, pooled, discard}, checkedWays)
	r, err := run(b.Context(), c, all, noProgress{})
	if err != nil {
		b.Fatal(err)
	}
	byName := map[string]WayReport{}
	for _, w := range r.Ways {
		byName[w.Name] = w
	}
	base := byName[pooled.name]
	b.ReportMetric(base.RequestsPerSecond, "req/s-off")
	for _, w := range checkedWays {
		var ratios []float64
		for i, rate := range byName[w.name].rates {
			ratios = append(ratios, rate/base.rates[i])
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], w.name)
		b.Logf("%s: %s (quartiles %s to %s) of %.0f requests/s, %d rounds", w.name, three(ratios[len(ratios)/2]),
			three(ratios[len(ratios)/4]), three(ratios[3*len(ratios)/4]), base.RequestsPerSecond, len(ratios))
	}
}

func three(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// TestSampledFindsLeak has the gateway leak one body in a hundred requests, with sampled
// checks. The long form leaks one in a thousand, with checks as in production except for N,
// which is a sixth of the default. The probability that more requests than limit are needed is
// less than one in a million.
func TestSampledFindsLeak(t *testing.T) {
	perLeak, every, perRound := 100, 4, 500
	if pooltest.Long() {
		perLeak, every, perRound = 1000, basincheck.DefaultEvery/6, 5000
	}
	limit := int64(14 * perLeak * every)
	before := basincheck.Now()
	defer basincheck.Set(before)
	var leaks atomic.Int64
	var where atomic.Pointer[basincheck.Report]
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: every, Handler: func(m *basincheck.Report) {
		if m.Kind != basincheck.Leak {
			t.Errorf("reported: %v", m)
		}
		leaks.Add(1)
		where.Store(m)
	}})

	var requests atomic.Int64
	leaky := func(w http.ResponseWriter, from *http.Response) error {
		in, err := basin.ReadAll(from.Body)
		if err != nil {
			return err
		}
		if requests.Add(1)%int64(perLeak) != 0 {
			defer basin.Put(in)
		}
		out := AppendRewritten(basin.Get(RewrittenLen(in))[:0], in)
		defer basin.Put(out)
		return Send(w, out)
	}
	corpus := corpusOf(t, map[string]string{
		"small.go": "import \"golang.org/x/net\"\n",
		"large":    strings.Repeat("golang.org/x/text\n", 1000),
	})
	var upstream Upstream
	var reply UpstreamReply
	if err := upstream.Start(corpus, &reply); err != nil {
		t.Fatal(err)
	}
	var addr string
	args := GatewayArgs{Upstream: reply.Addr, Concurrency: 8}
	if err := serve(&http.Server{Handler: newHandler(args, leaky)}, &addr); err != nil {
		t.Fatal(err)
	}
	var load Load
	if err := load.Start(LoadArgs{corpus, 8}, nil); err != nil {
		t.Fatal(err)
	}
	for requests.Load() < limit && leaks.Load() == 0 {
		var r RoundReply
		if err := load.Round(RoundArgs{Addr: addr, Count: perRound, Limit: stallLimit}, &r); err != nil {
			t.Fatal(err)
		}
		runtime.GC() // a gateway under load would collect by itself
	}
	if leaks.Load() == 0 {
		t.Fatalf("no leak reported within %d requests", requests.Load())
	}
	t.Logf("reported after %d requests", requests.Load())
	m := where.Load()
	if f := m.Acquired.Frames()[0]; !strings.HasSuffix(f.File, "checked_test.go") || m.Pool != "default" {
		t.Errorf("the report is of pool %q, %s:%d", m.Pool, f.File, f.Line)
	}
}
