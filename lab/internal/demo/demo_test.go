package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// corrupt is a way that changes one byte of a long body.
var corrupt = way{name: "corrupt", forward: func(w http.ResponseWriter, body io.Reader) error {
	in, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	out := AppendRewritten(nil, in)
	if len(out) > corruptOffset {
		out[corruptOffset] ^= 0xff
	}
	return Send(w, out)
}}

const corruptOffset = 70_000

// broken is a way that fails.
var broken = way{name: "broken", forward: func(http.ResponseWriter, io.Reader) error {
	return fmt.Errorf("out of luck")
}}

// panicking is a way with a bug.
var panicking = way{name: "panicking", forward: func(http.ResponseWriter, io.Reader) error {
	panic("what a shame")
}}

// TestMain lets this program run as its own child process.
func TestMain(m *testing.M) {
	ways = append(ways, corrupt, broken, panicking)
	ways = append(ways, checkedWays...)
	if len(os.Args) == 3 && os.Args[1] == PartCommand {
		if err := RunPart(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // by default each child takes a second to exit
	os.Exit(m.Run())
}

type noProgress struct{}

func (noProgress) Step(float64, time.Duration, string) {}
func (noProgress) Finish()                             {}

// progressFunc is a Progress that calls a function at each step.
type progressFunc func(done float64, left time.Duration, what string)

func (f progressFunc) Step(done float64, left time.Duration, what string) { f(done, left, what) }
func (progressFunc) Finish()                                              {}

// corpusOf returns a directory with the given files.
func corpusOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	c := Config{
		Duration:    400 * time.Millisecond,
		Settle:      50 * time.Millisecond,
		Concurrency: 3,
		Corpus: corpusOf(t, map[string]string{
			"empty":                     "",
			"small.go":                  "import \"golang.org/x/net\"\n",
			"odd names/a b%20c#d&é;.go": "golang.org and golang.org",
			"large":                     strings.Repeat("golang.org/x/text\n", 20_000),
		}),
	}
	last := time.Hour
	report, err := run(t.Context(), c, slices.Concat([]way{plain, syncPool, pooled, discard}, attribution), progressFunc(func(done float64, left time.Duration, what string) {
		if what == "reading the files to serve" {
			return
		}
		if left <= 0 || left > last || left > c.Duration+c.Settle || done < 0 {
			t.Errorf("%s: %v done, %v left after %v", what, done, left, last)
		}
		last = left
	}))
	if err != nil {
		t.Fatal(err)
	}
	if report.CorpusFiles != 4 || report.Rounds == 0 || report.RequestsPerRound == 0 {
		t.Errorf("files, rounds, requests per round = %d, %d, %d", report.CorpusFiles, report.Rounds, report.RequestsPerRound)
	}
	if least := 7 * report.Rounds * report.RequestsPerRound; report.Verified < least {
		t.Errorf("%d responses verified, want %d or more", report.Verified, least)
	}
	if len(report.Ways) != 4+len(attribution) {
		t.Errorf("%d ways", len(report.Ways))
	}
	for _, w := range report.Ways {
		if w.RequestsPerSecond <= 0 || w.P50 <= 0 || w.P99 < w.P50 || w.BytesPerRequest <= 0 || w.AllocsPerRequest <= 0 || w.PeakHeap == 0 || w.IdleHeap == 0 || w.SettledHeap == 0 {
			t.Errorf("implausible: %+v", w)
		}
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plain", "sync.Pool", "basin", "discard", "basin / plain = ", "basin / best other", " later\n", "no requests for 50ms"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in the table:\n%s", want, &table)
		}
	}
}

func TestRunFails(t *testing.T) {
	corpus := corpusOf(t, map[string]string{"dir/large.txt": strings.Repeat("x", 2*corruptOffset)})
	for _, test := range []struct {
		name   string
		corpus string
		way    way
		want   []string
	}{
		{"wrong byte", corpus, corrupt, []string{"corrupt: dir/large.txt", fmt.Sprintf("wrong byte at offset %d", corruptOffset), "got 0x87, want 0x78"}},
		{"error in the gateway", corpus, broken, []string{"broken: dir/large.txt", "502", "out of luck"}},
		{"panic in the gateway", corpus, panicking, []string{"panicking: dir/large.txt", "what a shame", "demo_test.go"}},
		{"no files", t.TempDir(), plain, []string{"no readable files", "-corpus"}},
		{"no such way", corpus, way{name: "unheard of"}, []string{"unheard of"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Config{Duration: 100 * time.Millisecond, Concurrency: 2, Corpus: test.corpus}
			_, err := run(t.Context(), c, []way{test.way}, noProgress{})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error is %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := run(ctx, Config{Duration: time.Hour, Concurrency: 1, Corpus: corpusOf(t, map[string]string{"a": "a"})}, ways, noProgress{})
	if err != context.Canceled {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}

// TestRunInterrupted interrupts a run in its third round, or when no more requests are made.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, at string
		rounds   int // reported rounds; zero means one or more
	}{
		{"in the third round", "round 3: ", 2},
		{"in the first round", "round 1: ", -1},
		{"after the last", "no requests for 1h0m0s", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := Config{Duration: time.Hour, Settle: time.Hour, Concurrency: 1, Corpus: corpusOf(t, map[string]string{"a": "a"})}
			if test.rounds == 0 {
				c.Duration = 100 * time.Millisecond
			}
			report, err := run(ctx, c, []way{plain, pooled}, progressFunc(func(_ float64, _ time.Duration, what string) {
				if strings.HasPrefix(what, test.at) {
					cancel()
				}
			}))
			if err != context.Canceled {
				t.Fatalf("error is %v, want %v", err, context.Canceled)
			}
			if test.rounds < 0 {
				if report != nil {
					t.Errorf("there is a report of nothing: %+v", report)
				}
				return
			}
			if report == nil || !report.Interrupted || report.Rounds == 0 || test.rounds > 0 && report.Rounds != test.rounds {
				t.Fatalf("the report is %+v", report)
			}
			var table bytes.Buffer
			if err := report.WriteTable(&table); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(table.String(), "Interrupted: ") || strings.Contains(table.String(), "later") {
				t.Errorf("the table is\n%s", &table)
			}
		})
	}
}

// TestPartEndsWithInput: a part must not outlive its parent, even during a call.
func TestPartEndsWithInput(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()

	load, err := startPart(t.Context(), "load")
	if err != nil {
		t.Fatal(err)
	}
	defer load.Stop()
	corpus := corpusOf(t, map[string]string{"a": "a"})
	if err := load.Call("Load.Start", LoadArgs{corpus, 1}, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	load.Go("Load.Round", RoundArgs{Addr: silent.Addr().String(), Count: 1, Limit: time.Hour}, &RoundReply{}, nil)
	conn, err := silent.Accept() // the call is in progress
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	load.Close()
	if err := load.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

func TestPartThatDies(t *testing.T) {
	load, err := startPart(t.Context(), "load")
	if err != nil {
		t.Fatal(err)
	}
	defer load.Stop()
	if err := load.Kill(); err != nil {
		t.Fatal(err)
	}
	err = load.Call("Load.Round", RoundArgs{}, &RoundReply{})
	if err == nil || !strings.Contains(err.Error(), "the load process ended") {
		t.Errorf("error is %v", err)
	}
}
