// Command lab is the laboratory of basin: it compares the library with others, and demonstrates
// it. It is a module of its own because it depends on all these libraries, which nobody should
// have to install. In a clone of the repository:
//
//	go run ./lab demo
//	go run ./lab bench -quick
//	go run ./lab memory -wait 0
//	go run ./lab idle
//	go run ./lab limit
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/basin-go/basin/lab/internal/bench"
	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/basin-go/basin/lab/internal/uploads"
)

// Exit statuses other than 0.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // the status that shells report after Ctrl-C
)

const usage = `Usage:

	go run ./lab demo [flags]    run an HTTP gateway with and without pooled bodies, and compare
	go run ./lab bench [flags]   measure basin side by side with common alternatives
	go run ./lab memory [flags]  measure the memory of loads, for each way to get memory
	go run ./lab idle [flags]    measure a server whose connections wait, with and without buffers
	go run ./lab limit [flags]   measure a server that reads many uploads at once, with and without a Limit

Each command explains itself and its flags with -h.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout)
	var mistake usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "lab:", err)
	if errors.As(err, &mistake) {
		return exitUsage
	}
	return exitFailure
}

func dispatch(ctx context.Context, args []string, stdout io.Writer) error {
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch {
	case name == "demo":
		return runDemo(ctx, args, stdout)
	case name == "bench":
		return runBench(ctx, args, stdout)
	case name == "memory":
		return runMemory(ctx, args, stdout)
	case name == "idle":
		return runIdle(ctx, args, stdout)
	case name == idlePart && len(args) == 2:
		return runIdlePart(args[0], args[1], stdout)
	case name == "limit":
		return runLimit(ctx, args, stdout)
	case name == limitPart && len(args) == 1:
		return uploads.Part(args[0], os.Stdin, stdout)
	case name == demo.PartCommand && len(args) == 1:
		return demo.RunPart(args[0])
	case name == bench.PartCommand:
		return bench.RunPart()
	case name == memoryPart && len(args) == 3:
		return runMemoryPart(args[0], args[1], args[2], stdout)
	case name == "help", name == "-h", name == "-help", name == "--help":
		_, err := io.WriteString(stdout, usage)
		return err
	}
	return usageErrorf("unknown command %q; the commands are demo, bench, memory, idle and limit", name)
}

// parse parses the arguments of a command, which must be flags. If they ask for help, it prints
// that and returns [flag.ErrHelp].
func parse(flags *flag.FlagSet, about string, args []string, stdout io.Writer) error {
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "Usage: go run ./lab %s [flags]\n\n%s\n\nFlags:\n", flags.Name(), about)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return err
	case err != nil:
		return usageError{err}
	case flags.NArg() > 0:
		return usageErrorf("%s takes no arguments, got %q", flags.Name(), flags.Arg(0))
	}
	return nil
}

// A usageError is a mistake in the command line.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}
