//go:build go1.25

package basinhttp_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/internal/testenv"
)

// get returns h's answer to a GET of target.
func get(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w
}

func report(t *testing.T, h http.Handler) basinhttp.Report {
	t.Helper()
	w := get(h, "/?format=json")
	if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != "application/json" {
		t.Fatalf("status %d, Content-Type %q", w.Code, got)
	}
	var r basinhttp.Report
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// used returns a pool that has something in use, something idle and drops.
func used(name string) *basin.BytePool {
	p := &basin.BytePool{Name: name}
	p.Put(p.Get(1000))
	p.Put(p.Get(70000))
	p.Get(5000)
	p.Put(make([]byte, 77)) //basin:ok a foreign slice, to be counted
	return p
}

func find(pools []basin.Stats, name string) *basin.Stats {
	i := slices.IndexFunc(pools, func(s basin.Stats) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &pools[i]
}

// TestPage looks at the one response.
func TestPage(t *testing.T) {
	w := get(basinhttp.Handler(), "/debug/basin/")
	page := w.Body.String()
	if w.Code != http.StatusOK || len(page) >= 116_000 {
		t.Errorf("status %d, %d bytes", w.Code, len(page))
	}
	if strings.Contains(page, "{{") {
		t.Error("a part of the page is missing")
	}
	// Nothing comes from elsewhere. Names of namespaces, which are not fetched, aside.
	text := regexp.MustCompile(`http://www\.w3\.org/\d+/svg`).ReplaceAllString(page, "")
	text = strings.ReplaceAll(text, "/*! https://github.com/leeoniya/uPlot", "")
	for _, pattern := range []string{`https?:`, `url\(`, `@import`, `<link [^>]*href="[^d]`, ` src=`, `\son\w+=`, `\sstyle=`} {
		if found := regexp.MustCompile(pattern).FindString(text); found != "" {
			t.Errorf("the page has %q", found)
		}
	}

	policy := w.Header().Get("Content-Security-Policy")
	allowed := 0
	for _, tag := range []string{"style", "script"} {
		for _, m := range regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1) {
			sum := sha256.Sum256([]byte(m[1]))
			if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("the policy does not allow the %s that begins %.40q", tag, m[1])
			}
			allowed++
		}
	}
	if n := strings.Count(policy, "'sha256-"); n != allowed || n == 0 {
		t.Errorf("the policy allows %d styles and scripts, the page has %d", n, allowed)
	}
	for _, want := range []string{"default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy is %s, want %s", policy, want)
		}
	}
	for _, bad := range []string{"unsafe", "*", "http"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy is %s", policy)
		}
	}
}

// TestRequests is about requests of all kinds, on a handler with and one without AllowTrim.
func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		name, method, target string
		header               string
		plain, trimming      int // status
	}{
		{"page", "GET", "/debug/basin/", "", 200, 200},
		{"page by name", "GET", "/debug/basin", "", 200, 200},
		{"page elsewhere", "GET", "/x/y?a=b", "", 200, 200},
		{"page, head only", "HEAD", "/debug/basin/", "", 200, 200},
		{"data", "GET", "/?format=json", "", 200, 200},
		{"data for a foreign page", "GET", "/?format=json", "Origin: http://evil.example", 200, 200}, // which the browser keeps from it
		{"unknown format", "GET", "/?format=xml", "", 400, 400},
		{"hostile format", "GET", "/?format=%3Cscript%3E", "", 400, 400},
		{"trim by GET", "GET", "/?trim=all", "", 200, 200}, // the page, and nothing else
		{"trim all", "POST", "/?trim=all", "", 403, 204},
		{"trim from the page", "POST", "/?trim=all", "Sec-Fetch-Site: same-origin", 403, 204},
		{"trim from a foreign page", "POST", "/?trim=all", "Sec-Fetch-Site: cross-site", 403, 403},
		{"trim from a page of the same domain", "POST", "/?trim=all", "Sec-Fetch-Site: same-site", 403, 403},
		{"trim from a foreign page, old browser", "POST", "/?trim=all", "Origin: http://evil.example", 403, 403},
		{"trim from a page without an origin", "POST", "/?trim=all", "Origin: null", 403, 403},
		{"trim from the page, old browser", "POST", "/?trim=all", "Origin: http://example.com", 403, 204},
		{"trim a pool that does not exist", "POST", "/?trim=18446744073709551615", "", 403, 404},
		{"trim nothing", "POST", "/", "", 403, 400},
		{"trim by name", "POST", "/?trim=bodies", "", 403, 400},
		{"trim a negative ID", "POST", "/?trim=-1", "", 403, 400},
		{"trim a huge ID", "POST", "/?trim=18446744073709551616", "", 403, 400},
		{"PUT", "PUT", "/", "", 405, 405},
		{"DELETE", "DELETE", "/?trim=all", "", 405, 405},
		{"OPTIONS", "OPTIONS", "/", "", 405, 405},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := used(t.Name())
			defer runtime.KeepAlive(p)
			for _, c := range []struct {
				name string
				h    http.Handler
				want int
			}{{"plain", basinhttp.Handler(), tt.plain}, {"trimming", basinhttp.Handler(basinhttp.AllowTrim()), tt.trimming}} {
				r := httptest.NewRequest(tt.method, tt.target, nil)
				if name, value, ok := strings.Cut(tt.header, ": "); ok {
					r.Header.Set(name, value)
				}
				w := httptest.NewRecorder()
				c.h.ServeHTTP(w, r)
				if w.Code != c.want {
					t.Errorf("%s: status %d, want %d: %s", c.name, w.Code, c.want, w.Body)
				}
				if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
					t.Errorf("%s: %q may read this", c.name, got)
				}
				if w.Code >= 400 && (strings.Contains(w.Body.String(), "<") || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")) {
					t.Errorf("%s: a message of %q: %s", c.name, w.Header().Get("Content-Type"), w.Body)
				}
				if idle := p.Stats().Bytes.Idle; (idle == 0) != (w.Code == http.StatusNoContent) {
					t.Errorf("%s: status %d and %d bytes idle", c.name, w.Code, idle)
				}
			}
		})
	}
}

