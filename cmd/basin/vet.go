package main

import (
	"context"

	"github.com/basin-go/basin/vet"
	"github.com/urfave/cli/v3"
)

func init() { commands = append(commands, vetCommand()) }

func vetCommand() *cli.Command {
	return &cli.Command{
		Name:            "vet",
		Usage:           "find misuse of pools in Go programs",
		SkipFlagParsing: true, // package vet parses flags, -help included
		Action: func(ctx context.Context, c *cli.Command) error {
			if status := vet.Main(ctx, c.Args().Slice()); status != 0 {
				return exitStatus(status)
			}
			return nil
		},
	}
}
