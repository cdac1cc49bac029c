package basinpprof_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof" // to be registered next to
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinpprof"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/google/pprof/profile"
)

//go:noinline
func leakSome(p *basin.BytePool, n, size int) (held [][]byte) {
	for range n {
		held = append(held, p.Get(size))
	}
	return held
}

// check turns checks on for the test.
func check(t *testing.T, c basincheck.Settings) {
	before := basincheck.Now()
	basincheck.Set(basincheck.Settings{})
	basincheck.Set(c)
	t.Cleanup(func() { basincheck.Set(before) })
}

func TestProfile(t *testing.T) {
	check(t, basincheck.Settings{Level: basincheck.Full})
	leaky := &basin.BytePool{Name: "leaky"}
	held := leakSome(leaky, 5, 1000)
	other := basin.Get(100)

	var file bytes.Buffer
	if err := basinpprof.Write(&file); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	if len(p.Sample) != 2 {
		t.Fatalf("%d samples, want 2:\n%v", len(p.Sample), p)
	}
	if p.SampleType[0].Type != "inuse_objects" || p.SampleType[1].Type != "inuse_space" || p.SampleType[1].Unit != "bytes" {
		t.Errorf("sample types %v", p.SampleType)
	}
	s := p.Sample[0] // the most bytes come first
	if s.Value[0] != 5 || s.Value[1] != 5*1024 || s.Label["pool"][0] != "leaky" {
		t.Errorf("of the leaky pool: %v %v", s.Value, s.Label)
	}
	if f := s.Location[0].Line[0]; !strings.HasSuffix(f.Function.Name, ".leakSome") || filepath.Base(f.Function.Filename) != "basinpprof_test.go" {
		t.Errorf("acquired by %v, line %d", f.Function, f.Line)
	}
	if f := s.Location[1].Line[0]; !strings.HasSuffix(f.Function.Name, ".TestProfile") {
		t.Errorf("called by %v", f.Function)
	}
	runtime.KeepAlive(held)
	runtime.KeepAlive(other)
}

// TestGoToolPprof has the tool that people know read the profile, from a server. go run, unlike go tool,
// compiles it with the flags of GOFLAGS, as all else here.
func TestGoToolPprof(t *testing.T) {
	if !pooltest.Long() {
		t.Skip("compiles pprof")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	check(t, basincheck.Settings{Level: basincheck.Full})
	held := leakSome(basin.Default(), 3, 1<<20)
	basinpprof.Register(http.DefaultServeMux)
	server := httptest.NewServer(nil)
	defer server.Close()
	for _, sample := range []struct{ index, want string }{
		{"inuse_space", `3MB +\S+ +\S+ +3MB +\S+ +\S+basinpprof_test\.leakSome`},
		{"inuse_objects", `3 +100% +100% +3 +100% +\S+basinpprof_test\.leakSome`},
	} {
		cmd := exec.Command("go", "run", "cmd/pprof", "-top", "-sample_index="+sample.index, server.URL+"/debug/pprof/basin_inuse")
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go tool pprof: %v\n%s", err, out)
		}
		if !regexp.MustCompile(sample.want).Match(out) {
			t.Errorf("go tool pprof -top -sample_index=%s, want %s:\n%s", sample.index, sample.want, out)
		}
	}
	runtime.KeepAlive(held)
}

func TestHandlerText(t *testing.T) {
	for _, tt := range []struct {
		c    basincheck.Settings
		want []string
	}{
		{basincheck.Settings{}, []string{"0 items, 0 bytes in use (checking: off)"}},
		{basincheck.Settings{Level: basincheck.Full}, []string{"2 items, 2048 bytes in use (checking: full)", `of pool "texts"`, "leakSome"}},
		{basincheck.Settings{Level: basincheck.Sampled, Every: 1}, []string{"2 items", "an estimate from one in 1"}},
	} {
		check(t, tt.c)
		held := leakSome(&basin.BytePool{Name: "texts"}, 2, 1024)
		w := httptest.NewRecorder()
		basinpprof.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?debug=1", nil))
		text, _ := io.ReadAll(w.Body)
		for _, want := range tt.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("with %v, want %q in:\n%s", tt.c.Level, want, text)
			}
		}
		runtime.KeepAlive(held)
	}
}

// TestProfileOff has an empty profile that is one nevertheless.
func TestProfileOff(t *testing.T) {
	check(t, basincheck.Settings{})
	var file bytes.Buffer
	if err := basinpprof.Write(&file); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&file)
	if err != nil || len(p.Sample) != 0 {
		t.Errorf("%v, %v, want no samples", err, p)
	}
}
