//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestLabSignals ends the lab by signals to the command, and by signals to both, as Ctrl-C
// does.
func TestLabSignals(t *testing.T) {
	root := repository(t, labModule, fakeLab)
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
		all    bool
		want   string
	}{
		{"SIGINT", syscall.SIGINT, false, "interrupt"},
		{"SIGTERM", syscall.SIGTERM, false, "terminated"},
		{"Ctrl-C", syscall.SIGINT, true, "interrupt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := inRepository(t, root, "demo", "wait")
			temporary := t.TempDir()
			c.Env = append(c.Env, "TMPDIR="+temporary)
			c.Stdout = nil
			stdout, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
			out := bufio.NewReader(stdout)
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			lab, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			target := c.Process.Pid
			if tt.all {
				target = -target
			}
			if err := syscall.Kill(target, tt.signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(out)
			if err != nil || strings.TrimSpace(string(rest)) != tt.want {
				t.Errorf("the lab prints %q, %v, want %s", rest, err, tt.want)
			}
			c.Wait()
			if got := c.ProcessState.ExitCode(); got != 42 {
				t.Errorf("exit status %d, want the lab's", got)
			}
			if err := syscall.Kill(lab, 0); err != syscall.ESRCH {
				t.Errorf("the lab's process is left: %v", err)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("%v are left, %v", left, err)
			}
		})
	}
}

// TestLabLeash kills the command. The lab's program must not outlive it.
func TestLabLeash(t *testing.T) {
	c, _ := inRepository(t, repository(t, labModule, fakeLab), "demo", "leash")
	c.Env = append(c.Env, "TMPDIR="+t.TempDir()) // the killed command cannot remove its temporary files there
	c.Stdout = nil
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	out := bufio.NewReader(stdout)
	if line, err := out.ReadString('\n'); line != "here\n" {
		t.Fatalf("%q, %v", line, err)
	}
	c.Process.Kill()
	if rest, err := io.ReadAll(out); err != nil || string(rest) != "0 EOF\n" {
		t.Errorf("the lab sees %q, %v", rest, err)
	}
	c.Wait()
}

// TestLabBrokenPipe closes the reader of the lab's output, as head does.
func TestLabBrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	c, run := inRepository(t, repository(t, labModule, fakeLab), "demo", "echo")
	c.Stdout = w
	if _, stderr, status := run(); status != 128+int(syscall.SIGPIPE) || strings.Contains(stderr, "basin") {
		t.Errorf("exit status %d, standard error %q", status, stderr)
	}
}

// TestLabBuildInterrupted interrupts the command while the lab is being built.
func TestLabBuildInterrupted(t *testing.T) {
	bin, temporary := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho building >&2\nexec sleep 1000\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c, _ := inRepository(t, repository(t, labModule, fakeLab), "demo", "wait")
	c.Env = append(c.Env, "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+temporary)
	c.Stderr = nil
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	messages := bufio.NewReader(stderr)
	if line, err := messages.ReadString('\n'); line != "building\n" {
		t.Fatalf("%q, %v", line, err)
	}
	c.Process.Signal(syscall.SIGINT)
	if rest, err := io.ReadAll(messages); err != nil || len(rest) > 0 {
		t.Errorf("it prints %q, %v", rest, err)
	}
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != exitInterrupted {
		t.Errorf("exit status %d", got)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
