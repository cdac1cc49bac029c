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
	"strings"
	"testing"
	"time"
)

// corrupt is a way that gets one byte of a long body wrong.
var corrupt = way{name: "corrupt", forward: func(w http.ResponseWriter, body io.Reader) error {
	in, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	out := appendRewritten(nil, in)
	if len(out) > corruptOffset {
		out[corruptOffset] ^= 0xff
	}
	return send(w, out)
}}

const corruptOffset = 70_000

// broken is a way that fails.
var broken = way{name: "broken", forward: func(http.ResponseWriter, io.Reader) error {
	return fmt.Errorf("out of luck")
}}

// panicking is a way that shows a bug.
var panicking = way{name: "panicking", forward: func(http.ResponseWriter, io.Reader) error {
	panic("what a shame")
}}

// TestMain lets this program be its own child process.
func TestMain(m *testing.M) {
	ways = append(ways, corrupt, broken, panicking)
	ways = append(ways, checkedWays...)
	if len(os.Args) == 3 && os.Args[1] == PartCommand {
		if err := RunPart(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or each child takes a second to exit
	os.Exit(m.Run())
}

type noProgress struct{}

func (noProgress) Step(float64, string) {}
func (noProgress) Finish()              {}

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
		Concurrency: 3,
		Corpus: corpusOf(t, map[string]string{
			"empty":                     "",
			"small.go":                  "import \"golang.org/x/net\"\n",
			"odd names/a b%20c#d&é;.go": "golang.org and golang.org",
			"large":                     strings.Repeat("golang.org/x/text\n", 20_000),
		}),
	}
	report, err := run(t.Context(), c, []way{plain, syncPool, pooled, discard}, noProgress{})
	if err != nil {
		t.Fatal(err)
	}
	if report.CorpusFiles != 4 || report.Rounds == 0 || report.RequestsPerRound == 0 {
		t.Errorf("files, rounds, requests per round = %d, %d, %d", report.CorpusFiles, report.Rounds, report.RequestsPerRound)
	}
	if least := 3 * report.Rounds * report.RequestsPerRound; report.Verified < least {
		t.Errorf("%d responses verified, want %d or more", report.Verified, least)
	}
	for _, w := range report.Ways {
		if w.RequestsPerSecond <= 0 || w.P50 <= 0 || w.P99 < w.P50 || w.BytesPerRequest <= 0 || w.AllocsPerRequest <= 0 || w.PeakHeap == 0 || w.IdleHeap == 0 {
			t.Errorf("implausible: %+v", w)
		}
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plain", "sync.Pool", "basin", "discard", "basin / plain = ", "basin / best other"} {
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

// A part must not outlive its parent, even in the middle of a call.
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
	conn, err := silent.Accept() // the call is under way
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
