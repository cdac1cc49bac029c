package advise

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// command runs basin advise in an empty directory.
func command(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	t.Chdir(t.TempDir())
	return advise(t, ".", args)
}

var buffers = synthetic{"io.ReadAll", "example.com/a.F", "/src/a/a.go", 10, 12, 100_000, 100_000 << 12, 0, 0}

func TestBadInput(t *testing.T) {
	var cpu bytes.Buffer
	e := newEncoder(&cpu, "samples", "cpu")
	e.sample([]uint64{e.frame(1, "main.main", "/a.go", 1, 2)}, []uint64{1, 1})
	var none bytes.Buffer
	newEncoder(&none, heapTypes...)
	good := heapProfile(t, 100, "a", buffers)
	half := buffers
	half.objects /= 2
	cut, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "name one profile or two"},
		{"missing", []string{"/no/such/file"}, "no such file or directory; name a file that curl has written from http://HOST/debug/pprof/allocs"},
		{"text", []string{write(t, []byte("hello, this is no profile"))}, "is no profile that can be read"},
		{"web page", []string{write(t, []byte("\n<!doctype html>"))}, "it is a web page"},
		{"debug=1", []string{write(t, []byte("heap profile: 1: 2 [3: 4] @ heap/1048576\n"))}, "leave out debug=1"},
		{"empty file", []string{write(t, nil)}, "it is empty or cut off"},
		{"cut off", []string{write(t, cut[:len(cut)/2])}, "it is empty or cut off"},
		{"CPU", []string{write(t, cpu.Bytes())}, "is a profile of the CPU; advise needs a heap profile"},
		{"no samples at rate 0", []string{write(t, none.Bytes())}, "sets runtime.MemProfileRate to 0"},
		{"no samples", []string{heapProfile(t, 100, "a")}, "let the program work longer"},
		{"two programs", []string{good, heapProfile(t, 130, "b", buffers)}, "are of different programs"},
		{"restarted", []string{good, heapProfile(t, 130, "a", half)}, "the program was restarted between them"},
		{"same time", []string{good, good}, "taken at the same time"},
		{"nothing between", []string{good, heapProfile(t, 130, "a", buffers)}, "allocated nothing between"},
		{"three", []string{good, good, good}, "name one profile or two"},
		{"no address", []string{"ftp://x/"}, "is no address such as"},
		{"directory", []string{"."}, ". is a directory; name a file that curl has written"},
		{"no heap", []string{"-cpu", good, good}, "-cpu: "},
		{"flag", []string{"-nonsense"}, "-help lists the flags"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, status := command(t, tt.args...)
			if status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit status %d, %s%s, want one line with %q", status, stdout, stderr, tt.want)
			}
		})
	}
}

// FuzzProfile reads any bytes, which must end and not panic.
func FuzzProfile(f *testing.F) {
	good, err := os.ReadFile(heapProfile(f, 100, "a", buffers))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readProfile(t.Context(), "x", bytes.NewReader(data))
		if err != nil {
			return
		}
		if h, err := readHeap(t.Context(), p); err == nil {
			newReport(h)
		}
	})
}

func TestRates(t *testing.T) {
	later := buffers
	later.objects, later.bytes, later.live, later.held = 400_000, 400_000<<12, 2000, 2000<<12
	small := synthetic{"", "main.G", "/src/main.go", 1, 5, 1, 100, 0, 0}
	stdout, stderr, status := command(t, heapProfile(t, 100, "a", buffers), heapProfile(t, 130, "a", later, small), "-json") // flags may follow
	if status != 0 {
		t.Fatal(stderr)
	}
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	s := r.Sites[0]
	if s.Function != "example.com/a.F" || s.Line != 12 || s.Calls != "io.ReadAll" || s.Objects != 10_000 || s.Bytes != 10_000<<12 || r.Seconds != 30 {
		t.Errorf("%+v", s)
	}
	// A mean of 1,000 live objects, none at first and 2,000 at the end, with 10,000 new ones a second: 0.1 s.
	if s.Age == nil || s.Age.Min > 0.1 || s.Age.Max < 0.1 || s.Age.Max > 0.4 {
		t.Errorf("age is %+v", s.Age)
	}
	// There are 300,000 pages, and one sample for each 512 KiB: for 128 pages.
	if want := 300_000 * -math.Expm1(-1.0/128); math.Abs(float64(s.Samples)-want) > 1 {
		t.Errorf("%d samples, want %f", s.Samples, want)
	}
	if len(s.Sizes) != 1 || s.Sizes[0].Size != 4096 {
		t.Errorf("sizes are %v", s.Sizes)
	}
}

