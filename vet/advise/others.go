package advise

import (
	"context"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/basin-go/basin/vet/internal/effects"
)

// Other modules are read where they have large sites, and where memory of the sites goes: their functions keep it or not, as
// those of the program do. Their versions are those of go.mod, so a proof that has read them holds for these alone.

// addOthers adds the packages of other modules that have large sites.
func (s *source) addOthers(sites []*Site) {
	modules := map[string]bool{}
	for _, site := range sites {
		if p := s.others[s.packageOf(site)]; p != nil && s.names[site] == "" && site.isLarge() {
			modules[p.Module.Path] = true
		}
	}
	for path, p := range s.others {
		if modules[p.Module.Path] {
			s.own[path] = p
		}
	}
	if len(modules) == 0 {
		return
	}
	s.nameFiles(sites)
}

// nameFiles finds the files of sites in packages that are new to own.
func (s *source) nameFiles(sites []*Site) {
	s.bases = nil
	for _, site := range sites {
		if s.names[site] == "" {
			s.names[site] = s.fileOf(site)
		}
	}
}

// widen loads the packages of other modules to which memory of large sites goes, and again those to which it goes from there.
func (s *source) widen(ctx context.Context, sites []*Site) error {
	const rounds, most = 5, 200
	added := 0
	for range rounds {
		more := s.unread(sites)
		more = more[:min(len(more), most-added)]
		if len(more) == 0 || ctx.Err() != nil {
			return nil
		}
		added += len(more)
		for _, path := range more {
			s.own[path], s.wanted[path], s.optional[path] = s.others[path], true, true // one that does not compile stops no other
		}
		s.nameFiles(sites)
		if s.load(ctx) != nil {
			for _, path := range more {
				delete(s.own, path)
				delete(s.wanted, path)
			}
			return s.load(ctx)
		}
	}
	return nil
}

// unread returns the packages of other modules whose functions may get memory of large sites, and are not loaded.
func (s *source) unread(sites []*Site) (paths []string) {
	clear(s.tracer.unread)
	for _, site := range sites {
		if site.isLarge() {
			site.found, _ = s.find(site)
			s.findAll(site)
			site.found = nil
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.tracer.unread)) {
		if p := s.others[path]; p != nil && s.own[path] == nil && !effects.Lends(types.NewPackage(path, p.Name)) {
			paths = append(paths, path)
		}
	}
	return paths
}

// noteRelied says whose source a verdict relies on.
func (s *Site) noteRelied() {
	if s.found == nil || s.found.fate == nil || s.Verdict != PoolIt && s.Verdict != Reuse {
		return
	}
	var all []string
	for _, m := range s.found.fate.relies {
		if m.Path != s.Module {
			all = append(all, strings.TrimSpace(m.Path+" "+m.Version))
		}
	}
	if len(all) > 0 {
		s.Reason += " This relies on the source of " + inWords(all) + "."
	}
}

// findAll finds out who else has to do with the memory of a site.
func (s *source) findAll(site *Site) {
	s.findOwners(site)
	s.findGivers(site)
	s.findBuilders(site)
	s.findWritten(site)
	s.findEnds(site)
	s.findScratch(site)
	s.findBegun(site)
	s.findEmptied(site)
	s.findKept(site)
	s.findReal(site)
	s.findLineage(site)
	s.findLimit(site)
	s.findRows(site)
	s.findOnlyCaller(site)
	s.findDone(site)
	s.findKeeper(site)
	s.findWrites(site)
	s.findMarshaling(site)
	s.findConcatenation(site)
}
