package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/basin-go/basin/cmd/internal/printable"
	"github.com/basin-go/basin/cmd/internal/remote"
	"github.com/basin-go/basin/internal/trace"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v3"
)

func init() { commands = append(commands, recordCommand()) }

func recordCommand() *cli.Command {
	var (
		output   string
		duration time.Duration
		every    int
	)
	return &cli.Command{
		Name:      "record",
		Usage:     "record the requests to a running program's byte pools",
		UsageText: "basin record [options] -o FILE URL",
		Description: "URL is the page of package basinhttp in the program, which must allow recording with\n" +
			"basinhttp.AllowRecord, such as\n" +
			"http://localhost:6060/debug/basin/\n\n" +
			"The trace has the sizes and times of requests and their Ps, but no contents. basin replay\n" +
			"computes the effect of other settings. Recording adds up to a microsecond to a pair of\n" +
			"Get and Put; -every 100 records one slice in a hundred, and costs much less.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "`file` to write the trace to", Destination: &output},
			&cli.DurationFlag{Name: "duration", Value: 10 * time.Second, Usage: "how long to record, at most a minute", Destination: &duration},
			&cli.IntFlag{Name: "every", Value: 1, Usage: "record one slice in this `number`", Destination: &every},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			switch {
			case c.Args().Len() != 1:
				return usageErrorf("record takes one URL, such as http://localhost:6060/debug/basin/")
			case output == "":
				return usageErrorf("record needs a file for the trace: -o FILE")
			case duration <= 0 || duration > time.Minute:
				return usageErrorf("-duration is %v, want more than zero and at most a minute", duration)
			case every < 1 || every > trace.MaxEvery:
				return usageErrorf("-every is %d, want 1 to %d", every, trace.MaxEvery)
			}
			source, err := remote.NewSource(c.Args().First())
			if err != nil {
				return usageError{err}
			}
			t, err := record(ctx, source, duration, every, output)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.Root().Writer, "%s %s of %s in %v\n", humanize.Comma(int64(len(t.Acquisitions))),
				english.PluralWord(len(t.Acquisitions), "slice", ""), english.Plural(len(t.Pools), "pool", ""), t.Duration.Round(time.Millisecond))
			if t.Lost > 0 {
				fmt.Fprintf(c.Root().ErrWriter, "basin: %d more slices are missing: the program takes them faster than it can send them; use -every\n", t.Lost)
			}
			if !t.Complete {
				fmt.Fprintln(c.Root().ErrWriter, "basin: the trace breaks off: the program has ended, or was too slow to send it")
			}
			return nil
		},
	}
}

// record writes a trace to a file. It first writes to a temporary file, so that the file is complete or
// does not exist.
func record(ctx context.Context, source *remote.Source, duration time.Duration, every int, output string) (t *trace.Trace, err error) {
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		return nil, fmt.Errorf("cannot write %s: it is a directory", printable.Text(output))
	}
	f, err := os.CreateTemp(filepath.Dir(output), filepath.Base(output)+".*")
	if err != nil {
		var e *os.PathError
		if errors.As(err, &e) {
			err = e.Err // without the name of the temporary file
		}
		return nil, fmt.Errorf("cannot write %s: %w", printable.Text(output), err)
	}
	defer os.Remove(f.Name()) // unless it has been renamed
	defer f.Close()
	if t, err = source.Record(ctx, duration, every, f); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return t, os.Rename(f.Name(), output)
}
