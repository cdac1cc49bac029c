//go:build go1.25

package basinhttp

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"github.com/basin-go/basin/basincheck"
)

// Checking has the findings of checked mode, except the counts of each pool, which are
// in its Stats.
type Checking struct {
	Level string `json:"level"` // as BASIN_CHECK spells it: sampled, where figures are estimates, full, or off
	Every int    `json:"every"` // one acquisition in Every is tracked

	// The number of tracked acquisitions, and the memory of checks: see
	// basincheck.Usage. Guarded memory is not part of Bytes.
	Tracked   uint64 `json:"tracked"`
	Untracked uint64 `json:"untracked"`
	Bytes     int64  `json:"bytes"`
	MaxBytes  int64  `json:"max_bytes"` // zero if there is no ceiling

	GuardBytes    int64  `json:"guard_bytes"`
	MaxGuardBytes int64  `json:"max_guard_bytes"` // zero if no level had guarded memory yet
	Unguarded     uint64 `json:"unguarded"`       // tracked slices that should have been guarded, and are on the heap

	// Sites are the lines of the program that acquire from pools, with the calls that led there. A line
	// of the standard library is none: see basincheck.Stack.Line. Those with the most bytes in use
	// come first. There are at most 512.
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
	Unfreed uint64   `json:"unfreed"`  // became garbage and need not be put: Buffers without Free
	Line    string   `json:"line"`     // "function file:line"; empty for the sum of all other sites
	Paths   int      `json:"paths"`    // call stacks that lead to the line
	Stack   []string `json:"stack"`    // that with the most bytes, the innermost call first
	PutLine string   `json:"put_line"` // where something acquired here was put last
	LastPut []string `json:"last_put"` // the calls that led to PutLine
}

// maxSites is the most sites in a report.
const maxSites = 512

// A Finding is the latest of all findings with the same kind, pool and line of the acquisition, and
// their number. If several call stacks lead to the line, it is of the most frequent one.
type Finding struct {
	Kind  string `json:"kind"` // as basincheck.Kind says it: "double Put", "leak" and so on
	Pool  string `json:"pool"` // its name
	Count uint64 `json:"count"`
	// Estimated is true if Count is an estimate, as for leaks that sampled checks have found.
	Estimated bool     `json:"estimated"`
	Size      int      `json:"size"` // bytes
	Line      string   `json:"line"` // that acquired, or else that misused: "function file:line"
	Acquired  []string `json:"acquired"`
	FirstPut  []string `json:"first_put"`
	Here      []string `json:"here"`

	// Of a Shared: a sentence about the Release that was too many, or empty; and the calls that took
	// and gave up references, as basincheck.Report has them.
	Suspect string   `json:"suspect,omitempty"`
	Trail   []string `json:"trail,omitempty"`
}

// readChecking returns the findings of checked mode. If it is off, there are only the lines that hold
// memory of pools with a MaxInUse, and slices of these that were put into another pool. If there are
// none, readChecking returns nil.
func readChecking() *Checking {
	now := basincheck.Now()
	stats := basincheck.Stats()
	c := &Checking{
		Level: now.Level.String(), Every: max(now.Every, 1),
		Tracked: stats.Tracked, Untracked: stats.Untracked, Bytes: stats.Bytes, MaxBytes: stats.MaxBytes,
		GuardBytes: stats.GuardBytes, MaxGuardBytes: stats.MaxGuardBytes, Unguarded: stats.Unguarded,
	}
	sites := basincheck.Sites()
	found := basincheck.Found()
	if now.Level == basincheck.Off && len(sites)+len(found) == 0 {
		return nil
	}
	for _, s := range sites[:min(len(sites), maxSites)] {
		c.Sites = append(c.Sites, Site{
			Pool: s.Pool, Items: s.Items, Bytes: s.Bytes, Gets: s.Gets, Puts: s.Puts, Leaks: s.Leaks, Unfreed: s.Unfreed,
			Line: line(s.Stack.Line()), Paths: s.Paths, Stack: lines(s.Stack), PutLine: line(s.LastPut.Line()), LastPut: lines(s.LastPut),
		})
	}
	c.Found = readFound()
	return c
}

// readFound returns the findings by source line, the most frequent first.
func readFound() (found []Finding) {
	at := make(map[[3]string]int) // index in found, by kind, pool and line
	for _, m := range basincheck.Found() {
		f := Finding{
			Kind: m.Kind.String(), Pool: m.Pool, Count: m.Count, Estimated: m.Estimated, Size: m.Size,
			Line:     line(cmp.Or(m.Acquired.Line(), m.Here.Line())),
			Acquired: lines(m.Acquired), FirstPut: lines(m.FirstPut), Here: lines(m.Here), Suspect: m.Suspect,
		}
		for _, s := range m.Trail {
			f.Trail = append(f.Trail, fmt.Sprintf("%s ×%d %s", s.Call, s.Count, line(s.Stack.Line())))
		}
		key := [3]string{f.Kind, f.Pool, f.Line}
		if i, known := at[key]; known {
			found[i].Count += f.Count
			found[i].Estimated = found[i].Estimated || f.Estimated
			continue
		}
		at[key] = len(found)
		found = append(found, f)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.Count, a.Count) })
	return found
}

// line returns "function file:line", or "" for no frame.
func line(f runtime.Frame) string {
	if f.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line)
}

// lines returns a line for each call in s.
func lines(s basincheck.Stack) []string {
	var all []string
	for _, f := range s.Frames() {
		all = append(all, line(f))
	}
	return all
}
