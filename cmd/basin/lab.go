package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"
)

func init() {
	commands = append(commands,
		labCommand("bench", "measure basin side by side with common alternatives"),
		labCommand("demo", "run an HTTP gateway with and without pooled bodies, and compare"))
}

// labModule is the project's laboratory. It is a separate module because it depends on all the
// libraries that basin is compared with, which nobody should have to install.
const labModule = library + "/lab"

// labCommand returns a command that runs the lab's command of that name.
func labCommand(name, usage string) *cli.Command {
	return &cli.Command{
		Name:            name,
		Usage:           usage + " (in the repository only)",
		SkipFlagParsing: true, // the lab's program parses flags, -help included
		Action: func(ctx context.Context, c *cli.Command) error {
			dir, err := findLab()
			if err != nil {
				return err
			}
			if dir == "" {
				return fmt.Errorf("%s is a part of the project's laboratory, which is not installed with basin: run it in a clone of https://%s", name, library)
			}
			return runLab(ctx, dir, append([]string{name}, c.Args().Slice()...), c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// findLab returns the directory of the lab if the working directory is in the repository, or "".
func findLab() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		lab := filepath.Join(dir, "lab")
		if isLab(filepath.Join(lab, "go.mod")) {
			return lab, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", nil
		}
		dir = above
	}
}

// isLab reports whether file is the lab's go.mod.
func isLab(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 200)).ReadString('\n')
	return strings.TrimSpace(line) == "module "+labModule
}

// An exitStatus is the status of the lab's program, which has already printed its error.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// runLab builds the lab's program and runs it in a separate process with the given arguments.
// The process shares input, output, signals and exit status with this one.
func runLab(ctx context.Context, dir string, args []string, stdout, stderr io.Writer) error {
	// A signal to this process must end the lab's process, which handles signals itself.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)

	temporary, err := os.MkdirTemp("", "basin-lab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	program := filepath.Join(temporary, "lab.exe") // Windows requires the suffix
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	build.Dir, build.Stderr = dir, stderr
	if err := build.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("building the lab in %s: %w", dir, err)
	}

	run := exec.Command(program, args...)
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, stdout, stderr
	release, err := leash(run)
	if err != nil {
		return err
	}
	defer release()
	if ctx.Err() != nil { // signals are forwarded only to a running process
		return ctx.Err()
	}
	if err := run.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- run.Wait() }()
	for {
		select {
		case s := <-signals:
			run.Process.Signal(s) // fails on Windows, where Ctrl-C has reached the process already
		case err := <-done:
			var ended *exec.ExitError
			switch {
			case errors.As(err, &ended) && ended.Exited():
				return exitStatus(ended.ExitCode())
			case ended != nil && brokenPipe(ended): // the reader of its output has gone away
				return exitStatus(128 + int(syscall.SIGPIPE))
			case err != nil && ctx.Err() != nil: // a signal reached it before it could handle one
				return ctx.Err()
			case err != nil:
				return fmt.Errorf("the lab's program has ended: %w", err)
			}
			return nil
		}
	}
}

// brokenPipe reports whether a program has ended because its output has no reader any more.
func brokenPipe(ended *exec.ExitError) bool {
	status, ok := ended.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGPIPE
}
