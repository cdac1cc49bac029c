//go:build go1.25

package basinexport

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"path"
	"runtime"
	"slices"
	"sync"

	"github.com/basin-go/basin/basincheck"
)

// SiteCounts count the items that a line of the program has acquired from pools of one name and
// that checks have tracked. Gets - Puts - Leaks are in use. If checks are sampled, the figures are
// estimates.
type SiteCounts struct {
	Pool string // the name; empty for OtherSites
	Site string // "function file:line", or OtherSites

	Gets  uint64 // acquired items that must be put back
	Puts  uint64 // those that were put back, at any line
	Leaks uint64 // those that became garbage and were never put back

	// Unfreed items need not be put back, and became garbage: Buffers without Free. They are not
	// among Gets.
	Unfreed uint64
}

// OtherSites is the Site of the sum of all lines without figures of their own.
const OtherSites = "other"

// A SiteReader reads the lines of the program that acquire from pools, for metrics: it has
// few lines, whose counts never go back. [basincheck.Sites] has all lines, with call stacks.
//
// The zero value is ready. All methods may be called from many goroutines at once.
type SiteReader struct {
	// Max is how many lines have figures of their own. All others are added up. Lines
	// that leak take the places of those that do not. Counts of a line without a place
	// stay in the sum of the others for good. Zero means DefaultMaxSites.
	Max int

	mu    sync.Mutex
	known map[siteKey]*siteCount
	other SiteCounts
}

// DefaultMaxSites replaces a zero Max in a [SiteReader].
const DefaultMaxSites = 20

// A siteKey is a source line that acquires from pools of one name.
type siteKey struct {
	pool, file string
	line       int // zero for the sum of all lines that checks do not remember
}

// A siteCount has the counts of a line.
type siteCount struct {
	site      string     // the name of the line; the function is the first that was seen there
	now, last SiteCounts // in this reading, and in the one before
	placed    bool       // whether the line has figures of its own
	sum       SiteCounts // since the line was placed
}

// All reads all lines when a loop over it begins, and yields the figures of each that has a place, and the
// sum of the others, if there are any. While checks are off, there are only the lines that hold memory of
// pools under a limit, without leaks, and the other figures stay as they were. The body of the loop must not use
// the SiteReader.
func (r *SiteReader) All() iter.Seq[SiteCounts] {
	return func(yield func(SiteCounts) bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.read()
		r.place()
		r.count()
		for _, k := range slices.SortedFunc(maps.Keys(r.known), func(a, b siteKey) int {
			return cmp.Or(cmp.Compare(a.pool, b.pool), cmp.Compare(r.known[a].site, r.known[b].site), cmp.Compare(a.file, b.file))
		}) {
			if c := r.known[k]; c.placed {
				c.sum.Pool, c.sum.Site = k.pool, c.site
				if !yield(c.sum) {
					return
				}
			}
		}
		if r.other.Gets+r.other.Unfreed > 0 {
			r.other.Site = OtherSites
			yield(r.other)
		}
	}
}

// count adds to the sums the difference to the reading before, and forgets lines without figures.
func (r *SiteReader) count() {
	for k, c := range r.known {
		// If a count is less than before, checks were restarted, or had forgotten the line.
		if c.now.Gets < c.last.Gets || c.now.Puts < c.last.Puts || c.now.Leaks < c.last.Leaks || c.now.Unfreed < c.last.Unfreed {
			c.last = SiteCounts{}
		}
		sum := &r.other
		if c.placed {
			sum = &c.sum
		}
		sum.add(SiteCounts{
			Gets: c.now.Gets - c.last.Gets, Puts: c.now.Puts - c.last.Puts, Leaks: c.now.Leaks - c.last.Leaks,
			Unfreed: c.now.Unfreed - c.last.Unfreed,
		})
		if c.now == (SiteCounts{}) && !c.placed {
			delete(r.known, k)
		}
	}
}

// read adds up all records by pool and line.
func (r *SiteReader) read() {
	if r.known == nil {
		r.known = make(map[siteKey]*siteCount)
	}
	for _, c := range r.known {
		c.last, c.now = c.now, SiteCounts{}
	}
	off := basincheck.Now().Level == basincheck.Off
	for _, s := range basincheck.Sites() {
		f := s.Stack.Line()
		k := siteKey{label(s.Pool), f.File, f.Line}
		c := r.known[k]
		if c == nil {
			c = &siteCount{site: label(line(f))}
			r.known[k] = c
		}
		if off { // Gets has only the items still held at a reading, so leaks would seem frequent
			s.Puts, s.Leaks = s.Puts+s.Leaks+s.Unfreed, 0
		}
		c.now.add(SiteCounts{Gets: s.Gets, Puts: s.Puts, Leaks: s.Leaks, Unfreed: s.Unfreed})
	}
}

func (c *SiteCounts) add(d SiteCounts) {
	c.Gets += d.Gets
	c.Puts += d.Puts
	c.Leaks += d.Leaks
	c.Unfreed += d.Unfreed
}

// place gives places to lines without one, those that leak first. If none is free, a line that leaks
// takes the place of one that does not.
func (r *SiteReader) place() {
	free := cmp.Or(max(r.Max, 0), DefaultMaxSites)
	var waiting, harmless []*siteCount // the first to get a place, and to lose it
	for k, c := range r.known {
		switch {
		case !c.placed && k.line != 0:
			waiting = append(waiting, c)
		case c.placed:
			free--
			if c.sum.Leaks+c.now.Leaks == 0 {
				harmless = append(harmless, c)
			}
		}
	}
	slices.SortFunc(waiting, worse)
	slices.SortFunc(harmless, func(a, b *siteCount) int { return worse(b, a) })
	for _, c := range waiting {
		switch {
		case free > 0:
			free--
		case c.now.Leaks > 0 && len(harmless) > 0:
			loser := harmless[0]
			harmless = harmless[1:]
			r.other.add(loser.sum)
			loser.placed, loser.sum = false, SiteCounts{}
		default:
			continue
		}
		c.placed = true
	}
}

// worse orders lines by leaks, then by unfreed items, by items in use, and by Gets, the most first.
func worse(a, b *siteCount) int {
	held := func(c *siteCount) uint64 { return c.now.Gets - c.now.Puts - c.now.Leaks }
	return cmp.Or(cmp.Compare(b.now.Leaks, a.now.Leaks), cmp.Compare(b.now.Unfreed, a.now.Unfreed), cmp.Compare(held(b), held(a)), cmp.Compare(b.now.Gets, a.now.Gets))
}

// line names a source line.
func line(f runtime.Frame) string {
	if f.Function == "" {
		return OtherSites
	}
	return fmt.Sprintf("%s %s:%d", f.Function, path.Base(f.File), f.Line)
}
