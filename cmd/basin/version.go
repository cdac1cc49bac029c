package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"
)

func init() { commands = append(commands, versionCommand()) }

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "print the versions of the command, the library and Go",
		OnUsageError: asUsageError,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageErrorf("version takes no arguments, got %q", c.Args().First())
			}
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = new(debug.BuildInfo)
			}
			return writeVersion(c.Root().Writer, info)
		},
	}
}

// library is the module whose pools the command shows.
const library = "github.com/basin-go/basin"

// writeVersion prints each known version on a line.
func writeVersion(w io.Writer, info *debug.BuildInfo) error {
	known := func(s string) string {
		if s == "" {
			return "of an unknown version"
		}
		return s
	}
	text := "basin " + known(info.Main.Version) + "\n"
	for _, m := range info.Deps {
		if m.Path != library {
			continue
		}
		text += "library " + known(m.Version)
		if m.Replace != nil {
			text += ", replaced by another copy"
		}
		text += "\n"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		text += "revision " + revision
		if at := settings["vcs.time"]; at != "" {
			text += " of " + at
		}
		if settings["vcs.modified"] == "true" {
			text += ", with changes"
		}
		text += "\n"
	}
	_, err := fmt.Fprintf(w, "%s%s %s/%s\n", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
