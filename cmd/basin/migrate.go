package main

import (
	"context"

	"github.com/basin-go/basin/vet"
	"github.com/urfave/cli/v3"
)

func init() { commands = append(commands, migrateCommand()) }

func migrateCommand() *cli.Command {
	return &cli.Command{
		Name:            "migrate",
		Usage:           "replace sync.Pools of buffers by pools of basin",
		SkipFlagParsing: true, // package vet parses flags, -help included
		Action: func(ctx context.Context, c *cli.Command) error {
			if status := vet.Migrate(ctx, c.Args().Slice()); status != 0 {
				return exitStatus(status)
			}
			return nil
		},
	}
}
