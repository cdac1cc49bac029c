package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/footprint"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/lab/internal/bench"
	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/basin-go/basin/lab/internal/report"
	"github.com/basin-go/basin/lab/internal/uploads"
)

// asMain is the environment variable that makes the test program the command.
const asMain = "BASIN_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // by default each child takes a second to exit
	os.Exit(m.Run())
}

// command returns the command with the given arguments, not started yet.
func command(t *testing.T, args ...string) (c *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	c = exec.CommandContext(t.Context(), exe, args...)
	c.Env = append(os.Environ(), asMain+"=1")
	c.Stdout, c.Stderr = stdout, stderr
	return c, stdout, stderr
}

func corpus(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"empty":  "",
		"a.txt":  "golang.org\n",
		"b.text": strings.Repeat("see golang.org/x/net\n", 5000),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDemo(t *testing.T) {
	c, stdout, stderr := command(t, "demo", "-json", "-duration", "300ms", "-settle", "100ms", "-concurrency=2", "-corpus", corpus(t))
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var report demo.Report
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	var names []string
	for _, w := range report.Ways {
		names = append(names, w.Name)
	}
	if got, want := strings.Join(names, " "), "plain sync.Pool basin discard"; got != want {
		t.Errorf("ways are %q, want %q", got, want)
	}
	if report.Verified == 0 {
		t.Error("no responses verified")
	}
	if report.CorpusFiles != 3 {
		t.Errorf("%d files in the corpus, want 3", report.CorpusFiles)
	}
	if !strings.Contains(stderr.String(), "\nround 1: basin, ") {
		t.Errorf("no progress on standard error:\n%s", stderr)
	}
}

func TestDemoOverload(t *testing.T) {
	duration := "1s"
	if pooltest.Long() { // so long that all clients send a request even on a slow machine
		duration = "4s"
	}
	c, stdout, stderr := command(t, "demo", "-overload", "-max-in-use", "1MiB", "-json", "-duration", duration, "-concurrency=16", "-corpus", corpus(t))
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var report demo.OverloadReport
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	if report.Ceiling != 1<<20 || len(report.Gateways) != 2 {
		t.Fatalf("implausible: %s", stdout)
	}
	g := report.Gateways[0]
	if g.Name != "ceiling" || g.Served == 0 || pooltest.Long() && g.Refused == 0 && g.Waited == 0 || g.Wrong != 0 || g.PeakInUse > report.Ceiling || !g.WithinLimits || g.Recovered == 0 {
		t.Errorf("implausible: %+v", g)
	}
}

func TestMistakes(t *testing.T) {
	dir := corpus(t)
	file := filepath.Join(dir, "a.txt")
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"demo -duration 0s", exitUsage, "-duration must be more than zero"},
		{"demo -duration -1s", exitUsage, "-duration must be more than zero"},
		{"demo -duration soon", exitUsage, `"soon"`},
		{"demo -duration", exitUsage, "-duration"},
		{"demo --concurrency 0", exitUsage, "-concurrency must be more than zero"},
		{"demo -concurrency -3", exitUsage, "-concurrency must be more than zero"},
		{"demo -corpus " + filepath.Join(dir, "none"), exitUsage, "none"},
		{"demo -corpus " + file, exitUsage, "must be a directory"},
		{"demo -corpus " + t.TempDir(), exitFailure, "no readable files"},
		{"demo -max-in-use 64MiB", exitUsage, "-overload"},
		{"demo -overload -max-in-use much", exitUsage, `"much"`},
		{"demo -overload -max-in-use 64QB", exitUsage, `"64QB"`},
		{"demo -overload -max-in-use -1MiB", exitUsage, "-max-in-use"},
		{"demo -overload -max-in-use 16EiB", exitUsage, `"16EiB"`},
		{"demo -overload -max-in-use 0", exitUsage, "-max-in-use must be more than zero"},
		{"demo -overload -max-in-use", exitUsage, "-max-in-use"},
		{"demo -memory-limit 64MiB", exitUsage, "-overload"},
		{"demo -serve -overload -memory-limit 64MiB", exitUsage, "-serve"},
		{"demo -overload -memory-limit much", exitUsage, `"much"`},
		{"demo -overload -memory-limit 0", exitUsage, "-memory-limit must be more than zero"},
		{"demo -overload -memory-limit 100MiB", exitUsage, "-memory-limit must be at least 112 MiB"},
		{"demo -overload -settle 1s", exitUsage, "-settle"},
		{"demo -settle -1s", exitUsage, "-settle must be zero or more"},
		{"demo -overload -concurrency 0", exitUsage, "-concurrency must be more than zero"},
		{"demo -overload -duration 0s", exitUsage, "-duration must be more than zero"},
		{"demo -overload -max-in-use 64KiB -corpus " + dir, exitFailure, "-max-in-use 64 KiB is too little"},
		{"demo -speed 3", exitUsage, "-speed"},
		{"demo now", exitUsage, `"now"`},
		{"bench now", exitUsage, `"now"`},
		{"bench -run unheard-of", exitUsage, "unknown workload \"unheard-of\"; there are: getput, "},
		{"bench -subjects nobody", exitUsage, "unknown subject \"nobody\"; there are: basin, "},
		{"bench -rounds 0", exitUsage, "-rounds must be more than zero"},
		{"bench -rounds many", exitUsage, `"many"`},
		{"bench -html " + dir, exitFailure, "is a directory"},
		{"bench -html " + filepath.Join(dir, "none", "page.html"), exitFailure, "page.html"},
		{"bench -docs " + dir, exitUsage, "-docs needs -from"},
		{"bench -docs " + filepath.Join(dir, "none") + " -from " + file, exitFailure, "benchmarks.md"},
		{"bench -from " + filepath.Join(dir, "none"), exitFailure, "none"},
		{"bench -from " + file, exitFailure, "invalid character"},
		{"limit -n 0", exitUsage, "-n and -each must be at least 1"},
		{"limit -size 0", exitUsage, "-size is from 1 byte"},
		{"limit -size -3MiB", exitUsage, "-size"},
		{"limit -max 0", exitUsage, "more than zero"},
		{"limit -ways Get", exitUsage, `-ways: unknown "Get"; there are: TryGet, `},
		{"limit -manners ask", exitUsage, `-manners: unknown "ask"; there are: none, `},
		{"limit now", exitUsage, `"now"`},
		{"limit-part {}", exitFailure, `no way ""`},
		{"brew", exitUsage, `unknown command "brew"`},
		{"-brew", exitUsage, "-brew"},
		{"demo-part", exitUsage, `"demo-part"`},
	} {
		t.Run(test.args, func(t *testing.T) { fails(t, test.args, test.status, test.want) })
	}
}

