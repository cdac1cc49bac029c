package main

import (
	"context"
	"os"
	"time"

	"github.com/basin-go/basin/cmd/internal/demo"
	"github.com/urfave/cli/v3"
)

func init() {
	commands = append(commands, demoCommand(), demoPartCommand())
}

func demoCommand() *cli.Command {
	var config demo.Config
	var asJSON bool
	return &cli.Command{
		Name:  "demo",
		Usage: "run an HTTP gateway with and without pooled bodies, and compare",
		Description: "The gateway fetches files from an upstream, reads each body whole, rewrites it and\n" +
			"sends it on: with plain allocation, with a sync.Pool, with basin and, as the floor,\n" +
			"without keeping the body at all. Every response is checked against its file.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "duration", Value: 40 * time.Second, Usage: "how long to send requests, all ways together", Destination: &config.Duration},
			&cli.IntFlag{Name: "concurrency", Value: 32, Usage: "connections to the gateway, each with one request at a time", Destination: &config.Concurrency},
			&cli.StringFlag{Name: "corpus", Usage: "`directory` whose files are served", DefaultText: "the Go standard library's source", Destination: &config.Corpus},
			&cli.BoolFlag{Name: "json", Usage: "print the results as JSON instead of a table", Destination: &asJSON},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("demo takes no arguments, got %q", c.Args().First())
			}
			if err := config.Complete(); err != nil {
				return usageError{err}
			}
			report, err := demo.Run(ctx, config, demo.NewProgress(os.Stderr))
			if err != nil {
				return err
			}
			if asJSON {
				return report.WriteJSON(c.Root().Writer)
			}
			return report.WriteTable(c.Root().Writer)
		},
	}
}

// demoPartCommand is how the demo starts its own child processes.
func demoPartCommand() *cli.Command {
	return &cli.Command{
		Name:   demo.PartCommand,
		Hidden: true,
		Action: func(_ context.Context, c *cli.Command) error {
			return demo.RunPart(c.Args().First())
		},
	}
}
