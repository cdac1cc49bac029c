// Package aliasput finds memory that is still reachable by others when it is put.
package aliasput

import (
	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `find aliases of pooled memory that outlive its Put

An alias of memory of a pool - a slice, buf.Bytes(), resp.Body(), a string made
without a copy, a reader - is returned, stored, sent or given to a goroutine,
although the memory is put. The alias then shows the bytes of the next user.
Hand out a copy, or leave the Put to the receiver.`

// Analyzer is the check.
var Analyzer = pooled.NewCheck("aliasput", doc, find)

func find(r *pooled.Result) []pooled.Finding {
	var found []pooled.Finding
	for _, h := range r.Hits {
		f := pooled.Finding{}
		switch h.Kind {
		case pooled.ReturnedAfterPut:
			f.Message = "returned after Put: the result points into memory, and " + r.By(h, false)
		case pooled.StoredAfterPut:
			f.Message = "kept after Put: the stored value points into memory, and " + r.By(h, false)
		case pooled.SharedAtPut:
			f.Message = "shared at Put: another goroutine may still use the memory when " + r.By(h, false)
		case pooled.GoInHandler:
			f.Message = "used after the handler: the framework reuses this context when the handler returns, and the goroutine still has it"
		default:
			continue
		}
		if h.Kind != pooled.GoInHandler {
			f.Related = r.Story(h, "put here")
		}
		f.Pos, f.End = r.Start(h.At)
		found = append(found, f)
	}
	return found
}
