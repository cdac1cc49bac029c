package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/cmd/internal/remote"
)

// asMain is the environment variable that makes the test program the command.
const asMain = "BASIN_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		remote.Timeout = time.Hour
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

// inModule returns the command, to run in dir outside of any workspace.
func inModule(t *testing.T, dir string, args ...string) (*exec.Cmd, func() (stdout, stderr string, status int)) {
	c, stdout, stderr := command(t, args...)
	c.Dir = dir
	c.Env = append(c.Env, "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	return c, func() (string, string, int) {
		c.Run()
		return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"top", exitUsage, "needs the URL"},
		{"top http://localhost http://localhost", exitUsage, "one URL"},
		{"top localhost:6060", exitUsage, "did you mean http://localhost:6060/debug/basin/?"},
		{"top -n -1 http://localhost", exitUsage, "-n is -1"},
		{"top -n many http://localhost", exitUsage, `"many"`},
		{"top -interval 1ms http://localhost", exitUsage, "-interval is 1ms"},
		{"top -sort size http://localhost", exitUsage, `-sort is "size"`},
		{"top http://127.0.0.1:1/", exitFailure, "refused"},
		{"brew", exitUsage, `unknown command "brew"`},
		{"help brew", exitUsage, `unknown command "brew"; basin help lists them`},
		{"help top vet", exitUsage, `help takes one command, got "vet" too`},
		{"-brew", exitUsage, "-brew"},
	} {
		t.Run(test.args, func(t *testing.T) {
			c, stdout, stderr := command(t, strings.Fields(test.args)...)
			c.Run()
			if got := c.ProcessState.ExitCode(); got != test.status {
				t.Errorf("exit status %d, want %d", got, test.status)
			}
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "basin: ") || !strings.Contains(last, test.want) {
				t.Errorf("message is %q, want %q in it", last, test.want)
			}
			if test.status == exitUsage && len(lines) > 1 {
				t.Errorf("more than one line:\n%s", stderr)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output has %q", stdout)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"-help"}, {"-h"}, {"help"}, {"help", "help"}} {
		c, stdout, stderr := command(t, args...)
		if err := c.Run(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, stderr)
		}
		for _, want := range []string{"top", "vet", "version", "help"} {
			if !strings.Contains(stdout.String(), "\n   "+want+" ") {
				t.Errorf("%v: no %s in\n%s", args, want, stdout)
			}
		}
		if !strings.Contains(stdout.String(), "go run ./lab") {
			t.Errorf("%v: no word of the lab in\n%s", args, stdout)
		}
	}
}

// TestHelpOfCommand: "help top" and "top -help" print the same.
func TestHelpOfCommand(t *testing.T) {
	for _, name := range []string{"top", "vet", "migrate", "version"} {
		var said [2]string
		for i, args := range [][]string{{"help", name}, {name, "-help"}} {
			c, stdout, stderr := command(t, args...)
			if err := c.Run(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, stderr)
			}
			said[i] = stdout.String() + stderr.String()
		}
		if said[0] != said[1] || !strings.Contains(said[0], name) {
			t.Errorf("help %s says\n%s\nand %s -help\n%s", name, said[0], name, said[1])
		}
	}
}
