//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/basinhttp"
)

// served starts the demo with -serve and the given arguments. It returns the address of its
// page and its further output.
func served(t *testing.T, args ...string) (url string, rest *bufio.Reader, wait func() error, interrupt func()) {
	t.Helper()
	// Limited, so that a demo that outlives this process ends.
	c, _, stderr := command(t, append([]string{"demo", "-serve", "-addr", "127.0.0.1:0", "-corpus", corpus(t), "-duration=2m"}, args...)...)
	c.Stdout = nil
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if stderr.Len() > 0 {
			t.Errorf("standard error has %q", stderr)
		}
	})
	rest = bufio.NewReader(stdout)
	line, err := rest.ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	url = strings.TrimSpace(line[strings.LastIndex(line, " ")+1:])
	if !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, basinhttp.Path) {
		t.Fatalf("the first line is %q", line)
	}
	return url, rest, c.Wait, func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
	}
}

func body(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, %s", url, err, resp.Status)
	}
	return string(b)
}

// TestServe reads the pages of the demo, and expects its pools in use.
func TestServe(t *testing.T) {
	for _, tt := range []struct{ name, pools, args string }{
		{"usual load", "default", "-concurrency=2"},
		{"slow clients too", "default gateway", "-overload -max-in-use 1MiB -concurrency 8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, rest, wait, interrupt := served(t, strings.Fields(tt.args)...)
			root := strings.TrimSuffix(url, basinhttp.Path)
			for path, want := range map[string]string{
				basinhttp.Path:              "<title>basin</title>",
				"/":                         "<title>basin</title>",
				"/debug/pprof/":             "goroutine",
				"/debug/pprof/heap?debug=1": "heap profile",
				"/debug/vars":               "memstats",
			} {
				if got := body(t, root+path); !strings.Contains(got, want) {
					t.Errorf("%s has no %q: %.200s", path, want, got)
				}
			}
			// Both pools must remain in use. Otherwise the test times out.
			first := map[string]uint64{}
			for moved := map[string]bool{}; len(moved) < len(strings.Fields(tt.pools)); {
				var r basinhttp.Report
				if err := json.Unmarshal([]byte(body(t, url+"?format=json")), &r); err != nil {
					t.Fatal(err)
				}
				for _, s := range r.Pools {
					if !strings.Contains(tt.pools, s.Name) {
						t.Fatalf("there is a pool %q", s.Name)
					}
					if n, ok := first[s.Name]; !ok {
						first[s.Name] = s.Gets
					} else if s.Gets > n {
						moved[s.Name] = true
					}
				}
			}
			interrupt()
			all, err := io.ReadAll(rest)
			if err != nil {
				t.Fatal(err)
			}
			if err := wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			lines := strings.Split(strings.TrimSpace(string(all)), "\n")
			if last := lines[len(lines)-1]; !strings.HasSuffix(last, " responses checked") || len(lines) != 2 {
				t.Errorf("it printed %q", lines)
			}
			if _, err := http.Get(url); err == nil {
				t.Error("the page is still there")
			}
		})
	}
}

// TestServeDuration: the demo ends by itself.
func TestServeDuration(t *testing.T) {
	_, rest, wait, _ := served(t, "-duration=300ms", "-concurrency=2")
	if _, err := io.ReadAll(rest); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestServeMistakes(t *testing.T) {
	url, _, _, _ := served(t, "-concurrency=1")
	taken := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), basinhttp.Path)
	dir := corpus(t)
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"-addr localhost:6060", exitUsage, "-addr needs -serve"},
		{"-serve -json", exitUsage, "-json has no effect with -serve"},
		{"-serve -max-in-use 1MiB", exitUsage, "-max-in-use needs -overload"},
		{"-serve -overload -max-in-use 0", exitUsage, "-max-in-use must be more than zero"},
		{"-serve -overload -max-in-use much", exitUsage, `"much"`},
		{"-serve -concurrency 0", exitUsage, "-concurrency must be more than zero"},
		{"-serve -duration 0s", exitUsage, "-duration must be more than zero"},
		{"-serve -corpus " + filepath.Join(dir, "none"), exitUsage, "none"},
		{"-serve -addr 127.0.0.1:http:x -corpus " + dir, exitFailure, "too many colons"},
		{"-serve -addr " + taken + " -corpus " + dir, exitFailure, taken},
		{"-serve -addr 127.0.0.1:0 -corpus " + t.TempDir(), exitFailure, "no readable files"},
		{"-serve -addr 127.0.0.1:0 -overload -max-in-use 64KiB -corpus " + dir, exitFailure, "-max-in-use 64 KiB is too little"},
	} {
		t.Run(tt.args, func(t *testing.T) { fails(t, "demo "+tt.args, tt.status, tt.want) })
	}
}
