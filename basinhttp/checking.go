package basinhttp

import (
	"fmt"

	"github.com/basin-go/basin/basincheck"
)

// Checking is what checked mode knows, except the counts of each pool, which are in
// its Stats.
type Checking struct {
	Level string `json:"level"` // as BASIN_CHECK spells it: sampled, which makes figures estimates, or full

	// How much checks have tracked, and the memory that they hold for it: see
	// basincheck.Usage.
	Tracked   uint64 `json:"tracked"`
	Untracked uint64 `json:"untracked"`
	Bytes     int64  `json:"bytes"`
	MaxBytes  int64  `json:"max_bytes"` // zero if there is no ceiling

	// Sites are the places in the program that have acquired something of a pool and
	// not put it back, by how much. If it is never put back, it is a leak.
	Sites []Site `json:"sites"`

	// Found is the misuse that was found, leaks included, the most frequent first.
	Found []Finding `json:"found"`
}

// A Site is what one place has acquired of one pool and not put back.
type Site struct {
	Pool  string   `json:"pool"`  // its name
	Items int64    `json:"items"` // slices, buffers or values
	Bytes int64    `json:"bytes"`
	Stack []string `json:"stack"` // "function file:line", the innermost call first
}

// A Finding is the latest misuse of one kind, of what was acquired of one pool in one
// place, and how often there was such misuse.
type Finding struct {
	Kind     string   `json:"kind"` // as basincheck.Kind says it: "double Put", "leak" and so on
	Pool     string   `json:"pool"` // its name
	Count    uint64   `json:"count"`
	Size     int      `json:"size"` // bytes
	Acquired []string `json:"acquired"`
	FirstPut []string `json:"first_put"`
	Here     []string `json:"here"`
}

// readChecking returns what checked mode knows, or nil if it is off.
func readChecking() *Checking {
	level := basincheck.Now().Level
	if level == basincheck.Off {
		return nil
	}
	stats := basincheck.Stats()
	c := &Checking{
		Level:   level.String(),
		Tracked: stats.Tracked, Untracked: stats.Untracked, Bytes: stats.Bytes, MaxBytes: stats.MaxBytes,
	}
	for _, s := range basincheck.Outstanding() {
		c.Sites = append(c.Sites, Site{Pool: s.Pool, Items: s.Objects, Bytes: s.Bytes, Stack: lines(s.Stack)})
	}
	for _, m := range basincheck.Found() {
		c.Found = append(c.Found, Finding{
			Kind: m.Kind.String(), Pool: m.Pool, Count: m.Count, Size: m.Size,
			Acquired: lines(m.Acquired), FirstPut: lines(m.FirstPut), Here: lines(m.Here),
		})
	}
	return c
}

// lines returns s, a line for each call.
func lines(s basincheck.Stack) []string {
	var all []string
	for _, f := range s.Frames() {
		all = append(all, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
	}
	return all
}
