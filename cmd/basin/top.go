package main

import (
	"context"
	"strings"
	"time"

	"github.com/basin-go/basin/cmd/internal/remote"
	"github.com/basin-go/basin/cmd/internal/top"
	"github.com/urfave/cli/v3"
)

func init() { commands = append(commands, topCommand()) }

func topCommand() *cli.Command {
	var config top.Config
	return &cli.Command{
		Name:      "top",
		Usage:     "show the pools of a running program",
		ArgsUsage: "URL",
		Description: "URL is the page of package basinhttp in the program, such as\n" +
			"http://localhost:6060/debug/basin/\n\n" +
			"On a terminal the view refreshes itself; ? shows its keys. Elsewhere, and with -plain or\n" +
			"-n, a table is printed at each interval. GETS/S and HIT% are those of the last interval;\n" +
			"without gets in it, HIT% is that since the start. With -n the first table comes after an\n" +
			"interval.",
		OnUsageError: asUsageError,
		Flags: []cli.Flag{
			&cli.DurationFlag{Name: "interval", Value: 2 * time.Second, Usage: "time from one reading to the next", Destination: &config.Interval},
			&cli.StringFlag{Name: "sort", Value: "trouble", Usage: "`column` to sort by: " + strings.Join(top.ColumnNames(), ", "), Destination: &config.Sort},
			&cli.BoolFlag{Name: "plain", Usage: "print tables, also on a terminal", Destination: &config.Plain},
			&cli.IntFlag{Name: "n", Usage: "print this `number` of tables, then end", DefaultText: "no end", Destination: &config.Count},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			switch c.Args().Len() {
			case 0:
				return usageErrorf("top needs the URL of a program's page, such as http://localhost:6060/debug/basin/")
			case 1:
			default:
				return usageErrorf("top takes one URL, got %q too", c.Args().Get(1))
			}
			if err := config.Check(); err != nil {
				return usageError{err}
			}
			source, err := remote.NewSource(c.Args().First())
			if err != nil {
				return usageError{err}
			}
			return top.Run(ctx, source, config, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}
