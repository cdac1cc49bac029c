//go:build go1.25

// Command plain never logs with slog.
package main

import (
	"log"

	"github.com/basin-go/basin/internal/warn"
)

func main() {
	log.SetFlags(0)
	warn.Log("basin: text", "pool", "a b", "n", 1)
}
