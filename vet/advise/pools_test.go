package advise

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pools runs basin advise and returns its verdicts on the pools.
func pools(t *testing.T, args ...string) (found []*Pool) {
	t.Helper()
	stdout, stderr, status := command(t, append([]string{"-json"}, args...)...)
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("%v, exit status %d: %s", err, status, stderr)
	}
	return r.Pools
}

const bodies = `{"name": "bodies", "kind": "BytePool", "gets": 100000, "hits": 99000, "misses": 1000, "puts": 100000, "handed_out_bytes": 40000000000}`

func TestPools(t *testing.T) {
	const good = `"gets": 100000, "hits": 99000, "misses": 1000, "puts": 99990, "handed_out_bytes": 40000000000`
	for _, tt := range []struct {
		name, pool string
		want       Verdict
		reason     string
	}{
		{"good", good, PoolGood, "99 % of 100000 Gets"},
		{"double", good + `, "drops": {"double": 1}`, PoolMisused, "1 were idle already"},
		{"checks", good + `, "misuse": {"write_after_put": 1}`, PoolMisused, "Checks have found"},
		{"leaks are allowed", good + `, "misuse": {"leak": 1}`, PoolGood, "99 %"},
		{"not put", `"gets": 100000, "hits": 1000, "misses": 99000, "puts": 2000, "handed_out_bytes": 40000000000`, PoolUneven, "98000 were not put back"},
		{"few Gets", `"gets": 100, "misses": 100, "handed_out_bytes": 40000000000`, PoolUnneeded, "saves 0 B a second"},
		{"too large", `"gets": 100000, "hits": 50000, "outside": 50000, "puts": 50000, "outside_bytes": 1048576, "handed_out_bytes": 40000000000`, PoolMisses, "50 % of its Gets, 1.0 MiB in all, are larger than MaxSize"},
		{"full", `"gets": 100000, "hits": 50000, "misses": 50000, "puts": 100000, "drops": {"full": 50000}, "handed_out_bytes": 40000000000`, PoolMisses, "beyond MaxIdle"},
		{"trimmed", `"gets": 100000, "hits": 50000, "misses": 50000, "puts": 100000, "trimmed": 49000, "handed_out_bytes": 40000000000`, PoolMisses, "raise IdleTime"},
		{"checked", `"gets": 100000, "hits": 50000, "misses": 50000, "puts": 100000, "drops": {"checked": 50000}, "handed_out_bytes": 40000000000`, PoolGood, "50 %"},
		{"giants", good + `, "classes": [{"size": 4096, "gets": 99990, "bytes": {"idle": 65536}}, {"size": 8388608, "gets": 10, "bytes": {"idle": 16777216}}]`, PoolGiants, "16 MiB of its 16 MiB idle are in slices of 8.0 MiB and more"},
		{"many sizes", good + `, "classes": [{"size": 4096, "gets": 60000, "bytes": {"idle": 65536}}, {"size": 8388608, "gets": 40000, "bytes": {"idle": 16777216}}]`, PoolGood, "99 %"},
		{"unused", `"gets": 0`, PoolUnneeded, "Nobody asked"},
		{"reserve", `"gets": 0, "bytes": {"max_in_use": 4096}`, PoolGood, "Nobody has asked it for anything."},
	} {
		file := write(t, []byte(`{"started": "2026-01-01T00:00:00Z", "time": "2026-01-01T01:00:00Z", "pools": [{"kind": "BytePool", "name": "p", `+tt.pool+`}]}`))
		found := pools(t, "-pools", file, heapProfile(t, 100, "a", buffers))
		if len(found) != 1 || found[0].Verdict != tt.want || !strings.Contains(strings.Join(found[0].Reasons, " "), tt.reason) {
			t.Errorf("%s: %+v", tt.name, found[0])
		}
	}
}

// TestPoolSites names the Gets that have no Put, and the findings of checks.
func TestPoolSites(t *testing.T) {
	file := write(t, []byte(`{"time": "2026-01-01T01:00:00Z", "pools": [{"kind": "BytePool", "name": "p", "gets": 100000, "misses": 100000, "puts": 1000}],
		"checking": {"sites": [{"pool": "p", "gets": 99000, "puts": 0, "leaks": 98000, "stack": ["a.F a.go:3"]}, {"pool": "p", "gets": 1000, "puts": 1000, "stack": ["a.G a.go:9"]}],
		"found": [{"kind": "double Put", "pool": "p", "count": 1, "here": ["a.H a.go:12"]}, {"kind": "leak", "pool": "p", "count": 1, "here": ["a.I a.go:13"]}]}}`))
	found := pools(t, "-pools", file, heapProfile(t, 100, "a", buffers))
	want := []string{"double Put in a.H a.go:12", "99000 Gets, 0 Puts, 98000 leaks: a.F a.go:3"}
	if len(found) != 1 || found[0].Verdict != PoolUneven || !slices.Equal(found[0].Places, want) {
		t.Errorf("%+v", found[0])
	}
}

