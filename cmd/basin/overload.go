package main

import (
	"context"
	"math"
	"os"
	"time"

	"github.com/basin-go/basin/cmd/internal/demo"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v3"
)

// What the demo's flags default to with -overload.
const (
	overloadConcurrency = 256
	overloadDuration    = 20 * time.Second
)

// runOverload is the demo with -overload.
func runOverload(ctx context.Context, c *cli.Command, config demo.Config, maxInUse string, asJSON bool) error {
	if !c.IsSet("concurrency") {
		config.Concurrency = overloadConcurrency
	}
	if !c.IsSet("duration") {
		config.Duration = overloadDuration
	}
	size, err := parseMaxInUse(maxInUse)
	if err != nil {
		return err
	}
	overload := demo.OverloadConfig{Config: config, MaxInUse: size}
	if err := overload.Complete(); err != nil {
		return usageError{err}
	}
	report, err := demo.RunOverload(ctx, overload, demo.NewProgress(os.Stderr))
	if err != nil {
		return err
	}
	if err := write(report, c.Root().Writer, asJSON); err != nil {
		return err
	}
	return report.Err()
}

// parseMaxInUse returns the bytes that the flag -max-in-use says.
func parseMaxInUse(s string) (int64, error) {
	size, err := humanize.ParseBytes(s)
	if err != nil || size > math.MaxInt64/4 { // leaves room for the overhead
		return 0, usageErrorf("-max-in-use must be a size such as 64MiB, got %q", s)
	}
	return int64(size), nil
}
