package top

import (
	"strings"

	"github.com/basin-go/basin"
)

// About returns the lines above the size classes of a pool.
func About(s basin.Stats) string { return strings.Join(about(row{Stats: s}), "\n") }
