package main

import (
	"context"
	"fmt"

	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v3"
)

// runServe is the demo with -serve. An interrupt is its normal end.
func runServe(ctx context.Context, c *cli.Command, config demo.Config, addr string, overload bool, maxInUse string) error {
	serve := demo.ServeConfig{OverloadConfig: demo.OverloadConfig{Config: config}, Overload: overload, Addr: addr}
	if !c.IsSet("duration") {
		serve.Duration = demo.Forever
	}
	if overload {
		size, err := parseSize("-max-in-use", maxInUse)
		if err != nil {
			return err
		}
		serve.MaxInUse = size
		if !c.IsSet("concurrency") {
			serve.Concurrency = overloadConcurrency
		}
	}
	if err := serve.Complete(); err != nil {
		return usageError{err}
	}
	out := c.Root().Writer
	checked, err := demo.Serve(ctx, serve, func(addr string) {
		fmt.Fprintf(out, "The gateway's pools are at http://%s%s\nProfiles are at /debug/pprof/, variables at /debug/vars. Ctrl-C ends it.\n", addr, basinhttp.Path)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s responses checked\n", humanize.Comma(int64(checked)))
	return nil
}
