package main

import (
	"context"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/urfave/cli/v3"
)

func init() {
	commands = append(commands, demoCommand(), demoPartCommand())
}

func demoCommand() *cli.Command {
	var config demo.Config
	var asJSON, overload, serve bool
	var maxInUse, memoryLimit, addr string
	return &cli.Command{
		Name:  "demo",
		Usage: "run an HTTP gateway with and without pooled bodies, and compare",
		Description: "The gateway fetches files from an upstream, reads each body whole, rewrites it and\n" +
			"sends it on: with plain allocation, with a sync.Pool, with basin and, as the floor,\n" +
			"without keeping the body at all. Every response is checked against its file.\n\n" +
			"With -overload slow clients ask for more than fits under a ceiling on memory in\n" +
			"use: first of a gateway that has one, then of one that has none. With -memory-limit\n" +
			"256MiB too, a gateway that takes more memory is killed, as in a container. The one\n" +
			"with a ceiling lives.\n\n" +
			"Ctrl-C ends a run and prints the measurements so far.\n\n" +
			"With -serve the gateway keeps running under load, with a live page about its pools.\n" +
			"With -overload too, a second gateway has slow clients under a ceiling.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "duration", Value: 40 * time.Second, Usage: "how long to send requests, all ways together", Destination: &config.Duration},
			&cli.DurationFlag{Name: "settle", Value: 30 * time.Second, Usage: "how long to wait after that before measuring the memory that the gateways still hold; 0 does not measure", Destination: &config.Settle},
			&cli.IntFlag{Name: "concurrency", Value: 32, Usage: "connections to the gateway, each with one request at a time", Destination: &config.Concurrency},
			&cli.StringFlag{Name: "corpus", Usage: "`directory` whose files are served", DefaultText: "the Go standard library's source", Destination: &config.Corpus},
			&cli.BoolFlag{Name: "attribution", Usage: "measure more ways, for where time goes: exact length known, powers of two, own size class only, a fixed first chunk, discard with ballast", Destination: &config.Attribution},
			&cli.BoolFlag{Name: "overload", Usage: "overload the gateway with slow clients: " + strconv.Itoa(overloadConcurrency) + " if -concurrency does not say, for " + overloadDuration.String() + " if -duration does not", Destination: &overload},
			&cli.StringFlag{Name: "max-in-use", Value: "64MiB", Usage: "`bytes` that the gateway's pool may hand out at a time, with -overload", Destination: &maxInUse},
			&cli.StringFlag{Name: "memory-limit", Usage: "kill a gateway that takes more than these `bytes` of memory, with -overload", DefaultText: "none", Destination: &memoryLimit},
			&cli.BoolFlag{Name: "serve", Usage: "keep the gateway running under load, and show its pools on a page; for ever if -duration does not say", Destination: &serve},
			&cli.StringFlag{Name: "addr", Value: "localhost:6060", Usage: "`address` of the page, with -serve", Destination: &addr},
			&cli.BoolFlag{Name: "json", Usage: "print the results as JSON instead of a table", Destination: &asJSON},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("demo takes no arguments, got %q", c.Args().First())
			}
			switch {
			case serve && asJSON:
				return usageErrorf("-json means nothing with -serve: the page has ?format=json")
			case config.Attribution && (serve || overload):
				return usageErrorf("-attribution means nothing with -serve or -overload")
			case c.IsSet("max-in-use") && !overload:
				return usageErrorf("-max-in-use means nothing without -overload")
			case c.IsSet("memory-limit") && (!overload || serve):
				return usageErrorf("-memory-limit means nothing without -overload, or with -serve")
			case c.IsSet("settle") && (overload || serve):
				return usageErrorf("-settle means nothing with -overload or -serve")
			case serve:
				return runServe(ctx, c, config, addr, overload, maxInUse)
			case c.IsSet("addr"):
				return usageErrorf("-addr means nothing without -serve")
			case overload:
				return runOverload(ctx, c, config, maxInUse, memoryLimit, asJSON)
			}
			if err := config.Complete(); err != nil {
				return usageError{err}
			}
			report, err := demo.Run(ctx, config, demo.NewProgress(os.Stderr))
			if report != nil { // also if it was interrupted
				if failed := write(report, c.Root().Writer, asJSON); err == nil {
					err = failed
				}
			}
			return err
		},
	}
}

// A finding is the report of a run of the demo or the benchmarks.
type finding interface {
	WriteJSON(io.Writer) error
	WriteTable(io.Writer) error
}

func write(r finding, w io.Writer, asJSON bool) error {
	if asJSON {
		return r.WriteJSON(w)
	}
	return r.WriteTable(w)
}

// demoPartCommand is the command of the demo's child processes.
func demoPartCommand() *cli.Command {
	return &cli.Command{
		Name:   demo.PartCommand,
		Hidden: true,
		Action: func(_ context.Context, c *cli.Command) error {
			return demo.RunPart(c.Args().First())
		},
	}
}
