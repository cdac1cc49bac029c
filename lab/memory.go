package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/valyala/bytebufferpool"
	"golang.org/x/sync/errgroup"

	"github.com/basin-go/basin/internal/footprint"
	"github.com/basin-go/basin/lab/internal/report"
)

const aboutMemory = `Every load runs with every way to get memory, each in a process of its own. All figures are
multiples of the most bytes that were in use at a time, so the smallest number is best.`

// memoryPart is the command of a process that measures one load with one way.
const memoryPart = "memory-part"

// memoryWays returns all ways. The library of others comes after those of the standard library.
func memoryWays() []footprint.Way {
	return slices.Insert(slices.Clone(footprint.Ways), 3, footprint.Way{Name: "bytebufferpool", Open: func() footprint.Memory {
		pool := new(bytebufferpool.Pool)
		return footprint.Buffers(pool.Get, pool.Put)
	}})
}

// memoryTables are the figures, in the order in which they are shown.
var memoryTables = []struct {
	title string
	of    func(f footprint.Figures) int64
}{
	{"Heap at its peak, garbage included", func(f footprint.Figures) int64 { return f.Peak }},
	{"Heap after all was given back, and one collection", func(f footprint.Figures) int64 { return max(f.Idle, 0) }},
	{"Memory of the process, more than before the load, after the wait", func(f footprint.Figures) int64 { return f.Resident }},
	{"Memory allocated by the whole load", func(f footprint.Figures) int64 { return f.Allocated }},
}

func runMemory(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("memory", flag.ContinueOnError)
	wait := flags.Duration("wait", 30*time.Second, "wait before the memory of the process is read, while the program is idle; 0 leaves that out")
	jobs := flags.Int("jobs", 4*runtime.NumCPU(), "`number` of processes at a time; most of them wait")
	docs := flags.String("docs", "", "also write the tables into benchmarks.md in `directory`")
	if err := parse(flags, aboutMemory, args, stdout); err != nil {
		return err
	}
	ways := memoryWays()
	var page []byte
	if *docs != "" { // before the measurements
		if *wait != 30*time.Second {
			return usageErrorf("-docs needs the usual -wait")
		}
		var err error
		if page, err = os.ReadFile(filepath.Join(*docs, "benchmarks.md")); err != nil {
			return err
		}
		if _, err = report.FillIn(page, "memory", ""); err != nil {
			return err
		}
	}
	figures, err := measureMemory(ctx, ways, *wait, *jobs)
	if err != nil {
		return err
	}
	text := memoryText(ways, figures)
	if _, err := io.WriteString(stdout, text); err != nil || *docs == "" {
		return err
	}
	if page, err = report.FillIn(page, "memory", text); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(*docs, "benchmarks.md"), page, 0o666)
}

// measureMemory returns the figures of each load and way.
func measureMemory(ctx context.Context, ways []footprint.Way, wait time.Duration, jobs int) ([][]footprint.Figures, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	figures := make([][]footprint.Figures, len(footprint.Loads))
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(max(jobs, 1))
	for i, l := range footprint.Loads {
		figures[i] = make([]footprint.Figures, len(ways))
		for k, w := range ways {
			all.Go(func() error {
				c := exec.CommandContext(ctx, exe, memoryPart, l.Name, w.Name, wait.String())
				var stderr bytes.Buffer
				c.Stderr = &stderr
				out, err := c.Output()
				if err == nil {
					err = json.Unmarshal(out, &figures[i][k])
				}
				if err != nil {
					return fmt.Errorf("%s, %s: %w\n%s", l.Name, w.Name, err, &stderr)
				}
				return nil
			})
		}
	}
	return figures, all.Wait()
}

// memoryText returns the tables as Markdown.
func memoryText(ways []footprint.Way, figures [][]footprint.Figures) string {
	var b strings.Builder
	for _, t := range memoryTables {
		if t.of(figures[0][0]) < 0 {
			continue
		}
		fmt.Fprintf(&b, "%s:\n\n| load |", t.title)
		for _, w := range ways {
			fmt.Fprintf(&b, " %s |", w.Name)
		}
		b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(ways)) + "\n")
		for i, l := range footprint.Loads {
			fmt.Fprintf(&b, "| %s |", l.Name)
			for _, f := range figures[i] {
				fmt.Fprintf(&b, " %s |", multiple(t.of(f), f.Need))
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	b.WriteString("The loads, by the slices or buffers in use:\n\n")
	for i, l := range footprint.Loads {
		fmt.Fprintf(&b, "* %s: %s; %.1f MiB at most\n", l.Name, l.Means, float64(figures[i][0].Need)/(1<<20))
	}
	return b.String()
}

// multiple returns n as a multiple of need, with two digits.
func multiple(n, need int64) string {
	x := float64(n) / float64(need)
	if x < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// runMemoryPart is the main function of a process that measures.
func runMemoryPart(load, way, wait string, stdout io.Writer) error {
	d, err := time.ParseDuration(wait)
	if err != nil {
		return err
	}
	return footprint.Part(stdout, memoryWays(), load, way, d)
}