// fails runs the command with args. It must print nothing but a message that contains want, and
// progress before it unless the mistake is in args.
func fails(t *testing.T, args string, status int, want string) {
	t.Helper()
	c, stdout, stderr := command(t, strings.Fields(args)...)
	c.Run()
	if got := c.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d", got, status)
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "lab: ") || !strings.Contains(last, want) {
		t.Errorf("message is %q, want %q in it", last, want)
	}
	if status == exitUsage && len(lines) > 1 {
		t.Errorf("more than one line:\n%s", stderr)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output has %q", stdout)
	}
}

func TestBench(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	c, stdout, stderr := command(t, "bench", "-json", "-html", page, "-rounds=1", "-run=getput,json", "-subjects=make,mcache")
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var found report.Report
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	if len(found.Workloads) != 2 {
		t.Fatalf("%d workloads, want 2", len(found.Workloads))
	}
	for _, w := range found.Workloads {
		for _, r := range w.Results {
			if cannot := w.Name == "json" && r.Subject == "mcache"; r.Cannot != cannot || r.Failed != "" || (r.Rounds > 0) == cannot {
				t.Errorf("%s: %+v", w.Name, r)
			}
		}
	}
	if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte("<svg")) {
		t.Errorf("no charts in the page: %v", err)
	}
	if !strings.HasPrefix(stderr.String(), "getput\n") {
		t.Errorf("no progress on standard error:\n%s", stderr)
	}
}

// TestBenchCheck: missed targets are named, and the exit status reports them.
func TestBenchCheck(t *testing.T) {
	c, _, stderr := command(t, "bench", "-check", "-rounds=1", "-run=loop-shared")
	c.Run()
	if got := c.ProcessState.ExitCode(); got != exitFailure {
		t.Errorf("exit status %d, want %d", got, exitFailure)
	}
	if want := "Get(4096) and Put, one goroutine (sync.Pool of *byte): not measured: loop-getput was not run"; !strings.Contains(stderr.String(), want) {
		t.Errorf("no %q in\n%s", want, stderr)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"-help"}, {"demo", "-h"}} {
		c, stdout, stderr := command(t, args...)
		if err := c.Run(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, stderr)
		}
		if !strings.Contains(stdout.String(), "demo") || strings.Contains(stdout.String(), demo.PartCommand) || strings.Contains(stdout.String(), bench.PartCommand) {
			t.Errorf("%v: help is\n%s", args, stdout)
		}
	}
}

