//go:build unix

package main

import (
	"bufio"
	"io"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C goes to every process of the terminal at once.
func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		name   string
		signal syscall.Signal
		all    bool // to the children too, as Ctrl-C is
	}{
		{"Ctrl-C", syscall.SIGINT, true},
		{"SIGTERM to the parent", syscall.SIGTERM, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, stdout, _ := command(t, "demo", "-duration", "1h", "-corpus", corpus(t))
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			c.Stderr = nil
			stderr, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			group := -c.Process.Pid
			defer syscall.Kill(group, syscall.SIGKILL)

			progress := bufio.NewReader(stderr)
			for {
				line, err := progress.ReadString('\n')
				if err != nil {
					t.Fatalf("ended before it was interrupted: %v", err)
				}
				if strings.HasPrefix(line, "warming up") { // all children are there
					break
				}
			}
			target := c.Process.Pid
			if test.all {
				target = group
			}
			if err := syscall.Kill(target, test.signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(progress)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(rest)) {
				if !strings.HasPrefix(line, "warming up") {
					t.Errorf("printed %q", line)
				}
			}
			c.Wait()
			if got := c.ProcessState.ExitCode(); got != exitInterrupted {
				t.Errorf("exit status %d, want %d", got, exitInterrupted)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output has %q", stdout)
			}
			if err := syscall.Kill(group, 0); err != syscall.ESRCH {
				t.Errorf("a process is left: %v", err)
			}
		})
	}
}

// Interrupted, bench prints what it has measured.
func TestInterruptBench(t *testing.T) {
	c, stdout, _ := command(t, "bench", "-rounds=10", "-run=getput,mixed,handover,json", "-subjects=make")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stderr = nil
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	group := -c.Process.Pid
	defer syscall.Kill(group, syscall.SIGKILL)
	progress := bufio.NewReader(stderr)
	for {
		line, err := progress.ReadString('\n')
		if err != nil {
			t.Fatalf("ended before it was interrupted: %v", err)
		}
		if strings.HasSuffix(line, ": handover\n") {
			break
		}
	}
	if err := syscall.Kill(group, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, progress)
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != exitInterrupted {
		t.Errorf("exit status %d, want %d", got, exitInterrupted)
	}
	for _, want := range []string{"getput: ", "mixed: ", "Interrupted"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout.String(), "failed") {
		t.Errorf("something failed:\n%s", stdout)
	}
	if err := syscall.Kill(group, 0); err != syscall.ESRCH {
		t.Errorf("a process is left: %v", err)
	}
}
