//go:build go1.25

package basincheck

import (
	"cmp"
	"slices"
	"sort"

	"github.com/basin-go/basin/internal/check"
)

func init() {
	if check.Holders == nil { // the program has no pools
		check.Holders = func(func(uintptr) bool) []check.Site { return nil }
	}
}

func sitesOf(list []check.Site) (sites []Site) {
	for _, s := range list {
		x := Site{
			Pool: s.Pool, Stack: s.Acquired, Items: s.Items, Bytes: s.Bytes,
			Gets: s.Gets, Puts: s.Puts, Leaks: s.Leaks, Unfreed: s.Unfreed, LastPut: s.LastPut,
		}
		if x.Stack != nil {
			x.Paths = 1
		}
		sites = append(sites, x)
	}
	return sites
}

// withHolders adds the holders of memory under ceilings to sites. If these are of a tracker, a place that is
// in both lists keeps its counts of calls. Nothing outstanding is in both lists: sites of sampled checks have
// nothing of pools with ceilings, and holders have nothing that full checks track.
func withHolders(sites, holders []Site, tracked bool) []Site {
	if len(holders) == 0 {
		return sites
	}
	for _, h := range holders {
		if !tracked {
			sites = append(sites, h)
			continue
		}
		h.Gets, h.Puts, h.Leaks, h.Unfreed = 0, 0, 0, 0
		if h.Items == 0 {
			continue
		}
		if i := slices.IndexFunc(sites, func(s Site) bool { return s.Pool == h.Pool && s.Items == 0 && s.Stack.begins(h.Stack) }); i >= 0 {
			sites[i].Items, sites[i].Bytes = h.Items, h.Bytes
		} else {
			sites = append(sites, h)
		}
	}
	sort.SliceStable(sites, func(i, j int) bool {
		a, b := &sites[i], &sites[j]
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Items, a.Items), cmp.Compare(b.Leaks, a.Leaks), cmp.Compare(b.Gets, a.Gets)) < 0
	})
	return sites
}

// begins reports whether the calls of s begin with those of t, from the first that is shown.
func (s Stack) begins(t Stack) bool {
	whole, part := s.Frames(), t.Frames()
	if len(part) == 0 || len(part) > len(whole) {
		return false
	}
	for i, f := range part {
		if f.PC != whole[i].PC {
			return false
		}
	}
	return true
}