// TestTrimOne trims one pool and not another.
func TestTrimOne(t *testing.T) {
	one, other := used(t.Name()), used("another")
	h := basinhttp.Handler(basinhttp.AllowTrim())
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", fmt.Sprintf("/?trim=%d", find(report(t, h).Pools, t.Name()).ID), nil))
	if w.Code != http.StatusNoContent || one.Stats().Bytes.Idle != 0 || other.Stats().Bytes.Idle == 0 {
		t.Errorf("status %d, idle %d and %d", w.Code, one.Stats().Bytes.Idle, other.Stats().Bytes.Idle)
	}
}

// TestReport compares the figures with those of the pools, at rest.
func TestReport(t *testing.T) {
	p := used(t.Name())
	v := &basin.Pool[int]{Name: t.Name() + " values"}
	v.Put(1)
	h := basinhttp.Handler(basinhttp.AllowTrim())
	before := basinexport.Append(nil)
	r := report(t, h)
	after := basinexport.Append(nil)
	if !r.CanTrim || report(t, basinhttp.Handler()).CanTrim {
		t.Error("it does not say whether pools can be trimmed")
	}
	if r.Time.IsZero() || r.Started.IsZero() || r.Started.After(r.Time) || r.Program == "" {
		t.Errorf("%+v", r)
	}
	if r.Go.Version != runtime.Version() || r.Go.Procs != runtime.GOMAXPROCS(0) || r.Go.Goroutines < 1 || r.Go.HeapBytes == 0 || r.Go.MemoryBytes < r.Go.HeapBytes {
		t.Errorf("%+v", r.Go)
	}
	if got := find(r.Pools, t.Name()); got == nil || !reflect.DeepEqual(*got, p.Stats()) || got.Gets != 3 || got.Drops.Foreign != 1 {
		t.Errorf("got %+v, want %+v", got, p.Stats())
	}
	if got := find(r.Pools, v.Name); got == nil || got.Items.Idle != 1 || got.Items.MaxIdle != v.Stats().Items.MaxIdle {
		t.Errorf("got %+v, want %+v", got, v.Stats())
	}
	// The pools of other tests may go at any moment.
	if !within(after, r.Pools) || !within(r.Pools, before) {
		t.Error("not all pools are there, or too many")
	}

	// The memory of one report serves the next, which must not show pools that are gone.
	name := t.Name() + " late"
	late := used(name)
	if find(report(t, h).Pools, name) == nil {
		t.Error("a pool that appeared is not there")
	}
	runtime.KeepAlive(late)
	testenv.CollectUntil(func() bool { return find(report(t, h).Pools, name) == nil })
	if find(report(t, h).Pools, t.Name()) == nil {
		t.Error("another pool than the one that disappeared is not there")
	}
	runtime.KeepAlive(p)
	runtime.KeepAlive(v)
}

