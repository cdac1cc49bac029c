//go:build go1.25

// Command replaced replaces slog's default logger by one that no message of package log would reach.
package main

import (
	"log/slog"
	"os"

	"github.com/basin-go/basin/internal/warn"
)

func main() {
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: noTime})))
	warn.Log("basin: text", "pool", "a b", "n", 1)
}
