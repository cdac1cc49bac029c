package advise

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The packages of a source are those that have sites, those on the stacks of the sites, and those to which memory goes.

// loadSource loads the packages of the main module that have sites, those of other modules that have large ones, and those to
// which the memory of these goes.
func loadSource(ctx context.Context, dir, tags string, sites []*Site) (*source, error) {
	s := newSource(dir)
	s.closed, s.setElse = s.isClosed, s.maySetElse
	s.frees = sync.OnceValue(func() bool { return freesOutgrown(ctx, s.dir) })
	if tags != "" {
		s.flags = []string{"-tags=" + tags}
	}
	if err := s.list(ctx, dir); err != nil {
		return nil, err
	}
	s.findMade(sites)
	for _, site := range sites {
		s.program = s.program || packageOf(site.Function) == "main" && base(site.File) != "_testmain.go"
		s.names[site] = s.fileOf(site)
	}
	if len(s.wanted) == 0 && slices.ContainsFunc(sites, func(site *Site) bool {
		return strings.HasSuffix(site.File, "_test.go") && s.own[packageOf(site.Function)] != nil
	}) {
		return nil, errors.New("the profile has lines of this module's tests only; take one of the program")
	}
	if len(s.wanted) == 0 {
		return nil, errors.New("no line of the profile is in this module; name the program's module with -source")
	}
	s.addFrames(sites)
	s.addImports()
	s.addCallers(sites)
	own, wanted := maps.Clone(s.own), maps.Clone(s.wanted)
	s.addOthers(sites)
	s.addFrames(sites)
	s.addImports()
	if len(s.own) > len(own) && s.load(ctx) != nil { // one of another module does not compile
		s.own, s.wanted = own, wanted
		s.addImports()
	}
	if s.tracer == nil {
		if err := s.load(ctx); err != nil {
			return nil, err
		}
	}
	return s, s.widen(ctx, sites)
}