// TestMemory measures one load, and writes the tables of figures.
func TestMemory(t *testing.T) {
	c, stdout, stderr := command(t, memoryPart, "8 KiB", "bytebufferpool", "1ms")
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var f footprint.Figures
	if err := json.Unmarshal(stdout.Bytes(), &f); err != nil || f.Need != 500*8<<10 || f.Peak < f.Need || f.Allocated < f.Peak {
		t.Errorf("%+v, %v", f, err)
	}
	ways := memoryWays()
	figures := make([][]footprint.Figures, len(footprint.Loads))
	for i := range figures {
		figures[i] = make([]footprint.Figures, len(ways))
		for k := range ways {
			figures[i][k] = footprint.Figures{Need: 1000, Peak: 1500, Idle: -10, Resident: 12_600, Allocated: 123_400}
		}
	}
	text := memoryText(ways, figures)
	for _, figure := range []string{"1.5", "0.0", "13", "123"} {
		if got, want := strings.Count(text, "| "+figure+" |")+strings.Count(text, "| "+figure+" | "+figure), len(figures)*len(ways); got < want {
			t.Errorf("%d figures are %s, want %d", got, figure, want)
		}
	}
	if c, _, _ := command(t, memoryPart, "8 KiB", "none", "0s"); c.Run() == nil {
		t.Error("a way that does not exist is measured")
	}
	if c, _, stderr := command(t, "memory", "-docs", t.TempDir()); c.Run() == nil || !strings.Contains(stderr.String(), "benchmarks.md") {
		t.Errorf("without a page to write into: %s", stderr)
	}
}

// TestIdle draws a few connections that wait, over TCP and TLS.
func TestIdle(t *testing.T) {
	for _, over := range []string{"tcp", "tls"} {
		c, stdout, stderr := command(t, "idle", "-n", "20", "-busy", "10", "-duration", "100ms", "-over", over)
		if err := c.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		for _, line := range []string{"\n| no buffers |", "\n| bufio |", "\n| basinio |", "\nbasinio     "} {
			if !strings.Contains(stdout.String(), line) {
				t.Errorf("no line %q in\n%s", line, stdout)
			}
		}
	}
	c, _, stderr := command(t, "idle", "-over", "udp")
	if err := c.Run(); err == nil || !strings.Contains(stderr.String(), "-over is tcp or tls") {
		t.Errorf("a wrong flag: %v\n%s", err, stderr)
	}
}

// TestLimit sends more uploads at once than fit, in each way and manner.
func TestLimit(t *testing.T) {
	c, stdout, stderr := command(t, "limit", "-n", "24", "-each", "2", "-size", "300KiB", "-max", "3MiB", "-max-idle", "1MiB", "-memory-limit", "100MiB", "-most", "200MiB")
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, stdout, stderr)
	}
	rows := 0
	for line := range strings.Lines(stdout.String()) {
		cells := strings.Fields(line)
		if len(cells) != 11 || !slices.Contains(uploads.Manners, cells[1]) {
			continue
		}
		rows++
		if served, refused := cells[2], cells[3]; cells[1] != "refuse" && (served != "48" || refused != "0") {
			t.Errorf("%s, %s: %s served, %s refused", cells[0], cells[1], served, refused)
		}
	}
	if want := len(uploads.Ways()) * len(uploads.Manners); rows != want {
		t.Errorf("%d rows, want %d:\n%s", rows, want, stdout)
	}
	if !pooltest.Long() {
		return
	}
	c, _, stderr = command(t, "limit", "-n", "1", "-each", "1", "-ways", "TryGet", "-manners", "reserve", "-most", "1MiB")
	if err := c.Run(); err == nil || !strings.Contains(stderr.String(), "TryGet, reserve: ") || !strings.Contains(stderr.String(), " resident, more than 1.0 MiB") {
		t.Errorf("more memory than -most: %v\n%s", err, stderr)
	}
}
