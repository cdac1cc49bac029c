package main

import (
	"context"
	"os"

	"github.com/basin-go/basin/cmd/internal/bench"
	"github.com/urfave/cli/v3"
)

func init() {
	commands = append(commands, benchCommand(), benchPartCommand())
}

func benchCommand() *cli.Command {
	var config bench.Config
	var run, subjects string
	var asJSON bool
	return &cli.Command{
		Name:  "bench",
		Usage: "measure basin side by side with what people use today",
		Description: "Every workload runs with every subject, each in a process of its own, in turn, in many\n" +
			"short rounds. Ratios are to basin, of the fastest rounds: more than 1 means that basin\n" +
			"is faster.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "fewer rounds: less than two minutes in all", Destination: &config.Quick},
			&cli.StringFlag{Name: "run", Usage: "`workloads` to run, separated by commas, with * for anything", Destination: &run, DefaultText: "all"},
			&cli.StringFlag{Name: "subjects", Usage: "`subjects` to run, likewise; basin always runs", Destination: &subjects, DefaultText: "all"},
			&cli.IntFlag{Name: "rounds", Usage: "`rounds` of each subject", Destination: &config.Rounds, DefaultText: "60, or 12 with -quick"},
			&cli.BoolFlag{Name: "json", Usage: "print the results as JSON instead of tables", Destination: &asJSON},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("bench takes no arguments, got %q", c.Args().First())
			}
			if c.IsSet("rounds") && config.Rounds <= 0 {
				return usageErrorf("-rounds must be more than zero, got %d", config.Rounds)
			}
			var err error
			if config.Workloads, err = bench.ChooseWorkloads(run); err != nil {
				return usageError{err}
			}
			if config.Subjects, err = bench.ChooseSubjects(subjects); err != nil {
				return usageError{err}
			}
			report, err := bench.Run(ctx, config, bench.NewProgress(os.Stderr))
			if err != nil {
				return err
			}
			if err := write(report, c.Root().Writer, asJSON); err != nil {
				return err
			}
			if report.Interrupted {
				return context.Canceled
			}
			return nil
		},
	}
}

// benchPartCommand is how the benchmarks start their own child processes.
func benchPartCommand() *cli.Command {
	return &cli.Command{
		Name:   bench.PartCommand,
		Hidden: true,
		Action: func(context.Context, *cli.Command) error { return bench.RunPart() },
	}
}
