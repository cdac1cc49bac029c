package main

import (
	"context"
	"io"
	"os"

	"github.com/basin-go/basin/cmd/internal/bench"
	"github.com/urfave/cli/v3"
)

func init() {
	commands = append(commands, benchCommand(), benchPartCommand())
}

// benchFlags are the command line of bench.
type benchFlags struct {
	config              bench.Config
	run, subjects, from string
	html, docs          string
	asJSON, check       bool
}

func benchCommand() *cli.Command {
	var f benchFlags
	return &cli.Command{
		Name:  "bench",
		Usage: "measure basin side by side with what people use today",
		Description: "Every workload runs with every subject, each in a process of its own, in turn, in many\n" +
			"short rounds. Ratios are to basin, of the fastest rounds: more than 1 means that basin\n" +
			"is faster.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "fewer rounds: less than two minutes in all", Destination: &f.config.Quick},
			&cli.StringFlag{Name: "run", Usage: "`workloads` to run, separated by commas, with * for anything", Destination: &f.run, DefaultText: "all"},
			&cli.StringFlag{Name: "subjects", Usage: "`subjects` to run, likewise; basin always runs", Destination: &f.subjects, DefaultText: "all"},
			&cli.IntFlag{Name: "rounds", Usage: "`rounds` of each subject, or twice as many where several goroutines run", Destination: &f.config.Rounds, DefaultText: "150, or 20 with -quick"},
			&cli.BoolFlag{Name: "json", Usage: "print the results as JSON instead of tables", Destination: &f.asJSON},
			&cli.StringFlag{Name: "html", Usage: "write a page with charts to `file`", Destination: &f.html},
			&cli.StringFlag{Name: "docs", Usage: "write results and charts into the documentation in `directory`", Destination: &f.docs},
			&cli.BoolFlag{Name: "check", Usage: "measure what the project's bars are about, and exit 1 if basin falls short of any", Destination: &f.check},
			&cli.StringFlag{Name: "from", Usage: "measure nothing: take the results from `file`, which -json has written", Destination: &f.from},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("bench takes no arguments, got %q", c.Args().First())
			}
			if c.IsSet("rounds") && f.config.Rounds <= 0 {
				return usageErrorf("-rounds must be more than zero, got %d", f.config.Rounds)
			}
			return runBench(ctx, c.Root().Writer, f)
		},
	}
}

func runBench(ctx context.Context, w io.Writer, f benchFlags) error {
	var err error
	if f.config.Workloads, err = bench.ChooseWorkloads(f.run); err != nil {
		return usageError{err}
	}
	if f.config.Subjects, err = bench.ChooseSubjects(f.subjects); err != nil {
		return usageError{err}
	}
	bars, err := bench.LoadBars()
	if err != nil {
		return err
	}
	if f.check {
		works, subjects := bars.Needs()
		if f.run == "" {
			f.config.Workloads = works
		}
		if f.subjects == "" {
			f.config.Subjects = subjects
		}
	}
	// Whatever cannot be written is better known before than after.
	if f.docs != "" {
		if err := bench.CheckDocs(f.docs); err != nil {
			return err
		}
	}
	var page *bench.Output
	if f.html != "" {
		if page, err = bench.Create(f.html); err != nil {
			return err
		}
	}
	report, err := measure(ctx, f)
	if err != nil {
		if page != nil {
			page.Abandon()
		}
		return err
	}
	if err := write(report, w, f.asJSON); err != nil {
		return err
	}
	if page != nil {
		if err := page.Write(report.WriteHTML); err != nil {
			return err
		}
	}
	if report.Interrupted {
		return context.Canceled
	}
	if f.docs != "" {
		if err := report.WriteDocs(f.docs); err != nil {
			return err
		}
	}
	if !f.check {
		return report.Err()
	}
	check := bars.Check(report)
	if !f.asJSON {
		if err := check.Write(w); err != nil {
			return err
		}
	}
	return check.Err()
}

func measure(ctx context.Context, f benchFlags) (*bench.Report, error) {
	if f.from != "" {
		return bench.ReadReport(f.from)
	}
	return bench.Run(ctx, f.config, bench.NewProgress(os.Stderr))
}

// benchPartCommand is how the benchmarks start their own child processes.
func benchPartCommand() *cli.Command {
	return &cli.Command{
		Name:   bench.PartCommand,
		Hidden: true,
		Action: func(context.Context, *cli.Command) error { return bench.RunPart() },
	}
}
