//go:build unix

package main

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// start starts c in a new process group and waits for a line of progress that until accepts. It
// returns the group, which ends with the test, and the rest of standard error.
func start(t *testing.T, c *exec.Cmd, until func(line string) bool) (group int, progress *bufio.Reader) {
	t.Helper()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stderr = nil
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	group = -c.Process.Pid
	t.Cleanup(func() { syscall.Kill(group, syscall.SIGKILL) })
	progress = bufio.NewReader(stderr)
	for {
		line, err := progress.ReadString('\n')
		if err != nil {
			t.Fatalf("ended before it was time: %v", err)
		}
		if until(line) {
			return group, progress
		}
	}
}

// warmingUp reports whether line shows that all children of a demo have started.
func warmingUp(line string) bool { return strings.HasPrefix(line, "warming up") }

// TestInterrupt: Ctrl-C reaches every process of the terminal at once.
func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		name   string
		signal syscall.Signal
		all    bool // send it to the children, too, like Ctrl-C
	}{
		{"Ctrl-C", syscall.SIGINT, true},
		{"SIGTERM to the parent", syscall.SIGTERM, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, stdout, _ := command(t, "demo", "-duration", "1h", "-corpus", corpus(t))
			group, progress := start(t, c, warmingUp)
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

// TestInterruptBench: an interrupted bench prints its measurements.
func TestInterruptBench(t *testing.T) {
	c, stdout, _ := command(t, "bench", "-rounds=1000000", "-run=getput,mixed,handover,json", "-subjects=make")
	group, progress := start(t, c, func(line string) bool { return strings.HasPrefix(line, "handover") })
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
