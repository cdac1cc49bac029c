package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/basin-go/basin/lab/internal/terminal"
	"github.com/dustin/go-humanize"
)

const aboutDemo = `The gateway fetches files from an upstream, reads each body whole, rewrites it and
sends it on. It runs once for each way to get the memory of a body: plain allocation,
a sync.Pool, basin, and discard, which keeps no body and so is the lower bound. Every
response is checked against its file.

With -overload, slow clients ask for more than fits under a ceiling on memory in use:
first from a gateway that has one, then from a gateway that has none. With
-memory-limit 256MiB as well, a gateway that takes more memory is killed, as in a
container. The gateway with a ceiling survives.

With -serve, the gateway keeps running under load, with a live page about its pools.
With -overload as well, a second gateway has slow clients under a ceiling.

Ctrl-C ends a run and prints the measurements so far.`

// Defaults of flags with -overload.
const (
	overloadConcurrency = 256
	overloadDuration    = 20 * time.Second
)

func runDemo(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	var c demo.ServeConfig // the other modes use a part of it
	flags.DurationVar(&c.Duration, "duration", 40*time.Second, fmt.Sprintf("`time` of all requests together; if not set, %v with -overload, and no limit with -serve", overloadDuration))
	flags.DurationVar(&c.Settle, "settle", 30*time.Second, "`time` without requests before the memory that gateways still hold is measured; 0 does not measure it")
	flags.IntVar(&c.Concurrency, "concurrency", 32, fmt.Sprintf("`number` of connections to a gateway, each with one request at a time; if not set, %d with -overload", overloadConcurrency))
	flags.StringVar(&c.Corpus, "corpus", "", "`directory` whose files are served (default the source of Go's standard library)")
	flags.BoolVar(&c.Attribution, "attribution", false, "also measure variants of basin and discard that differ in one thing each, to see where time goes")
	flags.BoolVar(&c.Overload, "overload", false, "overload gateways with slow clients")
	c.MaxInUse = 64 << 20
	flags.Func("max-in-use", "with -overload, the ceiling in `bytes`: the most that the gateway's pool hands out at a time (default 64MiB)", bytesTo(&c.MaxInUse))
	flags.Func("memory-limit", "with -overload, kill a gateway that takes more memory than these `bytes`, such as 256MiB (default none)", bytesTo(&c.MemoryLimit))
	serve := flags.Bool("serve", false, "keep the gateway running under load, and show its pools on a page")
	flags.StringVar(&c.Addr, "addr", "localhost:6060", "with -serve, the `address` of the page")
	asJSON := flags.Bool("json", false, "print the results as JSON instead of a table")
	if err := parse(flags, aboutDemo, args, stdout); err != nil {
		return err
	}
	set := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	switch {
	case *serve && *asJSON:
		return usageErrorf("-json has no effect with -serve: the page has ?format=json")
	case c.Attribution && (*serve || c.Overload):
		return usageErrorf("-attribution has no effect with -serve or -overload")
	case set["max-in-use"] && !c.Overload:
		return usageErrorf("-max-in-use needs -overload")
	case set["memory-limit"] && (!c.Overload || *serve):
		return usageErrorf("-memory-limit needs -overload without -serve")
	case set["memory-limit"] && c.MemoryLimit == 0:
		return usageErrorf("-memory-limit must be more than zero")
	case set["settle"] && (c.Overload || *serve):
		return usageErrorf("-settle has no effect with -overload or -serve")
	case set["addr"] && !*serve:
		return usageErrorf("-addr needs -serve")
	}
	if c.Overload && !set["concurrency"] {
		c.Concurrency = overloadConcurrency
	}
	if !set["duration"] && *serve {
		c.Duration = demo.Forever
	} else if !set["duration"] && c.Overload {
		c.Duration = overloadDuration
	}
	if err := c.Complete(); err != nil {
		return usageError{err}
	}
	switch {
	case *serve:
		return serveDemo(ctx, c, stdout)
	case c.Overload:
		report, err := demo.RunOverload(ctx, c.OverloadConfig, terminal.NewProgress(os.Stderr))
		if report == nil {
			return err
		}
		return errors.Join(write(report, stdout, *asJSON), err, report.Err())
	}
	report, err := demo.Run(ctx, c.Config, terminal.NewProgress(os.Stderr))
	if report == nil {
		return err
	}
	return errors.Join(write(report, stdout, *asJSON), err)
}

// serveDemo is the demo with -serve. An interrupt is its normal end.
func serveDemo(ctx context.Context, c demo.ServeConfig, stdout io.Writer) error {
	checked, err := demo.Serve(ctx, c, func(addr string) {
		fmt.Fprintf(stdout, "The gateway's pools are at http://%s%s\nProfiles are at /debug/pprof/, variables at /debug/vars. Ctrl-C ends it.\n", addr, basinhttp.Path)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s responses checked\n", humanize.Comma(int64(checked)))
	return err
}

// bytesTo returns a function that sets a flag to a size such as 64MiB.
func bytesTo(size *int64) func(string) error {
	return func(s string) error {
		n, err := humanize.ParseBytes(s)
		if err != nil || n > math.MaxInt64/4 { // leaves room for the overhead
			return errors.New("must be a size such as 64MiB")
		}
		*size = int64(n)
		return nil
	}
}

// write prints a report.
func write(r interface{ WriteTable(io.Writer) error }, w io.Writer, asJSON bool) error {
	if !asJSON {
		return r.WriteTable(w)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
