package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/basin-go/basin/lab/internal/bench"
	"github.com/basin-go/basin/lab/internal/report"
	"github.com/basin-go/basin/lab/internal/terminal"
)

const aboutBench = `Every workload runs with every subject, each in a process of its own, in turn, in many
short rounds. A ratio is basin's time over the subject's: below 1, basin is faster. Tables
have two: of the fastest rounds, and the median of the ratios round by round.`

func runBench(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	var c bench.Config
	flags.BoolVar(&c.Quick, "quick", false, "fewer rounds: less than two minutes in all")
	flags.IntVar(&c.Rounds, "rounds", 0, "`number` of rounds of each subject; twice as many where several goroutines run (default 150, or 20 with -quick)")
	run := flags.String("run", "", "`workloads` to run, separated by commas, with * for anything (default all)")
	chosen := flags.String("subjects", "", "`subjects` to run, likewise; basin always runs (default all)")
	asJSON := flags.Bool("json", false, "print the results as JSON instead of tables")
	html := flags.String("html", "", "write a page with charts to `file`")
	from := flags.String("from", "", "measure nothing, but take the results from `files` that -json has written, one for each run, separated by commas")
	docs := flags.String("docs", "", "write results and charts into the documentation in `directory`, and a table into the README above it; needs -from with three runs on a quiet machine")
	check := flags.Bool("check", false, "measure the workloads for which the project has targets, and exit 1 if basin misses one")
	if err := parse(flags, aboutBench, args, stdout); err != nil {
		return err
	}
	set := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if *docs != "" && *from == "" {
		return usageErrorf("-docs needs -from with the files of three runs, which bench -json writes")
	}
	if set["rounds"] && c.Rounds <= 0 {
		return usageErrorf("-rounds must be more than zero, got %d", c.Rounds)
	}
	var err error
	if c.Workloads, err = bench.ChooseWorkloads(*run); err != nil {
		return usageError{err}
	}
	if c.Subjects, err = bench.ChooseSubjects(*chosen); err != nil {
		return usageError{err}
	}
	targets, err := report.LoadTargets()
	if err != nil {
		return err
	}
	if *check {
		works, needed := targets.Needs()
		if *run == "" {
			c.Workloads = works
		}
		if *chosen == "" {
			c.Subjects = needed
		}
	}
	// Check before the measurements that all outputs can be written.
	if *docs != "" {
		if err := report.CheckDocs(*docs); err != nil {
			return err
		}
	}
	var page *report.Output
	if *html != "" {
		if page, err = report.Create(*html); err != nil {
			return err
		}
	}
	found, err := measure(ctx, c, *from)
	if err != nil {
		if page != nil {
			page.Abandon()
		}
		return err
	}
	if err := write(found, stdout, *asJSON); err != nil {
		return err
	}
	if page != nil {
		if err := page.Write(found.WriteHTML); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "The report is in %s.\n", *html)
	}
	if found.Interrupted {
		return context.Canceled
	}
	if *docs != "" {
		if err := found.WriteDocs(*docs); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "The results are in %s and in the README above it.\n", filepath.Join(*docs, "benchmarks.md"))
	}
	if !*check {
		return found.Err()
	}
	outcome := targets.Check(found)
	if !*asJSON {
		if err := outcome.Write(stdout); err != nil {
			return err
		}
	}
	return outcome.Err()
}

func measure(ctx context.Context, c bench.Config, from string) (*report.Report, error) {
	if from != "" {
		var runs []*report.Report
		for name := range strings.SplitSeq(from, ",") {
			r, err := report.Read(name)
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		}
		return report.Combine(runs)
	}
	return bench.Run(ctx, c, terminal.NewProgress(os.Stderr))
}
