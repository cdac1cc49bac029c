package main

import (
	"context"

	"github.com/basin-go/basin/vet/advise"
	"github.com/urfave/cli/v3"
)

func init() { commands = append(commands, adviseCommand()) }

func adviseCommand() *cli.Command {
	return &cli.Command{
		Name:            "advise",
		Usage:           "say where a program should pool memory, from a profile",
		SkipFlagParsing: true, // package advise parses flags, -help included
		Action: func(ctx context.Context, c *cli.Command) error {
			if status := advise.Main(ctx, c.Args().Slice()); status != 0 {
				return exitStatus(status)
			}
			return nil
		},
	}
}
