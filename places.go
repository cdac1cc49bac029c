//go:build go1.25

package basin

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/quota"
)

// A pool under a limit knows the line that holds each outstanding slice, while checks are off, too. The
// ledger has a set of the addresses of all arrays. Beside each address is a word: whether the array is
// outstanding and must be put back, and the [caller.Site] of its Get. Get stores it, and Put clears it beside the address that it
// looks up anyway. Slices larger than MaxSize have their Site in outsideSet.

// A note is about an array of a ledger.
type note struct {
	word lockfree.Word
	from *quota.Account // of the room of the array, while loaned is set
}

// The word of an array. Only the present owner of the array writes it.
const (
	unheld   = 0
	held     = 1 // outstanding
	exempted = 2 // need not be put back, as the storage of a Buffer
	loaned   = 4 // the room is from a reservation
	gone     = 8 // no array of the ledger any more
	siteBits = 4 // bits below the Site
)

// hold notes that the array is handed out at a place. Its room is from payer, or if that is nil, from the quota
// of the pool.
func (n *note) hold(at caller.Site, payer *quota.Account) {
	word := uint32(at)<<siteBits | held
	if payer != nil {
		n.from = payer
		word |= loaned
	}
	n.word.Set(word)
}

// release notes that the array is not outstanding any more, and returns the payer of its room. ok is false if it
// was not outstanding.
func (n *note) release() (payer *quota.Account, ok bool) {
	word := n.word.Get()
	if word&held == 0 {
		return nil, false
	}
	payer = n.payer(word)
	n.word.Set(unheld)
	return payer, true
}

// payer returns the payer of the room of an outstanding array with the given word.
func (n *note) payer(word uint32) *quota.Account {
	if word&loaned == 0 {
		return nil
	}
	return n.from
}

// A loss is a place that took lost slices, and whether those need not have been put back.
type loss struct {
	at     caller.Site
	exempt bool
}

// placeOf returns the Site in a word.
func placeOf(word uint32) caller.Site { return caller.Site(word >> siteBits) }

// maxLines is the most lines of the program in a message of the log.
const maxLines = 5

// sitesOf returns the source lines that hold the most memory of pools with the given names.
func sitesOf(names map[string]bool) string {
	var lines []string
	of := make(map[string]Amount)
	for _, s := range basincheck.Outstanding() {
		if line := lineOf(s.Stack); names[s.Pool] && line != "" {
			a := of[line]
			if a == (Amount{}) {
				lines = append(lines, line)
			}
			of[line] = Amount{a.Items + s.Items, a.Bytes + s.Bytes}
		}
	}
	sort.SliceStable(lines, func(i, j int) bool { return of[lines[i]].Bytes > of[lines[j]].Bytes })
	lines = lines[:min(len(lines), maxLines)]
	for i, line := range lines {
		lines[i] = fmt.Sprintf("%d of %d bytes: %s", of[line].Items, of[line].Bytes, line)
	}
	return strings.Join(lines, "; ")
}

// lineOf returns the line of a stack that is shown for it: see [basincheck.Stack.Line]. It is "" for an
// unknown stack.
func lineOf(s basincheck.Stack) string {
	f := s.Line()
	if f.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line)
}

// lostLines returns the source lines that took lost slices, those that lost the most first.
func lostLines(at map[loss]uint64) string {
	of := make(map[string]uint64)
	for at, n := range at {
		if line := lineOf(at.at.Stack()); line != "" {
			if at.exempt {
				line += " (a Buffer without Free, or a result of Detach)"
			}
			of[line] += n
		}
	}
	lines := slices.Collect(maps.Keys(of))
	sort.Slice(lines, func(i, j int) bool {
		a, b := lines[i], lines[j]
		return of[a] > of[b] || of[a] == of[b] && a < b
	})
	return strings.Join(lines[:min(len(lines), maxLines)], "; ")
}