// within reports whether some are a part of all, in the same order.
func within(some, all []basin.Stats) bool {
	for _, s := range all {
		if len(some) > 0 && some[0].ID == s.ID {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// hostileNames are names that a page must show as they are.
var hostileNames = map[string]string{
	"markup":       `<img src=x onerror=alert(1)><script>alert(2)</script>`,
	"quotes":       `"quoted" 'name' ` + "`back`" + ` \ ${x} &amp; %s`,
	"newlines":     "one\ntwo\r\nthree\ttab\x00\x1b[31mred",
	"long":         strings.Repeat("ten bytes ", 1024),
	"separators":   "a\u2028b\u2029c\u202egnol",
	"end of page":  `</script></style></body></html><!--`,
	"prototype":    `__proto__`,
	"not UTF-8":    "caf\xe9 \xff",
	"other script": "池 пул 🪣",
}

func TestHostileNames(t *testing.T) {
	for what, name := range hostileNames {
		t.Run(what, func(t *testing.T) {
			p := used(name)
			h := basinhttp.Handler()
			if find(report(t, h).Pools, strings.ToValidUTF8(name, "\ufffd")) == nil {
				t.Error("the pool is not there under its name")
			}
			if text := get(h, "/?format=json").Body.String(); strings.ContainsAny(text, "<>&\u2028\u2029") {
				t.Error("a browser may take some of this for markup")
			}
			runtime.KeepAlive(p)
		})
	}
}

// TestThousandPools reads a thousand pools, from many goroutines.
func TestThousandPools(t *testing.T) {
	pools := make([]*basin.BytePool, 1000)
	for i := range pools {
		pools[i] = used(t.Name())
	}
	h := basinhttp.Handler()
	done := make(chan int)
	for range 4 {
		go func() {
			n := 0
			var r basinhttp.Report
			if json.Unmarshal(get(h, "/?format=json").Body.Bytes(), &r) == nil {
				for _, s := range r.Pools {
					if s.Name == t.Name() && s.Gets == 3 {
						n++
					}
				}
			}
			done <- n
		}()
	}
	for range 4 {
		if n := <-done; n != 1000 {
			t.Errorf("%d pools", n)
		}
	}
	runtime.KeepAlive(pools)
}

// A stuckWriter is a client that does not read.
type stuckWriter struct {
	*httptest.ResponseRecorder
	stuck, leave chan struct{}
}

func (w stuckWriter) Write(b []byte) (int, error) {
	select {
	case <-w.stuck:
	default:
		close(w.stuck)
	}
	<-w.leave
	return w.ResponseRecorder.Write(b)
}

// TestSlowReader has one client that does not read while others do, and pools
// that are used.
func TestSlowReader(t *testing.T) {
	p := used(t.Name())
	h := basinhttp.Handler()
	slow := stuckWriter{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	ctx, finish := context.WithCancel(t.Context())
	go func() {
		defer finish()
		h.ServeHTTP(slow, httptest.NewRequest("GET", "/?format=json", nil))
	}()
	<-slow.stuck
	for range 100 {
		p.Put(p.Get(1000))
	}
	if got := find(report(t, h).Pools, t.Name()); got.Gets != 103 {
		t.Errorf("another client sees %d gets", got.Gets)
	}
	close(slow.leave)
	<-ctx.Done()
	// The report is complete, and of the time of the request.
	var r basinhttp.Report
	if err := json.Unmarshal(slow.Body.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if got := find(r.Pools, t.Name()); got.Gets != 3 {
		t.Errorf("the slow client sees %d gets", got.Gets)
	}
	runtime.KeepAlive(p)
}

// TestNothingRuns looks at the costs while nobody watches. A goroutine that stays would end the bubble with a panic.
func TestNothingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := basinhttp.Handler()
		get(h, "/")
		get(h, "/?format=json")
	})
}

// TestRegister is about the default mux, which is left alone without it.
func TestRegister(t *testing.T) {
	pattern := func() string {
		_, p := http.DefaultServeMux.Handler(httptest.NewRequest("GET", "/debug/basin/", nil))
		return p
	}
	if p := pattern(); p != "" {
		t.Errorf("there is a handler for %q", p)
	}
	defer func(mux *http.ServeMux) { http.DefaultServeMux = mux }(http.DefaultServeMux)
	http.DefaultServeMux = http.NewServeMux()
	basinhttp.Register()
	if p := pattern(); p != basinhttp.Path {
		t.Errorf("the pattern is %q", p)
	}
	if w := get(http.DefaultServeMux, "/debug/basin/"); !strings.Contains(w.Body.String(), "<title>basin") {
		t.Errorf("status %d", w.Code)
	}
}

// TestImports makes sure that a program that imports basin alone does not get an HTTP server.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/basin-go/basin").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/basin-go/basin") {
		t.Fatalf("go list says %q", deps)
	}
	for _, bad := range []string{"net/http", "net", "expvar", "html/template", "compress/gzip"} {
		if slices.Contains(deps, bad) {
			t.Errorf("basin depends on %s", bad)
		}
	}
}

// BenchmarkReport makes the report that the page requests once a second, of 100 pools with six size
// classes each.
func BenchmarkReport(b *testing.B) {
	pools := make([]*basin.BytePool, 100)
	for i := range pools {
		p := &basin.BytePool{Name: "one of a hundred"}
		for size := 64; size < 1<<16; size *= 4 {
			p.Put(p.Get(size))
		}
		pools[i] = p
	}
	h := basinhttp.Handler()
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(get(h, "/?format=json").Body.Len()))
	}
	runtime.KeepAlive(pools)
}
