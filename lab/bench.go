package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/basin-go/basin/lab/internal/bench"
	"github.com/basin-go/basin/lab/internal/report"
	"github.com/urfave/cli/v3"
)

func init() {
	commands = append(commands, benchCommand(), benchPartCommand())
}

// benchFlags has the command line of bench.
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
		Usage: "measure basin side by side with common alternatives",
		Description: "Every workload runs with every subject, each in a process of its own, in turn, in many\n" +
			"short rounds. Ratios are of basin's fastest round to the other's: less than 1 means\n" +
			"that basin is faster.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "fewer rounds: less than two minutes in all", Destination: &f.config.Quick},
			&cli.StringFlag{Name: "run", Usage: "`workloads` to run, separated by commas, with * for anything", Destination: &f.run, DefaultText: "all"},
			&cli.StringFlag{Name: "subjects", Usage: "`subjects` to run, likewise; basin always runs", Destination: &f.subjects, DefaultText: "all"},
			&cli.IntFlag{Name: "rounds", Usage: "`rounds` of each subject, or twice as many where several goroutines run", Destination: &f.config.Rounds, DefaultText: "150, or 20 with -quick"},
			&cli.BoolFlag{Name: "json", Usage: "print the results as JSON instead of tables", Destination: &f.asJSON},
			&cli.StringFlag{Name: "html", Usage: "write a page with charts to `file`", Destination: &f.html},
			&cli.StringFlag{Name: "docs", Usage: "write results and charts into the documentation in `directory`, and a table into the README above it: needs three runs with -from, of a quiet machine", Destination: &f.docs},
			&cli.BoolFlag{Name: "check", Usage: "measure the workloads of the project's bars, and exit 1 if basin falls short of any", Destination: &f.check},
			&cli.StringFlag{Name: "from", Usage: "measure nothing: take the results from `files`, separated by commas, which -json has written, each of a separate run", Destination: &f.from},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("bench takes no arguments, got %q", c.Args().First())
			}
			if f.docs != "" && f.from == "" {
				return usageErrorf("-docs is for saved results: bench -json writes them, and -from names the files of three runs")
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
	bars, err := report.LoadBars()
	if err != nil {
		return err
	}
	if f.check {
		works, needed := bars.Needs()
		if f.run == "" {
			f.config.Workloads = works
		}
		if f.subjects == "" {
			f.config.Subjects = needed
		}
	}
	// Check before the measurements that all outputs can be written.
	if f.docs != "" {
		if err := report.CheckDocs(f.docs); err != nil {
			return err
		}
	}
	var page *report.Output
	if f.html != "" {
		if page, err = report.Create(f.html); err != nil {
			return err
		}
	}
	found, err := measure(ctx, f)
	if err != nil {
		if page != nil {
			page.Abandon()
		}
		return err
	}
	if err := write(found, w, f.asJSON); err != nil {
		return err
	}
	if page != nil {
		if err := page.Write(found.WriteHTML); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "The report is in %s.\n", f.html)
	}
	if found.Interrupted {
		return context.Canceled
	}
	if f.docs != "" {
		if err := found.WriteDocs(f.docs); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "The results are in %s and in the README above it.\n", filepath.Join(f.docs, "benchmarks.md"))
	}
	if !f.check {
		return found.Err()
	}
	check := bars.Check(found)
	if !f.asJSON {
		if err := check.Write(w); err != nil {
			return err
		}
	}
	return check.Err()
}

func measure(ctx context.Context, f benchFlags) (*report.Report, error) {
	if f.from != "" {
		var runs []*report.Report
		for name := range strings.SplitSeq(f.from, ",") {
			r, err := report.Read(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			runs = append(runs, r)
		}
		return report.Combine(runs)
	}
	return bench.Run(ctx, f.config, bench.NewProgress(os.Stderr))
}

// benchPartCommand is the command of the benchmarks' child processes.
func benchPartCommand() *cli.Command {
	return &cli.Command{
		Name:   bench.PartCommand,
		Hidden: true,
		Action: func(context.Context, *cli.Command) error { return bench.RunPart() },
	}
}
