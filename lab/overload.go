package main

import (
	"context"
	"math"
	"os"
	"time"

	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v3"
)

// Defaults of the demo's flags with -overload.
const (
	overloadConcurrency = 256
	overloadDuration    = 20 * time.Second
)

// runOverload is the demo with -overload.
func runOverload(ctx context.Context, c *cli.Command, config demo.Config, maxInUse, memoryLimit string, asJSON bool) error {
	if !c.IsSet("concurrency") {
		config.Concurrency = overloadConcurrency
	}
	if !c.IsSet("duration") {
		config.Duration = overloadDuration
	}
	size, err := parseSize("-max-in-use", maxInUse)
	if err != nil {
		return err
	}
	overload := demo.OverloadConfig{Config: config, MaxInUse: size}
	if c.IsSet("memory-limit") {
		if overload.MemoryLimit, err = parseSize("-memory-limit", memoryLimit); err != nil {
			return err
		}
		if overload.MemoryLimit == 0 {
			return usageErrorf("-memory-limit must be more than zero, got %q", memoryLimit)
		}
	}
	if err := overload.Complete(); err != nil {
		return usageError{err}
	}
	report, err := demo.RunOverload(ctx, overload, demo.NewProgress(os.Stderr))
	if report == nil {
		return err
	}
	if failed := write(report, c.Root().Writer, asJSON); failed != nil {
		return failed
	}
	if err != nil { // the run was interrupted
		return err
	}
	return report.Err()
}

// parseSize returns the value of the named flag in bytes.
func parseSize(flag, s string) (int64, error) {
	size, err := humanize.ParseBytes(s)
	if err != nil || size > math.MaxInt64/4 { // leaves room for the overhead
		return 0, usageErrorf("%s must be a size such as 64MiB, got %q", flag, s)
	}
	return int64(size), nil
}
