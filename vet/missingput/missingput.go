// Package missingput finds paths on which memory of a pool is forgotten.
package missingput

import (
	"strings"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `find paths on which memory from Get is not put

With most pools the collector takes it and the pool allocates anew, so this
check has to be asked for.`

const boundedDoc = `find paths on which memory of a bounded pool is not put

A FixedPool, and a pool with MaxInUse, has so much and no more. Memory that is
not put is lost for good, until every Get waits for ever.`

// Analyzer is the check for all pools.
var Analyzer = pooled.NewCheck("missingput", doc, func(r *pooled.Result) []pooled.Finding {
	return find(r, func(h *pooled.Hit) bool { return !bounded(r, h) })
})

// Bounded is the check for pools with a limit.
var Bounded = pooled.NewCheck("boundedput", boundedDoc, func(r *pooled.Result) []pooled.Finding {
	return find(r, func(h *pooled.Hit) bool { return bounded(r, h) })
})

func bounded(r *pooled.Result, h *pooled.Hit) bool {
	return strings.Contains(h.Pool, "basin.FixedPool)") || h.Limited
}

func find(r *pooled.Result, want func(*pooled.Hit) bool) []pooled.Finding {
	var found []pooled.Finding
	for _, h := range r.Hits {
		if h.Kind != pooled.MissingPut || !want(h) {
			continue
		}
		f := pooled.Finding{Message: "missing Put: a path from here ends without one"}
		if bounded(r, h) {
			f.Message = "missing Put: a path from here ends without one, and the bounded pool never gets this memory back"
		}
		f.Related = r.Related(h.Put, "not put on the way to here")
		f.Pos, f.End = r.Start(h.At)
		found = append(found, f)
	}
	return found
}
