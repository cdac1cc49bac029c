// Package missingput defines analyzers that find paths on which memory of a pool is not put.
//
// # Analyzer missingput
//
// missingput: find paths on which memory from Get is not put
//
// Such memory is garbage, and the pool allocates again. That is often intended,
// so this check runs only if it is named, or with -all. Memory of a FixedPool or
// of a pool with MaxInUse is left to boundedput.
//
// # Analyzer boundedput
//
// boundedput: find paths on which memory of a bounded pool is not put
//
// A FixedPool, or a pool with MaxInUse, hands out no more than its ceiling. A
// FixedPool never gets a lost buffer back: after the last one, GetContext waits
// until its context ends. Under MaxInUse, other requests wait until the collector
// has found the lost memory.
//
//	b := fixed.Get()
//	if _, err := conn.Read(b); err != nil {
//		return err // b is lost
//	}
//	fixed.Put(b)
package missingput

import (
	_ "embed"
	"strings"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed missingput.go
var source string

// Analyzer is the check for pools without a ceiling.
var Analyzer = findings.NewCheck("missingput", findings.Doc(source, "missingput"), func(r *pooled.Result) []findings.Finding {
	return find(r, func(h *paths.Hit) bool { return !bounded(r, h) })
})

// Bounded is the check for pools with a ceiling on the memory in use.
var Bounded = findings.NewCheck("boundedput", findings.Doc(source, "boundedput"), func(r *pooled.Result) []findings.Finding {
	return find(r, func(h *paths.Hit) bool { return bounded(r, h) })
})

func init() { Bounded.URL = Analyzer.URL } // the package has the documentation of both

func bounded(r *pooled.Result, h *paths.Hit) bool {
	return strings.Contains(h.Pool, "basin.FixedPool)") || h.Limited
}

func find(r *pooled.Result, want func(*paths.Hit) bool) []findings.Finding {
	var found []findings.Finding
	for _, h := range r.Hits {
		if h.Kind != paths.MissingPut || !want(h) {
			continue
		}
		f := findings.Finding{Message: "missing Put: a path from here has no Put"}
		if bounded(r, h) {
			f.Message += ", and lost memory counts against the pool's ceiling"
		}
		if h.Put > h.At { // else the path ends at the Get itself
			f.Related = r.Related(h.Put, "no Put up to here")
		}
		f.Pos, f.End = r.Start(h.At)
		found = append(found, f)
	}
	return found
}
