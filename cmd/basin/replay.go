package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/basin-go/basin/cmd/internal/printable"
	"github.com/basin-go/basin/cmd/internal/replay"
	"github.com/basin-go/basin/internal/trace"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v3"
)

func init() { commands = append(commands, replayCommand()) }

func replayCommand() *cli.Command {
	var (
		asJSON   bool
		maxIdle  string
		settings replay.Settings
	)
	return &cli.Command{
		Name:      "replay",
		Usage:     "compute the memory that pools with other settings would take",
		ArgsUsage: "FILE",
		Description: "FILE is a trace of basin record. For each byte pool in it, replay prints a table with a row\n" +
			"for each policy. Its columns:\n\n" +
			"held at most    peak of the memory in use and idle\n" +
			"idle at most    peak of the idle memory\n" +
			"new             memory that is newly allocated\n" +
			"misses          requests that allocate\n" +
			"capacity/asked  capacity handed out for each byte asked for",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON", Destination: &asJSON},
			&cli.StringFlag{Name: "max-idle", Usage: "MaxIdle to replay with, a `size` such as 16MiB", DefaultText: "the MaxIdle of each pool", Destination: &maxIdle},
			&cli.DurationFlag{Name: "idle-time", Usage: "IdleTime to replay with", DefaultText: "10s", Destination: &settings.IdleTime},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return usageErrorf("replay takes one file, which basin record has written")
			}
			if maxIdle != "" {
				n, err := humanize.ParseBytes(maxIdle)
				if err != nil || n == 0 || n > 1<<50 {
					return usageErrorf("-max-idle is %s, want a size such as 16MiB", printable.Text(maxIdle))
				}
				settings.MaxIdle = int64(n)
			}
			if settings.IdleTime < 0 {
				return usageErrorf("-idle-time is %v, want more than zero", settings.IdleTime)
			}
			name := c.Args().First()
			t, size, err := readTrace(ctx, name)
			if err != nil {
				return err
			}
			all, err := replay.Run(ctx, t, size, replay.Policies, settings)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("%s is refused: %w", printable.Text(name), err)
			}
			if asJSON {
				out := json.NewEncoder(c.Root().Writer)
				out.SetIndent("", "  ")
				return out.Encode(struct {
					Every    int              `json:"every"`
					Duration time.Duration    `json:"duration"`
					Lost     uint64           `json:"lost"`
					Complete bool             `json:"complete"`
					Pools    []replay.Traffic `json:"pools"`
				}{t.Every, t.Duration, t.Lost, t.Complete, all})
			}
			printReplay(c.Root().Writer, t, all)
			return nil
		},
	}
}

// readTrace reads a trace from a file. It also returns the size of the file.
func readTrace(ctx context.Context, name string) (t *trace.Trace, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	size = info.Size()
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a regular file", printable.Text(name))
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s is no trace of basin record: %w", printable.Text(name), err)
	}
	t, err = trace.Read(&unpacking{ctx, z, maxUnpacked(size)})
	switch {
	case ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case errors.Is(err, errUnpacked):
		return nil, 0, fmt.Errorf("%s is refused: its %d bytes unpack to more than %d", printable.Text(name), size, maxUnpacked(size))
	case err != nil:
		return nil, 0, fmt.Errorf("%s: %w", printable.Text(name), err)
	}
	return t, size, nil
}

// maxUnpacked returns the most bytes that a file of a size may unpack to. Traces of basin
// record shrink to about a third, or to a thirtieth if the program repeats itself.
func maxUnpacked(size int64) int64 { return 1<<20 + 100*size }

var errUnpacked = errors.New("it unpacks to too many bytes")

// An unpacking reads at most left bytes from r, until ctx ends.
type unpacking struct {
	ctx  context.Context
	r    io.Reader
	left int64
}

func (u *unpacking) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := u.r.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, errUnpacked
	}
	return n, err
}

func printReplay(w io.Writer, t *trace.Trace, all []replay.Traffic) {
	if t.Lost > 0 || !t.Complete {
		end := ""
		if !t.Complete {
			end = ", and its end"
		}
		fmt.Fprintf(w, "The trace is incomplete: %d slices are missing%s.\n\n", t.Lost, end)
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "The trace has no requests to byte pools.")
	}
	for i, f := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s requests in %v for %s, at most %s at one time\n", printable.Text(f.Pool), humanize.Comma(int64(f.Gets)),
			f.Duration.Round(time.Millisecond), humanize.IBytes(uint64(f.Asked)), humanize.IBytes(uint64(f.InUse)))
		if f.Every > 1 {
			fmt.Fprintf(w, "One slice in %d was recorded; figures are estimates.\n", f.Every)
		}
		if f.Outside > 0 {
			fmt.Fprintf(w, "Another %s are larger than MaxSize, and are left out.\n", humanize.Comma(int64(f.Outside)))
		}
		rows := table.New().Headers("", "held at most", "idle at most", "new", "misses", "capacity/asked").
			BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
			StyleFunc(func(_, column int) lipgloss.Style {
				if column == 0 {
					return lipgloss.NewStyle()
				}
				return lipgloss.NewStyle().Align(lipgloss.Right).PaddingLeft(2)
			})
		for _, r := range f.Results {
			rows.Row(r.Policy, humanize.IBytes(uint64(r.MaxHeld)), humanize.IBytes(uint64(r.MaxIdle)), humanize.IBytes(uint64(r.New)),
				humanize.Comma(int64(r.Misses)), strconv.FormatFloat(r.Overhead, 'f', 2, 64))
		}
		for line := range strings.Lines(rows.Render()) {
			fmt.Fprintln(w, strings.TrimRight(line, " \n"))
		}
	}
}
