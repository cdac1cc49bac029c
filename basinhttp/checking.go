//go:build go1.25

package basinhttp

import (
	"fmt"

	"github.com/basin-go/basin/basincheck"
)

// Checking has the findings of checked mode, except the counts of each pool, which are
// in its Stats.
type Checking struct {
	Level string `json:"level"` // as BASIN_CHECK spells it: sampled, where figures are estimates, or full
	Every int    `json:"every"` // one acquisition in Every is tracked

	// The number of tracked acquisitions, and the memory of checks: see
	// basincheck.Usage.
	Tracked   uint64 `json:"tracked"`
	Untracked uint64 `json:"untracked"`
	Bytes     int64  `json:"bytes"`
	MaxBytes  int64  `json:"max_bytes"` // zero if there is no ceiling

	// Sites are the lines of the program that acquire from pools, with the calls that led there. Those
	// with the most bytes in use come first. There are at most 512.
	Sites []Site `json:"sites"`

	// Found is the misuse that was found, and the leaks, the most frequent first.
	Found []Finding `json:"found"`
}

// A Site is a line of the program that acquires from pools of one name, as [basincheck.Site].
type Site struct {
	Pool    string   `json:"pool"`  // the name
	Items   int64    `json:"items"` // in use: neither put back nor leaked
	Bytes   int64    `json:"bytes"` // of these items
	Gets    uint64   `json:"gets"`
	Puts    uint64   `json:"puts"`
	Leaks   uint64   `json:"leaks"`
	Stack   []string `json:"stack"`    // "function file:line", the innermost call first; empty for the sum of all other sites
	LastPut []string `json:"last_put"` // where something acquired here was put last
}

// maxSites is the most sites in a report.
const maxSites = 512

// A Finding is the latest of all findings with the same kind, pool and acquisition
// site, and their number.
type Finding struct {
	Kind  string `json:"kind"` // as basincheck.Kind says it: "double Put", "leak" and so on
	Pool  string `json:"pool"` // its name
	Count uint64 `json:"count"`
	// Estimated is true if Count is an estimate, as for leaks that sampled checks have found.
	Estimated bool     `json:"estimated"`
	Size      int      `json:"size"` // bytes
	Acquired  []string `json:"acquired"`
	FirstPut  []string `json:"first_put"`
	Here      []string `json:"here"`
}

// readChecking returns the findings of checked mode, or nil if it is off.
func readChecking() *Checking {
	now := basincheck.Now()
	if now.Level == basincheck.Off {
		return nil
	}
	stats := basincheck.Stats()
	c := &Checking{
		Level: now.Level.String(), Every: max(now.Every, 1),
		Tracked: stats.Tracked, Untracked: stats.Untracked, Bytes: stats.Bytes, MaxBytes: stats.MaxBytes,
	}
	sites := basincheck.Sites()
	for _, s := range sites[:min(len(sites), maxSites)] {
		c.Sites = append(c.Sites, Site{
			Pool: s.Pool, Items: s.Items, Bytes: s.Bytes, Gets: s.Gets, Puts: s.Puts, Leaks: s.Leaks,
			Stack: lines(s.Stack), LastPut: lines(s.LastPut),
		})
	}
	for _, m := range basincheck.Found() {
		c.Found = append(c.Found, Finding{
			Kind: m.Kind.String(), Pool: m.Pool, Count: m.Count, Estimated: m.Estimated, Size: m.Size,
			Acquired: lines(m.Acquired), FirstPut: lines(m.FirstPut), Here: lines(m.Here),
		})
	}
	return c
}

// lines returns a line for each call in s.
func lines(s basincheck.Stack) []string {
	var all []string
	for _, f := range s.Frames() {
		all = append(all, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
	}
	return all
}
