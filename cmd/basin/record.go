package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/basin-go/basin/cmd/internal/remote"
	"github.com/basin-go/basin/internal/trace"
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
		ArgsUsage: "URL",
		Description: "URL is where the program shows its pools with basinhttp.AllowRecord, such as\n" +
			"http://localhost:6060/debug/basin/\n\n" +
			"The trace has sizes, times and Ps, no contents. basin replay computes the effect of\n" +
			"other settings. Recording slows Get and Put down, by about a microsecond for both;\n" +
			"-every 100 records one slice in a hundred.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "`file` to write", Required: true, Destination: &output},
			&cli.DurationFlag{Name: "duration", Value: 10 * time.Second, Usage: "how long to record, a minute at most", Destination: &duration},
			&cli.IntFlag{Name: "every", Value: 1, Usage: "record one slice in this `number`", Destination: &every},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			switch {
			case c.Args().Len() != 1:
				return usageErrorf("record takes one URL, such as http://localhost:6060/debug/basin/")
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
			fmt.Fprintf(c.Root().Writer, "%d slices of %d pools in %v\n", len(t.Acquisitions), len(t.Pools), t.Duration.Round(time.Millisecond))
			if t.Lost > 0 {
				fmt.Fprintf(c.Root().ErrWriter, "basin: another %d slices were lost: the program takes more than can be sent; use -every\n", t.Lost)
			}
			if !t.Complete {
				fmt.Fprintln(c.Root().ErrWriter, "basin: the trace breaks off: the program has ended, or was too slow to send it")
			}
			return nil
		},
	}
}

// record writes a trace to a file. The file exists only once it is complete.
func record(ctx context.Context, source *remote.Source, duration time.Duration, every int, output string) (t *trace.Trace, err error) {
	f, err := os.CreateTemp(filepath.Dir(output), filepath.Base(output)+".*")
	if err != nil {
		return nil, err
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
