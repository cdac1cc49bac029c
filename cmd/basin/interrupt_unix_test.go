//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/trace"
)

// TestInterrupt ends waiting commands by one signal. They must exit at once without output, and
// leave nothing behind: no file, and no process of the go command.
func TestInterrupt(t *testing.T) {
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	// The script replaces the go command. It writes its process IDs, and runs forever with a
	// child.
	script := "#!/bin/sh\nsleep 10000 &\necho $$ $! >" + started + ".new\nmv " + started + ".new " + started + "\nwait\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, args := range []string{"vet ./...", "vet -fix ./...", "migrate ./...", "record -o x.trace " + server.URL} {
			t.Run(strings.Fields(args)[0]+" "+sig.String(), func(t *testing.T) {
				os.Remove(started)
				dir := module(t, map[string]string{"p.go": "package p\n"})
				before, _ := os.ReadDir(dir)
				c, stdout, stderr := command(t, strings.Fields(args)...)
				c.Dir = dir
				c.Env = append(c.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				var children []string
				if strings.HasPrefix(args, "record") {
					<-asked
				} else {
					for children == nil {
						data, err := os.ReadFile(started)
						if err == nil {
							children = strings.Fields(string(data))
						} else if !errors.Is(err, os.ErrNotExist) {
							t.Fatal(err)
						}
						time.Sleep(time.Millisecond)
					}
				}
				c.Process.Signal(sig)
				c.Wait()
				if status := c.ProcessState.ExitCode(); status != exitInterrupted || stdout.Len() > 0 || stderr.Len() > 0 {
					t.Errorf("exit status %d, printed %q and %q", status, stdout, stderr)
				}
				if strings.HasPrefix(args, "vet") { // packages.Load interrupts only the go command itself, not its children
					for _, child := range children {
						pid, _ := strconv.Atoi(child)
						for alive(pid) {
							time.Sleep(time.Millisecond)
						}
					}
				}
				for _, child := range children {
					if pid, err := strconv.Atoi(child); err == nil {
						syscall.Kill(pid, syscall.SIGKILL)
					}
				}
				if after, _ := os.ReadDir(dir); len(after) != len(before) {
					t.Errorf("it leaves %v behind", after)
				}
			})
		}
	}
}

// alive reports whether a process runs. A process that has ended remains until its parent waits
// for it.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	return !bytes.Contains(stat, []byte(") Z "))
}

// traceFile writes the output of a Writer to a file.
func traceFile(t *testing.T, write func(*trace.Writer)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "x.trace"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	defer z.Close()
	w := trace.NewWriter(z, trace.Header{Every: trace.MaxEvery, Procs: 1})
	w.Pool(trace.Pool{ID: 1, Name: "p"})
	write(w)
	if err := w.End(time.Second, 0); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// TestReplayInterrupted sends the signal before anything else happens.
func TestReplayInterrupted(t *testing.T) {
	file := traceFile(t, func(w *trace.Writer) {})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var stdout, stderr bytes.Buffer
	if status := run(ctx, []string{"basin", "replay", file}, &stdout, &stderr); status != exitInterrupted || stdout.Len() > 0 || stderr.Len() > 0 {
		t.Errorf("exit status %d, printed %q and %q", status, &stdout, &stderr)
	}
}

// TestReplayRefuses has small files that stand for much traffic.
func TestReplayRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(*trace.Writer)
		want  string
	}{
		{"one slice for a million, sixty times", func(w *trace.Writer) {
			for range 60 {
				w.Acquisition(trace.Acquisition{Pool: 1, Size: 1 << 30, Lifetime: -1})
			}
		}, "stands for 62914560 requests and garbage collections, more than the"},
		{"millions in kilobytes", func(w *trace.Writer) {
			for range 4 << 20 {
				w.Acquisition(trace.Acquisition{Pool: 1, Size: 1, Lifetime: -1})
			}
		}, "unpack to more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, stdout, stderr := command(t, "replay", traceFile(t, tt.write))
			c.Run()
			if status := c.ProcessState.ExitCode(); status != exitFailure || stdout.Len() > 0 || !strings.Contains(stderr.String(), tt.want) || !strings.Contains(stderr.String(), "x.trace is refused: ") {
				t.Errorf("exit status %d, printed %q and %q, want %q", status, stdout, stderr, tt.want)
			}
			if use, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" && use.Maxrss > 500<<10 {
				t.Errorf("it took %d KiB", use.Maxrss)
			}
		})
	}
}
