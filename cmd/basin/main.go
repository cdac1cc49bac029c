// Command basin is for programs that use pools. It shows the pools of the basin
// library in a running program, and finds misuse of these and of other pools in the
// source.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/basin-go/basin/vet"
	"github.com/urfave/cli/v3"
)

// Exit statuses other than 0.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // what a shell reports for a program ended by Ctrl-C
)

// commands holds every command; each adds itself in the file that has it.
var commands []*cli.Command

func main() {
	if vet.Tool(os.Args[1:]) { // what basin vet has the go command run
		os.Exit(vet.Main(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends what the first could not
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cli.Command{
		Name:            "basin",
		Usage:           "see what programs do with their pools",
		Commands:        commands,
		HideHelpCommand: true,
		Writer:          stdout,
		ErrWriter:       stderr,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},
		OnUsageError:    asUsageError,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("unknown command %q; basin -help lists them", c.Args().First())
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
	err := root.Run(ctx, args)
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

// A usageError is a mistake on the command line.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func asUsageError(_ context.Context, _ *cli.Command, err error, _ bool) error {
	return usageError{err}
}
