package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/testenv"
)

// load sends requests through a gateway in this process, and returns how many bytes were
// allocated and how many collections there were. It calls between halfway.
func load(t *testing.T, w way, requests int, between func()) (allocated uint64, collections uint32) {
	t.Helper()
	body := strings.Repeat(strings.Repeat("x", 90)+origin, 800)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, body[:2000+len(r.URL.Path)*3000])
	}))
	defer upstream.Close()
	args := GatewayArgs{Upstream: strings.TrimPrefix(upstream.URL, "http://"), Concurrency: 4}
	gateway := httptest.NewServer(newHandler(args, func(rw http.ResponseWriter, from *http.Response) error {
		return w.forward(rw, sized{from.Body, from.ContentLength})
	}))
	defer gateway.Close()
	send := func() {
		var all sync.WaitGroup
		for c := range 4 {
			all.Go(func() {
				for i := range requests / 8 {
					resp, err := http.Get(gateway.URL + "/" + strings.Repeat("a", (c+i)%20))
					if err != nil {
						t.Error(err)
						return
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			})
		}
		all.Wait()
	}
	send()
	between()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	send()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.NumGC - before.NumGC
}

// TestAdvise runs basin advise on a profile of the plain gateway. Its two sites must come
// first, with the calls that the basin way makes, and the predicted savings of bytes and of
// collections must be the real ones.
func TestAdvise(t *testing.T) {
	testenv.Tree()
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("needs BASIN_TEST_LONG=1")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	before := runtime.MemProfileRate
	runtime.MemProfileRate = 32 << 10
	defer func() { runtime.MemProfileRate = before }()
	dir := t.TempDir()
	var names []string
	take := func() {
		runtime.GC() // the second collection publishes the counts of the first
		runtime.GC()
		name := filepath.Join(dir, fmt.Sprint(len(names), ".pprof"))
		names = append(names, name)
		f, err := os.Create(name)
		if err == nil {
			err = pprof.Lookup("allocs").WriteTo(f, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	const requests = 8000
	plainBytes, plainGCs := load(t, plain, requests, take)
	time.Sleep(time.Millisecond) // the profiles must have different times
	take()
	basinBytes, basinGCs := load(t, pooled, requests, func() {})

	program := filepath.Join(dir, "basin.exe")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/basin-go/basin/cmd/basin").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var report struct {
		Seconds float64
		Gain    struct {
			Bytes float64 `json:"bytes_share"`
		}
		Sites []struct {
			Function, Kind, Verdict, Call string
			Patch                         bool
			Bytes                         float64
		}
	}
	cmd := exec.Command(program, "advise", "-json", "-source", "../..", names[0], names[1])
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &report)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Sites) < 2 {
		t.Fatalf("%s", out)
	}
	saved := 0.0
	for i, want := range []struct{ kind, call string }{
		{"io.ReadAll", "basin.ReadAll and basin.Put"},
		{"make([]byte)", "basin.Get and basin.Put"},
	} {
		s := report.Sites[i]
		if !strings.HasSuffix(s.Function, "/demo.forwardPlain") || s.Kind != want.kind || s.Verdict != "pool it" || s.Call != want.call || !s.Patch {
			t.Errorf("site %d is %+v", i, s)
		}
		saved += s.Bytes * report.Seconds
	}
	if measured := float64(plainBytes) - float64(basinBytes); math.Abs(saved-measured) > 0.15*measured {
		t.Errorf("it predicts that pooling saves %.0f bytes, and %.0f are saved", saved, measured)
	} else {
		t.Logf("predicted %.0f bytes, measured %.0f", saved, measured)
	}
	fewer := float64(plainGCs) * report.Gain.Bytes
	if measured := float64(plainGCs) - float64(basinGCs); math.Abs(fewer-measured) > 0.25*measured {
		t.Errorf("of %d collections it predicts %.0f fewer, and there are %.0f fewer", plainGCs, fewer, measured)
	} else {
		t.Logf("of %d collections predicted %.0f fewer, measured %.0f", plainGCs, fewer, measured)
	}

	lab := labCopy(t)
	write := exec.Command(program, "advise", "-write", "-source", lab, names[0], names[1])
	write.Dir = lab
	if out, err := write.CombinedOutput(); err != nil || !strings.Contains(string(out), "changed internal/demo/way_plain.go\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	test := exec.Command("go", "test", "-count=1", "-v", "-run=^TestPatchedGateway$", "./internal/demo")
	test.Dir = lab
	test.Env = append(os.Environ(), "BASIN_TEST_PATCHED=1")
	out, err = test.CombinedOutput()
	if err != nil {
		t.Error("the gateway that basin advise has changed fails its test")
	}
	t.Logf("%s", out)
}

// labCopy copies this module, and a workspace that uses the copy instead of it.
func labCopy(t *testing.T) (lab string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	lab = filepath.Join(tmp, "lab")
	if err := os.CopyFS(lab, os.DirFS(filepath.Join(root, "lab"))); err != nil {
		t.Fatal(err)
	}
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(work)) {
		words := strings.Fields(line)
		if n := len(words) - 1; n >= 0 && strings.HasPrefix(words[n], ".") && words[n] != "./lab" {
			words[n] = filepath.ToSlash(filepath.Join(root, words[n]))
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.work.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"go.work": []byte(b.String()), "go.work.sum": sums} {
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return lab
}

// TestPatchedGateway runs in a copy of this module whose plain way basin advise has changed: it must send the same
// bytes as before, and allocate at most a tenth more than a gateway that holds no body at all.
func TestPatchedGateway(t *testing.T) {
	if os.Getenv("BASIN_TEST_PATCHED") != "1" {
		t.Skip("TestAdvise runs it")
	}
	for n := range 3000 { // some sizes several times, so that memory is reused
		body := strings.Repeat(fmt.Sprint(n, origin, " and "), n%700)
		rec := httptest.NewRecorder()
		if err := plain.forward(rec, strings.NewReader(body)); err != nil {
			t.Fatal(err)
		}
		if want := AppendRewritten(nil, []byte(body)); rec.Body.String() != string(want) {
			t.Fatalf("request %d: wrong bytes", n)
		}
	}
	const requests = 8000
	floor, _ := load(t, discard, requests, func() {})
	patched, _ := load(t, plain, requests, func() {})
	if float64(patched) > 1.1*float64(floor) {
		t.Errorf("it allocates %d bytes; without bodies it is %d", patched, floor)
	} else {
		t.Logf("it allocates %d bytes; without bodies it is %d", patched, floor)
	}
}
