// Command lab is the laboratory of basin: it compares the library with others, and demonstrates
// it. It is a module of its own because it depends on all these libraries, which nobody should
// have to install. In a clone of the repository:
//
//	go run ./lab demo
//	go run ./lab bench -quick
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"
)

// Exit statuses other than 0.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // the status that shells report after Ctrl-C
)

// commands has every command; each is added in its own file.
var commands []*cli.Command

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cli.Command{
		Name:            "lab",
		Usage:           "measure the effect of reusing byte slices with basin",
		Commands:        commands,
		HideHelpCommand: true,
		Writer:          stdout,
		ErrWriter:       stderr,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},
		OnUsageError:    asUsageError,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("unknown command %q; lab -help lists them", c.Args().First())
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
	err := root.Run(ctx, args)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "lab:", err)
		return exitUsage
	default:
		fmt.Fprintln(stderr, "lab:", err)
		return exitFailure
	}
}

// A usageError is a mistake in the command line.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func asUsageError(_ context.Context, _ *cli.Command, err error, _ bool) error {
	return usageError{err}
}