// TestPoolForms reads the JSON of basinexpvar, and refuses other JSON.
func TestPoolForms(t *testing.T) {
	for _, text := range []string{"[" + bodies + "]", `{"cmdline": ["x"], "memstats": {"BySize": [{"Size": 1}]}, "basin": [` + bodies + `]}`} {
		if found := pools(t, "-pools", write(t, []byte(text)), heapProfile(t, 100, "a", buffers)); len(found) != 1 || found[0].Name != "bodies" {
			t.Errorf("%s: %v", text, found)
		}
	}
	for _, text := range []string{"", "[", `{"cmdline": ["x"]}`, `{"pools": 7}`, "<html>"} {
		if _, stderr, status := command(t, "-pools", write(t, []byte(text)), heapProfile(t, 100, "a", buffers)); status != 2 || !strings.Contains(stderr, "no figures of basin") {
			t.Errorf("%s: exit status %d, %s", text, status, stderr)
		}
	}
}

// TestPoolsOfServer watches a pool: only calls meanwhile count. Time is that of synctest.
func TestPoolsOfServer(t *testing.T) {
	profiles := []string{heapProfile(t, 100, "a", buffers), ""}
	more := buffers
	more.objects, more.bytes = 2*more.objects, 2*more.bytes
	profiles[1] = heapProfile(t, 130, "a", more)
	synctest.Test(t, func(t *testing.T) {
		defer func(before *http.Client) { client = before }(client)
		heaps, figures := 0, 0
		pipe := newPipeServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var text string
			switch {
			case strings.HasSuffix(r.URL.Path, "/allocs"):
				data, err := os.ReadFile(profiles[heaps])
				if err != nil {
					t.Error(err)
				}
				text, heaps = string(data), heaps+1
			case strings.HasSuffix(r.URL.Path, "/app/debug/basin/") && r.URL.RawQuery == "format=json":
				text = []string{
					`{"started": "2026-01-01T00:00:00Z", "time": "2026-01-01T01:00:00Z", "pools": [{"id": 1, "kind": "BytePool", "gets": 100000, "misses": 100000, "puts": 100000, "handed_out_bytes": 400000000}]}`,
					`{"started": "2026-01-01T00:00:00Z", "time": "2026-01-01T01:00:30Z", "pools": [{"id": 1, "kind": "BytePool", "gets": 200000, "hits": 100000, "misses": 100000, "puts": 200000, "handed_out_bytes": 800000000}]}`,
				}[figures]
				figures++
			default:
				http.NotFound(w, r)
				return
			}
			w.Write([]byte(text))
		}))
		defer pipe.close()
		client = &http.Client{Transport: pipe.transport}
		s, err := newServer("http://program.example/app/debug/pprof/")
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.take(t.Context(), 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if len(in.pools) != 1 || in.pools[0].Verdict != PoolGood || in.pools[0].Gets != 100000 {
			t.Errorf("%+v", in.pools)
		}
	})
}

const syncPools = `package a

import (
	"bytes"
	"io"
	"sync"
)

var good = sync.Pool{New: func() any { return new([64]int) }}

func Good() {
	x := good.Get().(*[64]int)
	clear(x[:])
	good.Put(x)
}

var never = sync.Pool{New: func() any { return make([]byte, 4096) }} // allocates

func Never(r io.Reader) (int, error) { return r.Read(never.Get().([]byte)) }

var unused sync.Pool

var untaken = &sync.Pool{}

func Untaken(x *[64]int) { untaken.Put(x) }

type server struct{ bufs sync.Pool }

func (s *server) Early(r io.Reader) error {
	b, _ := s.bufs.Get().(*bytes.Buffer)
	if b == nil {
		b = new(bytes.Buffer)
	}
	if _, err := b.ReadFrom(r); err != nil {
		return err
	}
	s.bufs.Put(b)
	return nil
}

type generic[T any] struct{ pool sync.Pool }

func (g *generic[T]) get() *T  { return g.pool.Get().(*T) }
func put(g *generic[int], x *int) { g.pool.Put(x) }

var Exported sync.Pool

var passed sync.Pool

func Passed(f func(*sync.Pool)) { f(&passed) }

type borrowed struct{ pool *sync.Pool }

func New(p *sync.Pool) *borrowed { return &borrowed{p} }
func (b *borrowed) get() any     { return b.pool.Get() }
`

// TestSyncPools judges pools by their source alone.
func TestSyncPools(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{"go.mod": "module a\n\ngo 1.25.0\n", "a.go": syncPools})
	before, _, _ := strings.Cut(syncPools, "// allocates")
	line := uint64(strings.Count(before, "\n") + 1)
	site := synthetic{"", "a.init.func2", "/src/a/a.go", line, line, 100_000, 100_000 << 12, 0, 0}
	var got []string
	for _, p := range pools(t, "-source", dir, heapProfile(t, 100, "a", site)) {
		got = append(got, p.Name+": "+string(p.Verdict)+" "+strings.Join(p.Places, ", "))
		if p.Name == "never of a" && !strings.Contains(strings.Join(p.Reasons, " "), "Its New has 100 % of the program's allocations") {
			t.Errorf("%+v", p)
		}
	}
	want := []string{
		"never of a: Gets without Puts Get: a.go:19",
		"unused of a: not needed ",
		"untaken of a: not needed Put: a.go:25",
		"field bufs of a: Gets without Puts Get without a Put on some path: a.go:30, Put: a.go:37",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\n\nwant\n\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
