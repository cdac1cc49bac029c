package basinhttp

import (
	"fmt"

	"github.com/basin-go/basin"
)

// Checking is what checked mode knows, but for the counts of each pool, which its Stats have.
type Checking struct {
	Level string `json:"level"` // as BASIN_CHECK spells it: sampled, which makes figures estimates, or full

	// Sites are the places in the program that hold something of a pool, by what
	// they hold: those of what is never put back are leaks.
	Sites []Site `json:"sites"`

	// Found is the misuse that was found, leaks included, most often first.
	Found []Finding `json:"found"`
}

// A Site is what is in use of one pool and was got in one place.
type Site struct {
	Pool  string   `json:"pool"`  // its name
	Items int64    `json:"items"` // slices, buffers or values
	Bytes int64    `json:"bytes"`
	Stack []string `json:"stack"` // "function file:line", the innermost call first
}

// A Finding is misuse of one kind of what was got in one place: the latest, and how often.
type Finding struct {
	Kind     string   `json:"kind"` // as basin.MisuseKind says it: "double Put", "leak" and so on
	Pool     string   `json:"pool"` // its name
	Count    uint64   `json:"count"`
	Size     int      `json:"size"` // bytes
	Acquired []string `json:"acquired"`
	FirstPut []string `json:"firstPut"`
	Here     []string `json:"here"`
}

// readChecking returns what checked mode knows, or nil if it is off.
func readChecking() *Checking {
	level := basin.CheckingNow().Level
	if level == basin.CheckOff {
		return nil
	}
	c := &Checking{Level: level.String()}
	for _, s := range basin.InUse() {
		c.Sites = append(c.Sites, Site{Pool: s.Pool, Items: s.Objects, Bytes: s.Bytes, Stack: lines(s.Stack)})
	}
	for _, m := range basin.Found() {
		c.Found = append(c.Found, Finding{
			Kind: m.Kind.String(), Pool: m.Pool, Count: m.Count, Size: m.Size,
			Acquired: lines(m.Acquired), FirstPut: lines(m.FirstPut), Here: lines(m.Here),
		})
	}
	return c
}

// lines returns s, a line for each call.
func lines(s basin.Stack) []string {
	var all []string
	for _, f := range s.Frames() {
		all = append(all, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
	}
	return all
}
