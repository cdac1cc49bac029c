//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, args := range []string{"vet ./...", "vet -fix ./...", "migrate ./..."} {
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
				for children == nil {
					data, err := os.ReadFile(started)
					if err == nil {
						children = strings.Fields(string(data))
					} else if !errors.Is(err, os.ErrNotExist) {
						t.Fatal(err)
					}
					time.Sleep(time.Millisecond)
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
