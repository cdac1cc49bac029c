package advise

import (
	"encoding/json"
	"go/token"
	"strings"
	"testing"
)

// reportOf runs basin advise and returns its report.
func reportOf(t *testing.T, args ...string) (r Report) {
	t.Helper()
	stdout, stderr, status := command(t, append([]string{"-json"}, args...)...)
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("%v, exit status %d: %s", err, status, stderr)
	}
	return r
}

// TestProfiler leaves out memory of the profiler, also below a handler of the program, but not that below pprof.Do.
func TestProfiler(t *testing.T) {
	own, labeled := buffers, buffers
	own.std, own.line = "net/http.HandlerFunc.ServeHTTP, net/http/pprof.handler.ServeHTTP, runtime/pprof.(*Profile).WriteTo, compress/flate.NewWriter", 20
	labeled.std, labeled.line = "runtime/pprof.Do, maps.Clone", 30
	r := reportOf(t, heapProfile(t, 100, "a", buffers, own, labeled))
	if len(r.Sites) != 2 || r.Sites[0].Share != 0.5 || r.Sites[0].Line == 20 || r.Sites[1].Line == 20 || r.Bytes != 200_000<<12 {
		t.Errorf("%v of %f bytes", r.Sites, r.Bytes)
	}
	if notes := strings.Join(r.Notes, " "); !strings.Contains(notes, "without the memory that taking profiles allocates: 391 MiB.") {
		t.Error(notes)
	}
}

// TestStart has memory that is made before main begins, beside other memory of the same function.
func TestStart(t *testing.T) {
	start, later := buffers, buffers
	start.name, later.line = "example.com/a.F by runtime.doInit1", 30
	r := reportOf(t, heapProfile(t, 100, "a", start, later))
	for _, s := range r.Sites {
		if once := strings.HasPrefix(s.Reason, "It is made once, when the program starts."); once != (uint64(s.Line) == buffers.line) {
			t.Errorf("line %d: %s; %s", s.Line, s.Verdict, s.Reason)
		}
	}
	later.line = buffers.line
	if r := reportOf(t, heapProfile(t, 100, "a", start, later)); strings.Contains(r.Sites[0].Reason, "made once") {
		t.Error(r.Sites[0].Reason)
	}
}

// TestAgeBesideCache has a line that makes memory of short life, and at its first use filled a cache of the library.
func TestAgeBesideCache(t *testing.T) {
	for _, tt := range []struct {
		name string
		more uint64 // objects of the cache between the profiles
		old  bool
	}{{"once", 0, false}, {"of each value", 1, true}} {
		first := buffers
		first.std = "mime.TypeByExtension"
		cache, later := first, first
		cache.std, cache.live, cache.held = "mime.TypeByExtension, sync.(*Once).doSlow", cache.objects, cache.bytes
		grown := cache
		grown.objects, grown.bytes = grown.objects+tt.more, grown.bytes+tt.more<<12
		later.objects, later.bytes = 2*later.objects, 2*later.bytes
		r := reportOf(t, heapProfile(t, 100, "a", first, cache), heapProfile(t, 130, "a", later, grown))
		if old := r.Sites[0].Age.Min > oldAge; len(r.Sites) != 1 || old != tt.old || (r.Sites[0].Age.Max < 1) == tt.old {
			t.Errorf("%s: %d sites, %+v", tt.name, len(r.Sites), r.Sites[0].Age)
		}
	}
}

// TestByPlace compares positions in files that were parsed out of order.
func TestByPlace(t *testing.T) {
	s := newSource(".")
	s.fset = token.NewFileSet()
	b, a := s.fset.AddFile("b.go", -1, 100), s.fset.AddFile("a.go", -1, 100)
	for _, tt := range []struct {
		x, y token.Pos
		want int
	}{{a.Pos(1), b.Pos(1), -1}, {b.Pos(1), a.Pos(1), 1}, {a.Pos(2), a.Pos(1), 1}, {a.Pos(1), a.Pos(1), 0}} {
		if got := s.byPlace(tt.x, tt.y); got != tt.want {
			t.Errorf("%v and %v: %d", s.fset.Position(tt.x), s.fset.Position(tt.y), got)
		}
	}
}
