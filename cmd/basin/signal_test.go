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