// TestSizes has two samples of one size, whose counts runtime/pprof has scaled and rounded.
func TestSizes(t *testing.T) {
	var data bytes.Buffer
	e := newEncoder(&data, heapTypes...)
	at := []uint64{e.frame(1, "main.main", "/a.go", 1, 2)}
	e.sample(at, []uint64{1365, 524_480, 0, 0}, 384)
	e.sample(at, []uint64{500, 191_990, 0, 0}, 384)
	p, err := readProfile(t.Context(), "x", bytes.NewReader(data.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	h, err := readHeap(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if sizes := newReport(h).Sites[0].Sizes; len(sizes) != 1 || sizes[0] != (Size{384, 716_470, 1865}) {
		t.Errorf("sizes are %v", sizes)
	}
}

// TestStandard tells the program's functions from those of the standard library.
func TestStandard(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       bool
	}{
		{"io.ReadAll", "/usr/local/go/src/io/io.go", true},
		{"io.ReadAll", "io/io.go", true}, // with -trimpath
		{"encoding/json.(*Decoder).Decode", "C:/Go/src/encoding/json/stream.go", true},
		{"reflect.unsafe_New", "/usr/local/go/src/runtime/malloc.go", true},
		{"internal/bytealg.MakeNoZero", "/usr/local/go/src/runtime/slice.go", true},
		{"vendor/golang.org/x/net/http2.f", "/usr/local/go/src/vendor/golang.org/x/net/http2/f.go", true},
		{"example.com/a.(*Logger).Errorf.(*Logger).Printf.func1", "/usr/local/go/src/log/log.go", true}, // a literal, inlined
		{"example.com/a.F.Sort.func1", "slices/sort.go", true},
		{"main.F.G.func1", "/home/x/sdk/go1.26.0/src/log/log.go", true},
		{"example.com/a.(*T).F.AppendSeq[...]-range1", "/usr/local/go/src/slices/iter.go", true},
		{"example.com/log.(*Logger).Printf.func1", "/home/x/go/src/log/log.go", false},
		{"example.com/a.F.func1", "/home/x/src/log/a.go", false},
		{"example.com/log.F.func1", "example.com/log@v1.0.0/log.go", false},
		{"main.main", "/home/x/main.go", false},
		{"log/mine.F", "/home/x/log/f.go", false},
		{"example.com/io.F", "/home/x/io/f.go", false},
		{"example.com/a.F[go.shape.int]", "/home/x/a.go", false},
	} {
		if got := isStandard(tt.name, tt.file); got != tt.want {
			t.Errorf("%s in %s: %v", tt.name, tt.file, got)
		}
	}
}

// TestInterval draws from Poisson's distribution. The interval must include the mean of the
// distribution in 19 of 20 cases.
func TestInterval(t *testing.T) {
	for _, mean := range []float64{0.5, 3, 40} {
		inside, p := 0.0, math.Exp(-mean)
		for n := 0.0; n < 200; n++ {
			if lo, hi := poisson(n); lo <= mean && mean <= hi {
				inside += p
			}
			p *= mean / (n + 1)
		}
		if inside < 0.945 {
			t.Errorf("the mean %v is inside in %.3f of all cases", mean, inside)
		}
	}
}

// TestNames tells the functions of a profile that are a declared one, or a literal in it.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		name, decl string
		want       bool
	}{
		{"a.F", "F", true},
		{"a.F.func1", "F", true},
		{"a.F.func1.2", "F", true},
		{"a.F-range1", "F", true},
		{"a.Foo", "F", false},
		{"a.Foo.func1", "F", false},
		{"a.(*T).M.func1", "(*T).M", true},
		{"a.newHandler.func1.instrument.1", "instrument", true},
		{"a.Foo.F.func1", "F", true},
		{"a.Foo.F-range2", "F", true},
		{"a.Foo.F.G", "F", false},
		{"a.Serve.(*T).M.func1", "(*T).M", true},
	} {
		if got := isOf(tt.name, tt.decl); got != tt.want {
			t.Errorf("%s of %s: %v", tt.name, tt.decl, got)
		}
	}
}

