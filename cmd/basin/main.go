// Command basin inspects how programs use pools. It shows the pools of the basin library in a
// running program, and finds misuse of these and of other pools in source code.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/basin-go/basin/vet"
	"github.com/urfave/cli/v3"
)

// Exit statuses other than 0.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = vet.Interrupted
)

// An exitStatus is the status of a command that has already printed its error.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// commands has every command; each is added in its own file.
var commands []*cli.Command

func init() {
	commands = append(commands, &cli.Command{
		Name: helpName, Usage: "print this help, or that of a command: basin help top", ArgsUsage: "[command]",
		OnUsageError: asUsageError,
	})
}

const helpName = "help"

// rewriteHelp turns "basin help X" into "basin X -help".
func rewriteHelp(args []string) ([]string, error) {
	if len(args) < 2 || args[1] != helpName {
		return args, nil
	}
	switch about := args[2:]; {
	case len(about) == 0:
		return []string{args[0], "-help"}, nil
	case len(about) > 1:
		return nil, usageErrorf("help takes one command, got %q too", about[1])
	case about[0] != "-help" && !slices.ContainsFunc(commands, func(c *cli.Command) bool { return c.Name == about[0] }):
		return nil, usageErrorf("unknown command %q; basin help lists them", about[0])
	case about[0] == helpName:
		return []string{args[0], "-help"}, nil
	default:
		return []string{args[0], about[0], "-help"}, nil
	}
}

func main() {
	if vet.Tool(os.Args[1:]) { // the go command runs basin as a vet tool for basin vet
		os.Exit(vet.Main(context.Background(), os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cli.Command{
		Name:            "basin",
		Usage:           "inspect how programs use their pools",
		Description:     "Benchmarks and a demo are in the repository: in a clone of https://" + library + ", go run ./lab",
		Commands:        commands,
		HideHelpCommand: true,
		Writer:          stdout,
		ErrWriter:       stderr,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},
		OnUsageError:    asUsageError,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("unknown command %q; basin help lists them", c.Args().First())
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
	args, err := rewriteHelp(args)
	if err == nil {
		err = root.Run(ctx, args)
	}
	var usage usageError
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "basin:", err)
		return exitUsage
	default:
		fmt.Fprintln(stderr, "basin:", err)
		return exitFailure
	}
}

// A usageError is a mistake in the command line.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func asUsageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	return usageErrorf("%w; %s -help lists the flags", err, c.FullName())
}
