// Package doubleput finds memory that is put more than once.
package doubleput

import (
	"fmt"
	"go/token"
	"sync"

	"github.com/basin-go/basin/vet/internal/pooled"
	"github.com/basin-go/basin/vet/staledefer"
)

const doc = `find memory that is put twice

A pool that gets the same memory twice hands it to two users, who overwrite each
other's data: this is how bodies of requests were sent to other servers
(CVE-2023-45286).`

// Analyzer is the check.
var Analyzer = pooled.NewCheck("doubleput", doc, find)

func find(r *pooled.Result) []pooled.Finding {
	var found []pooled.Finding
	stale := sync.OnceValue(func() map[token.Pos]bool {
		at := map[token.Pos]bool{}
		for _, f := range staledefer.Find(r) {
			at[f.Pos] = true
		}
		return at
	})
	for _, h := range r.Hits {
		f, at := pooled.Finding{}, h.At
		switch {
		case h.Kind == pooled.HandlerPut:
			at = h.Put
			f.Message = "double Put: the framework puts this context, too, when the handler returns"
		case h.Kind != pooled.DoublePut:
			continue
		case h.Later && !h.Defer && !h.Grow: // it is this Put that should not be
			at = h.Put
			f.Message = fmt.Sprintf("double Put: the deferred %s puts %s once more", r.Text(h.At), r.Subject(h.At))
			f.Related = append(r.Related(h.Get, "got here"), r.Related(h.At, "put again here when the function returns")...)
		default:
			f.Message = "double Put: " + r.By(h, true)
			f.Related = r.Story(h, "put here")
		}
		f.Pos, f.End = r.Start(at)
		if h.Later && h.Grow && stale()[f.Pos] {
			continue // staledefer has it, with the mend
		}
		found = append(found, f)
	}
	return found
}
