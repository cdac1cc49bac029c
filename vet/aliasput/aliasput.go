// Package aliasput finds memory that is still reachable by others when it is put.
package aliasput

import (
	"fmt"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `find aliases of pooled memory that outlive its Put

What points into memory of a pool - a slice, buf.Bytes(), resp.Body(), a string
made without a copy, a reader - is returned, stored, sent or given to a
goroutine, although the memory is put. Whoever has the alias then sees what the
next user writes. A copy is to be handed out, or the Put left to the receiver.`

// Analyzer is the check.
var Analyzer = pooled.NewCheck("aliasput", doc, find)

func find(r *pooled.Result) []pooled.Finding {
	var found []pooled.Finding
	for _, h := range r.Hits {
		f := pooled.Finding{Pos: h.At}
		put := r.Text(h.Put)
		if h.Defer {
			put = "the deferred " + put
		}
		switch h.Kind {
		case pooled.ReturnedAfterPut:
			f.Message = fmt.Sprintf("what is returned points into memory that %s puts: the next user of the pool overwrites it; return a copy", put)
		case pooled.StoredAfterPut:
			f.Message = fmt.Sprintf("what is stored points into memory that %s puts: the next user of the pool overwrites it; store a copy", put)
		case pooled.SharedAtPut:
			f.Message = fmt.Sprintf("another goroutine is given memory that %s puts, perhaps while it is used; give it a copy, or let it put the memory", put)
		case pooled.GoInHandler:
			f.Message = "the goroutine has what the framework reuses once the handler returns: it sees the next request; give it a copy"
			f.Pos, f.End = r.Start(f.Pos)
			found = append(found, f)
			continue
		default:
			continue
		}
		f.Related = r.Related(h.Put, "put here")
		if h.Get.IsValid() {
			f.Related = append(r.Related(h.Get, "got here"), f.Related...)
		}
		f.Pos, f.End = r.Start(f.Pos)
		found = append(found, f)
	}
	return found
}