func TestTableFits(t *testing.T) {
	long := buffers
	long.name = "example.com/" + strings.Repeat("verylong", 30) + ".F"
	long.file = "/src/" + strings.Repeat("x", 120) + ".go"
	stdout, stderr, status := command(t, heapProfile(t, 100, "a", buffers, long))
	if status != 0 {
		t.Fatal(stderr)
	}
	for line := range strings.Lines(stdout) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(stdout, "io.ReadAll") {
		t.Error(stdout)
	}
}

// TestLarge reads a profile of 100 MB and looks at how much memory that takes.
func TestLarge(t *testing.T) {
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("needs BASIN_TEST_LONG=1")
	}
	name := filepath.Join(t.TempDir(), "large.pprof")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	buffered := bufio.NewWriter(f)
	e := newEncoder(buffered, heapTypes...)
	e.number(12, rate)
	const functions = 20_000
	for i := range uint64(functions) {
		e.frame(i+1, "example.com/a.F"+strings.Repeat("x", int(i%50))+string(rune('a'+i%26)), "/src/a.go", i, i+3)
	}
	var samples int64
	for n := uint64(0); ; n++ {
		if n%10_000 == 0 {
			if at, _ := f.Seek(0, io.SeekCurrent); at > 100<<20 {
				samples = int64(n)
				break
			}
		}
		stack := make([]uint64, 20)
		for i := range stack {
			stack[i] = (n*31+uint64(i)*977)%functions + 1
		}
		e.sample(stack, []uint64{2, 2 * (16 + n%4096), 1, 16 + n%4096})
	}
	buffered.Flush()
	f.Close()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var h *heap
	if err := withFile(t.Context(), name, func(p *profile) error {
		h, err = readHeap(t.Context(), p)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if h.total.objects != 2*samples {
		t.Errorf("%d objects of %d samples", h.total.objects, samples)
	}
	// The bytes allocated in all are more than the bytes held at a time.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<30 {
		t.Errorf("it took %d MiB", grown>>20)
	}
}

func TestServer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	server := httptest.NewServer(mux)
	defer server.Close()
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				sink = make([]byte, 64<<10)
			}
		}
	}()
	stdout, stderr, status := command(t, "-json", "-for", "1s", server.URL)
	close(stop)
	<-stopped
	if status != 0 {
		t.Fatal(stderr)
	}
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if r.Collections == 0 || r.GCShare == nil || len(r.Sites) == 0 || r.Sites[0].Function != "github.com/basin-go/basin/vet/advise.TestServer.func1" {
		t.Errorf("%.2000s", stdout)
	}
}

var sink []byte

// TestHostile asks servers that give no profile. Time is that of synctest.
func TestHostile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request)
		want   string
	}{
		{"not found", http.NotFound, "answers 404; the program has to import net/http/pprof"},
		{"web page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, "it is a web page"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		}, "sends us elsewhere"},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "does not end its answer within 30s"},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write([]byte{0x1f, 0x8b})
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		}, "does not end its answer within 30s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before := client
				defer func() { client = before }()
				pipe := newPipeServer(http.HandlerFunc(tt.answer))
				defer pipe.close()
				client = &http.Client{Transport: pipe.transport, CheckRedirect: before.CheckRedirect}
				s, err := newServer("http://program.example/")
				if err != nil {
					t.Fatal(err)
				}
				_, err = s.take(context.Background(), time.Second)
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %q", err, tt.want)
				}
			})
		})
	}
}
